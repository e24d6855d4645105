//! NewReno as INET 2.1 computes its window: the options `deflation`, `inflation` and
//! `silly-window-avoidance`, against traces worked by hand from its source (`TCPNewReno.cc`,
//! `TCPConnectionUtil.cc`, `TCPConnectionRcvSegment.cc` of the tag v2.1.0) and against a twin of it.
//!
//! In the traces segment n begins at octet 1000 n. The window is 19 segments at first, and the first
//! acknowledgment makes it 20, which is ssthresh; then 1000 to 21,000 are in flight.

use proptest::prelude::*;
use units::{Bytes, Time};

use crate::profile::Profile;
use crate::tcp::config::{TcpOptions, resolve};
use crate::tcp::pair::SEGMENT;
use crate::tcp::recovery::Options;
use crate::tcp::recovery::newreno::{self, Deflation, Inflation};
use crate::tcp::{Flags, Segment, Sender};
use crate::window_size::WindowSize;

/// First octet and length of what is sent.
type Sent = Vec<(u64, u64)>;

/// A sender, and a receiver that offers a window of so many octets.
struct Trace {
    sender: Sender,
    window: u32,
}

/// A receiver's window that is no limit.
const LARGE: u64 = 1_000_000;

fn options(window: u64, deflation: Deflation, inflation: Inflation) -> TcpOptions {
    let (deflation, inflation) = (Some(deflation), Some(inflation));
    let newreno = newreno::Options { deflation, inflation, ..Default::default() };
    TcpOptions {
        recovery: Some(Options::NewReno(newreno)),
        segment: Some(Bytes(SEGMENT)),
        initial_window: Some(WindowSize::Segments(19)),
        initial_ssthresh: Some(WindowSize::Segments(20)),
        receive_window: Some(WindowSize::Octets(Bytes(window))),
        handshake: Some(false),
        release: Some(false),
        ..TcpOptions::default()
    }
}

/// The options as every profile has them.
fn plain(window: u64) -> TcpOptions {
    options(window, Deflation::Floor, Inflation::Each)
}

impl Trace {
    fn idle(options: &TcpOptions) -> Self {
        let config = resolve(Profile::Inet2_1, options).unwrap();
        let window = u32::try_from(config.receive_window.0).unwrap();
        Self { sender: Sender::new(config.into()), window }
    }

    /// The initial window is on its way, and there is always more to send.
    fn new(options: &TcpOptions) -> Self {
        let mut trace = Self::idle(options);
        trace.sender.offer(Time::ZERO, u64::MAX);
        trace.poll();
        trace
    }

    fn poll(&mut self) -> Sent {
        let sender = &mut self.sender;
        let next = || sender.next_segment(Time::ZERO);
        std::iter::from_fn(next).map(|sent| (sent.seq, u64::from(sent.len))).collect()
    }

    /// What the acknowledgment of everything below an octet sends.
    fn ack(&mut self, ack: u64) -> Sent {
        let window = self.window;
        let segment = Segment { ack, window, ..Segment::empty(Time::ZERO, Flags::ACK) };
        self.sender.on_segment(Time::ZERO, &segment);
        self.poll()
    }

    fn acks<const N: usize>(&mut self, acks: [u64; N]) -> [Sent; N] {
        acks.map(|ack| self.ack(ack))
    }

    /// To the begin of the recovery: three duplicates of 1000. ssthresh is 10 segments, the window 13.
    fn lose(&mut self) {
        assert_eq!(self.ack(1000), full(19, 20));
        assert_eq!(self.acks([1000; 3]), [vec![], vec![], full(1, 1)]);
        assert_eq!((self.sender.ssthresh(), self.sender.window()), (10_000, 13_000));
    }
}

/// The full segments from one to another.
fn full(first: u64, last: u64) -> Sent {
    (first..=last).map(|n| (n * SEGMENT, SEGMENT)).collect()
}

