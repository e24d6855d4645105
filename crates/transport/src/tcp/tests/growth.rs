//! How far acknowledgments let the window grow: no octet counts twice, and no acknowledgment counts for
//! more than a round trip.

use proptest::prelude::*;
use units::Time;

use super::properties::{Case, case, fate};
use crate::tcp::Flags;
use crate::tcp::config::{Preset, TcpOptions};
use crate::tcp::congestion::{Growth, Options};
use crate::tcp::pair::{Fate, Pair, SEGMENT, Seen, by_hand, config, rack};
use crate::tcp::ranges::Ranges;
use crate::tcp::recovery;
use crate::window_size::WindowSize;

/// Every preset, and with RACK those that may have it.
fn all() -> impl Iterator<Item = (Preset, Option<recovery::Options>)> {
    let with_rack = [Preset::Sack, Preset::Cubic, Preset::Msack, Preset::Dctcp, Preset::Compound]
        .map(|preset| (preset, Some(rack())));
    Preset::ALL.map(|preset| (preset, None)).into_iter().chain(with_rack)
}

/// Octets that the window may still grow by: those newly delivered, each once, since the window was
/// reduced last.
#[derive(Default)]
struct Budget {
    arrived: Ranges,
    octets: u64,
}

impl Budget {
    /// What an acknowledgment brings. During a recovery nothing counts, and while data are sent again after
    /// a timeout only what is acknowledged in order.
    fn earn(&mut self, seen: &Seen) {
        if seen.segment.flags.has(Flags::SYN) {
            // Of an earlier copy: it is not looked at.
            return;
        }
        let (mut in_order, mut ahead) = (0, 0);
        let ack = seen.segment.ack;
        self.arrived.insert(0, ack, |start, end| in_order += end - start);
        for &(start, end) in seen.segment.sack.ahead() {
            let (start, end) = (ack + u64::from(start), ack + u64::from(end));
            self.arrived.insert(start, end, |start, end| ahead += end - start);
        }
        if seen.recovers {
            self.octets = 0;
        } else if seen.goes_back {
            self.octets = in_order;
        } else {
            self.octets += in_order + ahead;
        }
    }

    /// What the growth by an acknowledgment costs: in slow start an octet each; in congestion avoidance
    /// (RFC 5681 equation 3) a window for a segment, at most half as much for CUBIC, whose least step is
    /// half of what was delivered (RFC 9438 section 4.4).
    fn spend(&mut self, seen: &Seen, rule: &Options) {
        let (cwnd, ssthresh) = seen.before;
        let grown = seen.cwnd.saturating_sub(cwnd);
        if grown <= 1 || seen.undone.0 != seen.undone.1 {
            return;
        }
        let slow = cwnd < ssthresh;
        assert!(!slow || grown - 1 <= 2 * SEGMENT, "more than two segments: {seen:?}");
        // cwnd is told in whole octets.
        let cost = if slow || matches!(rule, Options::Cubic(_) | Options::Compound(_)) {
            grown - 1
        } else {
            assert!(grown - 1 <= SEGMENT, "more than a segment a round trip: {seen:?}");
            (grown - 1) * cwnd / SEGMENT
        };
        assert!(cost <= self.octets, "{cost} of {} octets: {seen:?}", self.octets);
        self.octets -= cost;
    }
}

/// Runs a case and checks what each acknowledgment did.
fn check(case: &Case) {
    let mut whims = case.whims.clone().into_iter();
    let config = config(&case.options);
    let rule = config.congestion.clone();
    let script = move |_: &_| whims.next().map_or_else(Fate::delivered, fate);
    let mut pair = Pair::new(config).with_script(script);
    for &bytes in &case.writes {
        pair.offer(bytes);
        pair.run_for(170);
    }
    pair.run_to(Time::ZERO + units::Span::from_secs(1000));
    let mut budget = Budget::default();
    let mut reductions = 0;
    for seen in &pair.seen {
        if seen.reductions.0 != reductions {
            budget.octets = 0;
        }
        budget.earn(seen);
        budget.spend(seen, &rule);
        if seen.reductions.1 != reductions {
            // What arrived before is not counted any more.
            budget.octets = 0;
        }
        reductions = seen.reductions.1;
    }
}

fn any_case() -> impl Strategy<Value = Case> {
    let all: Vec<_> = all().collect();
    prop::sample::select(all).prop_flat_map(|(preset, recovery)| {
        (case(preset, recovery), 10_000..300_000u64).prop_map(|(mut case, bytes)| {
            case.options.growth = Some(Growth::Bytes);
            // The others have more than two segments for an acknowledgment.
            case.options.slow_start = None;
            case.writes.push(bytes);
            case
        })
    })
}

