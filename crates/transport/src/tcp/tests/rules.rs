//! Single rules of the RFCs, one a test.

use units::{Bytes, Span, Time};

use crate::tcp::config::{Preset, TcpOptions, WindowValidation};
use crate::tcp::congestion::Growth;
use crate::tcp::pair::{Fate, Pair, SEGMENT, Script, Sent, Way, by_hand, config};
use crate::tcp::{Flags, Segment, Sender};
use crate::window_size::WindowSize;

fn sent_forth(pair: &Pair) -> Vec<(u64, Flags, u64)> {
    let forth = pair.log.iter().filter(|sent| sent.way == Way::Forth);
    forth.map(|sent| (sent.ms(), sent.segment.flags, sent.segment.seq)).collect()
}

fn slow_start(preset: Preset) -> TcpOptions {
    TcpOptions {
        initial_window: Some(WindowSize::Segments(1)),
        initial_ssthresh: Some(WindowSize::Unlimited),
        ..by_hand(preset)
    }
}

// Windows.

#[test]
fn slow_start_doubles_the_window_each_round_trip() {
    for preset in Preset::ALL {
        let mut pair = Pair::new(config(&slow_start(preset)));
        pair.offer(u64::MAX);
        pair.run_for(550);
        let sizes: Vec<_> = pair.rounds().iter().map(|(_, sent)| sent.len()).collect();
        assert_eq!(sizes, [1, 2, 4, 8, 16, 32], "{preset:?}");
    }
}

#[test]
fn congestion_avoidance_adds_about_a_segment_each_round_trip() {
    let mut pair = Pair::new(config(&by_hand(Preset::Reno)));
    pair.offer(u64::MAX);
    pair.run_for(1050);
    // Equation 3 of RFC 5681 adds slightly less than a segment: 0.95 at first.
    assert_eq!(pair.sender.cwnd() / SEGMENT, 19);
}

#[test]
fn delayed_acknowledgments_halve_the_growth_by_acks_and_not_by_bytes() {
    for (growth, segments) in [(Growth::Acks, 14), (Growth::Bytes, 19)] {
        let options =
            TcpOptions { growth: Some(growth), ack_every: Some(2), ..by_hand(Preset::Reno) };
        let mut pair = Pair::new(config(&options));
        pair.offer(u64::MAX);
        pair.run_for(1060);
        assert_eq!(pair.sender.cwnd() / SEGMENT, segments, "{growth:?}");
    }
}

#[test]
fn the_largest_window_holds() {
    let options =
        TcpOptions { max_window: Some(WindowSize::Segments(20)), ..slow_start(Preset::Sack) };
    let mut pair = Pair::new(config(&options));
    pair.offer(u64::MAX);
    pair.run_for(2050);
    assert_eq!(pair.sender.cwnd(), 20 * SEGMENT);
    assert_eq!(pair.sender.flight(), 20 * SEGMENT);
}

#[test]
fn the_receivers_window_holds() {
    let options = TcpOptions {
        receive_window: Some(WindowSize::Octets(Bytes(7500))),
        ..slow_start(Preset::Sack)
    };
    let mut pair = Pair::new(config(&options));
    pair.offer(u64::MAX);
    pair.run_for(2050);
    assert_eq!(pair.sender.flight(), 7 * SEGMENT, "and no segment is cut to fit");
}

#[test]
fn a_window_that_the_application_does_not_fill_grows_to_twice_its_use() {
    for (validation, segments) in [(WindowValidation::Rfc7661, 21), (WindowValidation::None, 110)] {
        let options = TcpOptions {
            window_validation: Some(validation),
            initial_ssthresh: Some(WindowSize::Unlimited),
            ..by_hand(Preset::Sack)
        };
        let mut pair = Pair::new(config(&options));
        // Ten segments a round trip.
        for _ in 0..10 {
            pair.offer(10 * SEGMENT);
            pair.run_for(100);
        }
        pair.run_for(50);
        assert_eq!(pair.sender.cwnd(), segments * SEGMENT, "{validation:?}");
    }
}

#[test]
fn a_window_unused_for_five_minutes_is_halved() {
    let options = TcpOptions {
        window_validation: Some(WindowValidation::Rfc7661),
        initial_window: Some(WindowSize::Segments(2)),
        ..slow_start(Preset::Sack)
    };
    let mut pair = Pair::new(config(&options));
    pair.offer(62 * SEGMENT);
    pair.run_for(1000);
    assert_eq!(pair.sender.cwnd(), 64 * SEGMENT);
    for _ in 0..310 {
        pair.offer(SEGMENT);
        pair.run_for(1000);
    }
    assert_eq!(pair.sender.cwnd(), 32 * SEGMENT);
    assert_eq!(pair.sender.ssthresh(), u64::MAX);
}

