//! Graphs of operations and collective operations: each operation starts when the last for which it waits is over, and
//! takes the time that it takes by hand.

use proptest::prelude::*;
use scenario::Report;

use crate::common::{checked, run, values};

/// Times of a column in picoseconds.
#[expect(clippy::cast_possible_truncation, reason = "times of a test")]
fn ps(report: &Report, table: &str, name: &str) -> Vec<i64> {
    values(report, table, name).iter().map(|s| (s * 1e12).round() as i64).collect()
}

/// So many hosts around a switch with 10 Gb/s and 1 us a link: a packet of 1000 B takes 800 ns on each.
fn star(hosts: u32, transport: &str, source: &str) -> String {
    format!(
        r#"
        [run]
        duration = "10 s"
        until = "all-files"
        [topology]
        kind = "star"
        hosts = {hosts}
        link = {{ rate = "10 Gb/s", delay = "1 us", queue = {{ kind = "drop-tail", packets = 100000 }} }}
        [[traffic]]
        from = "*"
        to = "*"
        transport = {transport}
        source = {source}
        "#
    )
}

/// Packets of 1000 B, 936 B of them data, answers of 64 B.
const MESSAGE: &str =
    r#"{ kind = "message", packet = "936 B", window = { kind = "fixed", paths = 100.0 } }"#;

/// A collective operation of all hosts.
fn collective(hosts: u32, keys: &str) -> Report {
    run(&star(hosts, MESSAGE, &format!("{{ kind = \"collective\", {keys} }}")), 1)
}

/// A packet through the switch, and its answer, in picoseconds; an answer on a link.
const STEP: i64 = 2 * 800_000 + 2 * 1_000_000;
const ANSWER: i64 = 2 * 51_200 + 2 * 1_000_000;
const SHORT: i64 = 51_200;

/// Blocks of a packet: 2(N − 1) steps, of which each but the first waits for the answer to the step before, which its
/// host sends first.
#[test]
fn a_ring_takes_as_many_steps_as_the_paper_says() {
    for (algorithm, hosts, steps) in [
        ("ring-all-reduce", 4, 6),
        ("ring-all-reduce", 9, 16),
        ("ring-reduce-scatter", 9, 8),
        ("ring-all-gather", 9, 8),
    ] {
        let size = 936 * hosts;
        let report =
            collective(hosts, &format!("algorithm = \"{algorithm}\", size = \"{size} B\""));
        let expected = steps * STEP + (steps - 1) * SHORT;
        assert_eq!(ps(&report, "repetitions", "duration"), [expected], "{algorithm} of {hosts}");
    }
}

/// In an exchange of pairs each step but the last waits for the answers to its own packets.
#[test]
fn all_to_all_takes_a_step_for_each_other_host() {
    let report = collective(9, "algorithm = \"all-to-all\", size = \"8424 B\"");
    assert_eq!(ps(&report, "repetitions", "duration"), [8 * STEP + 7 * ANSWER]);
}

/// Long blocks: in the steady state a link of a host has a packet and an answer in turn, so that a step takes the data and
/// the answers at the rate of the link, and what a packet takes to the next host.
#[test]
fn a_ring_of_long_blocks_runs_at_the_rate_of_the_links() {
    let report = collective(8, "algorithm = \"ring-all-reduce\", size = \"37440 kB\"");
    let found = ps(&report, "repetitions", "duration")[0] as f64;
    let expected = 14.0 * (5000.0 * (800e3 + 51.2e3) + STEP as f64 - 800e3);
    assert!((found / expected - 1.0).abs() < 5e-4, "{found} and {expected}");
}

/// 100 packets up and down a binomial tree of 8: the last answer of a step goes before the data of the next, and on the
/// way down a host waits for the answers before it sends to the next.
#[test]
fn a_tree_takes_twice_its_depth_in_steps_of_all_data() {
    let report = collective(8, "algorithm = \"tree-all-reduce\", size = \"93600 B\"");
    let expected = 6 * (STEP + 99 * 800_000) + 3 * SHORT + 2 * ANSWER;
    assert_eq!(ps(&report, "repetitions", "duration"), [expected]);
}

