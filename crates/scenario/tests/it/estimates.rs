//! Estimates of memory; what runs take they are held to from Python, where a process can be measured.

use std::fs;
use std::path::Path;

use scenario::load_file;

use crate::common::checked;

/// Of each example and accepted scenario: half a megabyte that any run takes, and none of these takes a gigabyte.
#[test]
fn every_scenario_has_an_estimate() {
    let folders = ["../scenario/tests/good", "../../python/tcphoton/scenarios"];
    let mut count = 0;
    for folder in folders {
        for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let Ok(checked) = load_file(&path, &[]) else { continue };
            let estimate = checked.memory();
            assert!((500_000..1_000_000_000).contains(&estimate), "{}: {estimate}", path.display());
            count += 1;
        }
    }
    assert!(count > 30, "{count}");
}

/// A flow of 10,000 takes its state at both ends and its row: some kilobytes, whatever its transport.
#[test]
fn each_flow_adds_some_kilobytes() {
    let estimate = |transport: &str, source: &str, count: u32| {
        let text = format!(
            r#"
            run.duration = "1 ms"
            [topology]
            kind = "star"
            hosts = 4
            link = {{ rate = "1 Gb/s", delay = "1 us" }}
            [[traffic]]
            from = "h0"
            to = "h1"
            count = {count}
            transport = {{ kind = "{transport}" }}
            source = {{ {source} }}
            "#
        );
        checked(&text, &[]).memory()
    };
    let bulk = r#"kind = "bulk", size = "1 MB""#;
    for (transport, source) in [
        ("udp", r#"kind = "cbr", rate = "1 kb/s", packet = "100 B""#),
        ("tcp", bulk),
        ("stop-and-wait", bulk),
        ("message", bulk),
        ("tcp", r#"kind = "poisson-writes", rate = "10 kb/s""#),
    ] {
        let [few, many] = [10, 10_010].map(|count| estimate(transport, source, count));
        let each = (many - few) / 10_000;
        assert!((1_000..6_000).contains(&each), "{transport}, {source}: {each}");
    }
}

/// Windows that open together cross an optical core in a few bursts, so a budget of some events ends them no sooner: 1,000
/// flows have their receive windows of 6 MiB under way, 4,300 packets each. Bursts of one flow each take an event each.
#[test]
fn packets_that_share_bursts_do_not_spend_an_event_each() {
    let estimate = |policy: &str, events: u32| {
        let text = format!(
            r#"
            run = {{ duration = "40 s", max-events = {events} }}
            topology = {{ kind = "nsfnet", link = {{ rate = "6 Gb/s", channels = 6 }} }}
            assembly = {{ policy = "{policy}", timeout = "100 us" }}
            [[traffic]]
            from = "edge-WA"
            to = "edge-DC"
            count = 1000
            transport = {{ kind = "tcp", preset = "sack" }}
            source = {{ kind = "bulk" }}
            "#
        );
        checked(&text, &[]).memory()
    };
    let packets = 1_000 * 4_300;
    let mixed = estimate("mixed-flow", 500_000);
    assert!((80 * packets..120 * packets).contains(&mixed), "{mixed}");
    let alone = estimate("per-flow", 20_000);
    assert!(alone < 15_000_000, "{alone}");
}

/// Each pair has as many sources as flows, with an event each, before any file has started: some 170 B.
#[test]
fn sources_of_files_are_there_before_their_files() {
    let estimate = |hosts: u32, count: u32| {
        let text = format!(
            r#"
            run = {{ duration = "1 us", max-events = 1 }}
            topology = {{ kind = "star", hosts = {hosts}, link = {{ rate = "1 Gb/s", delay = "1 us" }} }}
            [[traffic]]
            from = "h*"
            to = "h*"
            pattern = "all"
            count = {count}
            transport.kind = "tcp"
            source = {{ kind = "transfers", size = "1 kB", per-second = 1e-3 }}
            "#
        );
        checked(&text, &[]).memory()
    };
    let of_flow = (estimate(2, 100_000) - estimate(2, 100)) / (2 * 99_900);
    assert!((120..250).contains(&of_flow), "{of_flow}");
    // 300 · 299 pairs, beside 298 hosts and their links.
    let of_pair = (estimate(300, 1) - estimate(2, 1)) / (300 * 299);
    assert!((150..250).contains(&of_pair), "{of_pair}");
}

/// Pairs of racks ask for a lightpath when they have a file: in a microsecond hardly one of 10⁴ pairs has one, and in ten
/// milliseconds some 6,000 of them, which take 1 kB each beside what their flows take without lightpaths.
#[test]
fn pairs_that_have_not_asked_for_a_lightpath_take_nothing() {
    let estimate = |duration: &str, core: &str| {
        let text = format!(
            r#"
            run.duration = "{duration}"
            topology = {{ kind = "torus", dimensions = [100], hosts = 1, link = {{ rate = "10 Gb/s", delay = "1 us" }}, access = {{ rate = "10 Gb/s", delay = "1 us" }} }}
            {core}
            [[traffic]]
            from = "h*"
            to = "h*"
            pattern = "uniform"
            transport.kind = "tcp"
            source = {{ kind = "transfers", size = "1 kB", per-second = 600000.0 }}
            "#
        );
        checked(&text, &[]).memory()
    };
    let of_lightpaths = |duration| {
        let core = r#"core = { kind = "lightpath", channels = 2 }"#;
        estimate(duration, core).saturating_sub(estimate(duration, ""))
    };
    let (none, some) = (of_lightpaths("1 us"), of_lightpaths("10 ms"));
    assert!(none < 1_500_000 && some > 5_000_000, "{none} {some}");
}

/// Five files start within a millisecond and end soon. Nothing that starts later removes their flows, so each of them has two
/// values a millisecond until the end, of some 160 B: a run of 253,857 rows with these and six queues has taken 40 MB.
#[test]
fn the_last_files_are_sampled_until_the_end() {
    let estimate = |series: &str| {
        let text = format!(
            r#"
            run.duration = "20 s"
            topology = {{ kind = "line", routers = 2, link = {{ rate = "20 Mb/s", delay = "5 ms" }} }}
            record = {{ series = [{series}], interval = "1 ms" }}
            [[traffic]]
            from = "b"
            to = "a"
            transport = {{ kind = "tcp" }}
            source = {{ kind = "transfers", size = "70 B", limit = 5, per-second = 24200.0 }}
            "#
        );
        checked(&text, &[]).memory()
    };
    let none = estimate("");
    let values = 5 * 20_000 * 160;
    for series in [r#""cwnd""#, r#""rtt""#] {
        let taken = estimate(series) - none;
        assert!((values * 9 / 10..values * 11 / 10).contains(&taken), "{series}: {taken}");
    }
}

/// What a network takes before any packet: each of two switches has a table of 2 MiB if it chooses by flowlets, and a channel
/// of a fibre some 400 B, of which a run with 14,140 channels took 5.4 MB more than one with 350.
#[test]
fn tables_of_flowlets_and_channels_are_counted() {
    let idle = r#"
        run.duration = "1 us"
        [[traffic]]
        from = "*"
        to = "*"
        pattern = "permutation"
        transport.kind = "udp"
        source = { kind = "poisson-packets", rate = "1 kb/s", packet = "100 B" }
    "#;
    let estimate = |network: &str| checked(&format!("{network}\n{idle}"), &[]).memory();
    let bundle = |anycast: &str| {
        estimate(&format!(
            r#"
            topology = {{ kind = "lightpath-bundle", lightpaths = 2, k = 2, link = {{ rate = "2.5 Gb/s", delay = "0 s" }}, tcp-rate = "100 Mb/s", rtt = {{ min = "15 ms", max = "25 ms" }} }}
            core = {{ kind = "cioq", anycast = {anycast} }}
            "#
        ))
    };
    let tables = bundle(r#""flowlet", flowlet-gap = "1 ms""#) - bundle(r#""ecmp""#);
    // A parameter of a scenario has some bytes in its report.
    assert!((2 * (2 << 20)..2 * (2 << 20) + 1_000).contains(&tables), "{tables}");
    let channels = |count: u32| {
        estimate(&format!(
            r#"
            topology = {{ kind = "nsfnet", link = {{ rate = "5 Gb/s", channels = {count} }} }}
            assembly.timeout = "1 ms"
            "#
        ))
    };
    let each = (channels(200) - channels(3)) / (70 * 197);
    assert!((350..450).contains(&each), "{each}");
}

/// A budget of events is spent by what sources give as well: 23.5 Gb/s in pieces of 2,060 B are 1.43 million a second, of
/// which hardly any gets through 50 Mb/s; a run of this was at its end after 0.36 s, with three samples of each link.
#[test]
fn what_sources_give_spends_events() {
    let text = r#"
        run = { duration = "20 s", max-events = 595653 }
        topology = { kind = "dumbbell", pairs = 1469, access = { rate = "1 Gb/s", delay = "1 ms" }, bottleneck = { rate = "50 Mb/s", delay = "10 ms", queue = { kind = "drop-tail", packets = 3282 } } }
        record = { series = ["queue"], interval = "100 ms" }
        [[traffic]]
        from = "right-1468"
        to = "left-*"
        pattern = "all"
        transport.kind = "stop-and-wait"
        source = { kind = "poisson-packets", packet = "2060 B", rate = "16 Mb/s" }
    "#;
    let of_series =
        checked(text, &[]).memory() - checked(&text.replace("\"queue\"", ""), &[]).memory();
    // 5,878 links, 160 B a sample.
    assert!((2..6).contains(&(of_series / (5_878 * 160))), "{of_series}");
}

/// Writes of which the size is not given spend as many events as those of 512 B, which they have: a budget of 10⁵ lasts for some
/// ten seconds, in each millisecond of which a value of each of six links is kept.
#[test]
fn writes_of_any_size_spend_events() {
    let estimate = |write: &str| {
        let text = format!(
            r#"
            run = {{ duration = "1000 s", max-events = 100000 }}
            topology = {{ kind = "star", hosts = 3, link = {{ rate = "1 Gb/s", delay = "1 us" }} }}
            record = {{ series = ["queue"], interval = "1 ms" }}
            [[traffic]]
            from = "h0"
            to = "h1"
            transport.kind = "udp"
            source = {{ kind = "poisson-writes", rate = "10 Mb/s"{write} }}
            "#
        );
        checked(&text, &[]).memory()
    };
    let (any, given) = (estimate(""), estimate(r#", write = "512 B""#));
    // A key that is given is in the report.
    assert!(any.abs_diff(given) < 2_000, "{any} {given}");
    assert!((5_000_000..20_000_000).contains(&any), "{any}");
}

/// A run that ends when all files have arrived is sampled until then: a tenth of a second here, of an hour.
#[test]
fn a_run_that_ends_with_its_files_is_sampled_until_then() {
    let estimate = |until: &str, series: &str| {
        let text = format!(
            r#"
            run = {{ duration = "1 h", until = "{until}" }}
            topology = {{ kind = "star", hosts = 3, link = {{ rate = "100 Mb/s", delay = "1 us" }} }}
            record = {{ series = [{series}], interval = "1 s" }}
            [[traffic]]
            from = "h0"
            to = "h1"
            transport.kind = "tcp"
            source = {{ kind = "bulk", size = "1 MB" }}
            "#
        );
        checked(&text, &[]).memory()
    };
    let of_series = |until| estimate(until, r#""queue""#) - estimate(until, "");
    // Six links, 160 B a sample.
    let hour = 6 * 3_600 * 160;
    assert!((hour * 9 / 10..hour * 11 / 10).contains(&of_series("duration")));
    assert!(of_series("all-files") < 6 * 160);
    assert!(of_series("first-file") < 6 * 160);
}

/// Between hosts of one router files go at its own pace, however slow the links between routers are: a budget of 215,607 events
/// lasted for 9 ms of a run, in which 1,634 files began that took 9 MB together.
#[test]
fn files_that_stay_at_a_router_spend_events() {
    let text = r#"
        run = { duration = "1 s", max-events = 215607 }
        topology = { kind = "torus", dimensions = [3, 3], hosts = 2, link = { rate = "4980 kb/s", length = "100 km" }, access = { rate = "10 Gb/s", delay = "1 us" } }
        [[traffic]]
        from = "h*"
        to = "*"
        pattern = "all"
        transport = { kind = "tcp", preset = "cubic" }
        source = { kind = "transfers", per-second = 600.0, size = "2 MB" }
    "#;
    let estimate = checked(text, &[]).memory();
    assert!((3_000_000..15_000_000).contains(&estimate), "{estimate}");
}

/// Copies of the network by which rare losses are estimated are there only where losses may be rare: not on a link that is
/// asked for more than it has, and on a fibre no more than it has channels beside one.
#[test]
fn copies_are_counted_where_losses_may_be_rare() {
    let estimate = |load: &str, splitting: &str| {
        let text = format!(
            r#"
            run.duration = "1 s"
            topology = {{ kind = "dumbbell", pairs = 1000, access = {{ rate = "1 Gb/s", delay = "1 ms" }}, bottleneck = {{ rate = "10 Mb/s", delay = "1 ms", queue = {{ kind = "drop-tail", packets = 20 }} }} }}
            traffic = [{{ from = "left-0", to = "right-0", transport = {{ kind = "udp" }}, source = {{ kind = "poisson-packets", rate = "{load}", packet = "1000 B" }} }}]
            {splitting}
            "#
        );
        checked(&text, &[]).memory()
    };
    let splitting = r#"splitting = { link = "left -> right", factor = 2 }"#;
    let times = |load| estimate(load, splitting) / estimate(load, "");
    assert_eq!([times("5 Mb/s"), times("20 Mb/s")], [19, 1]);
}
