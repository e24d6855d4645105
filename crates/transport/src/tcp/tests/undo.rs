//! Reductions of the window that are taken back: after a timeout (RFC 5682), when all that was sent again is reported
//! as a duplicate (RFC 3708; RACK has tests of its own), and by timestamps (RFC 3522); worked by hand on a path of infinite rate with a round-trip time of
//! 100 ms, ten segments to begin with, and a timeout of 1 s.

use units::Span;

use crate::tcp::config::{Preset, TcpOptions};
use crate::tcp::pair::{Fate, Pair, SEGMENT, by_hand, config};
use crate::tcp::recovery::{Options, rack, sack};
use crate::tcp::tests::rack::{fates, ms};
use kinds::Kinds;

fn late(millis: u64) -> Fate {
    Fate::late(Span::from_ms(millis))
}

/// A pair with F-RTO, on which these copies of segments have a fate, for 1250 ms.
fn f_rto(preset: Preset, on: bool, list: Vec<(u64, usize, Fate)>) -> Pair {
    let options = TcpOptions { f_rto: Some(on), ..by_hand(preset) };
    let mut pair = Pair::new(config(&options)).with_script(fates(list));
    pair.offer(u64::MAX);
    pair.run_to(ms(1250));
    pair
}

/// All of 0 to 9 are 960 ms late, and arrive just after the timer has expired.
fn delayed() -> Vec<(u64, usize, Fate)> {
    (0..10).map(|number| (number, 0, late(960))).collect()
}

#[test]
fn a_timeout_by_a_delay_is_undone() {
    for preset in [Preset::Newreno, Preset::Sack] {
        let pair = f_rto(preset, true, delayed());
        let rounds = pair.rounds();
        // The first acknowledgment lets two new segments out, the second shows that 1 was not lost; the window is ten
        // again, and the others let eight more out.
        assert_eq!(rounds[..2], [(0, (0..10).collect()), (1000, vec![0])], "{preset:?}");
        assert_eq!(rounds[2], (1060, (10..20).collect()), "{preset:?}");
        let counters = pair.sender.counters();
        assert_eq!((counters.timeouts, counters.undone), (1, 1));
        assert_eq!(counters.retransmissions, 1);
        assert_eq!(pair.sender.ssthresh(), 10 * SEGMENT);
    }
}

/// Segment 5 overtakes the others: its duplicate at 1055 ms says nothing yet, where it is reported.
#[test]
fn a_duplicate_before_the_first_acknowledgment_is_waited_for() {
    let mut late_ones = delayed();
    late_ones[5].2 = late(955);
    let pair = f_rto(Preset::Sack, true, late_ones);
    assert_eq!((pair.sender.counters().undone, pair.sender.ssthresh()), (1, 10 * SEGMENT));
}

#[test]
fn without_it_all_is_sent_again() {
    let pair = f_rto(Preset::Newreno, false, delayed());
    let counters = pair.sender.counters();
    assert_eq!((counters.timeouts, counters.undone), (1, 0));
    assert!(counters.retransmissions > 1);
    assert_eq!(pair.sender.ssthresh(), 5 * SEGMENT);
}

/// All of 0 to 9 are lost: two new segments are sent, and their duplicates show the loss.
#[test]
fn a_timeout_by_losses_is_none_that_was_spurious() {
    for preset in [Preset::Newreno, Preset::Sack] {
        let lost = (0..10).map(|number| (number, 0, Fate::lost())).collect();
        let mut pair = f_rto(preset, true, lost);
        pair.run_to(ms(1350));
        let expected = [(1000, vec![0]), (1100, vec![10, 11]), (1200, vec![1, 2])];
        assert_eq!(pair.rounds()[1..4], expected, "{preset:?}");
        // In slow start from two segments.
        assert_eq!(pair.rounds()[4], (1300, vec![3, 4, 5, 6]), "{preset:?}");
        assert_eq!(pair.sender.counters().undone, 0);
        assert_eq!(pair.sender.ssthresh(), 5 * SEGMENT);
    }
}

/// Only 0 is lost, and the acknowledgments of all others: its copy is answered by the end of all, and nothing shows that
/// the timeout was spurious.
#[test]
fn an_acknowledgment_of_everything_shows_nothing() {
    let mut pair = f_rto(Preset::Sack, true, vec![(0, 0, Fate::lost())]);
    pair.run_to(ms(1300));
    assert_eq!(pair.sender.counters().undone, 0);
}

/// Without new data the sender goes on with the old ones.
#[test]
fn without_new_data_the_old_ones_are_sent_again() {
    let options = TcpOptions { f_rto: Some(true), ..by_hand(Preset::Sack) };
    let lost = (0..10).map(|number| (number, 0, Fate::lost())).collect();
    let mut pair = Pair::new(config(&options)).with_script(fates(lost));
    pair.offer(10 * SEGMENT);
    pair.run();
    assert_eq!(pair.rounds()[1..3], [(1000, vec![0]), (1100, vec![1, 2])]);
    assert_eq!((pair.sender.counters().timeouts, pair.sender.acked()), (1, 10 * SEGMENT));
}

