use plan::spec::queue::{Limit, ecn_threshold};
use plan::spec::{Direction, LossSpec, MarkAbove, QueueSpec};
use plan::topology::OneWayLink;
use random::Seed;
use transport::tcp::{Flags, Segment};
use units::FlowId;

use super::*;
use crate::packet::Packet;

/// 1000 bytes take 1 µs at 8 Gb/s.
const RATE: Rate = Rate(8_000_000_000);
const US: u64 = 1_000_000;

fn link(queue: QueueSpec, loss: Option<LossSpec>) -> Link {
    link_at(RATE, Span::from_us(10), (queue, loss))
}

/// A link of this rate and delay, with a queue and random loss.
pub(super) fn link_at(
    rate: Rate,
    delay: Span,
    (queue, loss): (QueueSpec, Option<LossSpec>),
) -> Link {
    let (from, to, channels, lightpath) = (NodeId(0), NodeId(1), None, None);
    let spec = OneWayLink { from, to, rate, delay, queue, loss, channels, lightpath };
    Link::new(&spec, "test", Seed(1))
}

fn threshold(limit: Limit, mark_above: MarkAbove) -> QueueSpec {
    QueueSpec::EcnThreshold(ecn_threshold::Options { limit, mark_above })
}

fn tail(packets: u32) -> Bench {
    Bench::new(link(QueueSpec::packets(packets), None))
}

/// A link with packets of its own.
struct Bench {
    link: Link,
    packets: Packets,
}

impl Bench {
    fn new(link: Link) -> Self {
        Self { link, packets: Packets::default() }
    }

    /// Offers a packet of so many bytes whose number is its id.
    fn offer_sized(&mut self, now_ps: u64, bytes: u32, marks: u8) -> Offered {
        let segment = Segment::empty(Time(now_ps), Flags::NONE);
        let mut packet = Packet::of_segment(&segment, FlowId(0), NodeId(1), bytes);
        packet.transit.marks = Marks(marks);
        let id = self.packets.insert(packet);
        self.link.offer(Time(now_ps), &mut self.packets, id, Order(u64::from(id.0)))
    }

    fn offer(&mut self, now_ps: u64) -> Offered {
        self.offer_sized(now_ps, 1000, Marks::ECN_CAPABLE)
    }

    fn waiting(&self, now_ps: u64) -> u32 {
        self.link.waiting(Time(now_ps), &self.packets)
    }

    /// All arrivals to come: microseconds and packet.
    fn arrivals(&mut self) -> Vec<(u64, u32)> {
        std::iter::from_fn(|| {
            let at = self.packets.transit(self.link.first()?).arrives;
            self.link.arrive(at, &self.packets).map(|(packet, _)| (at.0 / US, packet.0))
        })
        .collect()
    }

    /// The counters long after everything.
    fn counters(&self) -> LinkCounters {
        self.counters_at(1000 * US)
    }

    fn counters_at(&self, now_ps: u64) -> LinkCounters {
        self.link.counters(Time(now_ps), &self.packets)
    }

    fn marked(&self, packet: u32) -> bool {
        self.packets.transit(PacketId(packet)).marks.has(Marks::CONGESTION_EXPERIENCED)
    }
}

fn is_in(offered: Offered) -> bool {
    matches!(offered, Offered::In { .. })
}

#[test]
fn a_link_is_store_and_forward() {
    let mut bench = tail(10);
    bench.offer(0);
    assert_eq!(bench.arrivals(), [(11, 0)]);
}

#[test]
fn packets_follow_each_other_without_a_gap() {
    let mut bench = tail(10);
    for _ in 0..3 {
        assert!(is_in(bench.offer(0)));
    }
    bench.offer(5 * US);
    assert_eq!(bench.arrivals(), [(11, 0), (12, 1), (13, 2), (16, 3)]);
    // Waits of 0, 1, 2 and 0 µs.
    assert_eq!(bench.counters().wait_sum, i128::from(3 * US));
    assert_eq!(bench.counters().wait_max, 2 * US);
}

#[test]
fn the_limit_counts_waiting_packets_and_not_the_one_on_the_wire() {
    let mut bench = tail(2);
    let fates: Vec<bool> = (0..4).map(|_| is_in(bench.offer(0))).collect();
    assert_eq!(fates, [true, true, true, false]);
    assert_eq!(bench.counters().dropped_queue, 1);
}

#[test]
fn a_packet_at_the_instant_a_place_becomes_free_gets_it() {
    let mut bench = tail(1);
    assert!(is_in(bench.offer(0)));
    assert!(is_in(bench.offer(0)));
    assert!(!is_in(bench.offer(US - 1)));
    assert!(is_in(bench.offer(US)));
    assert_eq!(bench.waiting(US), 1);
    assert_eq!(bench.waiting(2 * US), 0);
}

