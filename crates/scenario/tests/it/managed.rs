//! Links whose queue decides when a packet leaves, and policers, in whole runs against closed forms.

use crate::common::{links, run, values};

/// A line of a fast access link, 8 Mb/s with a queue, and a fast access link.
fn line(queue: &str, traffic: &str) -> String {
    format!(
        r#"
        [run]
        duration = "40 s"
        warmup = "10 s"
        [topology]
        kind = "line"
        routers = 2
        link = {{ rate = "8 Mb/s", delay = "20 ms", queue = {queue} }}
        access = {{ rate = "1 Gb/s", delay = "1 ms", queue = {{ kind = "drop-tail", packets = 100000 }} }}
        {traffic}
        "#
    )
}

fn cbr(rate: &str) -> String {
    format!(
        r#"
        [[traffic]]
        from = "a"
        to = "b"
        transport = {{ kind = "udp", header = "0 B" }}
        source = {{ kind = "cbr", rate = "{rate}", packet = "1000 B" }}
        "#
    )
}

fn tcp(options: &str) -> String {
    format!(
        r#"
        [[traffic]]
        from = "a"
        to = "b"
        transport = {{ kind = "tcp", {options} }}
        source = {{ kind = "bulk" }}
        "#
    )
}

/// 4 Mb/s through a policer of 3 Mb/s: 1 − 3/4 is dropped in the long run, and nothing waits.
#[test]
fn a_policer_drops_one_less_the_ratio_of_the_rates() {
    let queue = r#"{ kind = "policer", packets = 100, rate = "3 Mb/s", burst = "10 kB" }"#;
    let report = run(&line(queue, &cbr("4 Mb/s")), 1);
    let sent = 4e6 / 8e3 * 30.0;
    assert!((links(&report, "r0 -> r1", "dropped-red")[0] - sent / 4.0).abs() <= 1.0);
    assert!(links(&report, "r0 -> r1", "wait-max")[0].abs() < 1e-12);
}

/// The same through a shaper with room for 100 packets: each of these waits for its tokens, 8/3 ms.
#[test]
fn a_shaper_sends_at_its_rate_and_the_others_wait() {
    let queue = r#"{ kind = "shaper", packets = 100, rate = "3 Mb/s", burst = "10 kB" }"#;
    let report = run(&line(queue, &cbr("4 Mb/s")), 1);
    assert!((links(&report, "r0 -> r1", "packets-out")[0] - 3e6 / 8e3 * 30.0).abs() <= 1.0);
    let wait = links(&report, "r0 -> r1", "wait-max")[0];
    assert!((wait - 100.0 * 8.0 / 3000.0).abs() < 1e-6, "{wait}");
}

