//! Bundles of lightpaths in runs over ordinary routers, what is shown of them, how many there may be.

mod shown;

use crate::common::{links, run, values};

/// Two lightpaths, four sub-networks a side.
fn network(traffic: &str) -> String {
    format!(
        r#"
        [run]
        duration = "100 ms"
        [topology]
        kind = "lightpath-bundle"
        lightpaths = 2
        k = 2
        link = {{ rate = "2.5 Gb/s", delay = "0 s", queue = {{ kind = "drop-tail", bytes = "128 MB" }} }}
        tcp-rate = "100 Mb/s"
        rtt = {{ min = "15 ms", max = "25 ms" }}
        {traffic}
        "#
    )
}

/// Datagrams from the sources of one side to the sinks of the other.
fn datagrams(from: &str, to: &str, rate: &str) -> String {
    format!(
        r#"
        [[traffic]]
        from = "{from}"
        to = "{to}"
        transport = {{ kind = "udp", header = "0 B" }}
        source = {{ kind = "poisson-packets", rate = "{rate}", packet = "1000 B" }}
        "#
    )
}

/// A datagram of 1000 B is alone on its way: five links of 3.2 µs without propagation.
#[test]
fn links_without_delay_take_the_time_to_send() {
    let traffic = r#"
        [[traffic]]
        from = "left-source-7"
        to = "right-sink-7"
        transport = { kind = "udp", header = "0 B" }
        source = { kind = "cbr", rate = "8 Mb/s", packet = "1000 B" }
        "#;
    let report = run(&network(traffic), 1);
    let delay = values(&report, "flows", "delay-mean")[0];
    assert!((delay - 16e-6).abs() < 1e-12, "{delay}");
    assert!(values(&report, "flows", "delay-std")[0] < 1e-12);
    assert!(values(&report, "flows", "packets-delivered")[0] >= 99.0);
}

/// 16 sources a side of 100 Mb/s, 1.6 Gb/s on two lightpaths of 2.5 Gb/s.
#[test]
fn ordinary_routers_hash_flows_over_the_lightpaths() {
    let there = datagrams("left-source-*", "right-sink-*", "100 Mb/s");
    let back = datagrams("right-source-*", "left-sink-*", "100 Mb/s");
    let report = run(&network(&(there + &back)), 3);
    for way in ["left-core -> right-core", "right-core -> left-core"] {
        let used = links(&report, way, "utilization");
        assert_eq!(used.len(), 2);
        // Whole flows, each 0.04 of a lightpath.
        assert!(used.iter().all(|&share| share > 0.03), "{used:?}");
        let sum: f64 = used.iter().sum();
        assert!((sum - 0.64).abs() < 0.02, "{used:?}");
    }
    let lost = values(&report, "links", "dropped-queue");
    assert!(lost.iter().all(|&lost| lost == 0.0));
    // Each sink hears from its source alone.
    for j in 0..16 {
        let sink = format!("right-agg-{} -> right-sink-{j}", j % 4);
        let source = format!("left-source-{j} -> left-agg-{}", j / 4);
        let heard = links(&report, &sink, "utilization");
        let said = links(&report, &source, "utilization");
        assert_eq!((heard.len(), said.len()), (1, 1));
        assert!((heard[0] - said[0]).abs() < 0.001, "{j}: {said:?} {heard:?}");
    }
}

/// What a lightpath loses while it is down is what was hashed to it; nobody else notices.
#[test]
fn a_lightpath_fails_alone() {
    let traffic = datagrams("left-source-*", "right-sink-*", "100 Mb/s");
    let change = |link: &str, at: &str, kind: &str| {
        format!("[[changes]]\nat = \"{at}\"\nlink = \"{link}\"\nset = {{ kind = \"{kind}\" }}\n")
    };
    let with = |changes: &str| run(&network(&(traffic.clone() + changes)), 3);
    let way = "left-core -> right-core";
    let whole = links(&with(""), way, "packets-out");
    let one = with(&change("left-core -> right-core:1", "0 s", "down"));
    assert_eq!(links(&one, way, "packets-out"), [whole[0], 0.0]);
    let lost = links(&one, way, "dropped-down");
    assert!(lost[0] < 0.5 && (lost[1] - whole[1]).abs() < 10.0, "{lost:?} {whole:?}");
    let both = with(&change("right-core - left-core", "0 s", "down"));
    assert_eq!(links(&both, way, "packets-out"), [0.0, 0.0]);
    assert!(links(&both, way, "dropped-down").iter().all(|&lost| lost > 0.0));
    assert!(values(&both, "flows", "packets-delivered").iter().all(|&count| count == 0.0));
    let half = change("left-core - right-core", "0 s", "down")
        + &change("left-core - right-core:0", "50 ms", "up");
    let half = links(&with(&half), way, "packets-out");
    assert!((half[0] / whole[0] - 0.5).abs() < 0.1 && half[1] < 0.5, "{half:?} {whole:?}");
}

