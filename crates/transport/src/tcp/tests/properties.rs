//! Whatever the network does, every byte is delivered once and in order, and the connection ends.

use proptest::prelude::*;
use units::{Bytes, Span, Time};

use crate::tcp::config::{Preset, ReceiveWindowGrowth, TcpOptions};
use crate::tcp::congestion::{self, slow_start};
use crate::tcp::pair::{Fate, Pair, Sent, Way, config, rack};
use crate::tcp::recovery::newreno::{self, Deflation, Exit, Inflation, Timer};
use crate::tcp::recovery::{Options, rack as racks, reno, sack};
use crate::tcp::{Flags, Receiver, SackBlocks, Segment, Sender};
use crate::window_size::WindowSize;
use kinds::Kinds;

/// What the network does with the n-th segment that enters it; beyond the list, nothing bad.
#[derive(Clone, Copy, Debug)]
pub(super) enum Whim {
    Deliver,
    Lose,
    Delay(u64),
    Duplicate(u64, u64),
    Mark,
}

fn whim() -> impl Strategy<Value = Whim> {
    prop_oneof![
        10 => Just(Whim::Deliver),
        4 => Just(Whim::Lose),
        3 => (1..400u64).prop_map(Whim::Delay),
        2 => (0..50u64, 0..3000u64).prop_map(|(a, b)| Whim::Duplicate(a, b)),
        2 => Just(Whim::Mark),
    ]
}

pub(super) fn fate(whim: Whim) -> Fate {
    match whim {
        Whim::Deliver => Fate::delivered(),
        Whim::Lose => Fate::lost(),
        Whim::Delay(millis) => Fate::late(Span::from_ms(millis)),
        Whim::Duplicate(a, b) => {
            Fate { copies: vec![Span::from_ms(a), Span::from_ms(b)], marked: false }
        }
        Whim::Mark => Fate::marked(),
    }
}

#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) writes: Vec<u64>,
    pub(super) whims: Vec<Whim>,
    pub(super) options: TcpOptions,
}

/// What a preset's recovery is told in a case.
fn told(preset: Preset, on: [bool; 4]) -> Option<Options> {
    let reno = reno::Options { repeated_fast_retransmit: Some(on[0]) };
    let newreno = newreno::Options {
        exit: Some(if on[0] { Exit::Ssthresh } else { Exit::Flight }),
        timer: Some(if on[1] { Timer::First } else { Timer::Each }),
        deflation: Some(if on[2] { Deflation::Floor } else { Deflation::Wraps }),
        inflation: Some(if on[3] { Inflation::Each } else { Inflation::BeyondThreshold }),
    };
    match preset {
        Preset::Reno => Some(Options::Reno(reno)),
        Preset::Newreno => Some(Options::NewReno(newreno)),
        Preset::Sack => {
            Some(Options::Sack(sack::Options { prr: Some(on[0]), undo: on[1], eifel: Some(on[2]) }))
        }
        _ => None,
    }
}

/// NewReno's window as INET computes it.
fn inet() -> Options {
    told(Preset::Newreno, [false; 4]).unwrap()
}

/// RACK with proportional rate reduction and Eifel, as in Linux.
fn rack_of_linux() -> Options {
    Options::Rack(racks::Options { undo: true, prr: Some(true), eifel: Some(true) })
}

pub(super) fn case(preset: Preset, recovery: Option<Options>) -> impl Strategy<Value = Case> {
    let switches = prop::array::uniform14(any::<bool>());
    let writes = prop::collection::vec(1..60_000u64, 1..4);
    let whims = prop::collection::vec(whim(), 0..150);
    let receive_window = prop::sample::select(vec![12, 80, 1000]);
    (writes, whims, switches, 1..4u32, 1..20u64, receive_window).prop_map(
        move |(writes, whims, on, ack_every, window, receive_window)| {
            let options = TcpOptions {
                preset: Some(preset),
                recovery: recovery.clone().or_else(|| told(preset, [on[6], on[8], on[9], on[10]])),
                segment: Some(Bytes(1000)),
                timestamps: Some(on[0]),
                // DCTCP is nothing without marks.
                ecn: Some(on[1] || preset == Preset::Dctcp),
                handshake: Some(on[2]),
                release: Some(on[3]),
                limited_transmit: Some(on[4]),
                f_rto: Some(on[9]),
                silly_window_avoidance: Some(on[11]),
                pacing: Some(on[5]),
                ack_every: Some(ack_every),
                quick_acks: Some(if on[12] { 16 } else { 0 }),
                slow_start: slow_start::Options::all()
                    .into_iter()
                    .nth(usize::from(on[12]) + 2 * usize::from(on[13])),
                initial_window: Some(WindowSize::Segments(window)),
                receive_window: Some(WindowSize::Segments(receive_window)),
                receive_window_growth: Some(if on[7] {
                    ReceiveWindowGrowth::Fixed
                } else {
                    ReceiveWindowGrowth::Dynamic
                }),
                ..TcpOptions::default()
            };
            Case { writes, whims, options }
        },
    )
}

