//! Lightpaths on demand: instants worked by hand, Engset's formula, failures, conservation.

use proptest::prelude::*;

use crate::common::{count, counts, run, values};

/// A shape with fibres of 10 Gb/s and 5 µs, the core's keys, and how long the run takes.
fn network(shape: &str, core: &str, duration: &str) -> String {
    format!(
        "[run]\nduration = \"{duration}\"\n\
         [topology]\n{shape}\nlink = {{ rate = \"10 Gb/s\", delay = \"5 us\" }}\n\
         access = {{ rate = \"10 Gb/s\", delay = \"500 ns\" }}\n[core]\nkind = \"lightpath\"\n{core}\n"
    )
}

/// Datagrams of 1000 B without headers, which take 0.8 µs each.
fn traffic(from: &str, to: &str, source: &str) -> String {
    format!(
        "[[traffic]]\nfrom = \"{from}\"\nto = \"{to}\"\n\
         transport = {{ kind = \"udp\", header = \"0 B\" }}\nsource = {{ {source}, packet = \"1000 B\" }}\n"
    )
}

/// One datagram every 100 ms.
const RARE: &str = "kind = \"cbr\", rate = \"80 kb/s\"";
const LINE: &str = "kind = \"line\"\nrouters = 4";
const RING: &str = "kind = \"ring\"\nrouters = 4\nhosts = 1";

/// Near enough for sums of picoseconds as seconds.
fn assert_us(found: f64, expected: f64) {
    assert!((found * 1e6 - expected).abs() < 1e-6, "{} µs, expected {expected}", found * 1e6);
}

/// Sent at 0, it is in rack 0 at 1.3 µs, and three fibres of 5 µs from rack 3. The answer is back after 30 µs of
/// propagation, 4 µs in which four nodes process the request, and 2 µs for the last switch: at 37.3 µs. Its last bit leaves at 38.1
/// µs, is in rack 3 at 53.1 µs, and at the host at 54.4 µs. The end of the lightpath, closed at 38.1 µs, is known to all after
/// 19 µs: of its channels each was held from 1.3 to 57.1 µs.
#[test]
fn a_lightpath_by_hand() {
    let core = "channels = 2\nsignalling = \"1 us\"\nreconfiguration = \"2 us\"";
    let text = network(LINE, core, "90 ms") + &traffic("a", "b", RARE);
    let report = run(&text, 1);
    assert_us(values(&report, "flows", "delay-mean")[0], 54.4);
    assert_us(values(&report, "racks", "wait-max")[0], 36.0);
    assert_us(values(&report, "lightpaths", "held")[0], 55.8);
    assert_eq!(values(&report, "lightpaths", "hops-mean"), vec![3.0]);
    let held = values(&report, "fibres", "held-mean");
    assert!(held[..6].iter().step_by(2).all(|&held| (held * 90e3 - 55.8).abs() < 1e-6), "{held:?}");
    // The links have carried it: 0.8 µs on one of two channels.
    let used = values(&report, "links", "utilization");
    assert!((used[2] - 0.4e-6 / 90e-3).abs() < 1e-12, "{used:?}");
    assert_eq!(counts(&report, "links", "packets-out")[2], 1);
    // Nothing happens while nothing waits: the offer, four arrivals, the answer, the close, the end.
    let events = report.json["events"].as_u64().unwrap();
    assert!(events < 12, "{events} events");
    // One that stays for 1 ms after the packet.
    let report = run(&text.replace("[core]", "[core]\nhold = \"1 ms\""), 1);
    assert_us(values(&report, "lightpaths", "held")[0], 1_055.8);
}

