//! Small networks with packets of any size at any instant: each packet, queue and line card as in the
//! slow twin.

use proptest::prelude::*;
use random::Seed;
use scenario::Report;

use super::twin::{Card, Policy, Rules, Twin};
use super::wire::Wire;
use super::{Case, Queue, delays};
use crate::common::{run, values};

/// When each packet was delivered.
fn delivered(case: &Case, report: &Report) -> Vec<Option<u64>> {
    let packets = delays(report).into_iter().zip(&case.packets);
    packets.map(|(delay, packet)| Some(delay? + packet.at)).collect()
}

/// Whether a column has the numbers that are expected, but for rounding.
fn check(
    report: &Report,
    (table, column): (&str, &str),
    expected: impl Iterator<Item = f64>,
) -> Result<(), String> {
    let (found, expected) = (values(report, table, column), expected.collect::<Vec<_>>());
    let alike =
        |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-11 * b.abs() || (a.is_nan() && b.is_nan());
    assert_eq!(found.len(), expected.len(), "{column}");
    if found.iter().zip(&expected).all(alike) {
        return Ok(());
    }
    Err(format!("{column}: {found:?}, not {expected:?}"))
}

fn ps(time: u64) -> f64 {
    time as f64 * 1e-12
}

/// Whether all that links and line cards count is the same.
fn check_counters(report: &Report, twin: &Twin<'_>) -> Result<(), String> {
    let links =
        |column, of: fn(&Wire) -> f64| check(report, ("links", column), twin.wires.iter().map(of));
    links("packets-in", |wire| wire.packets_in as f64)?;
    links("packets-out", |wire| wire.packets_out as f64)?;
    links("bytes-out", |wire| wire.bytes_out as f64)?;
    links("dropped-queue", |wire| wire.dropped as f64)?;
    links("wait-mean", |wire| ps(wire.waits) / wire.packets_out as f64)?;
    links("wait-max", |wire| ps(wire.longest_wait))?;
    let cards =
        |column, of: fn(&Card) -> f64| check(report, ("line-cards", column), twin.cards().map(of));
    // Where there was none there is no mean.
    let mean = |sum: u64, n: u64| if n == 0 { f64::NAN } else { sum as f64 / n as f64 };
    cards("packets-in", |card| card.packets_in as f64)?;
    cards("packets-out", |card| card.packets_out as f64)?;
    cards("cells", |card| card.cells as f64)?;
    cards("lost-full", |card| card.lost as f64)?;
    let found = twin.cards().map(|card| mean(card.found, card.packets_in - card.lost));
    check(report, ("line-cards", "voq-mean"), found)?;
    cards("voq-max", |card| card.most as f64)?;
    let stays = twin.cards().map(|card| mean(card.stays, card.packets_out) * 1e-12);
    check(report, ("line-cards", "stay-mean"), stays)?;
    cards("stay-max", |card| ps(card.longest_stay))
}

/// The file's words for the rules.
fn core(rules: Rules) -> String {
    let policy = match rules.policy {
        Policy::Destination => "destination",
        Policy::RoundRobin => "round-robin",
        Policy::EJsq => "e-jsq",
    };
    format!(
        "anycast = \"{policy}\"\nspeedup = {}\ncell = \"{} B\"\ncell-payload = \"{} B\"\n\
         input-buffer = \"{} B\"\nscheduler = {{ kind = \"islip\", iterations = {} }}",
        rules.speedup, rules.cell, rules.payload, rules.input_buffer, rules.iterations
    )
}

/// Runs both, and says how many packets full output queues dropped. Ties of e-JSQ are the run's to draw:
/// one way to settle them is its own.
fn compare(mut case: Case, rules: Rules) -> u64 {
    case.core = core(rules);
    let text = case.text(4_000);
    let report = run(&text, 1);
    let found = delivered(&case, &report);
    let mut ties = Vec::new();
    for _ in 0..150 {
        let twin = Twin::run(&case, rules, &ties);
        if twin.ambiguous {
            return 0;
        }
        let counted = check_counters(&report, &twin);
        if twin.delivered == found && counted.is_ok() {
            return twin.wires.iter().map(|wire| wire.dropped).sum();
        }
        let different = || format!("{found:?}, not {:?}\n{counted:?}\n{text}", twin.delivered);
        assert!(!twin.among.is_empty(), "{}", different());
        // The next way to settle ties: the last one that can be settled otherwise.
        let among = twin.among;
        ties.resize(among.len(), 0);
        let last = (0..ties.len()).rev().find(|&at| ties[at] + 1 < among[at]);
        let last = last.unwrap_or_else(|| panic!("no way to settle ties gives {found:?}\n{text}"));
        ties.truncate(last + 1);
        ties[last] += 1;
    }
    0
}