/// A transfer fills whatever queue there is: with CoDel it waits for less than the target on average, with marks, too.
#[test]
fn codel_keeps_the_wait_of_a_transfer_under_its_target() {
    let full = run(&line(r#"{ kind = "drop-tail", packets = 1000 }"#, &tcp("ecn = false")), 1);
    assert!(links(&full, "r0 -> r1", "wait-mean")[0] > 1.0);
    for ecn in [false, true] {
        let queue = format!(r#"{{ kind = "codel", packets = 1000, ecn = {ecn} }}"#);
        let report = run(&line(&queue, &tcp(&format!("ecn = {ecn}"))), 1);
        let wait = links(&report, "r0 -> r1", "wait-mean")[0];
        assert!(wait < 5e-3, "{wait}");
        assert!(links(&report, "r0 -> r1", "utilization")[0] > 0.9);
        let (dropped, marked) =
            (links(&report, "r0 -> r1", "dropped-red")[0], links(&report, "r0 -> r1", "marked")[0]);
        assert!(if ecn { dropped < 1.0 && marked > 9.0 } else { dropped > 9.0 && marked < 1.0 });
    }
}

/// Half of the link for each: the transfer does not suffer from 20 Mb/s that react to nothing. Whole packets of a flow
/// of 100 kb/s wait for the one on the wire and at most one of the other, 1.5 ms each.
#[test]
fn fq_codel_shares_alike_and_a_sparse_flow_does_not_wait() {
    let queue = r#"{ kind = "fq-codel", packets = 1000 }"#;
    let report = run(&line(queue, &(tcp("") + &cbr("20 Mb/s"))), 1);
    let rates = values(&report, "flows", "goodput");
    // Of 1500 B, 52 B are headers.
    let share = rates[0] * 1500.0 / 1448.0 / 4e6;
    assert!((share - 1.0).abs() < 0.03, "{share}");
    assert!((rates[1] / 4e6 - 1.0).abs() < 0.03, "{}", rates[1]);

    let report = run(&line(queue, &(tcp("") + &cbr("100 kb/s"))), 1);
    // 22 ms of propagation, 1 ms at 8 Mb/s, 8 us at either end.
    let wait = values(&report, "flows", "delay-mean")[1] - 23.016e-3;
    assert!(wait < 3e-3, "{wait}");
    assert!(values(&report, "flows", "packets-lost")[1] < 1.0);
}

/// Three flows that offer 1, 4 and 9 Mb/s of packets of 200, 1000 and 1500 B: the first has what it asks for, and the
/// others half of the rest each. A transfer beside them has its part too.
#[test]
fn a_fair_queue_divides_what_is_left_among_those_that_want_more() {
    let flow = |rate: u32, packet: u32| {
        cbr(&format!("{rate} Mb/s")).replace("1000 B", &format!("{packet} B"))
    };
    let three = flow(1, 200) + &flow(4, 1000) + &flow(9, 1500);
    let queue = r#"{ kind = "fair", packets = 100 }"#;
    for (traffic, expected) in [
        (three.clone(), vec![1e6, 3.5e6, 3.5e6]),
        (three + &tcp(""), vec![1e6, 7e6 / 3.0, 7e6 / 3.0]),
    ] {
        let report = run(&line(queue, &traffic), 1);
        let rates = values(&report, "flows", "goodput");
        for (rate, expected) in rates.iter().zip(expected) {
            assert!((rate / expected - 1.0).abs() < 0.01, "{rates:?}");
        }
        assert!(values(&report, "flows", "packets-lost")[0] < 1.0);
    }
}

/// Files that come at random and wait whole for the link: with turns it is an M/G/1 queue with processor sharing. A file of x
/// bits takes x / (C (1 − ρ)) on average, whatever the law of the sizes (Kleinrock 1976, section 4.4); first in, first
/// out, the mean depends on it.
#[test]
fn files_that_take_turns_take_as_long_as_with_processor_sharing() {
    let load = 0.6;
    let mean = |queue: &str, size: &str| {
        let traffic = format!(
            r#"
            [[traffic]]
            from = "a"
            to = "b"
            transport = {{ kind = "tcp", preset = "newreno", segment = "1000 B", header = "0 B",
                initial-window = "60000 segments", max-window = "unlimited", receive-window = "unlimited",
                initial-rto = "100 s", min-rto = "100 s", max-rto = "200 s" }}
            source = {{ kind = "transfers", per-second = {}, size = {size} }}
            "#,
            load * 1e6 / 100e3
        );
        let text = line(&format!("{{ kind = \"{queue}\", packets = 1000000 }}"), &traffic)
            .replace("40 s", "4000 s")
            .replace("20 ms", "1 us")
            .replace("1 ms", "1 us");
        let report = run(&text, 1);
        let (start, end) = (values(&report, "flows", "start"), values(&report, "flows", "end"));
        let times: Vec<f64> = start
            .iter()
            .zip(end)
            .map(|(start, end)| end - start)
            .filter(|time| time.is_finite())
            .collect();
        times.iter().sum::<f64>() / times.len() as f64
    };
    let expected = 0.1 / (1.0 - load);
    for size in [
        "\"100 kB\"",
        r#"{ kind = "exponential", mean = "100 kB" }"#,
        // The mean is e^(mu + sigma² / 2).
        r#"{ kind = "log-normal", mu = 11.0129, sigma = 1.0 }"#,
    ] {
        let found = mean("fair", size);
        assert!((found / expected - 1.0).abs() < 0.05, "{size}: {found} {expected}");
    }
}

/// The wait of a Classic transfer is held at the target; L4S traffic beside it waits for far less, loses nothing, and
/// neither has more than twice the other's rate.
#[test]
fn dualpi2_shares_between_classic_and_l4s_traffic() {
    let queue = r#"{ kind = "dualpi2", packets = 1000 }"#;
    let alone = run(&line(queue, &tcp("")), 1);
    let wait = links(&alone, "r0 -> r1", "wait-mean")[0];
    assert!((wait - 15e-3).abs() < 2e-3, "{wait}");

    let both = tcp("") + &tcp("congestion = \"prague\"");
    let report = run(&line(queue, &both), 1);
    let rates = values(&report, "flows", "goodput");
    assert!((0.5..2.0).contains(&(rates[0] / rates[1])), "{rates:?}");
    let (delays, lost) =
        (values(&report, "flows", "delay-mean"), values(&report, "flows", "packets-lost"));
    assert!(delays[1] < delays[0] - 10e-3, "{delays:?}");
    assert!(lost[1] < 1.0 && links(&report, "r0 -> r1", "marked")[0] > 100.0);
    assert!(links(&report, "r0 -> r1", "utilization")[0] > 0.99);
}

/// The link fails while packets wait, and has another rate when it comes back. That packets in are packets out, dropped
/// and inside is checked at the end of each run.
#[test]
fn packets_wait_for_a_link_to_come_back() {
    let changes = r#"
        changes = [
            { at = "15 s", link = "r0 - r1", set = { kind = "down" } },
            { at = "16 s", link = "r0 - r1", set = { kind = "rate", rate = "4 Mb/s" } },
            { at = "17 s", link = "r0 - r1", set = { kind = "up" } },
        ]
    "#;
    for queue in [
        r#"{ kind = "codel", packets = 1000 }"#,
        r#"{ kind = "fq-codel", packets = 200 }"#,
        r#"{ kind = "fair", packets = 200 }"#,
        r#"{ kind = "dualpi2", packets = 1000 }"#,
        r#"{ kind = "shaper", packets = 1000, rate = "6 Mb/s", burst = "10 kB" }"#,
    ] {
        let text = format!("{changes}{}", line(queue, &(tcp("") + &cbr("9 Mb/s"))));
        let report = run(&text, 1);
        assert!(links(&report, "r0 -> r1", "dropped-down")[0] > 0.0, "{queue}");
        // Of 30 s it carries 8 Mb/s for 5 s and 4 Mb/s for 23 s, or the rate of the shaper.
        let octets = values(&report, "flows", "goodput").iter().sum::<f64>() * 30.0;
        let most = 4e6 * 23.0 + if queue.contains("shaper") { 6e6 } else { 8e6 } * 5.0;
        assert!((0.85 * most..1.001 * most).contains(&octets), "{queue}: {octets} {most}");
    }
}
