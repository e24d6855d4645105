//! What INET 2.1 does beside the RFCs, against traces worked by hand from its source (`TCPNewReno.cc` and
//! `TCPConnectionUtil.cc` of the tag v2.1.0). Segment n begins at octet 1000 n.

use units::{Bytes, Time};

use crate::profile::Profile;
use crate::tcp::config::{TcpOptions, resolve};
use crate::tcp::pair::SEGMENT;
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

/// The profile with such a window.
fn plain(window: u64) -> TcpOptions {
    TcpOptions {
        segment: Some(Bytes(SEGMENT)),
        receive_window: Some(WindowSize::Octets(Bytes(window))),
        handshake: Some(false),
        release: Some(false),
        ..TcpOptions::default()
    }
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
}

/// The full segments from one to another.
fn full(first: u64, last: u64) -> Sent {
    (first..=last).map(|n| (n * SEGMENT, SEGMENT)).collect()
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
