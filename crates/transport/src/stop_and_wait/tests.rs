//! The two ends together: traces worked by hand, and whatever the network does.

use proptest::prelude::*;
use units::{Bytes, Span, Time};

use super::pair::{DELAY, Fate, Pair, Sent, Way};
use super::{Receiver, Sender, StopAndWaitOptions, TimedCopy};
use crate::segment::{Flags, Segment};

/// A packet of 9 kB, one of 64 B.
const DATA: Span = Span::from_ns(7_200);
const CONTROL: Span = Span::from_ps(51_200);
/// The round-trip time of a full packet, from its first bit to the last bit of the ACK.
const GAMMA: Span = Span::from_ps(2_000_000 + 7_200_000 + 51_200);

fn options() -> StopAndWaitOptions {
    StopAndWaitOptions::default()
}

/// Data alone: open from the start, and never closed.
fn bare() -> StopAndWaitOptions {
    StopAndWaitOptions { handshake: false, release: false, ..options() }
}

fn on_time() -> Fate {
    vec![Span::ZERO]
}

fn is(sent: &Sent, way: Way, flags: Flags) -> bool {
    sent.way == way && sent.segment.len == 0 && sent.segment.flags == flags
}

/// Loses the first `n` segments that are of this kind.
fn losing(n: usize, is_hit: impl Fn(&Sent) -> bool + 'static) -> impl FnMut(&Sent) -> Fate {
    let mut left = n;
    move |sent| {
        if left > 0 && is_hit(sent) {
            left -= 1;
            return Vec::new();
        }
        on_time()
    }
}

fn flags(pair: &Pair) -> Vec<(Way, Flags, u64, u32)> {
    let entry = |sent: &Sent| {
        let Segment { flags, seq, ack, len, .. } = sent.segment;
        (sent.way, flags, if sent.way == Way::Forth { seq } else { ack }, len)
    };
    pair.log.iter().map(entry).collect()
}

/// Set-up, two full packets and a small one, and release, with every instant worked by hand.
#[test]
fn three_packets_with_set_up_and_release() {
    let mut pair = Pair::new(options());
    pair.send(20_000);
    pair.run();
    let (syn, ack, fin) = (Flags::SYN, Flags::ACK, Flags::FIN);
    assert_eq!(
        flags(&pair),
        [
            (Way::Forth, syn, 0, 0),
            (Way::Back, syn | ack, 0, 0),
            (Way::Forth, ack, 0, 0),
            (Way::Forth, ack, 0, 9000),
            (Way::Back, ack, 9000, 0),
            (Way::Forth, ack, 9000, 9000),
            (Way::Back, ack, 18_000, 0),
            (Way::Forth, ack, 18_000, 2000),
            (Way::Back, ack, 20_000, 0),
            (Way::Forth, ack | fin, 20_000, 0),
            (Way::Back, ack | fin, 20_001, 0),
            (Way::Forth, ack, 0, 0),
        ]
    );
    let control = CONTROL + DELAY;
    let mut expected = vec![Time::ZERO];
    let mut push = |after: Span| expected.push(*expected.last().unwrap() + after);
    // SYN there, SYN-ACK back, the data behind the ACK.
    for after in [control, control, CONTROL, DATA + DELAY, control, DATA + DELAY, control] {
        push(after);
    }
    // 2000 B take 1.6 us.
    for after in [Span::from_ns(1600) + DELAY, control, control, control] {
        push(after);
    }
    let first_bits: Vec<Time> = pair.log.iter().map(|sent| sent.first_bit).collect();
    assert_eq!(first_bits, expected);
    assert!(pair.sender.is_finished() && pair.receiver.is_closed());
    assert_eq!(pair.receiver.delivered(), 20_000);
    assert_eq!(pair.sender.counters().retransmissions, 0);
    // SYN, three data packets, FIN: T falls by halves towards each, from 1 ms.
    assert_eq!(pair.sender.counters().rtt_samples, 5);
    let control = control * 2;
    let small = Span::from_ns(1600) + DELAY + CONTROL + DELAY;
    assert_eq!(pair.sender.counters().rtt_sum, (control * 2 + GAMMA * 2 + small).0);
    let mut timer = Span::from_ms(1);
    for rtt in [control, GAMMA, GAMMA, small, control] {
        timer = Span((rtt.0 + timer.0).div_ceil(2));
    }
    assert_eq!(pair.sender.timer(), timer);
}

