//! A link of 8 Mb/s, over which 1000 B take a millisecond, with each kind of queue in front of it.

use kernel::Order;
use plan::spec::QueueSpec;
use transport::tcp::{Flags, Segment};
use units::{Bytes, FlowId, NodeId, Rate, Span, Time};

use super::Kind;
use crate::link::tests::link_at;
use crate::link::{Discipline, Drop, Link, Offered};
use crate::packet::{Marks, Packet, PacketId, Packets};

const RATE: Rate = Rate(8_000_000);
const US: u64 = 1_000_000;
const MS: u64 = 1000 * US;
const L4S: u8 = Marks::ECN_CAPABLE | Marks::L4S;

/// What has happened: packets sent and dropped, each with its instant in microseconds and its flow.
struct Bench {
    link: Link,
    packets: Packets,
    wakes: Vec<u64>,
    sent: Vec<(u64, u16)>,
    marked: Vec<u16>,
    dropped: Vec<(u64, u16)>,
    refused: u64,
    trimmed: u64,
    offered: u64,
}

impl Bench {
    fn new(queue: QueueSpec) -> Self {
        Self {
            link: link_at(RATE, Span::ZERO, (queue, None)),
            packets: Packets::default(),
            wakes: Vec::new(),
            sent: Vec::new(),
            marked: Vec::new(),
            dropped: Vec::new(),
            refused: 0,
            trimmed: 0,
            offered: 0,
        }
    }

    /// A packet of a flow comes.
    fn offer(&mut self, at: u64, packet: (u16, u32, u8)) {
        self.offer_as(at, packet, packet.0);
    }

    /// The same with a hash that differs from the number of its flow.
    fn offer_as(&mut self, at: u64, (flow, bytes, marks): (u16, u32, u8), hash: u16) {
        self.run_to(at);
        let segment = Segment::empty(Time(at), Flags::NONE);
        let mut packet = Packet::of_segment(&segment, FlowId(flow.into()), NodeId(1), bytes);
        packet.transit.marks = Marks(marks);
        packet.transit.hash = hash;
        let id = self.packets.insert(packet);
        self.offered += 1;
        let cause = if self.link.is_managed() {
            match self.link.put(Time(at), &mut self.packets, id) {
                Ok(cut) => {
                    self.trimmed += u64::from(cut.is_some());
                    return self.serve(at);
                }
                Err(cause) => cause,
            }
        } else {
            match self.link.offer(Time(at), &mut self.packets, id, Order(self.offered)) {
                Offered::In { .. } => return self.note(at, id),
                Offered::Dropped(cause) => cause,
            }
        };
        assert!(matches!(cause, Drop::Full | Drop::Early), "{cause:?}");
        self.packets.take(id);
        self.refused += 1;
    }

    fn note(&mut self, at: u64, id: PacketId) {
        let transit = self.packets.transit(id);
        self.sent.push((at / US, transit.hash));
        if transit.marks.has(Marks::CONGESTION_EXPERIENCED) {
            self.marked.push(transit.hash);
        }
    }

    fn serve(&mut self, at: u64) {
        let served = self.link.serve(Time(at), &mut self.packets, Order(self.offered));
        while let Some((id, _)) = self.link.take_discarded(Time(at), &self.packets) {
            self.dropped.push((at / US, self.packets.transit(id).hash));
            self.packets.take(id);
        }
        if let Some((id, _)) = served.sent {
            self.note(at, id);
        }
        self.wakes.extend(served.wake.map(|wake| wake.0));
        while let Some(id) =
            self.link.first().filter(|&id| self.packets.transit(id).arrives.0 <= at)
        {
            let arrives = self.packets.transit(id).arrives;
            let (id, _) = self.link.arrive(arrives, &self.packets).expect("it is due");
            self.packets.take(id);
        }
        self.conserves(at);
    }

    fn run_to(&mut self, end: u64) {
        loop {
            self.wakes.sort_unstable();
            match self.wakes.first().copied().filter(|&wake| wake <= end) {
                Some(wake) => {
                    self.wakes.remove(0);
                    self.serve(wake);
                }
                None => return,
            }
        }
    }