#[test]
fn pacing_spreads_a_window_over_the_round_trip() {
    let options =
        TcpOptions { pacing: Some(true), header: Some(Bytes(0)), ..by_hand(Preset::Reno) };
    let mut pair = Pair::new(config(&options));
    pair.offer(u64::MAX);
    pair.run_for(1000);
    let times: Vec<_> = pair.log.iter().filter(|s| s.way == Way::Forth).map(|s| s.at).collect();
    let gaps: Vec<_> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let longest = gaps[20..].iter().max().unwrap();
    let shortest = gaps[20..].iter().min().unwrap();
    // 100 ms / (1.2 cwnd) with cwnd from 10 to 19 segments: 8.3 to 4.4 ms. A window takes 83 ms, so
    // that a pause of 17 ms may come on top.
    assert!(*shortest > Span::from_us(4300), "{shortest}");
    assert!(*longest < Span::from_ms(17 + 2 * 9), "{longest}");
}

// Fast retransmit and the timer.

#[test]
fn limited_transmit_saves_a_small_window_from_the_timer() {
    for preset in Preset::ALL {
        for limited in [false, true] {
            let options = TcpOptions {
                initial_window: Some(WindowSize::Segments(3)),
                initial_ssthresh: Some(WindowSize::Segments(3)),
                limited_transmit: Some(limited),
                ..by_hand(preset)
            };
            let mut pair = Pair::new(config(&options)).losing(&[0]);
            pair.offer(u64::MAX);
            pair.run_for(250);
            // 1 and 2 are two duplicates, each of which lets a segment out; 3 is the third.
            let rounds = pair.rounds();
            assert_eq!(rounds[0], (0, vec![0, 1, 2]));
            if limited {
                assert_eq!(rounds[1], (100, vec![3, 4]), "{preset:?}");
                assert_eq!((rounds[2].0, rounds[2].1[0]), (200, 0), "{preset:?}");
            } else {
                assert_eq!(rounds.len(), 1, "{preset:?}");
            }
        }
    }
}

#[test]
fn ssthresh_leaves_out_what_limited_transmit_sent() {
    for preset in [Preset::Reno, Preset::Newreno, Preset::Sack] {
        let options = TcpOptions { limited_transmit: Some(true), ..by_hand(preset) };
        let mut pair = Pair::new(config(&options)).losing(&[0]);
        pair.offer(u64::MAX);
        pair.run_for(150);
        // Ten in flight, 10 and 11 by limited transmit: half of ten, not of twelve.
        assert_eq!(pair.sender.ssthresh(), 5 * SEGMENT, "{preset:?}");
    }
}

#[test]
fn two_duplicates_are_reordering_and_three_are_a_loss() {
    for (behind, retransmits) in [(2, 0), (3, 1)] {
        let mut pair = Pair::new(config(&by_hand(Preset::Newreno))).with_script(move |sent| {
            // Segment 4 arrives just after segment 4 + behind.
            let number = sent.segment.seq / SEGMENT;
            match sent.way {
                Way::Forth if number == 4 => Fate::late(Span::from_ms(1)),
                Way::Forth if number > 4 + behind && sent.ms() == 0 => Fate::late(Span::from_ms(2)),
                Way::Forth | Way::Back => Fate::delivered(),
            }
        });
        pair.offer(u64::MAX);
        pair.run_for(180);
        assert_eq!(pair.sender.counters().fast_retransmits, retransmits);
    }
}

#[test]
fn the_timer_backs_off_until_the_segment_gets_through() {
    let mut tries = 0;
    let mut pair = Pair::new(config(&by_hand(Preset::Sack))).with_script(move |sent| {
        if sent.way == Way::Forth {
            tries += 1;
        }
        if tries <= 4 { Fate::lost() } else { Fate::delivered() }
    });
    pair.offer(SEGMENT);
    pair.run();
    // Initial RTO 1 s, then 2, 4, 8.
    let times: Vec<_> = pair.rounds().iter().map(|round| round.0).collect();
    assert_eq!(times, [0, 1000, 3000, 7000, 15_000]);
    assert_eq!(pair.sender.counters().timeouts, 4);
    // Karn: the answer to a resent segment measures nothing, and the back-off stays.
    assert_eq!(pair.sender.srtt(), None);
    assert_eq!(pair.sender.rto(), Span::from_secs(16));
    pair.offer(SEGMENT);
    pair.run();
    assert_eq!(pair.sender.srtt(), Some(Span::from_ms(100)));
    assert_eq!(pair.sender.rto(), Span::from_secs(1));
}