#[test]
fn a_steady_connection_sends_a_packet_each_round_trip_without_a_timeout() {
    let mut pair = Pair::new(bare());
    pair.send(9000 * 1000);
    pair.run();
    assert_eq!(pair.log.len(), 2000);
    assert_eq!(pair.now, Time::ZERO + GAMMA * 1000);
    assert_eq!(pair.sender.counters().retransmissions, 0);
    assert!(pair.sender.timer() - GAMMA <= Span::from_ps(1));
}

#[test]
fn an_acknowledgment_at_the_instant_of_the_timeout_wins() {
    for late in [0, 1] {
        // T is γ + 1 ps at rest, and the alarm rings a picosecond behind it.
        let extra = Span::from_ps(1 + 2 * late);
        let mut pair = Pair::new(bare()).with_script(move |sent| {
            let hit = sent.way == Way::Back && sent.segment.ack == 9000 * 100;
            vec![if hit { extra } else { Span::ZERO }]
        });
        pair.send(9000 * 100);
        pair.run();
        assert_eq!(pair.sender.counters().retransmissions, late);
    }
}

#[test]
fn an_alarm_rings_a_picosecond_after_the_deadline() {
    let mut pair = Pair::new(bare());
    pair.offer(9000);
    let alarm = Time::ZERO + Span::from_ms(1) + Span::from_ps(1);
    assert_eq!(pair.sender.next_timeout(), Some(alarm));
    pair.sender.on_timeout(Time::ZERO + Span::from_ms(1));
    assert_eq!(pair.sender.next_timeout(), Some(alarm), "it is not due yet");
    pair.sender.on_timeout(alarm);
    assert_eq!(pair.sender.timer(), Span::from_us(1100));
}

#[test]
fn resends_come_alpha_times_as_late_each_until_one_is_answered() {
    let lost = losing(4, |sent| sent.segment.len > 0);
    let mut pair = Pair::new(bare()).with_script(lost);
    pair.send(9000);
    pair.run();
    let data: Vec<u64> = pair.log[..5].iter().map(|sent| sent.at.0).collect();
    let sums = [0, 1_000_000_000, 2_100_000_000, 3_310_000_000, 4_641_000_000];
    // Each alarm rings a picosecond late.
    let expected: Vec<u64> = (0..).zip(sums).map(|(n, sum)| sum + n).collect();
    assert_eq!(data, expected);
    assert!(pair.log[1..5].iter().all(|sent| sent.segment.resent));
    assert!(!pair.log[0].segment.resent);
    let (samples, sum) = (pair.sender.counters().rtt_samples, pair.sender.counters().rtt_sum);
    assert_eq!((samples, sum), (1, GAMMA.0), "timed from the latest copy");
    assert_eq!(pair.sender.timer(), Span((1_464_100_000 + GAMMA.0).div_ceil(2)));
}

#[test]
fn karns_rule_measures_nothing_after_a_resend() {
    let karn = StopAndWaitOptions { timed_copy: TimedCopy::Only, ..bare() };
    let lost = losing(1, |sent| sent.segment.len > 0);
    let mut pair = Pair::new(karn).with_script(lost);
    pair.send(9000);
    pair.run();
    assert_eq!(pair.sender.counters().rtt_samples, 0);
    assert_eq!(pair.sender.timer(), Span::from_us(1100));
    assert_eq!(pair.sender.rtt(), None);
    // The next packet is measured again.
    let lost = losing(1, |sent| sent.segment.len > 0);
    let mut pair =
        Pair::new(StopAndWaitOptions { timed_copy: TimedCopy::Only, ..bare() }).with_script(lost);
    pair.send(18_000);
    pair.run();
    assert_eq!((pair.sender.counters().rtt_samples, pair.sender.rtt()), (1, Some(GAMMA)));
}

