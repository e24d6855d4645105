//! When a switch settles its slots, how late packets join busy queues, when packets on quiet links are
//! looked at, and what shares an event, changes nothing that can be seen.
//!
//! Nothing is late and nothing shares an event in a run in which links change: a change that changes
//! nothing, of a link that nothing uses, turns all that off. A run of which samples are taken catches up
//! at each.

use scenario::Report;

use crate::common::{assert_same_table, run, sum, table};

/// Small sub-networks with datagrams both ways and a transfer, for 3 ms.
fn network(policy: &str, load: f64, queue: &str, core: &str) -> String {
    // 16 sources a side for two lightpaths.
    let rate = load * 2.0 * 2_500.0 / 16.0;
    let datagrams = |from: &str, to: &str| {
        format!(
            r#"
            [[traffic]]
            from = "{from}-source-*"
            to = "{to}-sink-*"
            transport = {{ kind = "udp", header = "0 B" }}
            [traffic.source]
            kind = "poisson-packets"
            rate = "{rate} Mb/s"
            packet = {{ kind = "mix", sizes = ["40 B", "576 B", "1500 B"], shares = [0.58, 0.33, 0.09] }}
            "#
        )
    };
    let gap = if policy == "flowlet" { "flowlet-gap = \"20 us\"" } else { "" };
    format!(
        r#"
        [run]
        duration = "3 ms"
        [topology]
        kind = "lightpath-bundle"
        lightpaths = 2
        k = 2
        link = {{ rate = "2.5 Gb/s", delay = "1 us", queue = {{ kind = "drop-tail", {queue} }} }}
        tcp-rate = "1 Gb/s"
        rtt = {{ min = "50 us", max = "90 us" }}
        [core]
        kind = "cioq"
        anycast = "{policy}"
        {gap}
        {core}
        {}
        {}
        [[traffic]]
        from = "left-tcp-source"
        to = "right-tcp-sink"
        reordering = true
        transport = {{ kind = "tcp" }}
        source = {{ kind = "bulk" }}
        "#,
        datagrams("left", "right"),
        datagrams("right", "left"),
    )
}

const CHANGE: &str = r#"
    [[changes]]
    at = "2999 us"
    link = "right-tcp-source -> right-agg-0"
    set = { kind = "rate", rate = "1 Gb/s" }
    "#;

const SAMPLES: &str = r#"
    [record]
    series = ["queue"]
    interval = "1700 ns"
    "#;

fn check(text: &str) -> Report {
    let late = run(text, 5);
    let at_once = run(&(text.to_owned() + CHANGE), 5);
    for name in ["flows", "traffic", "links", "line-cards"] {
        assert_same_table(table(&late.tables, name), table(&at_once.tables, name), text);
    }
    let [one, other] = ["", CHANGE].map(|more| run(&(text.to_owned() + SAMPLES + more), 5));
    for (observed, unobserved) in [(&one, &late), (&other, &at_once)] {
        assert_eq!(observed.json["digest"], unobserved.json["digest"], "{text}");
    }
    assert!(late.json["digest"].is_string());
    assert_same_table(table(&one.tables, "series"), table(&other.tables, "series"), text);
    late
}

/// In 20 µs at most 392 packets of a cell each come to an output, and 413 kB: queues somewhat larger
/// have room for them until something waits, and are full later.
#[test]
fn packets_that_join_late_find_what_others_found() {
    let policies = ["ecmp", "destination", "random", "round-robin", "jsvoq", "e-jsq", "flowlet"];
    let queues = ["bytes = \"128 MB\"", "bytes = \"440 kB\"", "packets = 410", "bytes = \"20 kB\""];
    let mut lost = [0.0; 4];
    for (at, policy) in policies.into_iter().enumerate() {
        for number in (at % 2..4).step_by(2) {
            let load = [0.6, 0.95, 1.8][(at + 2 * number) % 3];
            let text = network(policy, load, queues[number], "");
            let text = text.replacen("[run]", ["[run]", "[run]\nwarmup = \"1 ms\""][at / 2 % 2], 1);
            let report = check(&text);
            lost[number] += sum(&report, "links", "dropped-queue");
        }
    }
    assert!(lost[0] < 0.5 && lost[1..].iter().all(|&lost| lost > 0.0), "{lost:?}");
}

/// Sources whose packets come back to back: each is offered when the last bit of the one before arrives.
/// They overlap where a source has several components, and their packets wait in the host where its link
/// is slower than they are; datagrams between hosts of one sub-network keep its links from being quiet.
#[test]
fn back_to_back_packets_share_events_unseen() {
    let mut sent = 0.0;
    for (peak, components, mean) in
        [("2.5 Gb/s", 2, 8_000), ("2.5 Gb/s", 9, 2_000), ("4 Gb/s", 3, 3_000)]
    {
        for more in ["", LOCAL] {
            let on = format!("on = {{ kind = \"exponential\", mean = \"{mean} B\" }}");
            let kind =
                format!("kind = \"on-off\"\npeak = \"{peak}\"\ncomponents = {components}\n{on}");
            let text = network("e-jsq", 0.9, "bytes = \"128 MB\"", "");
            let report = check(&(text.replace("kind = \"poisson-packets\"", &kind) + more));
            sent += sum(&report, "traffic", "packets-sent");
        }
    }
    assert!(sent > 10_000.0, "{sent}");
}

const LOCAL: &str = r#"
    [[traffic]]
    from = "right-source-5"
    to = "right-sink-5"
    transport = { kind = "udp", header = "0 B" }
    source = { kind = "poisson-packets", rate = "200 Mb/s", packet = "300 B" }
    "#;

/// Queues at the inputs, full ones too. Which alarms a look makes superfluous depends on the sizes of packets and on
/// losses. The first nine cases have every scheduler with every policy, and every transport three times.
#[test]
fn slow_fabrics_may_be_settled_at_any_time() {
    let schedulers = ["islip\", iterations = 2", "pim\", iterations = 2", "maximum-size\""];
    let policies = ["destination", "e-jsq", "jsvoq"];
    let transports = ["", ", recovery = \"sack\"", ", recovery = \"sack\", segment = \"1460 B\""];
    for case in 0..trials::count(27) as usize {
        let (scheduler, policy) = (schedulers[case % 3], policies[case / 3 % 3]);
        let tcp = transports[(case + case / 3 + case / 9) % 3];
        let core = format!(
            "speedup = 1\ninput-buffer = \"12 kB\"\nscheduler = {{ kind = \"{scheduler} }}"
        );
        let text = network(policy, 0.9, "bytes = \"128 MB\"", &core);
        let report = check(&text.replace("kind = \"tcp\"", &format!("kind = \"tcp\"{tcp}")));
        assert!(sum(&report, "line-cards", "lost-full") > 0.0, "buffers are full at times");
    }
}