#[test]
fn timestamps_measure_a_resent_segment() {
    let options = TcpOptions { timestamps: Some(true), ..by_hand(Preset::Sack) };
    let mut pair = Pair::new(config(&options)).losing(&[0]);
    pair.offer(SEGMENT);
    pair.run();
    assert_eq!(pair.sender.counters().timeouts, 1);
    assert_eq!(pair.sender.srtt(), Some(Span::from_ms(100)));
    assert_eq!(pair.sender.rto(), Span::from_secs(1));
}

#[test]
fn without_timestamps_one_segment_a_round_trip_is_timed() {
    let mut pair = Pair::new(config(&by_hand(Preset::Sack)));
    pair.offer(u64::MAX);
    pair.run_for(1050);
    assert_eq!(pair.sender.counters().rtt_samples, 10);
    let mut options = by_hand(Preset::Sack);
    options.timestamps = Some(true);
    let mut pair = Pair::new(config(&options));
    pair.offer(100 * SEGMENT);
    pair.run();
    assert_eq!(pair.sender.counters().rtt_samples, 100);
    assert_eq!(pair.sender.counters().rtt_mean(), Some(0.1));
}

#[test]
fn a_repeated_timeout_of_a_segment_holds_ssthresh() {
    for preset in [Preset::Tahoe, Preset::Reno, Preset::Newreno, Preset::Sack] {
        let mut pair = Pair::new(config(&by_hand(preset))).with_script(|sent| {
            if sent.at < Time::ZERO + Span::from_secs(5) { Fate::lost() } else { Fate::delivered() }
        });
        pair.offer(u64::MAX);
        pair.run_for(1500);
        assert_eq!((pair.sender.cwnd(), pair.sender.ssthresh()), (SEGMENT, 5 * SEGMENT));
        pair.run_for(5000);
        assert_eq!(pair.sender.counters().timeouts, 2);
        assert_eq!((pair.sender.cwnd(), pair.sender.ssthresh()), (SEGMENT, 5 * SEGMENT));
        pair.run_for(500);
        assert_eq!(pair.sender.counters().timeouts, 3, "at 1, 3 and 7 s");
        assert_eq!(pair.sender.ssthresh(), 5 * SEGMENT, "{preset:?}");
    }
}

#[test]
fn after_a_timeout_all_is_sent_again_in_slow_start_less_what_is_sacked() {
    // All of the first window but segment 9 is lost, too little for a fast retransmit.
    for (preset, resent) in [(Preset::Newreno, vec![7, 8, 9]), (Preset::Sack, vec![7, 8])] {
        let mut pair = Pair::new(config(&by_hand(preset))).losing(&[0, 1, 2, 3, 4, 5, 6, 7, 8]);
        pair.offer(10 * SEGMENT);
        pair.run();
        let rounds = pair.rounds();
        assert_eq!(rounds[1], (1000, vec![0]), "{preset:?}");
        assert_eq!(rounds[2], (1100, vec![1, 2]));
        assert_eq!(rounds[3], (1200, vec![3, 4, 5, 6]));
        assert_eq!(rounds[4], (1300, resent), "{preset:?}");
        assert_eq!(rounds.len(), 5);
    }
}

#[test]
fn a_lost_retransmission_waits_for_the_timer_and_is_sent_again() {
    for preset in Preset::ALL {
        let mut pair = Pair::new(config(&by_hand(preset))).losing(&[2, 2]);
        pair.offer(40 * SEGMENT);
        pair.run();
        assert_eq!(pair.sender.counters().timeouts, 1, "{preset:?}");
        assert_eq!(pair.receiver.delivered(), 40 * SEGMENT);
    }
}

#[test]
fn sack_rescues_a_lost_tail_in_recovery() {
    // Of ten segments 2 and 9 are lost; nothing after 9 could show its loss.
    let mut pair = Pair::new(config(&by_hand(Preset::Sack))).losing(&[2, 9]);
    pair.offer(10 * SEGMENT);
    pair.run();
    assert_eq!(pair.sender.counters().timeouts, 0, "rule 4 of NextSeg");
    assert_eq!(pair.receiver.delivered(), 10 * SEGMENT);
}

// Set-up and release.

