//! Proportional rate reduction (RFC 9937) by a sender: twenty segments, of which the first is lost, and the
//! duplicates that follow, one a millisecond.

use std::sync::Arc;

use units::{Span, Time};

use crate::segment::{Flags, Segment, UNLIMITED_WINDOW};
use crate::tcp::Sender;
use crate::tcp::config::{Preset, TcpOptions};
use crate::tcp::pair::{SEGMENT, by_hand, config, rack};
use crate::tcp::recovery::{Options, rack, sack};

fn options(recovery: Options) -> TcpOptions {
    TcpOptions {
        recovery: Some(recovery),
        initial_window: "20 segments".parse().ok(),
        initial_ssthresh: "20 segments".parse().ok(),
        ..by_hand(Preset::Sack)
    }
}

fn started(options: &TcpOptions) -> Sender {
    let mut sender = Sender::new(Arc::new(config(options)));
    sender.offer(Time::ZERO, u64::MAX);
    assert_eq!(sent(&mut sender, Time::ZERO), (0..20).collect::<Vec<_>>());
    sender
}

/// The segments that leave.
fn sent(sender: &mut Sender, now: Time) -> Vec<u64> {
    std::iter::from_fn(|| sender.next_segment(now)).map(|segment| segment.seq / SEGMENT).collect()
}

/// An acknowledgment of what is below segment `ack`, and of the segments from the second one up to `sacked`.
fn arrives(sender: &mut Sender, ms: u64, ack: u64, sacked: u64) -> Vec<u64> {
    let now = Time::ZERO + Span::from_ms(ms);
    let mut segment = Segment { ack: ack * SEGMENT, ..Segment::empty(now, Flags::ACK) };
    if sacked > 1 {
        segment.sack.push((1 - ack) * SEGMENT, (sacked - ack) * SEGMENT);
    }
    segment.window = UNLIMITED_WINDOW;
    sender.on_segment(now, &segment);
    sent(sender, now)
}

fn prr() -> [Options; 2] {
    [
        Options::Sack(sack::Options { prr: Some(true), ..sack::Options::default() }),
        Options::Rack(rack::Options { prr: Some(true), ..rack::Options::default() }),
    ]
}

/// What each duplicate lets out; the third one shows the loss.
fn halved(recovery: Options) -> (Sender, Vec<Vec<u64>>) {
    let mut sender = started(&options(recovery));
    let found = (2..=20).map(|end| arrives(&mut sender, 100 + end, 0, end)).collect();
    (sender, found)
}

/// With the lost segment at the third, and one more from `first` on with each of these after it.
fn expected(before: [&[u64]; 2], first: u64, after: &[usize]) -> Vec<Vec<u64>> {
    let mut expected = vec![vec![]; 19];
    (expected[0], expected[1], expected[2]) = (before[0].to_vec(), before[1].to_vec(), vec![0]);
    for (segment, duplicate) in (first..).zip(after) {
        expected[2 + duplicate] = vec![segment];
    }
    expected
}

#[test]
fn the_window_is_halved_in_proportion_to_what_arrives() {
    let [sack, rack] = prr();
    // 10 / 18 of what arrives (20 less the two that are sacked before), until the 13th: then ten are in flight.
    let (mut sender, found) = halved(sack);
    assert_eq!(found, expected([&[], &[]], 20, &[3, 5, 7, 8, 10, 13, 14, 15, 16]));
    assert_eq!(sender.cwnd(), 10 * SEGMENT);
    // What was sent again arrives: the recovery is over, and the window is full.
    assert_eq!(arrives(&mut sender, 200, 20, 0), [29]);
    assert_eq!(sender.flight(), 10 * SEGMENT);
    // Limited transmit has sent two more: 10 / 20, until the 16th.
    let (mut sender, found) = halved(rack);
    assert_eq!(found, expected([&[20], &[21]], 22, &[3, 5, 7, 9, 11, 13, 16]));
    assert_eq!(arrives(&mut sender, 200, 20, 0), [29]);
    assert_eq!(sender.flight(), 10 * SEGMENT);
}

#[test]
fn without_it_nothing_is_sent_until_the_window_has_room() {
    // 20 segments, or 22, less what is sacked, as many as ssthresh.
    for (recovery, first) in [(Options::Sack(sack::Options::default()), 10), (rack(), 12)] {
        let (_, found) = halved(recovery);
        let silent = found[3..].iter().take_while(|sent| sent.is_empty()).count();
        assert_eq!(3 + silent, first, "{found:?}");
    }
}

#[test]
fn an_explicit_notification_is_followed_in_proportion_too() {
    for recovery in prr() {
        let options = TcpOptions { ecn: Some(true), ..options(recovery) };
        let mut sender = started(&options);
        let mut found = Vec::new();
        for ack in 1..=20 {
            let now = Time::ZERO + Span::from_ms(100 + ack);
            let flags = Flags::ACK | Flags::ECE;
            let window = UNLIMITED_WINDOW;
            let segment = Segment { ack: ack * SEGMENT, window, ..Segment::empty(now, flags) };
            sender.on_segment(now, &segment);
            found.push(sent(&mut sender, now).len());
        }
        // Every second acknowledgment sends a segment, half of what was in flight when it came. After the 18th
        // ten are in flight, and each one after it sends one; the last one ends the reduction.
        let sent = [0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1];
        assert_eq!(found, sent);
        assert_eq!(sender.cwnd(), 10 * SEGMENT);
    }
}
