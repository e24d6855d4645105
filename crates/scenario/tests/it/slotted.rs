//! Packets in slots through a switch, against what theory says of its queues; and flows that stop.

use scenario::load;

use crate::common::{run, values};

/// A router with so many inputs and outputs whose links take a slot of 1 us for a packet.
fn switch(ports: usize, load: f64) -> String {
    let link = |from: &str, to: &str| {
        format!(
            "{{ from = \"{from}\", to = \"{to}\", rate = \"1 Gb/s\", delay = \"0 s\", one-way = true, \
             queue = {{ kind = \"drop-tail\", packets = 1000000 }} }}"
        )
    };
    let host = |name: String| format!("{{ name = \"{name}\", kind = \"host\" }}");
    let hosts = (0..ports).flat_map(|at| [format!("i{at}"), format!("o{at}")].map(host));
    let both = |at| [link(&format!("i{at}"), "x"), link("x", &format!("o{at}"))];
    let links = (0..ports).flat_map(both).collect::<Vec<_>>().join(", ");
    let nodes = hosts.collect::<Vec<_>>().join(", ");
    format!(
        r#"
        [run]
        duration = "200 ms"
        warmup = "5 ms"
        [topology]
        kind = "explicit"
        nodes = [{nodes}, {{ name = "x", kind = "router" }}]
        links = [{links}]
        [[traffic]]
        from = "i*"
        to = "o*"
        pattern = "all"
        transport = {{ kind = "udp", header = "0 B" }}
        source = {{ kind = "bernoulli", slot = "1 us", probability = {load}, packet = "125 B" }}
        "#
    )
}

/// Karol, Hluchyj and Morgan 1987, section III.B: the mean wait in the queue of an output, in slots, under
/// independent uniform arrivals is (N − 1)/N · p / (2 (1 − p)). No input ever waits: a slot has one packet.
#[test]
fn output_queues_wait_as_long_as_theory_says() {
    for (ports, load) in [(2, 0.8), (4, 0.5), (8, 0.9)] {
        let waits: Vec<f64> = (1..=4)
            .map(|seed| {
                let report = run(&switch(ports, load), seed);
                let sent: f64 = values(&report, "traffic", "packets-sent").iter().sum();
                let slots = 195_000.0 * ports as f64;
                let error = (slots * load * (1.0 - load)).sqrt();
                assert!((sent - slots * load).abs() < 4.0 * error, "{sent} of {slots}");
                let (waits, inputs): (Vec<f64>, Vec<f64>) = {
                    let all = values(&report, "links", "wait-mean");
                    let (even, odd): (Vec<_>, Vec<_>) =
                        all.iter().enumerate().partition(|(at, _)| at % 2 == 1);
                    let plain = |part: Vec<(usize, &f64)>| part.iter().map(|(_, w)| **w).collect();
                    (plain(even), plain(odd))
                };
                assert!(inputs.iter().all(|wait| *wait == 0.0), "an input waits: {inputs:?}");
                waits.iter().sum::<f64>() / waits.len() as f64 / 1e-6
            })
            .collect();
        let n = waits.len() as f64;
        let mean = waits.iter().sum::<f64>() / n;
        let variance = waits.iter().map(|w| (w - mean).powi(2)).sum::<f64>() / (n - 1.0);
        let expected = (ports - 1) as f64 / ports as f64 * load / (2.0 * (1.0 - load));
        let tolerance = (4.0 * (variance / n).sqrt()).max(0.01 * expected);
        assert!((mean - expected).abs() < tolerance, "{ports}, {load}: {mean}, {expected}");
        assert!(tolerance < 0.05 * expected, "too few packets to say anything");
    }
}

/// Two hosts 5 ms apart at 10 Mb/s, with losses.
fn pair(transport: &str, source: &str, more: &str) -> String {
    format!(
        r#"
        [run]
        duration = "20 s"
        [topology]
        kind = "line"
        routers = 1
        link = {{ rate = "10 Mb/s", delay = "5 ms", loss = {{ kind = "bernoulli", p = 0.01 }} }}
        [[traffic]]
        from = "a"
        to = "b"
        {more}
        transport = {{ {transport} }}
        source = {{ {source} }}
        "#
    )
}