fn with_handshake() -> TcpOptions {
    TcpOptions { handshake: Some(true), release: Some(true), ..by_hand(Preset::Sack) }
}

#[test]
fn a_connection_opens_with_three_segments_and_closes_with_three() {
    let mut pair = Pair::new(config(&with_handshake()));
    pair.offer(2 * SEGMENT);
    pair.close();
    pair.run();
    let syn_ack = Flags::SYN | Flags::ACK;
    let fin = Flags::FIN | Flags::ACK;
    let log: Vec<_> = pair
        .log
        .iter()
        .map(|sent| (sent.ms(), sent.way, sent.segment.flags, sent.segment.seq, sent.segment.ack))
        .collect();
    assert_eq!(
        log,
        [
            (0, Way::Forth, Flags::SYN, 0, 0),
            (50, Way::Back, syn_ack, 0, 0),
            (100, Way::Forth, Flags::ACK, 0, 0),
            (100, Way::Forth, fin, 1000, 0),
            (150, Way::Back, Flags::ACK, 0, 1000),
            (150, Way::Back, fin, 0, 2001),
            (200, Way::Forth, Flags::ACK, 0, 1),
        ]
    );
    assert!(pair.sender.is_finished());
    assert!(pair.receiver.is_closed());
    assert_eq!(pair.receiver.delivered(), 2000);
    assert_eq!(pair.sender.srtt(), Some(Span::from_ms(100)), "the SYN was timed");
}

#[test]
fn a_connection_without_data_sends_an_empty_acknowledgment() {
    let mut pair = Pair::new(config(&with_handshake()));
    pair.run();
    assert_eq!(sent_forth(&pair), [(0, Flags::SYN, 0), (100, Flags::ACK, 0)]);
    pair.close();
    pair.run();
    assert!(pair.sender.is_finished());
    assert!(pair.receiver.is_closed());
}

#[test]
fn a_lost_syn_is_sent_again_and_leaves_a_window_of_one_segment_and_an_rto_of_3_s() {
    let options = TcpOptions { initial_window: Some(WindowSize::Segments(4)), ..with_handshake() };
    let mut pair = Pair::new(config(&options))
        .with_script(|sent| if sent.at == Time::ZERO { Fate::lost() } else { Fate::delivered() });
    pair.offer(u64::MAX);
    pair.run_for(1150);
    let syns = [(0, Flags::SYN, 0), (1000, Flags::SYN, 0), (1100, Flags::ACK, 0)];
    assert_eq!(sent_forth(&pair), syns);
    assert_eq!(pair.sender.cwnd(), SEGMENT);
    assert_eq!(pair.sender.rto(), Span::from_secs(3));
}

/// RFC 6928 section 2, with its initial window.
#[test]
fn one_lost_syn_leaves_a_window_of_ten_segments_and_two_leave_one() {
    for (lost, window) in [(0, 10), (1, 10), (2, 1), (3, 1)] {
        let ten = Some(WindowSize::Segments(10));
        let options = TcpOptions { initial_window: ten, ..with_handshake() };
        let mut syns = 0;
        let mut pair = Pair::new(config(&options)).with_script(move |sent| {
            syns += u32::from(sent.segment.flags.has(Flags::SYN) && sent.way == Way::Forth);
            let is_lost = sent.segment.flags.has(Flags::SYN) && syns <= lost;
            if is_lost { Fate::lost() } else { Fate::delivered() }
        });
        pair.offer(u64::MAX);
        pair.run_for([0, 1000, 3000, 7000][lost as usize] + 150);
        assert_eq!(pair.sender.cwnd(), window * SEGMENT, "{lost} lost");
    }
}

fn lose_first(matches: impl Fn(&Sent) -> bool + 'static) -> impl FnMut(&Sent) -> Fate {
    let mut lost = false;
    move |sent| {
        if !lost && matches(sent) {
            lost = true;
            return Fate::lost();
        }
        Fate::delivered()
    }
}

#[test]
fn every_control_segment_may_be_lost() {
    let is =
        |way: Way, flag: Flags| move |sent: &Sent| sent.way == way && sent.segment.flags.has(flag);
    let last_ack = |sent: &Sent| sent.way == Way::Forth && sent.segment.ack == 1;
    let scripts: [Script; 5] = [
        Box::new(lose_first(is(Way::Forth, Flags::SYN))),
        Box::new(lose_first(is(Way::Back, Flags::SYN))),
        Box::new(lose_first(is(Way::Forth, Flags::FIN))),
        Box::new(lose_first(is(Way::Back, Flags::FIN))),
        Box::new(lose_first(last_ack)),
    ];
    for script in scripts {
        let mut pair = Pair::new(config(&with_handshake())).with_script(script);
        pair.offer(3 * SEGMENT);
        pair.close();
        pair.run();
        assert!(pair.sender.is_finished());
        assert!(pair.receiver.is_closed());
        assert_eq!(pair.receiver.delivered(), 3 * SEGMENT);
    }
}