    fn conserves(&self, at: u64) {
        let counted = self.link.counters(Time(at), &self.packets);
        let accepted = i128::from(counted.packets_in - counted.refused);
        assert!(counted.wait_sum <= accepted * i128::from(counted.wait_max), "{counted:?}");
        let (packets, bytes) = self.link.inside(&self.packets);
        assert_eq!(counted.packets_in, counted.packets_out + counted.dropped() + packets);
        assert_eq!(counted.bytes_in, counted.bytes_out + counted.bytes_dropped + bytes);
        assert_eq!(packets, self.packets.len() as u64);
    }

    /// Packets of a flow, one each `gap` for a span, all in microseconds.
    fn stream(&mut self, (from, to): (u64, u64), gap: u64, packet: (u16, u32, u8)) {
        (from..to)
            .step_by(usize::try_from(gap).unwrap())
            .for_each(|at| self.offer(at * US, packet));
    }
}

fn codel(ecn: bool) -> QueueSpec {
    let (packets, bytes) = (Some(100_000), None);
    let (target, interval) = (Span::from_ms(5), Span::from_ms(100));
    QueueSpec::Codel { packets, bytes, target, interval, ecn }
}

/// A packet each half millisecond. The one that leaves at 10 ms is the first to have waited for 5 ms, so that the first
/// drop is at 110 ms, the next an interval later, then 100/√2, 100/√3 and 100/√4 ms after each other (RFC 8289 section
/// 5.4), each with the packet that leaves next, on a millisecond.
#[test]
fn codel_drops_an_interval_over_the_square_root_of_the_count_later() {
    let mut bench = Bench::new(codel(false));
    bench.stream((0, 450_000), 500, (0, 1000, 0));
    let drops: Vec<u64> = bench.dropped.iter().map(|&(at, _)| at / 1000).collect();
    assert_eq!(drops, [110, 210, 281, 339, 389, 434]);
    // A drop takes no time: a packet leaves each millisecond.
    assert!(bench.sent.windows(2).all(|pair| pair[1].0 - pair[0].0 == 1000));
}

#[test]
fn codel_marks_where_it_may_and_drops_nothing_then() {
    let mut bench = Bench::new(codel(true));
    bench.stream((0, 300_000), 500, (0, 1000, Marks::ECN_CAPABLE));
    assert_eq!((bench.marked.len(), bench.dropped.len()), (3, 0));
    // Packets that cannot carry a mark are dropped.
    let mut bench = Bench::new(codel(true));
    bench.stream((0, 300_000), 500, (0, 1000, 0));
    assert_eq!((bench.marked.len(), bench.dropped.len()), (0, 3));
}

#[test]
fn codel_leaves_a_short_queue_and_a_burst_alone() {
    // Ten packets at once each 20 ms: the last waits for 9 ms, but each burst ends.
    let mut bench = Bench::new(codel(false));
    for burst in 0..100 {
        (0..10).for_each(|_| bench.offer(burst * 20 * MS, (0, 1000, 0)));
    }
    bench.run_to(u64::MAX / 2);
    assert_eq!((bench.dropped.len(), bench.sent.len()), (0, 1000));
}

/// After a quiet time within 16 intervals it goes on where it stopped (section 5.6), after a longer one anew.
#[test]
fn codel_remembers_how_much_it_dropped() {
    let second = |pause: u64| {
        let mut bench = Bench::new(codel(false));
        bench.stream((0, 700_000), 500, (0, 1000, 0));
        bench.run_to((1_400 + pause) * MS);
        let start = 1_400_000 + pause * 1000;
        bench.dropped.clear();
        bench.stream((start, start + 400_000), 500, (0, 1000, 0));
        bench.dropped.len()
    };
    assert!(second(100) > second(5000) + 2, "{} {}", second(100), second(5000));
    assert_eq!(second(5000), 5);
}

fn fq_codel(packets: u32) -> QueueSpec {
    QueueSpec::FqCodel {
        packets: Some(packets),
        bytes: None,
        target: Span::from_ms(5),
        interval: Span::from_ms(100),
        ecn: false,
        flows: 1024,
        quantum: Bytes(1514),
    }
}