/// What the rule of the latest copy does: the answer that was a little late seems to be a quick one
/// to the copy, so T falls to half of the round-trip time and every later packet is sent twice.
#[test]
fn one_late_answer_doubles_every_later_packet_unless_karns_rule_holds_or_the_timer_is_longer() {
    let resent = |options: StopAndWaitOptions| {
        let mut pair = Pair::new(options).with_script(|sent| {
            let hit = sent.way == Way::Back && sent.segment.ack == 9000 * 100;
            vec![if hit { Span::from_ns(1) } else { Span::ZERO }]
        });
        pair.send(9000 * 200);
        pair.run();
        pair.sender.counters().retransmissions
    };
    assert_eq!(resent(bare()), 101);
    assert_eq!(resent(StopAndWaitOptions { timed_copy: TimedCopy::Only, ..bare() }), 1);
    assert_eq!(resent(StopAndWaitOptions { timed_copy: TimedCopy::Answered, ..bare() }), 1);
    assert_eq!(resent(StopAndWaitOptions { rto_margin: 1.0, ..bare() }), 0);
}

/// The answer to the first copy comes 3 µs after the deadline, which is then γ + 1 ps: measured from the
/// copy that it answers T moves half of the way to what the packet really took.
#[test]
fn timed_from_the_copy_that_is_answered_a_late_answer_lengthens_the_timer() {
    let timer = |timed_copy| {
        let late = Span::from_us(3);
        let mut pair =
            Pair::new(StopAndWaitOptions { timed_copy, ..bare() }).with_script(move |sent| {
                let hit = sent.way == Way::Back && sent.segment.ack == 9000 * 60;
                vec![if hit { late } else { Span::ZERO }]
            });
        pair.send(9000 * 60);
        pair.run();
        assert_eq!(pair.sender.counters().retransmissions, 1);
        (pair.sender.rtt().unwrap(), pair.sender.timer())
    };
    let rest = GAMMA + Span(1);
    let backed_off = rest.scaled(1.1);
    let half = |rtt: Span| Span((backed_off.0 + rtt.0).div_ceil(2));
    // The copy leaves a picosecond after the deadline.
    let (rtt, t) = timer(TimedCopy::Latest);
    assert_eq!(rtt, Span::from_us(3) - Span(2));
    assert_eq!(t, half(rtt));
    let (rtt, t) = timer(TimedCopy::Answered);
    assert_eq!(rtt, GAMMA + Span::from_us(3));
    assert_eq!(t, half(rtt));
    let (rtt, t) = timer(TimedCopy::Only);
    assert_eq!((rtt, t), (GAMMA, backed_off));
}

#[test]
fn the_wait_in_the_interface_belongs_to_no_timer_and_to_no_round_trip() {
    let mut pair = Pair::new(bare());
    let wait = Span::from_ms(5);
    pair.free_at[0] = Time::ZERO + wait;
    pair.send(9000);
    assert_eq!(pair.sender.next_timeout(), Some(Time(1) + wait + Span::from_ms(1)));
    pair.run();
    assert_eq!(pair.sender.rtt(), Some(GAMMA));
    assert_eq!(pair.sender.counters().retransmissions, 0);
}

#[test]
fn an_answer_before_the_latest_copy_is_on_the_wire_measures_nothing() {
    let mut sender = Sender::new(bare().into(), DATA);
    sender.offer(18_000);
    sender.next_segment(Time::ZERO, Time::ZERO).unwrap();
    let alarm = sender.next_timeout().unwrap();
    sender.on_timeout(alarm);
    sender.next_segment(alarm, alarm + Span::from_us(50)).unwrap();
    let ack = Segment { ack: 9000, ..Segment::empty(alarm, Flags::ACK) };
    sender.on_segment(alarm + Span::from_us(49), &ack);
    assert_eq!((sender.acked(), sender.counters().rtt_samples), (9000, 0));
    assert_eq!(sender.timer(), Span::from_us(1100));
}