#[test]
fn without_release_the_last_acknowledgment_is_the_end() {
    let mut pair = Pair::new(config(&by_hand(Preset::Sack)));
    pair.offer(1500);
    pair.close();
    pair.run();
    assert!(pair.sender.is_finished());
    assert_eq!(pair.log.len(), 4, "two segments and their acknowledgments");
    assert_eq!(pair.log[1].segment.len, 500);
}

// Explicit congestion notification.

#[test]
fn a_mark_reduces_the_window_once_a_round_trip_until_cwr() {
    let options = TcpOptions { ecn: Some(true), ..by_hand(Preset::Sack) };
    let mut pair = Pair::new(config(&options)).with_script(|sent| {
        // Every data segment of the first two rounds is marked.
        let early = sent.at < Time::ZERO + Span::from_ms(150);
        if sent.way == Way::Forth && early { Fate::marked() } else { Fate::delivered() }
    });
    pair.offer(u64::MAX);
    pair.run_for(150);
    assert_eq!(pair.sender.cwnd(), 5 * SEGMENT, "ten marks, one reduction");
    let cwr: Vec<_> = pair.log.iter().filter(|sent| sent.segment.flags.has(Flags::CWR)).collect();
    assert_eq!(cwr.len(), 1, "the next new data say so");
    pair.run_for(100);
    assert_eq!(pair.sender.cwnd(), 2500, "the second window was marked too");
    assert_eq!(pair.sender.counters().ecn_reductions, 2);
    pair.run_for(1000);
    assert_eq!(pair.sender.counters().ecn_reductions, 2);
    assert_eq!(pair.sender.counters().retransmissions, 0);
}

#[test]
fn a_loss_in_a_window_reduced_by_a_mark_does_not_reduce_it_again() {
    let options = TcpOptions { ecn: Some(true), ..by_hand(Preset::Newreno) };
    let mut pair = Pair::new(config(&options)).with_script(|sent| {
        let number = sent.segment.seq / SEGMENT;
        match (sent.way, number, sent.segment.resent) {
            (Way::Forth, 0, _) => Fate::marked(),
            (Way::Forth, 3, false) => Fate::lost(),
            _ => Fate::delivered(),
        }
    });
    pair.offer(u64::MAX);
    pair.run_for(350);
    assert_eq!(pair.sender.counters().fast_retransmits, 1);
    assert_eq!(pair.sender.ssthresh(), 5 * SEGMENT);
}

#[test]
fn dctcp_reduces_once_a_window_by_half_of_alpha() {
    let mut pair = Pair::new(config(&by_hand(Preset::Dctcp))).with_script(|sent| {
        // The first three of each ten data segments are marked, in the second and third round.
        let number = sent.segment.seq / SEGMENT;
        let marked = sent.way == Way::Forth && (10..33).contains(&number) && number % 10 < 3;
        if marked { Fate::marked() } else { Fate::delivered() }
    });
    pair.offer(u64::MAX);
    // The first acknowledgment ends a window of observation without marks, α = 15/16. All ten let the
    // window grow by 0.95 segments.
    pair.run_for(150);
    let before = pair.sender.cwnd();
    assert_eq!(before / 100, 109);
    assert_eq!(pair.sender.counters().ecn_reductions, 0);
    // At 200 ms the marks of 10, 11 and 12 come back. The acknowledgment of 10 is the first beyond
    // the window of observation, segments 1 to 10: one of ten was marked.
    let alpha = 15.0 / 16.0 * (15.0 / 16.0) + 1.0 / 16.0 / 10.0;
    pair.run_to(Time::ZERO + Span::from_ms(200));
    assert_eq!(pair.sender.counters().ecn_reductions, 1, "three marks, one reduction");
    let reduced = before as f64 * (1.0 - alpha / 2.0);
    assert!((pair.sender.ssthresh() as f64 - reduced).abs() < 1.0, "{}", pair.sender.ssthresh());
    let cwr: Vec<_> = pair.log.iter().filter(|sent| sent.segment.flags.has(Flags::CWR)).collect();
    assert_eq!(cwr.len(), 1);
    pair.run_for(1000);
    assert_eq!(pair.sender.counters().ecn_reductions, 3);
    assert_eq!(pair.sender.counters().retransmissions, 0);
}