proptest! {
    #![proptest_config(trials::cases(20_000))]
    #[test]
    fn no_octet_grows_the_window_twice_and_no_acknowledgment_by_more_than_its_rule(case in any_case()) {
        check(&case);
    }
}

/// With RACK much more than the window may be out, sacked: ssthresh is a share of the window all the same,
/// whatever shows congestion. Checked with Reno's half. After a timeout it is a share of what is in flight (RFC 5681
/// equation 4), which may be more than a window that has begun anew.
fn check_thresholds(case: &Case) {
    let mut whims = case.whims.clone().into_iter();
    let script = move |_: &_| whims.next().map_or_else(Fate::delivered, fate);
    let mut pair = Pair::new(config(&case.options)).with_script(script);
    pair.offer(case.writes.iter().sum());
    pair.run_to(Time::ZERO + units::Span::from_secs(1000));
    let mut last: Option<(u64, u64)> = None;
    for seen in &pair.seen {
        if seen.undone.0 != seen.undone.1 || seen.goes_back {
            last = None;
            continue;
        }
        for (cwnd, ssthresh) in [seen.before, (seen.cwnd, seen.ssthresh)] {
            if let Some((before, _)) = last.filter(|(_, threshold)| *threshold != ssthresh) {
                // The acknowledgment itself may have let the window grow by two segments.
                let most = before / 2 + SEGMENT;
                assert!(ssthresh <= most.max(2 * SEGMENT), "{ssthresh} of {before}: {seen:?}");
            }
            last = Some((cwnd, ssthresh));
        }
    }
}

proptest! {
    #![proptest_config(trials::cases(20_000))]
    #[test]
    fn whatever_shows_congestion_rack_keeps_no_more_than_half_of_the_window(
        mut case in case(Preset::Sack, Some(rack())),
    ) {
        // The others have more than two segments for an acknowledgment.
        case.options.slow_start = None;
        check_thresholds(&case);
    }
}

/// Data segments whose first copies are lost, as often as they stand there; a window of 200 segments.
fn jump(preset: Preset, recovery: Option<recovery::Options>, lost: &[u64]) -> Pair {
    let options = TcpOptions {
        recovery,
        growth: Some(Growth::Bytes),
        initial_window: Some(WindowSize::Segments(200)),
        initial_ssthresh: Some(WindowSize::Segments(200)),
        ..by_hand(preset)
    };
    let mut pair = Pair::new(config(&options)).losing(lost);
    pair.offer(200 * SEGMENT);
    pair.run();
    pair
}

#[test]
fn an_acknowledgment_that_jumps_over_what_the_receiver_held_is_one_step() {
    // 0, 100 and 150 are lost, and sent again they are lost once more each: timeouts leave a window of a
    // segment and ssthresh at two, while the receiver holds the rest.
    for (preset, recovery) in all() {
        let pair = jump(preset, recovery.clone(), &[0, 0, 100, 100, 100, 150, 150, 150]);
        assert!(pair.sender.counters().timeouts > 0 || recovery.is_some(), "{preset:?}");
        assert_eq!(pair.sender.acked(), 200 * SEGMENT);
        let jumps = pair.seen.windows(2).filter(|two| {
            two[1].segment.ack >= two[0].segment.ack + 40 * SEGMENT && two[1].goes_back
        });
        for two in jumps {
            let grown = two[1].cwnd.saturating_sub(two[1].before.0);
            assert!(grown <= SEGMENT, "{preset:?} {recovery:?}: {:?}", two[1]);
        }
    }
}

#[test]
fn octets_that_arrive_out_of_order_without_a_loss_count_once_with_the_acknowledgment_that_advances()
{
    // 8 comes behind 9, which shows that there is reordering; from then on each second segment comes a
    // millisecond late, so that half of them are sacked first. The window grows as where nothing is late.
    let grown = |late: bool| {
        let options = TcpOptions {
            recovery: Some(rack()),
            growth: Some(Growth::Bytes),
            ..by_hand(Preset::Sack)
        };
        let mut pair = Pair::new(config(&options)).with_script(move |sent| {
            let number = sent.segment.seq / SEGMENT;
            if late && sent.segment.len > 0 && number >= 8 && number.is_multiple_of(2) {
                Fate::late(units::Span::from_ms(1))
            } else {
                Fate::delivered()
            }
        });
        pair.offer(u64::MAX);
        pair.run_for(1050);
        assert_eq!(pair.sender.counters().retransmissions, 0);
        pair.sender.cwnd() / SEGMENT
    };
    assert_eq!(grown(false), 19);
    assert!(grown(true) >= 18, "{}", grown(true));
}