/// 4, 2, 1, 1, 2 and 4 packets.
#[test]
fn halving_and_doubling_sends_halves() {
    let keys = "algorithm = \"halving-doubling-all-reduce\", size = \"7488 B\"";
    let expected = 6 * STEP + 8 * 800_000 + 5 * SHORT;
    assert_eq!(ps(&collective(8, keys), "repetitions", "duration"), [expected]);
}

/// Two hosts, three chunks of a packet. Up: each when the one before is acknowledged. Down: when it is there, and the one
/// before is acknowledged, whose answer waits for nothing but a packet at the switch that is done at that instant.
#[test]
fn chunks_go_one_behind_the_other() {
    let keys = "algorithm = \"tree-all-reduce\", size = \"2808 B\", chunks = 3";
    let report = collective(2, keys);
    let up = STEP + ANSWER;
    let first = STEP + SHORT;
    let down = first + STEP + ANSWER;
    assert_eq!(ps(&report, "operations", "start"), [0, STEP, up, down, 2 * up, down + up]);
    let end = |start: i64| start + STEP;
    assert_eq!(ps(&report, "repetitions", "end"), [end(down + up)]);
    assert_eq!(ps(&report, "operations", "end")[1], first + STEP);
}

/// Groups do the same side by side, and again when all of a group is over and has computed.
#[test]
fn groups_and_repetitions_follow_each_other() {
    let keys = "algorithm = \"ring-all-reduce\", size = \"3744 B\", group = 4, repeat = 3, compute = \"7 us\"";
    let report = collective(8, keys);
    let one = 6 * STEP + 5 * SHORT;
    assert_eq!(values(&report, "repetitions", "group"), [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    let starts: Vec<i64> = (0..3).map(|at| at * (one + 7_000_000)).collect();
    assert_eq!(ps(&report, "repetitions", "start"), [&starts[..], &starts[..]].concat());
    assert_eq!(ps(&report, "repetitions", "duration"), [one; 6]);
    let sums = &report.json["graphs"];
    assert_eq!((sums["repetitions"].as_u64(), sums["ended"].as_u64()), (Some(6), Some(6)));
    assert!((sums["duration-max"].as_f64().unwrap() * 1e12 - one as f64).abs() < 0.5);
    // The run ends with the answer to the last data, and has its makespan.
    let last = starts[2] + one + ANSWER;
    assert_eq!(ps(&report, "traffic", "makespan"), [last]);
    assert!((report.json["simulated"].as_f64().unwrap() * 1e12 - last as f64).abs() < 0.5);
    assert_eq!(values(&report, "traffic", "completed"), [2.0 * 3.0 * 6.0 * 4.0]);
}

/// By hand: `h0` computes for 3 us on one processor and, beside it, for 1 us on another; sends to `h1` after the latter;
/// `h1` sends on to `h2` when the data are there, `h0` computes once more when they are acknowledged, after what its first
/// processor has to do, and `h2` computes from the start of that on.
#[test]
fn a_graph_is_traced_operation_by_operation() {
    let source = r#"{ kind = "graph", operations = [
        { host = "h0", compute = "3 us" },
        { host = "h0", compute = "1 us", cpu = 1 },
        { host = "h0", to = "h1", size = "1872 B", after = [1] },
        { host = "h1", to = "h2", size = "936 B", after = [2] },
        { host = "h0", compute = "2 us", after = [2] },
        { host = "h2", compute = "4 us", after-start = [4] },
        { host = "h0", compute = "5 us", cpu = 1, after = [0] },
        { host = "h0", compute = "6 us", cpu = 1, after = [1] },
    ] }"#;
    let report = run(&star(3, MESSAGE, source), 1);
    let us = |us: i64| us * 1_000_000;
    let there = us(1) + STEP + 800_000;
    let known = there + ANSWER;
    // Of the last two, the second is ready first, and the first waits for its processor.
    let starts = [0, 0, us(1), there, known, known, us(7), us(1)];
    assert_eq!(ps(&report, "operations", "start"), starts);
    let on = there + SHORT + STEP;
    let ends = [us(3), us(1), there, on, known + us(2), known + us(4), us(12), us(7)];
    assert_eq!(ps(&report, "operations", "end"), ends);
    assert_eq!(ps(&report, "repetitions", "end"), [us(12)]);
}