/// A second datagram, 10 µs later, finds the request on its way, or the lightpath that is held for 10 µs: it asks for
/// none. After 1 ms it needs one of its own.
#[test]
fn a_lightpath_carries_what_comes_meanwhile() {
    for (gap, hold, requests, second) in
        [("800 Mb/s", "0 s", 1, 45.2), ("8 Mb/s", "0 s", 2, 54.4), ("8 Mb/s", "1 ms", 1, 18.4)]
    {
        let core = format!(
            "channels = 2\nsignalling = \"1 us\"\nreconfiguration = \"2 us\"\nhold = \"{hold}\""
        );
        let source = format!("kind = \"cbr\", rate = \"{gap}\"");
        let stop = if gap == "8 Mb/s" { "stop = \"1500 us\"\n" } else { "stop = \"15 us\"\n" };
        let report = run(&(network(LINE, &core, "5 ms") + &traffic("a", "b", &source) + stop), 1);
        assert_eq!(count(&report, "lightpaths", "requests"), requests, "{gap}, {hold}");
        let mean = f64::midpoint(54.4, second);
        assert_us(values(&report, "flows", "delay-mean")[0], mean);
    }
}

/// A ring of four racks with one channel. Rack 0 sends to rack 1 for long; rack 0 to rack 2 has the other way around if it may, and
/// else is blocked.
#[test]
fn an_alternate_route_by_hand() {
    for (routes, delivered, by_alternate, blocked) in [(1, 0, 0, 1), (2, 1, 1, 0)] {
        let core = format!("channels = 1\nroutes = {routes}\nhold = \"100 us\"");
        let text = network(RING, &core, "90 ms").replace("hosts = 1", "hosts = 2")
            + &traffic("h0-0", "h1-0", "kind = \"cbr\", rate = \"9.9 Gb/s\"")
            + &traffic("h0-1", "h2-0", RARE)
            + "start = \"1 ms\"\n";
        let report = run(&text, 1);
        assert_eq!(counts(&report, "flows", "packets-delivered")[1], delivered);
        assert_eq!(counts(&report, "lightpaths", "by-alternate")[1], by_alternate);
        assert_eq!(counts(&report, "lightpaths", "blocked-channel")[1], blocked);
        assert_eq!(count(&report, "racks", "lost-blocked"), blocked);
        assert_eq!(count(&report, "flows", "packets-lost"), blocked);
    }
}

/// Four racks in a row with two channels. The lightpath from rack 1 to 2 gets channel 0, that from 1 to 3 channel 1; the first one
/// ends. That from 0 to 1 gets channel 0. From 0 to 2 the first fibre has channel 1 left, the second one channel 0: without
/// conversion that is no lightpath.
#[test]
fn continuity_by_hand() {
    let often = "kind = \"cbr\", rate = \"160 Mb/s\"";
    for (conversion, blocked) in [("none", 1), ("full", 0)] {
        let core = format!("channels = 2\nconversion = \"{conversion}\"\nhold = \"100 us\"");
        let shape = "kind = \"mesh\"\ndimensions = [4]\nhosts = 2";
        let text = network(shape, &core, "10 ms")
            + &traffic("h1-0", "h2-0", RARE)
            + &traffic("h1-1", "h3-0", often)
            + "start = \"20 us\"\n"
            + &traffic("h0-0", "h1-0", often)
            + "start = \"500 us\"\n"
            + &traffic("h0-1", "h2-0", RARE)
            + "start = \"1 ms\"\n";
        let report = run(&text, 1);
        // In the order of pairs: from 0 to 1, from 0 to 2, from 1 to 2, from 1 to 3.
        assert_eq!(counts(&report, "lightpaths", "requests"), [1; 4]);
        assert_eq!(counts(&report, "lightpaths", "blocked-channel"), [0, blocked, 0, 0]);
        assert_eq!(counts(&report, "flows", "packets-delivered")[3], 1 - blocked);
    }
}