#[test]
fn a_limit_in_bytes_counts_bytes() {
    let queue = QueueSpec::bytes(units::Bytes(1500));
    let mut bench = Bench::new(link(queue, None));
    assert!(is_in(bench.offer(0)));
    assert!(is_in(bench.offer(0)));
    assert!(is_in(bench.offer_sized(0, 500, 0)));
    assert!(!is_in(bench.offer_sized(0, 1, 0)));
}

#[test]
fn a_threshold_marks_what_finds_more_waiting() {
    let mark_above = MarkAbove::Packets(1);
    let queue = threshold(Limit::packets(10), mark_above);
    let mut bench = Bench::new(link(queue, None));
    for _ in 0..4 {
        bench.offer(0);
    }
    bench.offer_sized(0, 1000, 0);
    // They find 0, 0, 1, 2 and 3 packets waiting; the last cannot be marked and is left alone.
    let marked: Vec<bool> = (0..5).map(|packet| bench.marked(packet)).collect();
    assert_eq!(marked, [false, false, false, true, false]);
    assert_eq!(bench.counters().marked, 1);
}

/// 1000 B take a microsecond; the first is on the wire at once and does not wait.
#[test]
fn a_threshold_in_bytes_counts_the_bytes_that_wait() {
    let mark_above = MarkAbove::Bytes(units::Bytes(1500));
    for limit in [Limit::packets(10), Limit::bytes(units::Bytes(10_000))] {
        let mut bench = Bench::new(link(threshold(limit, mark_above), None));
        for (at, size) in [
            (0, 1000),
            (0, 1000),          // finds nothing
            (0, 500),           // finds 1000 B
            (0, 40),            // finds 1500 B, which is not more
            (0, 40),            // finds 1540 B: marked
            (US - 1, 40),       // finds 1580 B: marked
            (US, 2000),         // finds 620 B: the second packet is on the wire
            (US, 1000),         // finds 2620 B: marked
            (3 * US / 2, 1000), // finds 3620 B: marked
            (8 * US, 1000),     // finds nothing: all have left
        ] {
            assert!(is_in(bench.offer_sized(at, size, Marks::ECN_CAPABLE)));
        }
        let marked: Vec<u32> = (0..10).filter(|&packet| bench.marked(packet)).collect();
        assert_eq!((marked, bench.counters().marked), (vec![4, 5, 7, 8], 4));
    }
}

#[test]
fn a_link_that_goes_down_loses_what_is_on_the_wire_and_keeps_what_waits() {
    let mut bench = tail(10);
    for _ in 0..4 {
        bench.offer(0);
    }
    // At 1.5 µs packet 0 is on the fibre, packet 1 is being sent, 2 and 3 wait.
    let lost = bench.link.go_down(Time(3 * US / 2), &bench.packets);
    assert_eq!(lost, [PacketId(0), PacketId(1)]);
    assert_eq!(bench.offer(2 * US), Offered::Dropped(Drop::Down));
    let mut orders = (10..).map(Order);
    bench.link.go_up(Time(20 * US), &mut bench.packets, || orders.next().unwrap());
    assert_eq!(bench.arrivals(), [(31, 2), (32, 3)]);
    assert_eq!(bench.counters().dropped_down, 3);
}

#[test]
fn a_new_rate_holds_for_packets_that_begin_after_it() {
    let mut bench = tail(10);
    for _ in 0..3 {
        bench.offer(0);
    }
    let mut orders = (10..).map(Order);
    let half = Rate(4_000_000_000);
    bench.link.set_rate(Time(US / 2), half, &mut bench.packets, || orders.next().unwrap());
    bench.offer(US / 2);
    assert_eq!(bench.arrivals(), [(11, 0), (13, 1), (15, 2), (17, 3)]);
    // One packet at 1 µs and three at 2 µs.
    assert_eq!(bench.counters().busy, 7 * US);
    // Waits of 0, 1, 3 and 4.5 µs.
    assert_eq!(bench.counters().wait_sum, i128::from(17 * US / 2));
}

/// A packet that waits since before measuring began leaves later than it would; one that comes then waits 4 µs.
#[test]
fn a_change_of_the_wait_of_an_earlier_packet_is_not_counted() {
    for rate in [RATE, Rate(4_000_000_000), Rate(16_000_000_000)] {
        let mut bench = tail(10);
        (0..3).for_each(|_| assert!(is_in(bench.offer(0))));
        bench.link.begin_measuring();
        let before = bench.counters_at(0);
        let mut orders = (10..).map(Order);
        bench.link.set_rate(Time(0), rate, &mut bench.packets, || orders.next().unwrap());
        bench.offer(US);
        let counted = bench.counters().since(&before);
        // The one being sent takes a microsecond still, those behind it the new time.
        assert_eq!((counted.waited, counted.mean_wait()), (1, counted.wait_sum as f64 * 1e-12));
        let two = 2 * rate.time_to_send(units::Bytes(1000)).0;
        assert_eq!(counted.wait_sum, i128::from(two));
    }
}