fn fair(packets: u32) -> QueueSpec {
    QueueSpec::Fair { packets: Some(packets), bytes: None, quantum: Bytes(1000) }
}

/// A flow that sends twice as much as the link carries, in small packets, beside one that does so in large ones.
#[test]
fn flows_get_the_same_share_in_bytes_whatever_they_send() {
    for queue in [fq_codel(10_000), fair(10_000), fair(100)] {
        let mut bench = Bench::new(queue);
        for at in (0..2_000_000).step_by(1000) {
            (0..4).for_each(|_| bench.offer(at * US, (1, 500, 0)));
            (0..3).for_each(|_| bench.offer(at * US, (2, 1000, 0)));
        }
        let bytes =
            |flow: u16, size: usize| bench.sent.iter().filter(|s| s.1 == flow).count() * size;
        let (small, large) = (bytes(1, 500) as f64, bytes(2, 1000) as f64);
        assert!((small / large - 1.0).abs() < 0.01, "{small} {large}");
    }
}

/// The first packet goes at once, and its flow then waits like the others.
#[test]
fn flows_take_turns() {
    let mut bench = Bench::new(fair(10));
    for (flow, count) in [(1, 4), (2, 1), (3, 3)] {
        (0..count).for_each(|_| bench.offer(0, (flow, 1000, 0)));
    }
    bench.run_to(1000 * MS);
    let order: Vec<u16> = bench.sent.iter().map(|sent| sent.1).collect();
    assert_eq!(order, [1, 1, 2, 3, 1, 3, 1, 3]);
}

/// A turn of 1000 B: one packet of 1500 B is sent on credit, and each third turn is left out.
#[test]
fn a_turn_that_took_too_much_is_paid_back() {
    let mut bench = Bench::new(fair(100));
    (0..7).for_each(|_| bench.offer(0, (1, 1500, 0)));
    (0..9).for_each(|_| bench.offer(0, (2, 1000, 0)));
    bench.run_to(1000 * MS);
    let order: Vec<u16> = bench.sent.iter().map(|sent| sent.1).take(12).collect();
    assert_eq!(order, [1, 1, 2, 1, 2, 2, 1, 2, 1, 2, 2, 1]);
}

#[test]
fn the_flow_with_the_most_bytes_loses_its_first_packet() {
    let mut bench = Bench::new(fair(6));
    (0..5).for_each(|_| bench.offer(0, (1, 500, 0)));
    (0..6).for_each(|_| bench.offer(0, (2, 1000, 0)));
    bench.run_to(1000 * MS);
    // Four of flow 1 have 2000 B, so that of flow 2 two remain, with as many.
    assert_eq!((bench.dropped.len(), bench.refused), (4, 0));
    assert!(bench.dropped.iter().all(|&(_, flow)| flow == 2));
}

/// A packet each 50 ms beside a greedy flow waits for the packet on the wire at most: 1 ms.
#[test]
fn a_sparse_flow_does_not_wait_for_a_greedy_one() {
    let mut bench = Bench::new(fq_codel(10_000));
    for at in (0..1_000_000).step_by(500) {
        bench.offer(at * US, (1, 1000, 0));
        if at % 50_000 == 25_500 {
            bench.offer(at * US, (2, 1000, 0));
        }
    }
    let sparse: Vec<u64> = bench.sent.iter().filter(|s| s.1 == 2).map(|s| s.0).collect();
    assert_eq!(sparse.len(), 20);
    assert!(sparse.iter().all(|at| (at - 25_500) % 50_000 <= 1000), "{sparse:?}");
}

#[test]
fn without_room_the_longest_queue_loses_half_and_the_other_nothing() {
    let mut bench = Bench::new(fq_codel(100));
    (0..3).for_each(|_| bench.offer(0, (2, 1000, 0)));
    (0..99).for_each(|_| bench.offer(0, (1, 1000, 0)));
    // One of flow 2 is on the wire; 101 others would wait.
    assert_eq!(bench.dropped.len(), 49);
    assert!(bench.dropped.iter().all(|&(_, flow)| flow == 1));
    assert_eq!(bench.refused, 0);
}

