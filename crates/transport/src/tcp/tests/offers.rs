//! A receiver's window that grows: it never holds up slow start, and bounds what lies ahead of a gap.

use units::Bytes;

use crate::tcp::config::{Preset, ReceiveWindowGrowth, TcpOptions};
use crate::tcp::pair::{Fate, Pair, SEGMENT, Way, by_hand, config, rack};
use crate::window_size::WindowSize;

fn dynamic(options: &TcpOptions) -> TcpOptions {
    let receive_window_growth = Some(ReceiveWindowGrowth::Dynamic);
    TcpOptions { receive_window_growth, ..options.clone() }
}

#[test]
fn slow_start_is_not_held_up() {
    for (timestamps, ack_every) in [(true, 1), (true, 2), (false, 1), (false, 2)] {
        let options = TcpOptions {
            timestamps: Some(timestamps),
            ack_every: Some(ack_every),
            growth: Some(crate::tcp::congestion::Growth::Bytes),
            initial_ssthresh: Some(WindowSize::Unlimited),
            ..by_hand(Preset::Sack)
        };
        let rounds = |options: &TcpOptions| {
            let mut pair = Pair::new(config(options));
            pair.offer(u64::MAX);
            pair.run_for(1060);
            pair.rounds().iter().map(|(ms, sent)| (*ms, sent.len())).collect::<Vec<_>>()
        };
        let fixed = rounds(&options);
        assert!(fixed.last().unwrap().1 > 1000, "doubled each round trip: {fixed:?}");
        assert_eq!(rounds(&dynamic(&options)), fixed, "{timestamps} {ack_every}");
    }
}

#[test]
fn a_steady_window_is_offered_twice() {
    let options = TcpOptions {
        timestamps: Some(true),
        max_window: Some(WindowSize::Segments(200)),
        initial_ssthresh: Some(WindowSize::Unlimited),
        ..by_hand(Preset::Sack)
    };
    let mut pair = Pair::new(config(&dynamic(&options)));
    pair.offer(u64::MAX);
    pair.run_for(3000);
    let last = pair.log.iter().rfind(|sent| sent.way == Way::Back).unwrap();
    assert_eq!(pair.sender.flight(), 200 * SEGMENT);
    assert!(last.segment.window > 400_000, "{}", last.segment.window);
}

/// The most octets between the one expected next and the last that has arrived, where no copy of segment
/// 50 that was sent in the first 5 s arrives.
fn most_ahead(options: &TcpOptions) -> u64 {
    let mut pair = Pair::new(config(options)).with_script(|sent| {
        let stuck = sent.way == Way::Forth && sent.segment.seq / SEGMENT == 50;
        if stuck && sent.ms() < 5000 { Fate::lost() } else { Fate::delivered() }
    });
    pair.offer(u64::MAX);
    pair.run_for(11_000);
    assert!(pair.receiver.delivered() > 50 * SEGMENT);
    let (mut most, mut next) = (0, 0);
    for sent in &pair.log {
        match sent.way {
            Way::Back => next = sent.segment.ack,
            Way::Forth => most = most.max((sent.segment.seq + SEGMENT).saturating_sub(next)),
        }
    }
    most
}

#[test]
fn what_lies_ahead_of_a_gap_is_bounded_by_the_window() {
    // RFC 6675 sends new data for all that is sacked, as long as a lost retransmission is not found lost.
    let options = TcpOptions { min_rto: Some(units::Span::from_secs(9)), ..by_hand(Preset::Sack) };
    assert!(most_ahead(&options) > 200 * SEGMENT, "{}", most_ahead(&options));
    let bound = TcpOptions {
        receive_window: Some(WindowSize::Octets(Bytes(150_000))),
        ..dynamic(&options)
    };
    let most = most_ahead(&bound);
    assert!(most <= 150_000, "{most}");
}

#[test]
fn a_lost_retransmission_is_found_lost_by_time_long_before_the_timer() {
    // The same with RACK: 50 is sent again each round trip, the window is reduced to two segments, and one of
    // them is a new one.
    let options = TcpOptions {
        recovery: Some(rack()),
        min_rto: Some(units::Span::from_secs(9)),
        ..by_hand(Preset::Sack)
    };
    let most = most_ahead(&options);
    assert!(most < 100 * SEGMENT, "{most}");
}