/// What the sender put on the wire must be the octets of the stream, each new one once.
fn check_numbers(pair: &Pair, total: u64) {
    let mut high = 0;
    for sent in pair.log.iter().filter(|sent| sent.way == Way::Forth) {
        let Segment { seq, len, resent, .. } = sent.segment;
        let end = seq + u64::from(len);
        assert!(end <= total, "octets that were never written");
        if len > 0 {
            assert_eq!(resent, seq < high, "new data begin where the last ended");
            assert!(resent || seq == high);
        }
        high = high.max(end);
    }
    assert_eq!(high, total);
}

/// No octet passes the receiver's window, whose end never goes back, and an acknowledgment that does not
/// advance has the window of the one before (RFC 5681 section 2).
fn check_windows(pair: &Pair, first: u64) {
    let (mut end, mut last) = (first, (0, None));
    for Sent { way, segment, .. } in &pair.log {
        if *way == Way::Forth {
            assert!(segment.seq + u64::from(segment.len) <= end, "beyond the receiver's window");
        } else {
            let said = (segment.ack, Some(segment.window));
            assert!(said.0 + u64::from(segment.window) >= end, "a window shrinks");
            assert!(said.0 > last.0 || last.1.is_none() || said == last, "another window");
            (end, last) = (segment.ack + u64::from(segment.window), said);
        }
    }
}

fn run(case: &Case) {
    let mut whims = case.whims.clone().into_iter();
    let script = move |_: &Sent| whims.next().map_or_else(Fate::delivered, fate);
    let config = config(&case.options);
    let first = config.first_receive_window();
    let mut pair = Pair::new(config).with_script(script);
    let mut delivered = 0;
    for &bytes in &case.writes {
        pair.offer(bytes);
        pair.run_for(170);
        assert!(pair.receiver.delivered() >= delivered, "delivered data are not taken back");
        delivered = pair.receiver.delivered();
        let waits = pair.sender.next_timeout().is_some_and(|at| at >= pair.now);
        assert!(waits || pair.sender.flight() == 0, "a timer runs while data are in flight");
    }
    pair.close();
    // Back-off may wait 120 s at a time, and a receiver's FIN is sent eight times.
    pair.run_to(Time::ZERO + Span::from_secs(100_000));
    let total: u64 = case.writes.iter().sum();
    assert_eq!(pair.receiver.delivered(), total);
    assert!(pair.sender.is_finished());
    assert_eq!(pair.sender.acked(), total);
    assert_eq!(pair.sender.next_timeout(), None);
    assert_eq!(pair.receiver.next_timeout(), None);
    if case.options.release == Some(true) {
        assert!(pair.receiver.is_closed());
    }
    check_numbers(&pair, total);
    check_windows(&pair, first);
}

macro_rules! delivers_everything {
    ($($name:ident: $preset:ident, $recovery:expr);*) => { $(
        proptest! {
            #![proptest_config(trials::cases(3000))]
            #[test]
            fn $name(case in case(Preset::$preset, $recovery)) {
                run(&case);
            }
        }
    )* };
}

delivers_everything! {
    tahoe_delivers_every_byte_once_and_in_order: Tahoe, None;
    reno_delivers_every_byte_once_and_in_order: Reno, None;
    newreno_delivers_every_byte_once_and_in_order: Newreno, None;
    sack_delivers_every_byte_once_and_in_order: Sack, None;
    cubic_delivers_every_byte_once_and_in_order: Cubic, None;
    maimd_delivers_every_byte_once_and_in_order: Maimd, None;
    msack_delivers_every_byte_once_and_in_order: Msack, None;
    dctcp_delivers_every_byte_once_and_in_order: Dctcp, None;
    compound_delivers_every_byte_once_and_in_order: Compound, None;
    rack_delivers_every_byte_once_and_in_order: Sack, Some(rack());
    rack_with_cubic_delivers_every_byte_once_and_in_order: Cubic, Some(rack());
    rack_of_linux_delivers_every_byte_once_and_in_order: Cubic, Some(rack_of_linux())
}