/// Three packets of 1000 B, which last longer than those of 100 B in front of them.
#[test]
fn a_limit_in_bytes_holds_after_each_packet() {
    let QueueSpec::FqCodel { target, interval, ecn, flows, quantum, .. } = fq_codel(1) else {
        panic!("it is FQ-CoDel")
    };
    let (packets, bytes) = (None, Some(Bytes(5000)));
    let queue = QueueSpec::FqCodel { packets, bytes, target, interval, ecn, flows, quantum };
    let mut bench = Bench::new(queue);
    bench.offer(0, (9, 1000, 0));
    for flow in 0..10 {
        (0..4).for_each(|_| bench.offer(0, (flow, 100, 0)));
    }
    for flow in 0..10 {
        bench.offer(0, (flow, 1000, 0));
        let waiting = bench.link.managed().unwrap().bytes();
        assert!(waiting <= 5000, "{waiting} B wait");
    }
}

/// Acknowledgments of a TCP without headers: the first one is sent, four wait, and each other one costs an old one.
#[test]
fn packets_without_bytes_are_dropped_too() {
    let mut bench = Bench::new(fq_codel(4));
    bench.offer(0, (9, 1000, 0));
    (0..8).for_each(|_| bench.offer(0, (1, 0, 0)));
    assert_eq!(bench.link.managed().unwrap().len(), 4);
}

/// Spraying gives each packet of a flow a hash of its own.
#[test]
fn packets_of_a_flow_stay_in_one_queue_whatever_their_hashes() {
    let mut bench = Bench::new(fq_codel(10_000));
    bench.offer(0, (1, 1000, 0));
    for hash in 0..100 {
        bench.offer_as(0, (1, 100, 0), hash);
    }
    bench.run_to(1000 * MS);
    let order: Vec<u16> = bench.sent[1..].iter().map(|sent| sent.1).collect();
    assert!(order.is_sorted(), "{order:?}");
    // A flow that begins later does not wait for a turn of each packet.
    let mut bench = Bench::new(fq_codel(10_000));
    (0..100).for_each(|hash| bench.offer_as(0, (1, 1000, 0), hash));
    bench.run_to(20 * MS);
    (0..2).for_each(|_| bench.offer_as(20 * MS, (2, 1000, 0), 200));
    bench.run_to(1000 * MS);
    let last = bench.sent.iter().filter(|sent| sent.1 == 200).map(|sent| sent.0).max().unwrap();
    assert!(last <= 24_000, "{last} us");
}

fn dualpi2() -> QueueSpec {
    QueueSpec::DualPi2 {
        packets: Some(100_000),
        bytes: None,
        target: Span::from_ms(15),
        update: Span::from_ms(16),
        alpha: 0.16,
        beta: 3.2,
        coupling: 2.0,
        threshold: Span::from_us(800),
        range: Span::from_us(400),
        classic_weight: 1.0 / 16.0,
    }
}

fn held(base: f64) -> Bench {
    let mut bench = Bench::new(dualpi2());
    let Discipline::Managed(managed) = &mut bench.link.rare.discipline else { panic!("managed") };
    let Kind::DualPi2(queues) = &mut managed.kind else { panic!("it is DualPI2") };
    queues.hold(base);
    bench
}

/// RFC 9332 section 2.1: `p_C` = p′², `p_CL` = k p′.
#[test]
fn classic_packets_are_dropped_with_the_square_and_l4s_marked_with_k_times_the_base() {
    let mut bench = held(0.1);
    // Without a queue: only the coupling acts.
    bench.stream((0, 10_000_000), 2000, (1, 1000, 0));
    assert_eq!(bench.dropped.len(), 5000 / 100);
    let mut bench = held(0.1);
    bench.stream((0, 10_000_000), 2000, (1, 1000, Marks::ECN_CAPABLE));
    assert_eq!((bench.dropped.len(), bench.marked.len()), (0, 5000 / 100));
    let mut bench = held(0.1);
    bench.stream((0, 10_000_000), 2000, (2, 1000, L4S));
    assert!((999..=1000).contains(&bench.marked.len()), "{}", bench.marked.len());
}