#[test]
fn a_stopped_flow_delivers_what_it_had_sent_and_ends() {
    for transport in [
        r#"kind = "tcp", preset = "newreno""#,
        r#"kind = "tcp", release = false"#,
        r#"kind = "stop-and-wait""#,
    ] {
        for source in [r#"kind = "bulk""#, r#"kind = "bulk", size = "1 GB""#] {
            let report = run(&pair(transport, source, "stop = \"5 s\""), 3);
            assert_eq!(values(&report, "traffic", "completed"), [1.0], "{transport}");
            let [size, delivered] =
                ["size", "delivered"].map(|column| values(&report, "flows", column)[0]);
            assert!((size - delivered).abs() < 0.5, "{transport}: {delivered} of {size}");
            assert!(delivered > 100_000.0, "{transport}: {delivered}");
            let end = values(&report, "flows", "end")[0];
            assert!((5.0..8.0).contains(&end), "{transport}: {end}");
        }
    }
}

#[test]
fn a_file_that_is_through_before_the_stop_is_the_same_without_it() {
    let file = r#"kind = "bulk", size = "300 kB""#;
    let [stopped, free] =
        ["stop = \"15 s\"", ""].map(|more| run(&pair("kind = \"tcp\"", file, more), 1));
    for column in ["end", "size", "delivered", "packets-sent"] {
        let of = |report| values(report, "flows", column);
        assert_eq!(of(&stopped), of(&free), "{column}");
    }
}

#[test]
fn a_stopped_source_of_packets_offers_none_later() {
    let cbr = r#"kind = "cbr", rate = "1 Mb/s", packet = "1250 B""#;
    let report = run(&pair("kind = \"udp\"", cbr, "start = \"1 s\"\nstop = \"3 s\""), 1);
    assert_eq!(values(&report, "traffic", "packets-sent"), [200.0]);
    // Of transfers those that have begun go on.
    let transfers = r#"kind = "transfers", per-second = 10, size = "200 kB""#;
    let report = run(&pair("kind = \"tcp\"", transfers, "stop = \"2 s\""), 1);
    let starts = values(&report, "flows", "start");
    assert!(starts.len() > 10 && starts.iter().all(|start| *start < 2.0), "{starts:?}");
    assert_eq!(values(&report, "traffic", "completed"), values(&report, "traffic", "flows"));
    assert!(values(&report, "traffic", "makespan")[0] > 2.0);
}

#[test]
fn the_slots_of_a_sender_are_not_shared_by_any_number_of_flows() {
    let text = switch(2, 0.5).replace("pattern", "count = 5001\npattern");
    let found = load("slots.toml", &text, &[]).unwrap_err()[0].to_string();
    assert!(found.contains("traffic.0: too many flows share the slots of a sender; found 10002"));
}

#[test]
fn a_stop_that_cannot_be_is_refused() {
    let keys = |source: &str, more: &str| {
        let text = pair("kind = \"tcp\"", source, more);
        let mistakes = load("stop.toml", &text, &[]).unwrap_err();
        mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    let found = keys("kind = \"bulk\"", "start = \"2 s\"\nstop = \"2 s\"");
    assert!(found.contains("traffic.0.stop: not after the start"), "{found}");
    let late =
        load("stop.toml", &pair("kind = \"tcp\"", "kind = \"bulk\"", "stop = \"20 s\""), &[]);
    let warnings = &late.unwrap().warnings;
    let found = warnings[0].to_string();
    assert!(found.contains("warning: traffic.0.stop: has no effect: after the end"), "{found}");
    let shuffle = keys("kind = \"shuffle\", block = \"1 kB\"", "pattern = \"all\"\nstop = \"2 s\"");
    assert!(shuffle.contains("traffic.0.stop: a closed loop has its own end"), "{shuffle}");
}
