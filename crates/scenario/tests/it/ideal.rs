//! Ideal switches by hand: no packet waits for another, whatever else is on its links; and as a bound for other
//! switches.

use scenario::{Report, Run, TraceRequest, Values};

use crate::common::{checked, column, count, counts, links, run, values};

/// 3.2 ns a byte at 2.5 Gb/s.
const BYTE: f64 = 3_200.0;

/// One packet from a host to another at the start. The next would come after 8 s for each byte.
fn packet(from: &str, to: &str, bytes: u64) -> String {
    format!(
        "[[traffic]]\nfrom = \"{from}\"\nto = \"{to}\"\n\
         transport = {{ kind = \"udp\", header = \"0 B\" }}\n\
         source = {{ kind = \"cbr\", rate = \"1 b/s\", packet = \"{bytes} B\" }}\n"
    )
}

/// How long each flow's packets were on their way in the mean, in ps.
fn delays(report: &Report) -> Vec<f64> {
    values(report, "flows", "delay-mean").into_iter().map(|d| (d * 1e12).round()).collect()
}

fn digest(report: &Report) -> String {
    report.json["digest"].as_str().expect("a digest").to_owned()
}

/// Over n switches a packet takes n + 1 transmissions and delays, or one transmission if the switches act on its first bit.
#[test]
fn a_packet_takes_its_transmissions_and_delays_and_nothing_else() {
    for (switches, bytes) in [(1, 40), (2, 576), (5, 1_500), (9, 1)] {
        let line = |core: &str| {
            format!(
                "[run]\nduration = \"1 ms\"\n[topology]\nkind = \"line\"\nrouters = {switches}\n\
                 link = {{ rate = \"2.5 Gb/s\", delay = \"1 us\" }}\n\
                 [core]\nkind = \"ideal\"\n{core}\n{}",
                packet("a", "b", bytes)
            )
        };
        let (hops, length) = (f64::from(switches) + 1.0, bytes as f64 * BYTE);
        assert_eq!(delays(&run(&line(""), 1)), [hops * (length + 1e6)]);
        let found = delays(&run(&line("switching = \"cut-through\""), 1));
        assert_eq!(found, [hops * 1e6 + length]);
    }
}

/// Hosts around one switch, 1 µs of delay each way.
fn star(core: &str, hosts: u32, traffic: &str) -> String {
    format!(
        "[run]\nduration = \"1 ms\"\n[topology]\nkind = \"star\"\nhosts = {hosts}\n\
         link = {{ rate = \"2.5 Gb/s\", delay = \"1 us\" }}\n[core]\n{core}\n{traffic}"
    )
}

/// All others send to one host at once. The last bits of all packets are there at the same time, where an output-queued
/// switch sends one after the other.
#[test]
fn packets_of_many_hosts_to_one_arrive_as_if_each_were_alone() {
    let all: String = (1..40).map(|from| packet(&format!("h{from}"), "h0", 1_500)).collect();
    let length = 1_500.0 * BYTE;
    for (switching, transmissions) in [("store-and-forward", 2.0), ("cut-through", 1.0)] {
        let switch = |kind: &str| format!("kind = \"{kind}\"\nswitching = \"{switching}\"");
        let report = run(&star(&switch("ideal"), 40, &all), 1);
        assert_eq!(delays(&report), [2e6 + transmissions * length; 39]);
        // All are on the last link at once: its transmitter is busy 39 times over.
        let [used] = links(&report, "hub -> h0", "utilization")[..] else { panic!("one link") };
        assert!((used - 39.0 * length / 1e9).abs() < 1e-12, "{used}");
        assert_eq!(links(&report, "hub -> h0", "wait-max"), [0.0]);
        let mut found = delays(&run(&star(&switch("output-queued"), 40, &all), 1));
        found.sort_by(f64::total_cmp);
        let queued = |at: u32| 2e6 + (transmissions + f64::from(at)) * length;
        assert_eq!(found, (0..39).map(queued).collect::<Vec<_>>());
    }
}

/// A packet each ms from a host at 10 Mb/s, 0.8 ms long, over 1 ms to the switch: the k-th is there at k + 1.8 ms. Then it
/// takes 8 ms at 1 Mb/s and 20 ms: it arrives at k + 29.8 ms.
fn slow(run: &str, link: &str, rest: &str) -> String {
    format!(
        r#"
        [run]
        {run}
        [topology]
        kind = "explicit"
        nodes = [{{ name = "a", kind = "host" }}, {{ name = "b", kind = "host" }}, {{ name = "x", kind = "core" }}]
        links = [
          {{ from = "a", to = "x", rate = "10 Mb/s", delay = "1 ms" }},
          {{ from = "x", to = "b", rate = "1 Mb/s", delay = "20 ms"{link} }},
        ]
        [core]
        kind = "ideal"
        [[traffic]]
        from = "a"
        to = "b"
        transport = {{ kind = "udp", header = "0 B" }}
        source = {{ kind = "cbr", rate = "8 Mb/s", packet = "1000 B" }}
        {rest}
        "#
    )
}

/// The place of the last link: both directions of the first are before it.
const X_TO_B: usize = 2;