/// 13,000 − 15,000 + 1000 = −1000 is 4,294,966,296, so that what is in flight fills the receiver's window.
/// A duplicate makes it 2³², which is 0, and the next 1000; a partial acknowledgment of a segment leaves it as it
/// is.
#[test]
fn a_window_that_wraps_is_a_number_of_32_bits_until_the_recovery_ends() {
    let mut trace = Trace::new(&options(40_000, Deflation::Wraps, Inflation::Each));
    trace.lose();
    assert_eq!(trace.ack(16_000), [full(16, 16), full(21, 55)].concat());
    assert_eq!(trace.sender.window(), 4_294_966_296);
    assert_eq!(trace.sender.cwnd(), 10_000, "without what the recovery adds and deducts");
    assert_eq!(trace.sender.flight(), 40_000);
    for (ack, sent, window) in [
        (16_000, vec![], 0),
        (16_000, vec![], 1000),
        (17_000, full(17, 17), 1000),
        (19_000, full(19, 19), 0),
        (20_000, full(20, 20), 0),
        // Everything: the minimum of ssthresh and 35,000 + 1000.
        (21_000, vec![], 10_000),
    ] {
        assert_eq!((trace.ack(ack), trace.sender.window()), (sent, window), "{ack}");
    }
    assert_eq!((trace.sender.cwnd(), trace.sender.is_recovering()), (10_000, false));
}

#[test]
fn a_window_that_does_not_wrap_is_a_segment_until_duplicates_make_up_for_what_it_lacks() {
    let mut trace = Trace::new(&plain(40_000));
    trace.lose();
    // 13,000 − 15,000 + 1000 = −1000, and a segment more with each duplicate.
    assert_eq!(trace.ack(16_000), full(16, 16));
    let windows = [16_000; 4].map(|ack| {
        assert_eq!(trace.ack(ack), []);
        trace.sender.window()
    });
    assert_eq!(windows, [1000, 1000, 2000, 3000]);
}

#[test]
fn a_timeout_halves_the_advertised_window_where_the_window_has_wrapped() {
    for (deflation, ssthresh) in [(Deflation::Wraps, 20_000), (Deflation::Floor, 5000)] {
        let mut trace = Trace::new(&options(40_000, deflation, Inflation::Each));
        trace.lose();
        trace.ack(16_000);
        let expiry = trace.sender.next_timeout().unwrap();
        trace.sender.on_timeout(expiry);
        assert_eq!(trace.sender.counters().timeouts, 1);
        assert_eq!((trace.sender.ssthresh(), trace.sender.window()), (ssthresh, 1000));
    }
}

#[test]
fn the_largest_window_limits_one_that_has_wrapped() {
    let told = options(LARGE, Deflation::Wraps, Inflation::Each);
    let mut trace = Trace::new(&TcpOptions { max_window: Some(WindowSize::Segments(30)), ..told });
    trace.lose();
    // 16,000 to 46,000.
    assert_eq!(trace.ack(16_000), [full(16, 16), full(21, 45)].concat());
    assert_eq!(trace.sender.window(), 30_000);
}

#[test]
fn a_window_that_wraps_must_have_a_limit() {
    let told = options(LARGE, Deflation::Wraps, Inflation::Each);
    let unlimited = TcpOptions { receive_window: Some(WindowSize::Unlimited), ..told };
    let errors = resolve(Profile::Inet2_1, &unlimited).unwrap_err();
    assert_eq!(
        errors[0].to_string(),
        "recovery.deflation: nothing limits a window that wraps; found wraps; accepted \"wraps\" \
         with a limit as receive-window or max-window"
    );
}

/// Dups 4 to 12 of 1000 make the window 22,000, which lets 21 and 22 out. The partial acknowledgment of
/// 6000 leaves 22,000 − 5000 + 1000 = 18,000, one segment more than the 17,000 in flight; its first three
/// duplicates add nothing, the fourth and fifth a segment each. That of 7000 leaves 20,000 for 19,000.
#[test]
fn beyond_the_threshold_the_first_three_duplicates_after_a_partial_acknowledgment_add_nothing() {
    let none = Vec::new;
    let mut trace = Trace::new(&options(LARGE, Deflation::Floor, Inflation::BeyondThreshold));
    trace.lose();
    assert_eq!(trace.acks([1000; 7]).concat(), []);
    assert_eq!(trace.acks([1000; 2]), [full(21, 21), full(22, 22)]);
    assert_eq!(trace.ack(6000), [full(6, 6), full(23, 23)].concat());
    let sent = trace.acks([6000; 5]);
    assert_eq!(sent, [none(), none(), none(), full(24, 24), full(25, 25)]);
    assert_eq!(trace.ack(7000), [full(7, 7), full(26, 26)].concat());
    assert_eq!(trace.acks([7000; 4]), [none(), none(), none(), full(27, 27)]);
    assert_eq!(trace.sender.window(), 21_000);
}

#[test]
fn otherwise_each_duplicate_after_a_partial_acknowledgment_adds_a_segment() {
    let mut trace = Trace::new(&plain(LARGE));
    trace.lose();
    trace.acks([1000; 9]);
    assert_eq!(trace.ack(6000), [full(6, 6), full(23, 23)].concat());
    assert_eq!(trace.acks([6000; 3]), [full(24, 24), full(25, 25), full(26, 26)]);
}