/// Half a round trip, and what five packets of 1000 B take: two at 100 Mb/s, three at 2.5 Gb/s.
#[test]
fn a_run_has_the_round_trip_time_that_it_drew() {
    let traffic = |from: &str, to: &str| {
        format!(
            r#"
            [[traffic]]
            from = "{from}"
            to = "{to}"
            transport = {{ kind = "udp", header = "0 B" }}
            source = {{ kind = "cbr", rate = "1 Mb/s", packet = "1000 B" }}
            "#
        )
    };
    let pairs = [("left-tcp-source", "right-tcp-sink"), ("right-tcp-source", "left-tcp-sink")];
    let text = network(&pairs.map(|(from, to)| traffic(from, to)).concat());
    let rtts = |text: &str, seed: u64| -> Vec<f64> {
        let delays = values(&run(text, seed), "traffic", "delay-mean");
        delays[..2].iter().map(|delay| 2.0 * (delay - 2.0 * 80e-6 - 3.0 * 3.2e-6)).collect()
    };
    let drawn: Vec<Vec<f64>> = (1..=4).map(|seed| rtts(&text, seed)).collect();
    let all: Vec<f64> = drawn.concat();
    assert!(all.iter().all(|rtt| (0.015..=0.025).contains(rtt)), "{all:?}");
    for (at, one) in all.iter().enumerate() {
        assert!(all[..at].iter().all(|other| (one - other).abs() > 1e-9), "{all:?}");
    }
    // Other traffic, which draws random numbers of its own, changes nothing of it.
    let more = text + &datagrams("left-source-0", "right-sink-0", "1 Mb/s");
    for (one, other) in rtts(&more, 2).iter().zip(&drawn[1]) {
        assert!((one - other).abs() < 10e-6, "{one} {other}");
    }
}

/// A transfer of two pairs through bundles of several topologies: nothing is lost on the way, and
/// what a bundle carries leaves it again.
#[test]
fn bundles_carry_transfers_in_any_topology() {
    let link = r#"{ rate = "100 Mb/s", delay = "0 s", lightpaths = 3 }"#;
    let plain = r#"{ rate = "100 Mb/s", delay = "0 s" }"#;
    for (topology, from, to, bundle) in [
        (
            format!("kind = \"dumbbell\"\npairs = 8\naccess = {plain}\nbottleneck = {link}"),
            "left-*",
            "right-*",
            "left -> right",
        ),
        (
            format!("kind = \"line\"\nrouters = 3\nlink = {link}\naccess = {plain}"),
            "a",
            "b",
            "r1 -> r2",
        ),
        (format!("kind = \"line\"\nrouters = 2\nlink = {link}"), "a", "b", "r0 -> r1"),
        (format!("kind = \"fat-tree\"\nk = 4\nlink = {link}"), "h0", "h15", "edge-0-0 -> agg-0-0"),
    ] {
        let text = format!(
            r#"
            [run]
            duration = "2 s"
            [topology]
            {topology}
            [routing]
            spread = "packet"
            [[traffic]]
            from = "{from}"
            to = "{to}"
            transport = {{ kind = "tcp" }}
            source = {{ kind = "bulk", size = "1 MB" }}
            "#
        );
        let report = run(&text, 1);
        let flows = values(&report, "traffic", "flows");
        assert_eq!(values(&report, "traffic", "completed"), flows, "{topology}");
        let sent = links(&report, bundle, "packets-out");
        assert_eq!(sent.len(), 3, "{topology}");
        let mean = sent.iter().sum::<f64>() / 3.0;
        assert!(mean > 0.0 && sent.iter().all(|one| (one / mean - 1.0).abs() < 0.2), "{sent:?}");
    }
}

/// One lightpath is a plain link.
#[test]
fn a_bundle_of_one_is_a_single_link() {
    let text = |more: &str| {
        format!(
            r#"
            [run]
            duration = "1 s"
            [topology]
            kind = "dumbbell"
            pairs = 3
            access = {{ rate = "1 Gb/s", delay = "1 ms" }}
            bottleneck = {{ rate = "100 Mb/s", delay = "2 ms"{more} }}
            [[traffic]]
            from = "left-*"
            to = "right-*"
            transport = {{ kind = "tcp" }}
            source = {{ kind = "bulk" }}
            "#
        )
    };
    let (plain, one) = (run(&text(""), 4), run(&text(", lightpaths = 1"), 4));
    assert_eq!(one.json["digest"], plain.json["digest"]);
    assert!(one.json["digest"].is_string());
    assert_eq!(links(&one, "left -> right", "packets-out").len(), 1);
}

#[test]
fn lightpaths_lose_each_for_itself() {
    let text = r#"
        [run]
        duration = "1 s"
        [topology]
        kind = "dumbbell"
        pairs = 1
        access = { rate = "1 Gb/s", delay = "0 s" }
        [topology.bottleneck]
        rate = "1 Gb/s"
        delay = "0 s"
        lightpaths = 4
        loss = { kind = "bernoulli", p = 0.1, direction = "forward" }
        [routing]
        spread = "packet"
        [[traffic]]
        from = "left-0"
        to = "right-0"
        transport = { kind = "udp" }
        source = { kind = "cbr", rate = "400 Mb/s", packet = "1000 B" }
        "#;
    let report = run(text, 1);
    let lost = links(&report, "left -> right", "dropped-loss");
    // 12,500 packets each: 1250 lost, standard deviation 34; equal only with one stream for all.
    assert!(lost.iter().all(|&lost| (1100.0..1400.0).contains(&lost)), "{lost:?}");
    assert!(lost.iter().any(|&other| (other - lost[0]).abs() > 0.5), "{lost:?}");
}