/// A rack with one transmitter: while one lightpath has it for 1 ms another rack is asked for again every 100 µs.
#[test]
fn a_blocked_rack_asks_again() {
    let core = "channels = 1\nretry = \"100 us\"\nhold = \"1 ms\"";
    let shape = "kind = \"ring\"\nrouters = 3\nhosts = 2";
    // From rack 0 to rack 1 and, 50 µs later, to rack 2 by the same transmitter.
    let text = network(shape, &format!("{core}\ntransceivers = 1"), "50 ms")
        + &traffic("h0-0", "h1-0", RARE)
        + &traffic("h0-1", "h2-0", RARE)
        + "start = \"50 us\"\n";
    let report = run(&text, 1);
    // The first asks at 1.3 µs, has its answer after 10 µs, has sent at 12.1 µs, closes 1 ms later, and all know
    // that at 1017.1 µs. The second asks at 51.3 µs and every 100 µs, the last time at 1051.3 µs.
    assert_eq!(counts(&report, "lightpaths", "requests"), [1, 11]);
    assert_eq!(counts(&report, "lightpaths", "blocked-transceiver"), [0, 10]);
    assert_us(values(&report, "flows", "delay-mean")[1], 1_051.3 - 50.0 + 10.0 + 0.8 + 5.0 + 1.3);
    assert_eq!(count(&report, "flows", "packets-lost"), 0);
}

/// Rack 0 sends to rack 1 over a fibre that fails at 1 ms: what it sends is lost, until nothing has waited for 100 µs. The next
/// lightpath goes the other way around.
#[test]
fn a_fibre_fails() {
    let core = "channels = 1\nroutes = 2\nhold = \"100 us\"";
    let source = "kind = \"cbr\", rate = \"80 Mb/s\"";
    let change = "[[changes]]\nat = \"1 ms\"\nlink = \"r0 - r1\"\nset = { kind = \"down\" }\n";
    // Datagrams every 100 µs keep it; from 2 ms on there are none for 8 ms.
    let text = network(RING, core, "20 ms")
        + &traffic("h0-0", "h1-0", source)
        + "stop = \"1950 us\"\n"
        + &traffic("h0-0", "h1-0", source)
        + "start = \"10 ms\"\nstop = \"11 ms\"\n"
        + change;
    let report = run(&text, 1);
    let lost = counts(&report, "flows", "packets-lost");
    assert_eq!(lost, [10, 0]);
    assert_eq!(counts(&report, "racks", "lost-down")[0], 10);
    assert_eq!(count(&report, "links", "dropped-down"), 10);
    assert_eq!(counts(&report, "lightpaths", "by-alternate"), [1]);
    assert_eq!(values(&report, "lightpaths", "hops-mean"), [2.0]);
}

/// A pair that always has packets fills one channel, whatever the others do.
#[test]
fn a_lightpath_carries_the_rate_of_a_channel() {
    let core = "channels = 4\nrack-queue = \"1 MB\"";
    let text = network("kind = \"ring\"\nrouters = 6\nhosts = 2", core, "20 ms")
        .replace("[run]\n", "[run]\nwarmup = \"5 ms\"\n");
    let both = |from: u32| {
        let one = |host| {
            traffic(
                &format!("h{from}-{host}"),
                &format!("h{}-{host}", (from + 2) % 6),
                "kind = \"cbr\", rate = \"9 Gb/s\"",
            )
        };
        one(0) + &one(1)
    };
    let text = text + &(0..6).map(both).collect::<String>();
    let report = run(&text, 3);
    let sent = count(&report, "racks", "sent-on") as f64 * 8_000.0 / 0.015;
    assert!((sent / 60e9 - 1.0).abs() < 1e-3, "{sent} b/s");
    // Each fibre that leads on has two lightpaths, which are always busy, of four channels.
    let used = values(&report, "links", "utilization");
    assert!(used[..12].iter().step_by(2).all(|used| (used - 0.5).abs() < 1e-3), "{used:?}");
}

/// Engset's formula: what share of requests is blocked of N sources, each with `load` requests in a holding time while it has
/// none under way, on so many channels. It does not depend on the law of holding times (R. B. Cooper, *Introduction to Queueing
/// Theory*, 1981, section 3.7).
fn engset(sources: u32, channels: u32, load: f64) -> f64 {
    let mut term = 1.0;
    let mut all = 1.0;
    for at in 1..=channels {
        term *= load * f64::from(sources - at) / f64::from(at);
        all += term;
    }
    term / all
}