/// 20,500 octets let 20 segments out, and with the acknowledgment of one, in slow start, 21,500 let out two
/// more: in both cases 500 are left. Three duplicates make ssthresh 10,750 and the window 13,750; with the eighth
/// duplicate after them it is 21,750, of which 21,000 are in flight, with the next 22,750.
fn runts(avoidance: bool) -> (Trace, [Sent; 2]) {
    let told = TcpOptions {
        initial_window: Some(WindowSize::Octets(Bytes(20_500))),
        initial_ssthresh: Some(WindowSize::Unlimited),
        silly_window_avoidance: Some(avoidance),
        ..plain(LARGE)
    };
    let mut trace = Trace::new(&told);
    assert_eq!(trace.sender.flight(), 20_000);
    assert_eq!(trace.ack(1000), full(20, 21));
    trace.acks([1000; 10]);
    assert_eq!((trace.sender.ssthresh(), trace.sender.window()), (10_750, 20_750));
    let sent = trace.acks([1000; 2]);
    (trace, sent)
}

#[test]
fn without_avoidance_an_acknowledgment_sends_part_of_a_segment_where_no_full_one_fits() {
    assert_eq!(runts(true).1, [vec![], full(22, 22)]);
    let (mut trace, sent) = runts(false);
    assert_eq!(sent, [vec![(22_000, 750)], vec![(22_750, 1000)]]);
    // A partial acknowledgment of less than a segment deducts it, and adds none: 22,750 - 500.
    assert_eq!(trace.ack(1500), [(1500, 1000)]);
    assert_eq!((trace.sender.window(), trace.sender.flight()), (22_250, 22_250));
    // The end: the minimum of ssthresh and 1750 + 1000. A full segment fits.
    assert_eq!(trace.ack(22_000), [(23_750, 1000)]);
    assert_eq!((trace.sender.window(), trace.sender.flight()), (2750, 2750));
    // Slow start adds what is acknowledged (RFC 5681 equation 2; INET a segment): 3500, of which 2000 are in
    // flight. What is left beside a full segment stays.
    assert_eq!(trace.ack(22_750), [(24_750, 1000)]);
    assert_eq!((trace.sender.window(), trace.sender.flight()), (3500, 3000));
}

/// The window wraps as above: 16,000 + 40,500 − 21,000 leaves 35 full segments and 500 octets.
#[test]
fn without_avoidance_a_partial_acknowledgment_sends_the_rest_after_full_segments() {
    for (avoidance, rest) in [(true, vec![]), (false, vec![(56_000, 500)])] {
        let told = TcpOptions {
            silly_window_avoidance: Some(avoidance),
            ..options(40_500, Deflation::Wraps, Inflation::Each)
        };
        let mut trace = Trace::new(&told);
        trace.lose();
        assert_eq!(trace.ack(16_000), [full(16, 16), full(21, 55), rest].concat());
    }
}

#[test]
fn without_avoidance_what_is_written_still_waits_for_a_full_segment() {
    let told = TcpOptions {
        initial_window: Some(WindowSize::Octets(Bytes(2500))),
        silly_window_avoidance: Some(false),
        ..plain(LARGE)
    };
    let mut trace = Trace::idle(&told);
    trace.sender.offer(Time::ZERO, 10_000);
    assert_eq!(trace.poll(), full(0, 1));
    trace.sender.offer(Time::ZERO, 10_000);
    assert_eq!(trace.poll(), []);
    // 3500 for what is in flight, 1000.
    assert_eq!(trace.ack(1000), full(2, 3));
}

/// What INET does with acknowledgments, literally, as far as no timer expires. As in all windows here, cwnd outside
/// of a recovery is not rounded, slow start ends at ssthresh and adds no more than is acknowledged (RFC 5681
/// equation 2), and a loss does not raise cwnd.
#[derive(Default)]
struct Twin {
    una: u64,
    max: u64,
    cwnd: f64,
    ssthresh: f64,
    /// ssthresh, or cwnd before the loss where that was less.
    reduced: f64,
    duplicates: u32,
    recovers: bool,
    recover: u64,
    sent: Sent,
}

const ADVERTISED: u64 = 60_300;

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "uint32, as there")]
impl Twin {
    fn whole(&self) -> u32 {
        self.cwnd as u32
    }