/// A pair whose segment 2 has a fate.
fn by_reports(undo: bool, fate: Fate) -> Pair {
    let recovery = Options::Sack(sack::Options { undo, ..sack::Options::default() });
    let options = TcpOptions { recovery: Some(recovery), ..by_hand(Preset::Sack) };
    let mut pair = Pair::new(config(&options)).with_script(fates(vec![(2, 0, fate)]));
    pair.offer(u64::MAX);
    pair.run_to(ms(250));
    pair
}

/// Segment 2 is 70 ms late: it is sent again at 100 ms, the copy arrives at 150 ms and is reported at 200 ms.
#[test]
fn a_reduction_by_reordering_is_undone_by_the_report_of_the_copy() {
    let pair = by_reports(true, late(70));
    let counters = pair.sender.counters();
    assert_eq!((counters.fast_retransmits, counters.retransmissions, counters.undone), (1, 1, 1));
    assert_eq!(pair.sender.ssthresh(), 10 * SEGMENT);
    let pair = by_reports(false, late(70));
    assert_eq!((pair.sender.counters().undone, pair.sender.ssthresh()), (0, 5 * SEGMENT));
}

#[test]
fn a_reduction_by_a_loss_stays() {
    let pair = by_reports(true, Fate::lost());
    let counters = pair.sender.counters();
    assert_eq!((counters.fast_retransmits, counters.retransmissions, counters.undone), (1, 1, 0));
    assert_eq!(pair.sender.ssthresh(), 5 * SEGMENT);
}

/// SACK and RACK with Eifel, but without undoing by reports of duplicates.
fn with_eifel() -> [Options; 2] {
    let (undo, prr, eifel) = (false, None, Some(true));
    [
        Options::Sack(sack::Options { prr, undo, eifel }),
        Options::Rack(rack::Options { undo, prr, eifel }),
    ]
}

/// A pair with Eifel, on which these copies of segments have a fate.
fn by_echoes(recovery: Options, timestamps: bool, list: Vec<(u64, usize, Fate)>) -> Pair {
    let (recovery, timestamps) = (Some(recovery), Some(timestamps));
    let options = TcpOptions { recovery, timestamps, ..by_hand(Preset::Sack) };
    let mut pair = Pair::new(config(&options)).with_script(fates(list));
    pair.offer(u64::MAX);
    pair
}

/// All arrive just after the timer has expired: the first acknowledgment echoes 0 ms, and 0 was sent again at
/// 1000 ms.
#[test]
fn a_timeout_by_a_delay_is_undone_by_the_first_acknowledgment() {
    for recovery in with_eifel() {
        let word = recovery.word();
        let mut pair = by_echoes(recovery, true, delayed());
        pair.run_to(ms(1250));
        let rounds = pair.rounds();
        assert_eq!(rounds[..2], [(0, (0..10).collect()), (1000, vec![0])], "{word}");
        assert_eq!(rounds[2], (1060, (10..20).collect()), "{word}");
        let counters = pair.sender.counters();
        assert_eq!((counters.timeouts, counters.undone, counters.retransmissions), (1, 1, 1));
        assert_eq!(pair.sender.ssthresh(), 10 * SEGMENT, "{word}");
    }
}

/// Segment 2 is 70 ms late, is sent again at 100 ms, and its first copy is acknowledged at 170 ms, before the report
/// of the second one could come.
#[test]
fn a_reduction_by_reordering_is_undone_by_what_the_acknowledgment_echoes() {
    let cases = [true, false].map(|timestamps| with_eifel().map(|recovery| (recovery, timestamps)));
    for (recovery, timestamps) in cases.into_iter().flatten() {
        let word = recovery.word();
        let mut pair = by_echoes(recovery, timestamps, vec![(2, 0, late(70))]);
        pair.run_to(ms(169));
        let counters = pair.sender.counters();
        assert_eq!((counters.fast_retransmits, counters.undone), (1, 0), "{word}");
        assert_eq!(pair.sender.ssthresh(), 5 * SEGMENT, "{word}");
        pair.run_to(ms(250));
        let (undone, ssthresh) = if timestamps { (1, 10) } else { (0, 5) };
        assert_eq!(pair.sender.counters().undone, undone, "{word}");
        assert_eq!(pair.sender.ssthresh(), ssthresh * SEGMENT, "{word}");
    }
}

#[test]
fn what_echoes_the_second_copy_undoes_nothing() {
    for recovery in with_eifel() {
        let mut pair = by_echoes(recovery, true, vec![(2, 0, Fate::lost())]);
        pair.run_to(ms(250));
        let counters = pair.sender.counters();
        assert_eq!((counters.fast_retransmits, counters.undone), (1, 0));
        assert_eq!(pair.sender.ssthresh(), 5 * SEGMENT);
    }
}