/// Packets of the last link: before, in, out, dropped since it was down, and inside at the end.
fn account(report: &Report) -> [u64; 5] {
    ["packets-before", "packets-in", "packets-out", "dropped-down", "packets-inside"]
        .map(|name| counts(report, "links", name)[X_TO_B])
}

/// Until 50 ms 49 packets set out (the last at 49.8 ms), of which 21 have arrived. Conservation is checked in each run.
#[test]
fn packets_on_their_way_are_inside() {
    let report = run(&slow("duration = \"50 ms\"", "", ""), 1);
    assert_eq!(account(&report), [0, 49, 21, 0, 28]);
    assert_eq!(links(&report, "x -> b", "utilization"), [49.0 * 8.0 / 50.0]);
    assert_eq!(count(&report, "flows", "packets-delivered"), 21);
    assert_eq!(delays(&report), [29.8e9]);
    // Until 40 ms 39 set out and 11 arrive.
    let report = run(&slow("duration = \"50 ms\"\nwarmup = \"40 ms\"", "", ""), 1);
    assert_eq!(account(&report), [28, 10, 10, 0, 28]);
    assert_eq!(links(&report, "x -> b", "utilization"), [8.0]);
}

/// A change of the last link.
fn change(at: &str, set: &str) -> String {
    format!("[[changes]]\nat = \"{at}\"\nlink = \"x -> b\"\nset = {{ {set} }}\n")
}

/// At 40.5 ms 39 packets have set out and 11 have arrived; until 45.5 ms five come, and after that five until the end. That
/// a link is down for an instant is enough.
#[test]
fn a_link_that_goes_down_loses_what_is_on_it_and_what_comes() {
    let text = |up: &str, rest: &str| {
        let down = change("40.5 ms", "kind = \"down\"") + &change(up, "kind = \"up\"");
        slow("duration = \"50 ms\"", "", &(down + rest))
    };
    let report = run(&text("45.5 ms", ""), 1);
    assert_eq!(account(&report), [0, 49, 11, 33, 5]);
    assert_eq!(count(&report, "flows", "packets-lost"), 33);
    let report = run(&text("40.500001 ms", ""), 1);
    assert_eq!(account(&report), [0, 49, 11, 28, 10]);
    // Those that set out afterwards arrive.
    let report = run(&text("45.5 ms", "").replace("50 ms", "74 ms"), 1);
    assert_eq!(account(&report), [0, 73, 12, 33, 28]);
}

/// What sets out before a change of the rate takes 28 ms, what comes later takes 4 ms + 20 ms: some overtake others.
#[test]
fn a_packet_takes_the_rate_at_which_it_sets_out() {
    let rest = change("5 ms", "kind = \"rate\", rate = \"2 Mb/s\"");
    let text = slow("duration = \"40 ms\"", "", &rest)
        .replace("[[changes]]", "stop = \"6 ms\"\n[[changes]]");
    let report = run(&text, 1);
    // Of six packets four set out before.
    let mean = (4.0 * 29.8e-3 + 2.0 * 25.8e-3) / 6.0;
    let found = values(&report, "flows", "delay-mean")[0];
    assert!((found - mean).abs() < 1e-12, "{found}");
}

/// The wire loses packets as it does elsewhere.
#[test]
fn random_loss_strikes_packets_that_never_wait() {
    let report = run(
        &slow(
            "duration = \"20 s\"",
            ", loss = { kind = \"bernoulli\", p = 0.25, direction = \"forward\" }",
            "",
        ),
        1,
    );
    let [sent, lost] = ["packets-sent", "packets-lost"].map(|name| count(&report, "flows", name));
    assert_eq!(count(&report, "links", "dropped-loss"), lost);
    // 20 000 trials: three standard deviations are 184.
    assert!(lost.abs_diff(sent / 4) < 184, "{lost} of {sent}");
}

/// A window of 40 segments goes around once in a round trip that nothing makes longer, as long as the host is not busy all
/// the time: there and back over three links, 1500 B and 40 B long, with 100 ms of delay. What is on its way when
/// measuring begins does not count, less than 0.2 s of 40 s.
#[test]
fn tcp_reaches_the_limit_of_its_window_or_of_its_host() {
    let goodput = |window: u32| {
        let text = format!(
            r#"
            [run]
            duration = "60 s"
            warmup = "20 s"
            [topology]
            kind = "dumbbell"
            pairs = 8
            access = {{ rate = "10 Mb/s", delay = "1 ms", queue = {{ kind = "drop-tail", packets = 1000 }} }}
            bottleneck = {{ rate = "2 Mb/s", delay = "48 ms" }}
            [core]
            kind = "ideal"
            [[traffic]]
            from = "left-*"
            to = "right-*"
            source = {{ kind = "bulk" }}
            [traffic.transport]
            kind = "tcp"
            segment = "1460 B"
            header = "40 B"
            ack-every = 1
            receive-window = "{} B"
            "#,
            window * 1_460
        );
        values(&run(&text, 1), "flows", "goodput")
    };
    let bits = |bytes: f64| 8.0 * bytes;
    let length = |bytes: f64| 2.0 * bits(bytes) / 10e6 + bits(bytes) / 2e6;
    let round_trip = 0.1 + length(1_500.0) + length(40.0);
    for found in goodput(40) {
        let limit = bits(40.0 * 1_460.0) / round_trip;
        assert!((found / limit - 1.0).abs() < 6e-3, "{found} of {limit}");
    }
    // Eight hosts send five times what the link between the switches lets through with other switches, each.
    for found in goodput(200) {
        let limit = 10e6 * 1_460.0 / 1_500.0;
        assert!((found / limit - 1.0).abs() < 6e-3, "{found} of {limit}");
    }
}