/// A transport with a window per connection: each send begins with an empty one.
#[test]
fn a_ring_over_tcp_takes_longer_by_its_slow_starts() {
    let tcp = |keys: &str| format!("{{ kind = \"tcp\", preset = \"reno\", {keys} }}");
    let source = r#"{ kind = "collective", algorithm = "ring-all-reduce", size = "80 MB" }"#;
    let found = |keys: &str| {
        let report = run(&star(8, &tcp(keys), source), 1);
        assert_eq!(values(&report, "traffic", "packets-lost"), [0.0]);
        values(&report, "repetitions", "duration")[0]
    };
    // 14 steps of 10 MB in segments of 1460 B with 40 B of headers. Acknowledgments of 40 B for every second segment are
    // 1.3 % of what goes over a link.
    let segments = (10e6_f64 / 1460.0).ceil();
    let bound = 14.0 * (segments * 1500.0 * 0.8e-9 + 2e-6 + 1.2e-6);
    let sizes = "segment = \"1460 B\", header = \"40 B\"";
    let wide = found(&format!("{sizes}, handshake = false, initial-window = \"1 MB\""));
    assert!((1.012..1.015).contains(&(wide / bound)), "{wide} and {bound}");
    // A handshake for each step: a round trip of packets of 40 B, which may wait for a packet of data.
    let shaken = found(&format!("{sizes}, initial-window = \"1 MB\""));
    let trip = 4e-6 + 4.0 * 32e-9;
    let each = (shaken - wide) / 14.0;
    assert!((trip..trip + 1.2e-6).contains(&each), "{each} and {trip}");
    // Windows of ten segments double in each round trip of 7 us at first: a few of them a step.
    let slow = found(sizes);
    assert!((1.0..20.0).contains(&((slow - shaken) / 14.0 / 7e-6)), "{slow} and {shaken}");
}

/// An operation of a test.
#[derive(Debug, Clone)]
struct Drawn {
    host: usize,
    to: Option<usize>,
    ns: u64,
    cpu: usize,
    waits: Vec<(usize, bool)>,
}

fn drawn(cpus: usize) -> impl Strategy<Value = Vec<Drawn>> {
    let one = (0..5usize, prop::option::of(1..5usize), 0..20_000u64, 0..cpus, 0..4usize);
    let waits = prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 4);
    prop::collection::vec((one, waits), 1..30).prop_map(|list| {
        let all = list.into_iter().enumerate();
        let operation = |(at, ((host, to, ns, cpu, count), waits)): (usize, (_, Vec<_>))| {
            let (host, to): (usize, Option<usize>) = (host, to);
            let waits = waits.into_iter().take(if at == 0 { 0 } else { count });
            let waits =
                waits.map(|(index, start): (prop::sample::Index, _)| (index.index(at), start));
            let to = to.map(|further| (host + further) % 5);
            Drawn { host, to, ns, cpu, waits: waits.collect() }
        };
        all.map(operation).collect()
    })
}

fn listed(operations: &[Drawn]) -> String {
    let one = |(at, operation): (usize, &Drawn)| {
        let numbers = |starts: bool| {
            let waits = operation.waits.iter().filter(|wait| wait.1 == starts);
            waits.map(|wait| wait.0.to_string()).collect::<Vec<_>>().join(", ")
        };
        let act = match operation.to {
            // Sizes tell which flow it is.
            Some(to) => format!("to = \"h{to}\", size = \"{} B\"", 5000 + at),
            None => format!("compute = \"{} ns\", cpu = {}", operation.ns, operation.cpu),
        };
        let (host, after, start) = (operation.host, numbers(false), numbers(true));
        format!("{{ host = \"h{host}\", {act}, after = [{after}], after-start = [{start}] }},")
    };
    let all: String = operations.iter().enumerate().map(one).collect();
    format!("{{ kind = \"graph\", operations = [{all}] }}")
}