    fn add(&mut self, octets: u32) {
        self.cwnd = f64::from(self.whole().wrapping_add(octets));
    }

    fn again(&mut self) {
        self.sent.push((self.una, SEGMENT.min(self.max - self.una)));
    }

    fn new_data(&mut self, octets: u64) {
        self.sent.push((self.max, octets));
        self.max += octets;
    }

    fn send_data(&mut self) {
        let window = u64::from(self.whole()).min(ADVERTISED);
        let mut room = window.saturating_sub(self.max - self.una);
        if (1..=SEGMENT).contains(&room) {
            self.new_data(room);
            return;
        }
        while room >= SEGMENT {
            self.new_data(SEGMENT);
            room -= SEGMENT;
        }
    }

    fn duplicate(&mut self) {
        self.duplicates += 1;
        if self.duplicates == 3 && !self.recovers && self.una > self.recover {
            let flight = u64::from(self.whole()).min(ADVERTISED) as f64;
            self.ssthresh = (flight / 2.0).max(2000.0);
            (self.recover, self.recovers) = (self.max, true);
            self.reduced = self.ssthresh.min(self.cwnd);
            self.cwnd = self.reduced.floor() + 3000.0;
            self.again();
            self.send_data();
        } else if self.duplicates > 3 && self.recovers {
            self.add(1000);
            self.send_data();
        }
    }

    fn advance(&mut self, ack: u64) {
        let acked = (ack - self.una) as u32;
        self.una = ack;
        if self.recovers && self.una >= self.recover {
            self.cwnd = self.reduced.min((self.max - self.una + SEGMENT) as f64);
            self.recovers = false;
        } else if self.recovers {
            self.again();
            self.add(acked.wrapping_neg());
            if acked >= 1000 {
                self.add(1000);
            }
            self.send_data();
        } else {
            self.cwnd = if self.cwnd < self.ssthresh {
                (self.cwnd + f64::from(acked.min(1000))).min(self.ssthresh)
            } else {
                self.cwnd + 1000.0 * 1000.0 / self.cwnd
            };
            self.recover = self.una - 1;
        }
        self.send_data();
        self.duplicates = 0;
    }
}

/// What the receiver acknowledges next.
#[derive(Clone, Copy, Debug)]
enum Next {
    Duplicates(u8),
    /// So many octets.
    Octets(u64),
    /// A share of what is in flight, in percent.
    Share(u64),
}

fn next() -> impl Strategy<Value = Next> {
    prop_oneof![
        3 => (1..9_u8).prop_map(Next::Duplicates),
        3 => Just(Next::Octets(1000)),
        2 => (1..4000_u64).prop_map(Next::Octets),
        3 => (1..=100_u64).prop_map(Next::Share),
    ]
}

proptest! {
    #![proptest_config(trials::cases(2000))]
    #[test]
    fn with_all_three_a_sender_does_with_acknowledgments_what_inet_does(
        all in prop::collection::vec(next(), 1..120),
        start in 1..40_000_u64,
        ssthresh in 1000..60_000_u64,
    ) {
        let told = TcpOptions {
            silly_window_avoidance: Some(false),
            initial_window: Some(WindowSize::Octets(Bytes(start.max(SEGMENT)))),
            initial_ssthresh: Some(WindowSize::Octets(Bytes(ssthresh))),
            ..options(ADVERTISED, Deflation::Wraps, Inflation::BeyondThreshold)
        };
        let mut trace = Trace::new(&told);
        // At the very begin INET retransmits nothing fast (`recover` is the initial number), so the first
        // acknowledgment advances.
        let max = trace.sender.flight();
        let (cwnd, ssthresh) = (start.max(SEGMENT) as f64, ssthresh as f64);
        let mut twin = Twin { max, cwnd, ssthresh, ..Twin::default() };
        for next in std::iter::once(Next::Octets(1000)).chain(all) {
            let in_flight = twin.max - twin.una;
            let acks = match next {
                Next::Duplicates(count) => vec![twin.una; usize::from(count)],
                Next::Octets(octets) => vec![twin.una + octets.min(in_flight)],
                Next::Share(percent) => vec![twin.una + (in_flight * percent / 100).max(1)],
            };
            for ack in acks {
                if ack == twin.una { twin.duplicate() } else { twin.advance(ack) }
                prop_assert_eq!(trace.ack(ack), std::mem::take(&mut twin.sent));
                prop_assert_eq!(trace.sender.window(), u64::from(twin.whole()));
                prop_assert_eq!(trace.sender.is_recovering(), twin.recovers);
            }
        }
    }
}