/// A rack that sends datagrams to N others by one fibre with few channels. Each is sent on a lightpath of its own, which takes 1 ms
/// to set up, and of those that come meanwhile; or it is lost if all channels are taken.
fn fan(racks: u32, channels: u32, rate: &str) -> String {
    let node = |at| {
        format!(
            "{{ name = \"d{at}\", kind = \"rack\" }}, {{ name = \"to-{at}\", kind = \"host\" }}"
        )
    };
    let link = |at| {
        format!(
            "{{ from = \"x\", to = \"d{at}\", rate = \"100 Gb/s\", delay = \"0 s\" }},\n\
             {{ from = \"d{at}\", to = \"to-{at}\", rate = \"100 Gb/s\", delay = \"0 s\" }}"
        )
    };
    let (nodes, links): (Vec<_>, Vec<_>) = (0..racks).map(|at| (node(at), link(at))).unzip();
    format!(
        "[run]\nduration = \"4 s\"\nwarmup = \"20 ms\"\n[core]\nkind = \"lightpath\"\nchannels = 64\nreconfiguration = \"1 ms\"\n\
         [topology]\nkind = \"explicit\"\nnodes = [\n\
         {{ name = \"from\", kind = \"host\" }}, {{ name = \"s\", kind = \"rack\" }}, {{ name = \"x\", kind = \"core\" }},\n{}]\n\
         links = [\n{{ from = \"from\", to = \"s\", rate = \"100 Gb/s\", delay = \"0 s\" }},\n\
         {{ from = \"s\", to = \"x\", rate = \"100 Gb/s\", delay = \"0 s\", channels = {channels} }},\n{}]\n\
         [[traffic]]\nfrom = \"from\"\nto = \"to-*\"\npattern = \"all\"\n\
         transport = {{ kind = \"udp\", header = \"0 B\" }}\n\
         source = {{ kind = \"poisson-packets\", rate = \"{rate}\", packet = \"100 B\" }}\n",
        nodes.join(",\n"),
        links.join(",\n")
    )
}

#[test]
fn requests_of_few_racks_are_blocked_as_engset_says() {
    // 0.2 or 0.5 requests of 800 b in 1 ms from each; 8 ns of transmission are nothing.
    for (racks, channels, load, rate) in
        [(20, 4, 0.2, "160 kb/s"), (12, 6, 0.5, "400 kb/s"), (6, 1, 0.2, "160 kb/s")]
    {
        let text = fan(racks, channels, rate);
        let blocking: Vec<f64> = (1..=8)
            .map(|seed| {
                let report = run(&text, seed);
                assert_eq!(count(&report, "lightpaths", "blocked-transceiver"), 0);
                count(&report, "lightpaths", "blocked-channel") as f64
                    / count(&report, "lightpaths", "requests") as f64
            })
            .collect();
        let mean = blocking.iter().sum::<f64>() / 8.0;
        let error = (blocking.iter().map(|each| (each - mean).powi(2)).sum::<f64>() / 56.0).sqrt();
        let expected = engset(racks, channels, load);
        assert!(
            (mean - expected).abs() < 4.0 * error && error < 0.02 * expected,
            "{racks} racks, {channels} channels: {mean} ± {error}, Engset has {expected}"
        );
    }
}