#[test]
fn the_margin_lengthens_the_timer_by_packet_times() {
    let longer = StopAndWaitOptions { rto_margin: 4.0, ..bare() };
    // The last of many answers comes four packet times and a little later than the others.
    for (extra, resent) in [(DATA * 4, 0), (DATA * 4 + Span::from_ps(3), 1)] {
        let mut pair = Pair::new(longer.clone()).with_script(move |sent| {
            let hit = sent.way == Way::Back && sent.segment.ack == 9000 * 100;
            vec![if hit { extra } else { Span::ZERO }]
        });
        pair.send(9000 * 100);
        pair.run();
        assert_eq!(pair.sender.counters().retransmissions, resent);
    }
}

#[test]
fn set_up_and_release_survive_the_loss_of_any_of_their_packets() {
    let (syn, ack, fin) = (Flags::SYN, Flags::ACK, Flags::FIN);
    let kinds = [
        (Way::Forth, syn),
        (Way::Back, syn | ack),
        (Way::Forth, ack),
        (Way::Forth, ack | fin),
        (Way::Back, ack | fin),
    ];
    for (way, kind) in kinds {
        for n in 1..4 {
            let lost = losing(n, move |sent| is(sent, way, kind));
            let mut pair = Pair::new(options()).with_script(lost);
            pair.send(10_000);
            pair.run();
            assert!(pair.sender.is_finished() && pair.receiver.is_closed(), "{way:?} {kind:?}");
            assert_eq!(pair.receiver.delivered(), 10_000);
        }
    }
}

#[test]
fn the_receiver_repeats_its_fin_by_its_own_timer_until_it_is_acknowledged() {
    let lost = losing(3, |sent| is(sent, Way::Forth, Flags::ACK) && sent.segment.ack > 0);
    let no_set_up = StopAndWaitOptions { handshake: false, ..options() };
    let mut pair = Pair::new(no_set_up).with_script(lost);
    pair.send(9000);
    pair.run();
    let fin_acks = pair.log.iter().filter(|s| is(s, Way::Back, Flags::ACK | Flags::FIN));
    let at: Vec<u64> = fin_acks.map(|sent| sent.at.0).collect();
    let gaps: Vec<u64> = at.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(gaps, [1_000_000_001, 1_100_000_001, 1_210_000_001]);
    assert_eq!(pair.log.len(), 2 + 1 + 2 * 4);
    assert!(pair.receiver.is_closed());
    assert_eq!(pair.sender.counters().retransmissions, 0);
}

#[test]
fn without_release_the_last_acknowledgment_is_the_end() {
    let mut pair = Pair::new(bare());
    pair.send(1);
    pair.run();
    assert_eq!(pair.log.len(), 2);
    assert!(pair.sender.is_finished());
    assert!(!pair.receiver.is_waiting() && !pair.receiver.is_closed());
    assert_eq!((pair.sender.next_timeout(), pair.receiver.next_timeout()), (None, None));
}

#[test]
fn writes_that_come_later_go_on_in_order() {
    let mut pair = Pair::new(StopAndWaitOptions { release: false, ..options() });
    pair.offer(4000);
    pair.run();
    assert!(!pair.sender.is_finished());
    pair.offer(3000);
    pair.send(8000);
    pair.run();
    let data = pair.log.iter().filter(|sent| sent.segment.len > 0);
    let data: Vec<_> = data.map(|sent| (sent.segment.seq, sent.segment.len)).collect();
    assert_eq!(data, [(0, 4000), (4000, 3000), (7000, 8000)]);
    assert!(pair.sender.is_finished());
}

#[test]
fn a_header_is_on_the_wire_of_data_alone() {
    let headed = StopAndWaitOptions { header: Bytes(1000), ..bare() };
    let mut pair = Pair::new(headed);
    pair.send(9000);
    pair.run();
    assert_eq!(pair.now, Time::ZERO + Span::from_us(8) + CONTROL + DELAY * 2);
}