#[test]
fn maimd_sends_seven_tenths_of_its_window_again_after_a_timeout() {
    let options = TcpOptions { rto_margin: Some(0.0), ..by_hand(Preset::Maimd) };
    let mut pair = Pair::new(config(&options)).with_script(|sent| {
        let first = sent.way == Way::Forth && sent.ms() == 0;
        if first { Fate::lost() } else { Fate::delivered() }
    });
    pair.offer(10 * SEGMENT);
    pair.run_for(1500);
    let sizes: Vec<_> = pair.rounds().iter().map(|(ms, sent)| (*ms, sent.len())).collect();
    assert_eq!(sizes, [(0, 10), (1000, 7), (1100, 3)]);
    assert_eq!(pair.sender.counters().timeouts, 1);
}

#[test]
fn the_timer_of_the_average_follows_stop_and_waits() {
    let config = config(&by_hand(Preset::Msack));
    let mut sender = Sender::new(config.into()).with_packet_time(Span::from_ms(1));
    let tick = Span::from_ps(1);
    sender.offer(Time::ZERO, 1000);
    while sender.next_segment(Time::ZERO).is_some() {}
    assert_eq!(sender.next_timeout(), Some(Time::ZERO + Span::from_ms(1004) + tick));
    let now = Time::ZERO + Span::from_ms(100);
    sender.on_segment(now, &Segment { ack: 1000, ..Segment::empty(now, Flags::ACK) });
    assert_eq!(sender.rto(), Span::from_ms(554) + tick, "(1000 + 100)/2 + 4");
    sender.offer(now, 1000);
    while sender.next_segment(now).is_some() {}
    let timeout = now + sender.rto();
    sender.on_timeout(timeout);
    assert_eq!(sender.rto(), Span::from_ms(609) + tick, "1.1 · 550 + 4");
}

#[test]
fn an_acknowledgment_that_only_moves_the_window_is_no_duplicate() {
    // RFC 5681 section 2 (e).
    for (moves, fast_retransmits) in [(false, 1), (true, 0)] {
        let receive_window = Some(WindowSize::Octets(Bytes(50_000)));
        let options = TcpOptions { receive_window, ..by_hand(Preset::Newreno) };
        let mut sender = Sender::new(config(&options).into());
        sender.offer(Time::ZERO, u64::MAX);
        while sender.next_segment(Time::ZERO).is_some() {}
        let now = Time::ZERO + Span::from_ms(100);
        for n in 0..4 {
            let window = if moves { 100_000 + 1000 * n } else { 100_000 };
            let ack = Segment { ack: 1000, window, ..Segment::empty(now, Flags::ACK) };
            sender.on_segment(now, &ack);
        }
        assert_eq!(sender.counters().fast_retransmits, fast_retransmits);
    }
}

// Robustness.

#[test]
fn acknowledgments_of_what_was_not_sent_and_old_ones_are_ignored() {
    let mut sender = Sender::new(config(&by_hand(Preset::Reno)).into());
    sender.offer(Time::ZERO, u64::MAX);
    while sender.next_segment(Time::ZERO).is_some() {}
    let ack = |ack| Segment { ack, ..Segment::empty(Time::ZERO, Flags::ACK) };
    let now = Time::ZERO + Span::from_ms(100);
    sender.on_segment(now, &ack(11_000));
    assert_eq!(sender.acked(), 0);
    sender.on_segment(now, &ack(4000));
    sender.on_segment(now, &ack(2000));
    assert_eq!(sender.acked(), 4000);
}

#[test]
fn a_timeout_call_without_a_deadline_does_nothing() {
    let mut sender = Sender::new(config(&by_hand(Preset::Reno)).into());
    sender.offer(Time::ZERO, 1000);
    while sender.next_segment(Time::ZERO).is_some() {}
    sender.on_timeout(Time::ZERO + Span::from_ms(999));
    assert_eq!(sender.counters().timeouts, 0);
    sender.on_timeout(Time::ZERO + Span::from_ms(1000));
    assert_eq!(sender.counters().timeouts, 1);
}

#[test]
fn a_connection_fits_into_a_kibibyte() {
    let bytes = size_of::<Sender>() + size_of::<crate::tcp::Receiver>();
    assert!(bytes <= 1024, "{bytes}");
}