fn queue() -> impl Strategy<Value = Queue> {
    prop_oneof![
        2 => Just(Queue::Endless),
        1 => (3_000..9_000u64).prop_map(Queue::Bytes),
        1 => (1..8u64).prop_map(Queue::Packets),
    ]
}

fn rules(policy: impl Strategy<Value = Policy>) -> impl Strategy<Value = Rules> {
    let cells = prop_oneof![4 => Just((64, 48)), 1 => Just((53, 48)), 1 => Just((1_000, 999))];
    let buffer = prop_oneof![2 => Just(128_000_000), 1 => 3_000..9_000u64];
    (policy, 1..=4u64, cells, buffer, 1..=3u32).prop_map(
        |(policy, speedup, (cell, payload), input_buffer, iterations)| Rules {
            policy,
            speedup,
            cell,
            payload,
            input_buffer,
            iterations,
        },
    )
}

/// Instants and sizes: any, or such that many last bits are in when slots of 51.2 ns begin.
type Offers = Vec<(usize, usize, u64, u64)>;

fn offers(most: usize) -> impl Strategy<Value = Offers> {
    let any = (0..64usize, 0..64usize, 0..20_000_000u64, 20..3_000u64);
    let sizes = prop_oneof![Just(40u64), Just(48), Just(96), Just(576), Just(1_500)];
    let grid = (0..64usize, 0..64usize, (0..1_600u64).prop_map(|at| at * 12_800), sizes);
    prop_oneof![prop::collection::vec(any, 1..most), prop::collection::vec(grid, 1..most)]
}

/// The packets of offers, between hosts of which each has a partner for any number.
fn fill(case: &mut Case, from: &[usize], to: &[usize], offers: &Offers) {
    for &(source, sink, at, bytes) in offers {
        let (source, sink) = (from[source % from.len()], to[sink % to.len()]);
        if source != sink {
            case.packet(source, sink, at, bytes);
        }
    }
}

/// Two switches with a bundle between them; hosts on the first, on the second and on routers behind it.
fn two_switches(lightpaths: u32, queue: Queue, delay: u64) -> (Case, Vec<usize>, Vec<usize>) {
    let mut case = Case::default();
    let [c0, c1] = ["c0", "c1"].map(|name| case.node(name));
    let routers = ["r0", "r1", "r2"].map(|name| case.node(name));
    let near = ["h0", "h1", "h2"].map(|name| case.node(name));
    let far = ["h3", "h4", "h5", "h6"].map(|name| case.node(name));
    case.link([near[0], c0], 2_500, delay, Queue::Endless);
    case.link([near[1], c0], 1_000, 0, Queue::Endless);
    case.link([c0, c1], 2_500, delay, queue);
    case.links.last_mut().expect("a link").lightpaths = lightpaths;
    case.link([near[2], c0], 2_500, 0, Queue::Endless);
    for (host, router) in far.into_iter().zip(routers) {
        case.link([c1, router], 2_500, 51_200, queue);
        case.link([router, host], 2_500, delay, queue);
    }
    case.link([far[3], c1], 2_500, 0, queue);
    (case, near.to_vec(), far.to_vec())
}

const RULES: Rules = Rules {
    policy: Policy::Destination,
    speedup: 1,
    cell: 64,
    payload: 48,
    input_buffer: 128_000_000,
    iterations: 1,
};

/// Nobody looks between the last slot of a packet and its end, when the one behind it comes: it finds its
/// queue empty all the same.
#[test]
fn a_packet_whose_last_cell_goes_has_left_its_queue() {
    let mut case = Case::default();
    let hosts = ["h0", "h1"].map(|name| case.node(name));
    let switch = case.node("c0");
    for host in hosts {
        case.link([host, switch], 1_000, 192_001, Queue::Endless);
    }
    case.packet(hosts[0], hosts[1], 0, 1_000);
    case.packet(hosts[0], hosts[1], 0, 1_976);
    compare(case, Rules { cell: 1_000, payload: 999, ..RULES });
}