/// In an idle network the packets of a file follow each other as its host sends them: no run is faster than that, and one
/// that sends all at once is as fast.
#[test]
fn no_completion_is_faster_than_that_in_an_idle_network() {
    let slowdowns = |core: &str, transport: &str| {
        let text = format!(
            r#"
            [run]
            duration = "2 s"
            [topology]
            kind = "dumbbell"
            pairs = 4
            access = {{ rate = "100 Mb/s", delay = "10 us" }}
            bottleneck = {{ rate = "10 Mb/s", delay = "50 us" }}
            [core]
            {core}
            [[traffic]]
            from = "left-*"
            to = "right-*"
            transport = {transport}
            source = {{ kind = "transfers", per-second = 20.0, size = {{ kind = "bounded-pareto", shape = 1.1, min = "100 B", max = "90 kB" }} }}
            "#
        );
        values(&run(&text, 1), "flows", "slowdown")
    };
    for transport in [
        "{ kind = \"tcp\" }",
        "{ kind = \"stop-and-wait\" }",
        "{ kind = \"message\", window = { kind = \"fixed\" } }",
    ] {
        let found = slowdowns("kind = \"ideal\"", transport);
        let known: Vec<f64> = found.into_iter().filter(|one| one.is_finite()).collect();
        assert!(known.len() > 50 && known.iter().all(|&one| one > 1.0 - 1e-9), "{known:?}");
    }
}

/// Each packet is as early as can be: no flow's is earlier at an output-queued switch, for the same packets.
#[test]
fn other_switches_take_as_long_or_longer() {
    let text = |core: &str| {
        let traffic = "[[traffic]]\nfrom = \"*\"\nto = \"*\"\npattern = \"all\"\n\
                       transport = { kind = \"udp\", header = \"0 B\" }\n\
                       source = { kind = \"poisson-packets\", rate = \"300 Mb/s\", packet = \"1000 B\" }\n";
        star(core, 8, traffic)
    };
    let all = |core: &str| values(&run(&text(core), 3), "flows", "delay-mean");
    let (ideal, queued) = (all("kind = \"ideal\""), all("kind = \"output-queued\""));
    assert_eq!(ideal.len(), 56);
    assert!(ideal.iter().zip(&queued).all(|(ideal, queued)| ideal <= queued));
    let sums = [&ideal, &queued].map(|delays| delays.iter().sum::<f64>());
    assert!(sums[0] < 0.9 * sums[1], "{sums:?}");
}

/// A trace has both links of each packet, and changes nothing.
#[test]
fn a_trace_has_the_instants_of_packets_that_never_wait() {
    let down = change("40.5 ms", "kind = \"down\"") + &change("45.5 ms", "kind = \"up\"");
    let checked = checked(&slow("duration = \"50 ms\"", "", &down), &[]);
    let request = TraceRequest {
        from: None,
        to: None,
        flows: Vec::new(),
        nodes: Vec::new(),
        limit: 100_000,
        counters: false,
    };
    let mut tracing = checked.start_trace(1, &request).unwrap();
    while tracing.advance(1_000_000).0.stop.is_none() {}
    assert_eq!(format!("{:016x}", tracing.digest()), digest(&checked.run(1)));
    let traced = tracing.finish().unwrap();
    let hops = |name: &str| {
        let Values::U64(values) = column(&traced.tables, "hops", name) else { panic!("numbers") };
        values.clone()
    };
    let [link, start, end, arrived] = ["link", "start", "end", "arrived"].map(hops);
    let second = (0..link.len()).filter(|&at| link[at] == X_TO_B as u64);
    let found: Vec<[u64; 3]> = second.map(|at| [start[at], end[at], arrived[at]]).collect();
    assert_eq!(found.len(), 49);
    for (k, found) in (0..).zip(&found[..11]) {
        let set_out = 1_000_000_000 * k + 1_800_000_000;
        assert_eq!(*found, [0, 8, 28].map(|later| set_out + later * 1_000_000_000));
    }
    assert!(found[11..].iter().all(|&[.., arrived]| arrived == u64::MAX));
}

/// Packets that never wait cross no border between the parts of a network that are simulated side by side.
#[test]
fn links_of_ideal_switches_divide_no_network() {
    let text = slow("duration = \"50 ms\"\nthreads = 2", "", "");
    assert!(Run::divided(checked(&text, &[]).into(), 1, 2).is_none());
    let one = slow("duration = \"50 ms\"", "", "");
    assert_eq!(digest(&run(&text, 1)), digest(&run(&one, 1)));
}