/// A loss every `n` data segments, for ever: still everything arrives.
#[test]
fn steady_loss_of_every_kind_is_repaired() {
    let others = [
        (Preset::Cubic, Some(rack())),
        (Preset::Newreno, Some(inet())),
        (Preset::Cubic, Some(rack_of_linux())),
    ];
    let all = Preset::ALL.map(|preset| (preset, None)).into_iter().chain(others);
    for (preset, recovery) in all {
        for every in [2, 3, 7, 20, 100] {
            let mut count = 0;
            let recovery = recovery.clone();
            let options = TcpOptions {
                preset: Some(preset),
                receive_window: recovery.is_some().then_some(WindowSize::Segments(500)),
                recovery,
                ..TcpOptions::default()
            };
            let mut pair = Pair::new(config(&options)).with_script(move |sent| {
                count += u64::from(sent.way == Way::Forth);
                if sent.way == Way::Forth && count % every == 0 {
                    Fate::lost()
                } else {
                    Fate::delivered()
                }
            });
            pair.offer(1_000_000);
            pair.close();
            pair.run();
            assert_eq!(pair.receiver.delivered(), 1_000_000, "{preset:?}, one in {every}");
            assert!(pair.receiver.is_closed());
        }
    }
}

/// The same for every recovery with every window rule, those without a preset among them.
#[test]
fn every_recovery_goes_with_every_window() {
    let all = Options::all().into_iter();
    let both = all.flat_map(|recovery| {
        congestion::Options::all().into_iter().map(move |c| (recovery.clone(), c))
    });
    for (recovery, congestion) in both {
        let models = congestion.models_path();
        if models && recovery.word() != "rack" {
            continue;
        }
        let what = format!("{} {}", recovery.word(), congestion.word());
        for every in [2, 7, 20] {
            let mut count = 0;
            let options = TcpOptions {
                recovery: Some(recovery.clone()),
                congestion: Some(congestion.clone()),
                pacing: Some(models || every == 7),
                silly_window_avoidance: Some(every != 20),
                ..TcpOptions::default()
            };
            let mut pair = Pair::new(config(&options)).with_script(move |sent| {
                count += u64::from(sent.way == Way::Forth);
                if sent.way == Way::Forth && count % every == 0 {
                    Fate::lost()
                } else {
                    Fate::delivered()
                }
            });
            pair.offer(300_000);
            pair.close();
            pair.run();
            assert_eq!(pair.receiver.delivered(), 300_000, "{what}, one in {every}");
            assert!(pair.receiver.is_closed());
        }
    }
}

/// The rule of this word, with nothing told.
fn of_word(word: &str) -> congestion::Options {
    let all = congestion::Options::all();
    all.into_iter().find(|options| options.word() == word).expect("there is one")
}

fn garbage() -> impl Strategy<Value = Segment> {
    let number = prop_oneof![0..20_000u64, any::<u64>().prop_map(|n| n >> 2)];
    let blocks = prop::collection::vec((any::<u16>(), any::<u16>()), 0..5);
    (number.clone(), number, 0..3000u32, 0..32u8, any::<u32>(), blocks, any::<u32>()).prop_map(
        |(seq, ack, len, bits, window, blocks, stamp)| {
            let mut flags = Flags::NONE;
            for (i, flag) in
                [Flags::SYN, Flags::ACK, Flags::FIN, Flags::ECE, Flags::CWR].into_iter().enumerate()
            {
                if bits & (1 << i) != 0 {
                    flags |= flag;
                }
            }
            let mut sack = SackBlocks::NONE;
            for (start, end) in blocks {
                sack.push(u64::from(start), u64::from(end));
            }
            let ts_ecr = Time(u64::from(stamp));
            Segment { seq, ack, ts_ecr, len, window, sack, ..Segment::empty(ts_ecr, flags) }
        },
    )
}

proptest! {
    #[test]
    fn no_segment_makes_an_end_panic(
        segments in prop::collection::vec(garbage(), 1..60),
        preset in prop::sample::select(Preset::ALL.to_vec()),
        recovery in prop::sample::select(vec![None, Some(rack()), Some(inet())]),
        model in prop::sample::select(vec![None, None, Some("bbr3"), Some("bbr1")]),
        avoidance in any::<bool>(),
    ) {
        let options = TcpOptions {
            preset: Some(preset),
            recovery: if model.is_some() { Some(rack()) } else { recovery },
            congestion: model.map(of_word),
            silly_window_avoidance: Some(avoidance),
            receive_window: Some(WindowSize::Segments(1000)),
            segment: Some(Bytes(1000)),
            ecn: Some(true),
            handshake: Some(false),
            ..TcpOptions::default()
        };
        let mut sender = Sender::new(config(&options).into());
        let mut receiver = Receiver::new(config(&options).into());
        sender.offer(Time::ZERO, u64::MAX);
        let mut now = Time::ZERO + Span::from_secs(1);
        for segment in &segments {
            sender.on_segment(now, segment);
            receiver.on_segment(now, segment, false);
            for _ in 0..100 {
                let sent = sender.next_segment(now).is_some();
                if !sent && receiver.next_segment(now).is_none() {
                    break;
                }
            }
            now += Span::from_ms(300);
            sender.on_timeout(now);
            receiver.on_timeout(now);
        }
    }
}