#[test]
fn both_ends_are_small() {
    assert!(size_of::<Sender>() <= 128, "{}", size_of::<Sender>());
    assert!(size_of::<Receiver>() <= 48, "{}", size_of::<Receiver>());
}

/// Fates drawn by a small generator: as many as there are segments.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }
}

/// Half of all segments are lost, each way and of each kind; some come late, some twice.
fn half_lost(seed: u64) -> impl FnMut(&Sent) -> Fate {
    let mut chance = Chance(seed);
    move |_| match chance.next() % 20 {
        0..10 => Vec::new(),
        10 => vec![Span::from_us(chance.next() % 3000)],
        11 => vec![Span::ZERO, Span::from_us(chance.next() % 3000)],
        _ => on_time(),
    }
}

fn check_order(pair: &Pair, total: u64) {
    let mut high = 0;
    for sent in pair.log.iter().filter(|sent| sent.way == Way::Forth && sent.segment.len > 0) {
        let Segment { seq, len, resent, .. } = sent.segment;
        assert_eq!(resent, seq < high, "new data begin where the last ended");
        assert!(resent || seq == high);
        high = high.max(seq + u64::from(len));
    }
    assert_eq!(high, total);
}

proptest! {
    #![proptest_config(trials::cases(2000))]
    #[test]
    fn every_transfer_ends_at_both_ends_though_half_of_all_packets_are_lost(
        seed in any::<u64>(),
        writes in prop::collection::vec(1..40_000u64, 1..4),
        on in prop::array::uniform3(any::<bool>()),
        copy in 0..3usize,
        margin in 0..5u32,
    ) {
        let [handshake, release, feedback] = on;
        let timed_copy = [TimedCopy::Latest, TimedCopy::Answered, TimedCopy::Only][copy];
        let rto_margin = f64::from(margin);
        let options =
            StopAndWaitOptions {
                rto_margin,
                feedback,
                timed_copy,
                handshake,
                release,
                ..options()
            };
        let mut pair = Pair::new(options).with_script(half_lost(seed));
        let (last, first) = writes.split_last().unwrap();
        let mut delivered = 0;
        for &bytes in first {
            pair.offer(bytes);
            pair.run_to(pair.now + Span::from_ms(3));
            prop_assert!(pair.receiver.delivered() >= delivered);
            delivered = pair.receiver.delivered();
        }
        pair.send(*last);
        pair.run();
        let total: u64 = writes.iter().sum();
        prop_assert_eq!(pair.receiver.delivered(), total);
        prop_assert_eq!(pair.sender.acked(), total);
        prop_assert!(pair.sender.is_finished());
        prop_assert_eq!(pair.receiver.is_closed(), release);
        prop_assert_eq!(pair.sender.next_timeout(), None);
        prop_assert_eq!(pair.receiver.next_timeout(), None);
        check_order(&pair, total);
    }

    #[test]
    fn no_segment_makes_an_end_panic(
        segments in prop::collection::vec(
            (0..20_000u64, 0..20_000u64, 0..9001u32, 0..8u8), 1..60
        ),
    ) {
        let (mut sender, mut receiver) = (Sender::new(options().into(), DATA), Receiver::new(options().into()));
        sender.offer(u64::MAX);
        let mut now = Time::ZERO;
        for (seq, ack, len, bits) in segments {
            let mut flags = Flags::NONE;
            for (i, flag) in [Flags::SYN, Flags::ACK, Flags::FIN].into_iter().enumerate() {
                if bits & (1 << i) != 0 {
                    flags |= flag;
                }
            }
            let segment = Segment { seq, ack, len, ..Segment::empty(now, flags) };
            sender.on_segment(now, &segment);
            receiver.on_segment(&segment);
            for _ in 0..20 {
                let sent = sender.next_segment(now, now).is_some();
                if !sent && receiver.next_segment(now, now).is_none() {
                    break;
                }
            }
            now += Span::from_us(300);
            sender.on_timeout(now);
            receiver.on_timeout(now);
        }
    }
}