/// Above a quarter (1/k²) Classic packets are dropped even where they could be marked; from p′ = 1/k on L4S ones are
/// dropped as Classic ones (appendix A.2).
#[test]
fn overload_is_met_by_drops() {
    let mut bench = held(0.6);
    bench.stream((0, 2_000_000), 2000, (1, 1000, Marks::ECN_CAPABLE));
    assert!((359..=361).contains(&bench.dropped.len()), "{}", bench.dropped.len());
    let mut bench = held(0.6);
    bench.stream((0, 2_000_000), 2000, (2, 1000, L4S));
    assert!(bench.dropped.len() > 150, "{}", bench.dropped.len());
    assert_eq!(
        bench.marked.len(),
        bench.sent.len() - usize::from(bench.marked.len() < bench.sent.len())
    );
}

/// The ramp begins at 0.8 ms and ends at 1.2 ms; a single packet is not marked.
#[test]
fn l4s_packets_are_marked_by_their_own_wait() {
    let mut bench = held(0.0);
    // Two at once each 10 ms: the second waits for 1 ms, but alone.
    for at in 0..100 {
        (0..2).for_each(|_| bench.offer(at * 10 * MS, (2, 1000, L4S)));
    }
    assert_eq!(bench.marked.len(), 0);
    // Four at once: the second waits for 1 ms (half of the ramp), the third for 2 ms, the last alone.
    for at in 100..200 {
        (0..4).for_each(|_| bench.offer(at * 10 * MS, (2, 1000, L4S)));
    }
    bench.run_to(10_000 * MS);
    assert!((148..=150).contains(&bench.marked.len()), "{}", bench.marked.len());
}

/// A packet that a queue before has marked may have been L4S: it takes the queue of L4S (section 2.3).
#[test]
fn packets_that_are_marked_already_wait_with_l4s_ones() {
    let mut bench = held(0.0);
    (0..5).for_each(|_| bench.offer(0, (1, 1000, Marks::ECN_CAPABLE)));
    bench.offer(0, (2, 1000, Marks::ECN_CAPABLE | Marks::CONGESTION_EXPERIENCED));
    bench.run_to(100 * MS);
    let order: Vec<u16> = bench.sent.iter().map(|sent| sent.1).collect();
    assert_eq!(order, [1, 2, 1, 1, 1, 1]);
}

/// An overload of a quarter that reacts to nothing: a fifth has to be dropped, so p′ is its root, and the wait the target.
#[test]
fn the_controller_holds_the_classic_queue_at_the_target() {
    let mut bench = Bench::new(dualpi2());
    bench.stream((0, 40_000_000), 800, (1, 1000, 0));
    let spent =
        |bench: &Bench, ms: u64| bench.link.counters(Time(ms * MS), &bench.packets).queue_time;
    let before = spent(&bench, 40_000);
    bench.stream((40_000_000, 60_000_000), 800, (1, 1000, 0));
    let late = bench.dropped.iter().filter(|drop| drop.0 > 40_000_000).count() as f64;
    assert!((late / 25_000.0 - 0.2).abs() < 0.005, "{late}");
    // Little's law: 1.25 packets come in a millisecond.
    let mean = (spent(&bench, 60_000) - before) as f64 / (20_000.0 * MS as f64) / 1.25;
    assert!((mean - 15.0).abs() < 0.5, "{mean} ms");
}

/// Both wait: Classic traffic has its sixteenth.
#[test]
fn neither_queue_starves() {
    let mut bench = held(0.0);
    for at in (0..1_000_000).step_by(500) {
        bench.offer(at * US, (1, 1000, 0));
        bench.offer(at * US, (2, 1000, L4S));
    }
    let classic = bench.sent.iter().filter(|sent| sent.1 == 1).count() as f64;
    let share = classic / bench.sent.len() as f64;
    assert!((share - 1.0 / 16.0).abs() < 0.005, "{share}");
}