/// 1000 B at 8 Gb/s whose first bit counts: their first bit is there after 10 µs, their last one after 11.
#[test]
fn a_packet_has_passed_with_its_last_bit_wherever_it_goes_on_with_its_first() {
    let queue = QueueSpec::packets(u32::MAX);
    let mut bench = Bench::new(link(queue, None).with_first_bit());
    bench.offer(0);
    bench.offer(0);
    assert!(bench.link.arrive(Time(10 * US), &bench.packets).is_some());
    let told = |now| {
        let counted = bench.counters_at(now);
        (counted.passed(), counted.passed_bytes(), counted.inside())
    };
    assert_eq!(told(11 * US - 1), (0, 0, 2));
    assert_eq!(told(11 * US), (1, 1000, 1));
    let (early, late) = (bench.counters_at(11 * US - 1), bench.counters_at(11 * US));
    let since = late.since(&early);
    assert_eq!((since.packets_before, since.passed(), since.inside()), (2, 1, 1));
}

#[test]
fn the_queue_is_integrated_until_now_and_not_beyond() {
    let mut bench = tail(10);
    for _ in 0..3 {
        bench.offer(0);
    }
    // Two wait until 1 µs, one until 2 µs.
    let integral = |bench: &Bench, now: u64| bench.counters_at(now).queue_time;
    assert_eq!(integral(&bench, US / 2), i128::from(US));
    assert_eq!(integral(&bench, 3 * US / 2), i128::from(5 * US / 2));
    assert_eq!(integral(&bench, 9 * US), i128::from(3 * US));
    assert_eq!(bench.counters_at(3 * US / 2).busy, 3 * US / 2);
    assert_eq!(bench.counters_at(9 * US).busy, 3 * US);
}

#[test]
fn a_link_that_is_down_is_idle_and_its_queue_waits() {
    let mut bench = tail(10);
    bench.offer(0);
    bench.offer(0);
    bench.link.go_down(Time(US / 2), &bench.packets);
    let down = bench.counters_at(10 * US);
    assert_eq!((down.busy, down.queue_time), (US / 2, i128::from(10 * US)));
    let mut orders = (10..).map(Order);
    bench.link.go_up(Time(20 * US), &mut bench.packets, || orders.next().unwrap());
    let up = bench.counters_at(30 * US);
    assert_eq!((up.busy, up.queue_time), (3 * US / 2, i128::from(20 * US)));
    assert_eq!(bench.arrivals(), [(31, 1)]);
}

#[test]
fn nothing_arrives_while_a_link_is_down() {
    let mut bench = tail(10);
    bench.offer(0);
    // A packet of no bytes behind it would arrive with it.
    bench.offer_sized(0, 0, 0);
    bench.link.go_down(Time(US / 2), &bench.packets);
    assert!(bench.link.arrive(Time(11 * US), &bench.packets).is_none());
}

#[test]
fn a_queue_longer_than_time_itself_does_not_wrap() {
    let mut bench = tail(10_000);
    bench.link.set_rate(Time(0), Rate(1), &mut bench.packets, || Order(0));
    for _ in 0..10_000 {
        assert!(is_in(bench.offer_sized(0, 4_000_000, 0)));
    }
    assert!(bench.link.free_at <= Time(1 << 63));
}

#[test]
fn a_packet_lost_on_the_wire_has_used_it() {
    let always = LossSpec::Bernoulli { p: 1.0, direction: Direction::Both };
    let queue = QueueSpec::packets(10);
    let mut bench = Bench::new(link(queue, Some(always)));
    bench.offer(0);
    bench.offer(0);
    let (_, lost) = bench.link.arrive(Time(11 * US), &bench.packets).unwrap();
    assert!(lost);
    assert_eq!(bench.packets.transit(bench.link.first().unwrap()).arrives, Time(12 * US));
    let counters = bench.counters();
    assert_eq!((counters.dropped_loss, counters.packets_out), (1, 0));
}

#[test]
fn the_account_of_waiting_packets_survives_long_silence() {
    let mut bench = tail(10);
    for _ in 0..5 {
        bench.offer(0);
    }
    // Nobody looks at the queue while three of them arrive; the fibre is longer than the queue.
    for packet in 0..3 {
        bench.link.arrive(Time((11 + packet) * US), &bench.packets).unwrap();
    }
    assert_eq!(bench.waiting(13 * US), 0);
    for _ in 5..8 {
        bench.offer(13 * US);
    }
    assert_eq!(bench.waiting(13 * US), 2);
    assert_eq!(bench.arrivals(), [(14, 3), (15, 4), (24, 5), (25, 6), (26, 7)]);
}