/// A packet for `h5` is through the second switch, to an output that is busy, so nobody has looked since
/// when the last one for `h6` comes by the same input. There is room for it.
#[test]
fn what_is_through_takes_no_room_at_its_input() {
    let (mut case, near, far) = two_switches(1, Queue::Endless, 0);
    case.packet(near[1], far[0], 4_577_601, 439);
    case.packet(far[0], far[3], 0, 20);
    case.packet(near[1], far[3], 8_432_001, 1_186);
    case.packet(near[1], far[3], 8_432_001, 458);
    case.packet(far[0], far[2], 0, 2_780);
    case.packet(near[2], far[2], 6_102_401, 2_061);
    compare(case, Rules { speedup: 2, input_buffer: 3_704, ..RULES });
}

/// Hundreds of packets for one host. A queue somewhat larger than what may come to it in 20 µs (392 packets
/// of a cell each, 281 kB) lets them join late until some wait, and is full later.
#[test]
fn large_queues_that_fill_up_drop_what_the_twins_drop() {
    let rules = Rules { speedup: 4, ..RULES };
    for queue in [Queue::Bytes(300_000), Queue::Packets(420)] {
        let mut draws = Seed(1).stream("packets");
        let mut case = Case::default();
        let hosts = ["h0", "h1", "h2", "h3"].map(|name| case.node(name));
        let switch = case.node("c0");
        for host in hosts {
            let own = if host == hosts[3] { queue } else { Queue::Endless };
            case.link([host, switch], 2_500, 100_000, own);
        }
        for _ in 0..750 {
            let from = usize::try_from(draws.below(3)).expect("small");
            let to = if draws.below(20) == 0 { (from + 1) % 3 } else { 3 };
            case.packet(hosts[from], hosts[to], draws.below(30_000_000), 20 + draws.below(1_480));
        }
        let dropped = compare(case, rules);
        assert!(dropped > 20, "the queue is full at times: {dropped}");
    }
}

proptest! {
    #![proptest_config(trials::cases(200))]

    #[test]
    fn a_switch_among_hosts_does_what_its_twin_does(
        rules in rules(Just(Policy::Destination)),
        rates in prop::collection::vec(prop_oneof![Just(1_000u64), Just(2_500), Just(10_000)], 2..6),
        queue in queue(),
        offers in offers(50),
        delay in prop_oneof![Just(0u64), Just(51_200), 0..300_000u64],
    ) {
        let mut case = Case::default();
        let centre = case.node("c0");
        let mut hosts = Vec::new();
        for (at, rate) in rates.into_iter().enumerate() {
            hosts.push(case.node(&format!("h{at}")));
            case.link([hosts[at], centre], rate, delay, queue);
        }
        fill(&mut case, &hosts, &hosts, &offers);
        prop_assume!(!case.packets.is_empty());
        compare(case, rules);
    }

    #[test]
    fn two_switches_and_a_bundle_do_what_their_twins_do(
        rules in rules(prop_oneof![Just(Policy::Destination), Just(Policy::RoundRobin)]),
        lightpaths in 1..4u32,
        queue in queue(),
        offers in offers(60),
        delay in prop_oneof![Just(0u64), Just(51_200), 0..300_000u64],
    ) {
        let (mut case, near, far) = two_switches(lightpaths, queue, delay);
        let all = [&near[..], &far].concat();
        fill(&mut case, &all, &all, &offers);
        prop_assume!(!case.packets.is_empty());
        compare(case, rules);
    }
}

proptest! {
    #![proptest_config(trials::cases(60))]

    /// Each bundle's queue at an input is one, whose head alone asks.
    #[test]
    fn e_jsq_does_what_its_twin_does_however_ties_fall(
        rules in rules(Just(Policy::EJsq)),
        lightpaths in 2..4u32,
        queue in queue(),
        offers in offers(40),
        delay in prop_oneof![Just(0u64), 0..300_000u64],
    ) {
        let (mut case, near, far) = two_switches(lightpaths, queue, delay);
        fill(&mut case, &near[..2], &far, &offers);
        prop_assume!(!case.packets.is_empty());
        compare(case, rules);
    }
}