/// Start and end of each operation, and for a send when its last data were acknowledged, from the table of flows.
fn traced(operations: &[Drawn], transport: &str) -> Vec<(i64, i64, Option<i64>)> {
    let report = run(&star(5, transport, &listed(operations)), 1);
    assert_eq!(report.json["stop"], "end");
    let (starts, ends) = (ps(&report, "operations", "start"), ps(&report, "operations", "end"));
    let mut found: Vec<_> = starts.into_iter().zip(ends).map(|(a, b)| (a, b, None)).collect();
    let sends = operations.iter().filter(|operation| operation.to.is_some()).count();
    let sizes = values(&report, "flows", "size");
    assert_eq!(sizes.len(), sends);
    let delivered = values(&report, "flows", "delivered");
    let times = ps(&report, "flows", "start").into_iter().zip(ps(&report, "flows", "end"));
    for ((size, delivered), (start, end)) in sizes.into_iter().zip(delivered).zip(times) {
        assert!((size - delivered).abs() < 0.5);
        let at = (5000..5100).position(|one| (f64::from(one) - size).abs() < 0.5).unwrap();
        assert_eq!(found[at].0, start);
        found[at].2 = Some(end);
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..trials::cases(60) })]

    /// In random graphs: a send starts at the latest instant for which it waits, a computation at that or when its
    /// processor is done with those that were ready before.
    #[test]
    fn an_operation_starts_when_the_last_for_which_it_waits_is_over(
        operations in prop_oneof![drawn(1), drawn(3)],
        which in 0..3usize,
    ) {
        let transport = [
            MESSAGE,
            r#"{ kind = "tcp", preset = "reno" }"#,
            r#"{ kind = "stop-and-wait", packet = "1 kB" }"#,
        ][which];
        let found = traced(&operations, transport);
        let ready = |at: usize| {
            let of = &operations[at];
            let instant = |&(earlier, start): &(usize, bool)| {
                let (begin, end, known) = found[earlier];
                match known {
                    _ if start => begin,
                    Some(known) if operations[earlier].host == of.host => known,
                    _ => end,
                }
            };
            of.waits.iter().map(instant).max().unwrap_or(0)
        };
        for at in (0..operations.len()).filter(|&at| operations[at].to.is_some()) {
            prop_assert_eq!(found[at].0, ready(at), "operation {} of {:?}", at, operations);
        }
        // By processor, in the order in which they are ready.
        let mut computations: Vec<usize> =
            (0..operations.len()).filter(|&at| operations[at].to.is_none()).collect();
        computations.sort_by_key(|&at| {
            (operations[at].host, operations[at].cpu, ready(at), found[at].0)
        });
        let mut before = None;
        for at in computations {
            let Drawn { host, cpu, ns, .. } = operations[at];
            let free = match before {
                Some((whose, end)) if whose == (host, cpu) => end,
                _ => 0,
            };
            let span = i64::try_from(ns * 1000).unwrap();
            let start = ready(at).max(free);
            prop_assert_eq!((found[at].0, found[at].1), (start, start + span), "{}", at);
            before = Some(((host, cpu), start + span));
        }
    }
}

/// What is recorded of a graph: the same in two runs, and in a run that goes on in small slices.
#[test]
fn a_run_has_one_course() {
    let keys = "algorithm = \"all-to-all\", size = \"80 kB\", repeat = 2";
    let text = star(
        8,
        r#"{ kind = "tcp", preset = "reno" }"#,
        &format!("{{ kind = \"collective\", {keys} }}"),
    );
    let checked = checked(&text, &[]);
    let whole = checked.run(1);
    let mut parts = checked.start(1);
    while parts.advance(7).stop.is_none() {}
    let sliced = parts.finish();
    for column in ["start", "end"] {
        assert_eq!(ps(&whole, "operations", column), ps(&sliced, "operations", column));
    }
    assert_eq!(whole.json["digest"], sliced.json["digest"]);
    // A graph begins again when all of it is over.
    let (starts, ends) = (ps(&whole, "repetitions", "start"), ps(&whole, "repetitions", "end"));
    assert_eq!(starts[1], ends[0]);
    assert_eq!(*ps(&whole, "operations", "end").iter().max().unwrap(), ends[1]);
}