/// 4 Mb/s and 5000 B over a link of 8 Mb/s: five packets and then one each 2 ms.
#[test]
fn a_shaper_lets_a_burst_pass_and_then_its_rate() {
    let (packets, bytes) = (Some(1000), None);
    let queue = QueueSpec::Shaper { packets, bytes, rate: Rate(4_000_000), burst: Bytes(5000) };
    let mut bench = Bench::new(queue);
    (0..20).for_each(|_| bench.offer(0, (1, 1000, 0)));
    bench.run_to(9 * MS);
    // The longest wait is that of those that still wait: the last one that left did at 8 ms.
    let now = Time(9 * MS);
    assert_eq!(bench.link.counters(now, &bench.packets).wait_max, 9 * MS);
    bench.run_to(1000 * MS);
    let at: Vec<u64> = bench.sent.iter().map(|sent| sent.0).collect();
    // Tokens come while the burst is sent: 5000 B and 500 B for each ms.
    let expected = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30];
    assert_eq!(at, expected.map(|ms: u64| ms * 1000));
}

/// Twice the rate of the policer: half is dropped, and what passes does not wait.
#[test]
fn a_policer_drops_what_exceeds_its_rate() {
    let (packets, bytes) = (Some(1000), None);
    let queue = QueueSpec::Policer { packets, bytes, rate: Rate(2_000_000), burst: Bytes(3000) };
    let mut bench = Bench::new(queue);
    bench.stream((0, 2_000_000), 2000, (1, 1000, 0));
    assert!((497..=500).contains(&bench.refused), "{}", bench.refused);
}

/// Room for three packets of data and two without.
fn trimming(mark: (f64, f64)) -> QueueSpec {
    QueueSpec::Trimming {
        packets: Some(3),
        bytes: None,
        header: Bytes(50),
        headers: 2,
        mark_from: mark.0,
        mark_until: mark.1,
    }
}

const SPRAYED: u8 = Marks::SPRAYED | Marks::ECN_CAPABLE;

/// Seven packets at once: the first leaves, three wait, two lose their data and go before those three, and for the last
/// there is no room. 50 B are sent in 50 us.
#[test]
fn a_packet_that_finds_the_queue_full_loses_its_data_and_goes_first() {
    let mut bench = Bench::new(trimming((1.0, 1.0)));
    (1..=7).for_each(|flow| bench.offer(0, (flow, 1000, SPRAYED)));
    bench.run_to(100 * MS);
    let sent = [(0, 1), (1000, 5), (1050, 6), (1100, 2), (2100, 3), (3100, 4)];
    assert_eq!(bench.sent, sent);
    assert_eq!((bench.trimmed, bench.refused, bench.marked.len()), (2, 1, 0));
    let counted = bench.link.counters(Time(100 * MS), &bench.packets);
    assert_eq!((counted.trimmed, counted.bytes_dropped, counted.dropped_queue), (2, 2900, 1));
}

#[test]
fn packets_without_data_go_first_and_those_of_other_transports_are_dropped() {
    let mut bench = Bench::new(trimming((1.0, 1.0)));
    (1..=4).for_each(|flow| bench.offer(0, (flow, 1000, 0)));
    bench.offer(0, (5, 60, SPRAYED | Marks::URGENT));
    bench.offer(0, (6, 1000, Marks::ECN_CAPABLE));
    bench.run_to(100 * MS);
    assert_eq!(bench.sent, [(0, 1), (1000, 5), (1060, 2), (2060, 3), (3060, 4)]);
    assert_eq!((bench.trimmed, bench.refused), (0, 1));
}

/// Three wait when the first of them leaves, then two and one: all, half and none of the limit's share from ⅓ to ⅔ and
/// on.
#[test]
fn data_are_marked_by_the_share_of_the_limit_that_waits() {
    let mut halves = 0;
    let rounds = 1000;
    let mut bench = Bench::new(trimming((1.0 / 3.0, 1.0)));
    for round in 0..rounds {
        bench.marked.clear();
        (1..=4).for_each(|flow| bench.offer(round * 10 * MS, (flow, 1000, SPRAYED)));
        bench.run_to((round + 1) * 10 * MS - 1);
        // The first leaves at once, before any other comes.
        assert!(
            bench.marked.first() == Some(&2) && !bench.marked.contains(&4),
            "{:?}",
            bench.marked
        );
        halves += usize::from(bench.marked.contains(&3));
    }
    // 500 with a deviation of 16.
    assert!((440..560).contains(&halves), "{halves}");
}