proptest! {
    #![proptest_config(trials::cases(32))]

    /// Conservation of packets and channels is checked at the end of each run. Datagrams of a flow keep their order where there
    /// is one route; nothing is lost but in full queues, at failures, and where a request was blocked.
    #[test]
    fn any_lightpaths_conserve_packets(
        (shape, hosts) in (prop::sample::select(vec![
            "kind = \"ring\"\nrouters = 5", "kind = \"torus\"\ndimensions = [3, 3]",
            "kind = \"mesh\"\ndimensions = [2, 4]", "kind = \"full-mesh\"\nrouters = 4",
            "kind = \"leaf-spine\"\nleaves = 4\nspines = 2",
        ]), 1_u32..3),
        (channels, routes) in (1_u32..5, 1_u32..4),
        (assignment, conversion) in (
            prop::sample::select(vec!["first-fit", "most-used", "random"]),
            prop::sample::select(vec!["none", "full"]),
        ),
        (signalling, reconfiguration, hold) in (0_u32..20, 0_u32..100, 0_u32..200),
        (retry, transceivers, metric) in (any::<bool>(), 0_u32..3, prop::sample::select(vec!["hops", "delay"])),
        (transport, mbps, seed) in (0_u32..3, 10_u32..600, 0_u64..1_000),
        fails in any::<bool>(),
    ) {
        let mut core = format!(
            "channels = {channels}\nroutes = {routes}\nassignment = \"{assignment}\"\nconversion = \"{conversion}\"\n\
             signalling = \"{signalling} us\"\nreconfiguration = \"{reconfiguration} us\"\nhold = \"{hold} us\"\n\
             rack-queue = \"60 kB\"\n"
        );
        if retry {
            core += "retry = \"70 us\"\n";
        }
        if transceivers > 0 {
            core = format!("{core}transceivers = {transceivers}\n");
        }
        core = format!("{core}[routing]\nmetric = \"{metric}\"\n");
        let source = format!("kind = \"poisson-packets\", rate = \"{mbps} Mb/s\"");
        let traffic = match transport {
            0 => traffic("h*", "h*", &source) + "pattern = \"all\"\n",
            1 => "[[traffic]]\nfrom = \"h*\"\nto = \"h*\"\npattern = \"permutation\"\n\
                  transport = { kind = \"tcp\", min-rto = \"2 ms\" }\nsource = { kind = \"bulk\" }\n".to_owned(),
            _ => "[[traffic]]\nfrom = \"h*\"\nto = \"h*\"\npattern = \"uniform\"\ntransport = { kind = \"tcp\" }\n\
                  source = { kind = \"transfers\", per-second = 3000.0, size = \"30 kB\" }\n".to_owned(),
        };
        let mut text = network(&format!("{shape}\nhosts = {hosts}"), &core, "12 ms") + &traffic;
        if fails {
            let link = match shape {
                shape if shape.contains("leaf") => "leaf-0 - spine-0",
                shape if shape.contains("torus") || shape.contains("\"mesh") => "r0-0 - r0-1",
                _ => "r0 - r1",
            };
            text = format!(
                "{text}[[changes]]\nat = \"4 ms\"\nlink = \"{link}\"\nset = {{ kind = \"down\" }}\n\
                 [[changes]]\nat = \"8 ms\"\nlink = \"{link}\"\nset = {{ kind = \"up\" }}\n"
            );
        }
        let report = run(&text, seed);
        let causes = ["lost-full", "lost-blocked", "lost-down"].map(|cause| count(&report, "racks", cause));
        let at_links: u64 = ["dropped-queue", "dropped-down"].map(|cause| count(&report, "links", cause)).iter().sum();
        if transport < 2 {
            let lost = count(&report, "flows", "packets-lost") + count(&report, "flows", "acks-lost");
            prop_assert_eq!(lost, causes[0] + causes[1] + at_links);
        }
        prop_assert!(fails || causes[2] == 0);
        prop_assert!(!retry || causes[1] == 0);
        let pairs = ["granted", "blocked-channel", "blocked-transceiver"].map(|of| count(&report, "lightpaths", of));
        prop_assert_eq!(pairs.iter().sum::<u64>(), count(&report, "lightpaths", "requests"));
        prop_assert!(pairs[0] > 0);
        prop_assert!(values(&report, "fibres", "held-share").iter().all(|share| (0.0..=1.0).contains(share)));
        if transport == 0 && routes == 1 && !fails {
            prop_assert_eq!(count(&report, "flows", "reordered"), 0);
        }
    }
}
