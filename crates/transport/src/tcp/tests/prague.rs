//! TCP Prague with AccECN feedback: its response to marks in closed form, and behind a queue that marks at a step.

use units::{Rate, Span, Time};

use crate::profile::Profile;
use crate::segment::Flags;
use crate::tcp::config::{Config, EcnFeedback, Preset, TcpOptions, resolve};
use crate::tcp::congestion::{self, dctcp, prague};
use crate::tcp::pair::{Fate, Pair, SEGMENT, Way, by_hand, config};
use crate::tcp::path::Path;

fn prague() -> congestion::Options {
    congestion::Options::Prague(prague::Options::default())
}

/// Every so many data segments one is marked.
fn marking(options: &TcpOptions, every: u64) -> Pair {
    let mut count = 0;
    Pair::new(config(options)).with_script(move |sent| {
        count += u64::from(sent.way == Way::Forth);
        let is_hit = sent.way == Way::Forth && count % every == 0;
        if is_hit { Fate::marked() } else { Fate::delivered() }
    })
}

/// With a share p of marks there are two in a round trip: the window grows by 1 - p segments and shrinks by p/2 of
/// itself, so that it is 2 (1 - p) / p segments, where a Classic window is about 1.22 / sqrt(p).
#[test]
fn the_window_is_two_over_the_share_of_marks() {
    for every in [10, 20, 50] {
        let options = TcpOptions { congestion: Some(prague()), ..by_hand(Preset::Sack) };
        let mut pair = marking(&options, every);
        pair.offer(u64::MAX);
        pair.run_for(20_000);
        pair.seen.clear();
        pair.run_for(100_000);
        let sum: u64 = pair.seen.iter().map(|seen| seen.cwnd).sum();
        let mean = sum as f64 / pair.seen.len() as f64 / SEGMENT as f64;
        let share = 1.0 / every as f64;
        let expected = 2.0 * (1.0 - share) / share;
        assert!((mean / expected - 1.0).abs() < 0.1, "{mean} for {expected}");
        assert_eq!(pair.sender.counters().retransmissions, 0);
    }
}

/// Over 20 ms, less than the virtual round trip of 25 ms, it has the rate of a flow of 25 ms.
#[test]
fn over_a_short_path_the_rate_is_that_of_the_virtual_round_trip() {
    let options =
        TcpOptions { congestion: Some(prague()), pacing: Some(true), ..by_hand(Preset::Sack) };
    let mut pair = marking(&options, 40).with_delay(Span::from_ms(10));
    pair.offer(u64::MAX);
    pair.run_for(20_000);
    let before = pair.sender.acked();
    pair.run_for(60_000);
    let rate = (pair.sender.acked() - before) as f64 / SEGMENT as f64 / 60.0;
    let expected = 2.0 * 39.0 / 0.025;
    assert!((rate / expected - 1.0).abs() < 0.15, "{rate} for {expected}");
}

/// The receiver acknowledges every second segment: AccECN says how many were marked, the echo of RFC 3168 does not.
#[test]
fn accurate_feedback_tells_each_mark_and_the_sender_answers_with_no_bit() {
    let options = TcpOptions {
        congestion: Some(prague()),
        ack_every: Some(2),
        initial_window: "10 segments".parse().ok(),
        ..by_hand(Preset::Sack)
    };
    let mut count = 0;
    let mut pair = Pair::new(config(&options)).with_script(move |sent| {
        count += u64::from(sent.way == Way::Forth);
        let marked = sent.way == Way::Forth && [3, 4, 5, 8].contains(&count);
        if marked { Fate::marked() } else { Fate::delivered() }
    });
    pair.offer(10 * SEGMENT);
    pair.run();
    let acks: Vec<(u64, u8)> = pair
        .log
        .iter()
        .filter(|sent| sent.way == Way::Back)
        .map(|sent| (sent.segment.ack / SEGMENT, sent.segment.flags.ace()))
        .collect();
    // From 5: 3 begins the marks and is acknowledged at once; 4 and 5 are two more; 8 begins them anew.
    assert_eq!(acks, [(2, 5), (3, 6), (5, 0), (7, 0), (8, 1), (10, 1)]);
    let answers = pair.log.iter().filter(|sent| sent.way == Way::Forth);
    assert!(answers.into_iter().all(|sent| !sent.segment.flags.has(Flags::CWR)));
}

fn queue(congestion: congestion::Options) -> Config {
    let congestion = Some(congestion);
    let options = TcpOptions { congestion, ..TcpOptions::default() };
    resolve(Profile::Linux, &options).unwrap()
}

/// 100 Mb/s, 20 ms, marks above 1 ms: full, with a queue of about that.
#[test]
fn behind_a_queue_that_marks_at_a_step_the_path_is_full_and_the_queue_short() {
    let mut path = Path::new(Rate(100_000_000), Span::from_ms(20), 1_000_000, &[queue(prague())]);
    path.marks_above = Span::from_ms(1);
    path.offer(0, u64::MAX);
    path.run_for(Span::from_secs(5));
    let before = path.sender().acked();
    (path.longest_wait, path.waits) = (Span::ZERO, (0.0, 0));
    path.run_for(Span::from_secs(10));
    let share = (path.sender().acked() - before) as f64 / 10.0 / (1.25e7 * 1448.0 / 1488.0);
    assert!(share > 0.95, "{share}");
    assert!(path.mean_wait() < 0.0015, "{}", path.mean_wait());
    assert!(path.longest_wait < Span::from_ms(5), "{:?}", path.longest_wait);
    assert_eq!(path.dropped, 0);
}

/// RFC 9331 section 4.3, the dependence on round-trip time: flows of 5 and 20 ms share the same marks. Those of DCTCP
/// have rates as one over the round-trip time squared; the virtual round trip makes Prague's equal.
#[test]
fn flows_of_short_and_shorter_round_trips_share_alike() {
    let ratio = |congestion: congestion::Options| {
        let options = |every| {
            let options =
                TcpOptions { congestion: Some(congestion.clone()), ..by_hand(Preset::Sack) };
            marking(&TcpOptions { pacing: Some(true), ..options }, every)
        };
        let rate = |ms: u64| {
            let mut pair = options(25).with_delay(Span::from_us(500 * ms));
            pair.offer(u64::MAX);
            pair.run_for(20_000);
            let before = pair.sender.acked();
            pair.run_for(40_000);
            (pair.sender.acked() - before) as f64
        };
        rate(5) / rate(20)
    };
    let (prague, dctcp) =
        (ratio(prague()), ratio(congestion::Options::Dctcp(dctcp::Options::default())));
    assert!((0.7..1.4).contains(&prague), "{prague}");
    assert!(dctcp > 3.0, "{dctcp}");
}

/// Any rule may have the feedback: CUBIC answers a mark as before, and once a window.
#[test]
fn a_classic_rule_with_accurate_feedback_answers_once_a_window() {
    let options = TcpOptions {
        ecn: Some(true),
        ecn_feedback: Some(EcnFeedback::Accurate),
        initial_window: "20 segments".parse().ok(),
        ..by_hand(Preset::Sack)
    };
    let mut count = 0;
    let mut pair = Pair::new(config(&options)).with_script(move |sent| {
        count += u64::from(sent.way == Way::Forth);
        let marked = sent.way == Way::Forth && (3..=9).contains(&count);
        if marked { Fate::marked() } else { Fate::delivered() }
    });
    pair.offer(20 * SEGMENT);
    pair.run_to(Time::ZERO + Span::from_secs(1));
    assert_eq!(pair.sender.counters().ecn_reductions, 1);
}
