//! The transport at both ends of a flow, of any kind.

use kernel::prefetch_whole;
use transport::Fault;
use transport::message;
use transport::stop_and_wait;
use transport::tcp::{Receiver, Segment, Sender};
use units::Time;
use wire::packet::Marks;

/// The transport at both ends.
///
/// The state of each is stored separately: it is of different size, and a flow that is only looked at stays small.
#[derive(Debug, Clone)]
pub enum Ends {
    /// TCP.
    Tcp(Box<Tcp>),
    /// A message transport.
    Message(Box<Message>),
    /// UDP.
    Udp {
        /// Bytes of headers on the wire.
        header: u32,
        /// Datagrams sent.
        sent: u64,
        /// Payload bytes delivered.
        delivered: u64,
    },
    /// Stop-and-wait.
    StopAndWait(Box<StopAndWait>),
}

/// TCP at both ends.
#[derive(Debug, Clone)]
pub struct Tcp {
    /// At the source.
    pub sender: Sender,
    /// At the sink.
    pub receiver: Receiver,
    /// Bytes that each segment adds on the wire.
    pub header: u32,
    /// The marks of data packets that can carry a congestion mark.
    pub ecn: u8,
}

/// Stop-and-wait at both ends.
#[derive(Debug, Clone)]
pub struct StopAndWait {
    /// At the source.
    pub sender: stop_and_wait::Sender,
    /// At the sink.
    pub receiver: stop_and_wait::Receiver,
}

/// A message transport at both ends.
#[derive(Debug, Clone)]
pub struct Message {
    /// At the source.
    pub sender: message::Sender,
    /// At the sink.
    pub receiver: message::Receiver,
    /// Whether that waits for its turn to be granted credit.
    pub waits: bool,
}

/// A segment to be sent, with its properties on the wire.
#[derive(Debug, Clone, Copy)]
pub struct Released {
    /// The segment.
    pub segment: Segment,
    /// Bytes on the wire.
    pub bytes: u32,
    /// What queues may do with it ([`Marks`]): whether they may mark it instead of dropping it.
    pub marks: u8,
    /// What chooses its path, if it is [sprayed](Marks::SPRAYED).
    pub entropy: u16,
}

impl Ends {
    /// Neither of the ends: both are in another part of the network.
    pub const ELSEWHERE: Self = Self::Udp { header: 0, sent: 0, delivered: 0 };

    /// Prefetches what a packet touches.
    #[inline]
    pub fn prefetch(&self, at_source: bool) {
        if let Self::Tcp(tcp) = self {
            if at_source {
                prefetch_whole(&tcp.sender);
            } else {
                prefetch_whole(&tcp.receiver);
            }
        }
    }

    /// Exchanges the sinks of two, which are of the same flow.
    pub fn swap_sinks(&mut self, other: &mut Self) {
        match (self, other) {
            (Self::Tcp(one), Self::Tcp(other)) => {
                std::mem::swap(&mut one.receiver, &mut other.receiver);
            }
            (Self::Message(one), Self::Message(other)) => {
                std::mem::swap(&mut one.receiver, &mut other.receiver);
                std::mem::swap(&mut one.waits, &mut other.waits);
            }
            (Self::Udp { delivered: one, .. }, Self::Udp { delivered: other, .. }) => {
                std::mem::swap(one, other);
            }
            (Self::StopAndWait(one), Self::StopAndWait(other)) => {
                std::mem::swap(&mut one.receiver, &mut other.receiver);
            }
            _ => unreachable!("ends of one flow"),
        }
    }

    /// Whether the sender wants signals of the core.
    #[inline]
    pub fn wants_signals(&self) -> bool {
        match self {
            Self::Tcp(tcp) => tcp.sender.wants_signals(),
            Self::Message(message) => message.sender.wants_signals(),
            Self::StopAndWait(_) | Self::Udp { .. } => false,
        }
    }

    /// Whether the sender holds data while the fast path is closed, which is open now: it gives its host one packet at a
    /// time.
    #[inline]
    pub fn holds_data(&self) -> bool {
        match self {
            Self::Tcp(tcp) => tcp.sender.holds_data(),
            Self::StopAndWait(_) | Self::Message(_) | Self::Udp { .. } => false,
        }
    }

    /// The sender gets no more signals.
    pub fn ignore_signals(&mut self) {
        match self {
            Self::Tcp(tcp) => tcp.sender.ignore_signals(),
            Self::Message(message) => message.sender.ignore_signals(),
            Self::StopAndWait(_) | Self::Udp { .. } => {}
        }
    }

    /// The core signals whether the fast path is open.
    pub fn on_signal(&mut self, now: Time, open: bool) {
        match self {
            Self::Tcp(tcp) => tcp.sender.on_signal(now, open),
            Self::Message(message) => message.sender.on_signal(open),
            Self::StopAndWait(_) | Self::Udp { .. } => {}
        }
    }

    /// The application writes; `last` says that it is the end. A datagram is not part of a stream
    /// and is handled separately.
    pub fn offer(&mut self, now: Time, bytes: u64, last: bool) {
        match self {
            Self::Tcp(tcp) => {
                tcp.sender.offer(now, bytes);
                if last {
                    tcp.sender.close(now);
                }
            }
            Self::StopAndWait(pair) => {
                pair.sender.offer(bytes);
                if last {
                    pair.sender.close();
                }
            }
            Self::Message(message) => {
                message.sender.offer(bytes);
                if last {
                    message.sender.close();
                }
            }
            Self::Udp { .. } => {}
        }
    }

    /// The application withdraws data that have not been sent, and ends; returns how many octets remain of
    /// all that it offered.
    pub fn withdraw(&mut self, now: Time) -> u64 {
        match self {
            Self::Tcp(tcp) => tcp.sender.withdraw(now),
            Self::StopAndWait(pair) => pair.sender.withdraw(),
            Self::Message(message) => message.sender.withdraw(),
            Self::Udp { .. } => unreachable!("datagrams are sent when they are offered"),
        }
    }

    /// A segment has reached the sender.
    #[inline]
    pub fn at_sender(&mut self, now: Time, segment: &Segment) {
        match self {
            Self::Tcp(tcp) => tcp.sender.on_segment(now, segment),
            Self::StopAndWait(pair) => pair.sender.on_segment(now, segment),
            Self::Message(message) => message.sender.on_segment(now, segment),
            Self::Udp { .. } => {}
        }
    }

    /// A segment has reached the receiver, `marked` if it met congestion.
    #[inline]
    pub fn at_receiver(&mut self, now: Time, segment: &Segment, marked: bool) {
        match self {
            Self::Tcp(tcp) => tcp.receiver.on_segment(now, segment, marked),
            Self::StopAndWait(pair) => pair.receiver.on_segment(segment),
            Self::Message(message) => message.receiver.on_segment(segment, marked),
            Self::Udp { delivered, .. } => *delivered += u64::from(segment.len),
        }
    }

    /// What the sender releases at `now`; `first_bit` is when it starts on the wire.
    #[inline]
    pub fn from_sender(&mut self, now: Time, first_bit: impl FnOnce() -> Time) -> Option<Released> {
        match self {
            Self::Tcp(tcp) => {
                let segment = tcp.sender.next_segment(now)?;
                let bytes = tcp.header + segment.len;
                // RFC 3168, 6.1.4 and 6.1.5: neither control packets nor resent data are ECT.
                let ecn = if segment.len > 0 && !segment.resent { tcp.ecn } else { 0 };
                Some(Released { segment, bytes, marks: ecn, entropy: 0 })
            }
            Self::StopAndWait(pair) => {
                let segment = pair.sender.next_segment(now, first_bit())?;
                let bytes = pair.sender.options().wire_size(&segment);
                Some(Released { segment, bytes, marks: 0, entropy: 0 })
            }
            Self::Message(message) => {
                let segment = message.sender.next_segment(now, first_bit)?;
                let bytes = message.sender.options().wire_size(&segment);
                let marks = Marks::SPRAYED | Marks::ECN_CAPABLE;
                Some(Released { segment, bytes, marks, entropy: message::wire::entropy(&segment) })
            }
            Self::Udp { .. } => None,
        }
    }

    /// What the receiver of another transport than TCP releases at `now`; `first_bit` is when it starts on the wire.
    #[inline]
    pub fn from_receiver(
        &mut self,
        now: Time,
        first_bit: impl FnOnce() -> Time,
    ) -> Option<Released> {
        let (segment, bytes) = match self {
            Self::Tcp(_) => unreachable!("its receiver is polled by itself"),
            Self::StopAndWait(pair) => {
                let segment = pair.receiver.next_segment(now, first_bit())?;
                (segment, pair.receiver.options().wire_size(&segment))
            }
            Self::Message(message) => {
                let segment = message.receiver.next_segment(now)?;
                let bytes = message.receiver.options().wire_size(&segment);
                // It can carry a mark, which says nothing to the sender, so that no queue drops it in the place of one.
                let marks = Marks::SPRAYED | Marks::URGENT | Marks::ECN_CAPABLE;
                let entropy = message::wire::entropy(&segment);
                return Some(Released { segment, bytes, marks, entropy });
            }
            Self::Udp { .. } => return None,
        };
        Some(Released { segment, bytes, marks: 0, entropy: 0 })
    }

    /// When the sender is to be woken.
    #[inline]
    pub fn sender_timeout(&mut self, now: Time) -> Option<Time> {
        match self {
            Self::Tcp(tcp) => tcp.sender.next_timeout(),
            Self::StopAndWait(pair) => pair.sender.next_timeout(),
            Self::Message(message) => message.sender.next_timeout(now),
            Self::Udp { .. } => None,
        }
    }

    /// When the receiver is to be woken.
    #[inline]
    pub fn receiver_timeout(&self) -> Option<Time> {
        match self {
            Self::Tcp(tcp) => tcp.receiver.next_timeout(),
            Self::StopAndWait(pair) => pair.receiver.next_timeout(),
            Self::Message(_) | Self::Udp { .. } => None,
        }
    }

    /// The sender is woken at its time.
    pub fn wake_sender(&mut self, now: Time) {
        match self {
            Self::Tcp(tcp) => tcp.sender.on_timeout(now),
            Self::StopAndWait(pair) => pair.sender.on_timeout(now),
            Self::Message(message) => message.sender.on_timeout(now),
            Self::Udp { .. } => {}
        }
    }

    /// The receiver is woken at its time.
    pub fn wake_receiver(&mut self, now: Time) {
        match self {
            Self::Tcp(tcp) => tcp.receiver.on_timeout(now),
            Self::StopAndWait(pair) => pair.receiver.on_timeout(now),
            Self::Message(_) | Self::Udp { .. } => {}
        }
    }

    /// Whether all that the application wrote before its end has reached the other end, as far as
    /// the sender knows.
    #[inline]
    pub fn is_finished(&self) -> bool {
        match self {
            Self::Tcp(tcp) => tcp.sender.is_finished(),
            Self::StopAndWait(pair) => pair.sender.is_finished(),
            Self::Message(message) => message.sender.is_finished(),
            Self::Udp { .. } => false,
        }
    }

    /// Whether the receiver of a flow that has ended still needs the sender, to acknowledge its
    /// FIN.
    pub fn is_needed(&self) -> bool {
        match self {
            Self::StopAndWait(pair) => pair.receiver.is_waiting(),
            Self::Tcp(_) | Self::Message(_) | Self::Udp { .. } => false,
        }
    }

    /// Why the sender cannot go on, if so.
    #[inline]
    pub fn fault(&self) -> Option<&Fault> {
        match self {
            Self::Tcp(tcp) => tcp.sender.fault(),
            Self::StopAndWait(_) | Self::Message(_) | Self::Udp { .. } => None,
        }
    }

    /// The octets that may be in flight: the congestion window of TCP.
    pub fn window(&self) -> u64 {
        match self {
            Self::Tcp(tcp) => tcp.sender.cwnd(),
            Self::StopAndWait(pair) => pair.sender.options().packet.0,
            Self::Message(message) => message.sender.window(),
            Self::Udp { .. } => 0,
        }
    }

    /// The congestion window of TCP and its maximum, in octets.
    pub fn congestion_window(&self) -> Option<(u64, u64)> {
        match self {
            Self::Tcp(tcp) => Some((tcp.sender.cwnd(), tcp.sender.max_window())),
            Self::StopAndWait(_) | Self::Message(_) | Self::Udp { .. } => None,
        }
    }

    /// Octets acknowledged, and octets delivered in order; none without acknowledgments.
    pub fn progress(&self) -> Option<(u64, u64)> {
        match self {
            Self::Tcp(tcp) => Some((tcp.sender.acked(), tcp.receiver.delivered())),
            Self::StopAndWait(pair) => Some((pair.sender.acked(), pair.receiver.delivered())),
            Self::Message(message) => Some((message.sender.acked(), message.receiver.delivered())),
            Self::Udp { .. } => None,
        }
    }

    /// Octets that have arrived, including those after a gap.
    pub fn arrived(&self) -> u64 {
        match self {
            Self::Tcp(tcp) => tcp.receiver.arrived(),
            Self::StopAndWait(_) | Self::Message(_) | Self::Udp { .. } => self.delivered(),
        }
    }

    /// Entries into fast retransmit.
    pub fn fast_retransmits(&self) -> u64 {
        match self {
            Self::Tcp(tcp) => tcp.sender.counters().fast_retransmits,
            Self::Message(message) => message.sender.counters().overtaken,
            Self::Udp { .. } | Self::StopAndWait(_) => 0,
        }
    }

    /// Payload bytes delivered in order.
    #[inline]
    pub fn delivered(&self) -> u64 {
        match self {
            Self::Tcp(tcp) => tcp.receiver.delivered(),
            Self::StopAndWait(pair) => pair.receiver.delivered(),
            Self::Message(message) => message.receiver.delivered(),
            Self::Udp { delivered, .. } => *delivered,
        }
    }

    /// What has been done so far.
    pub fn counts(&self) -> TransportCounts {
        match self {
            Self::Tcp(tcp) => {
                let counters = tcp.sender.counters();
                TransportCounts {
                    delivered: tcp.receiver.delivered(),
                    retransmissions: counters.retransmissions,
                    timeouts: counters.timeouts,
                    fast_retransmits: counters.fast_retransmits,
                    rtt_samples: counters.rtt_samples,
                    rtt_sum: counters.rtt_sum as f64 * 1e-12,
                }
            }
            Self::StopAndWait(pair) => {
                let counters = pair.sender.counters();
                TransportCounts {
                    delivered: pair.receiver.delivered(),
                    retransmissions: counters.retransmissions,
                    timeouts: counters.retransmissions,
                    fast_retransmits: 0,
                    rtt_samples: counters.rtt_samples,
                    rtt_sum: counters.rtt_sum as f64 * 1e-12,
                }
            }
            Self::Message(message) => {
                let counters = message.sender.counters();
                TransportCounts {
                    delivered: message.receiver.delivered(),
                    retransmissions: counters.retransmissions,
                    timeouts: counters.timeouts,
                    fast_retransmits: counters.overtaken,
                    rtt_samples: counters.rtt_samples,
                    rtt_sum: counters.rtt_sum as f64 * 1e-12,
                }
            }
            Self::Udp { delivered, .. } => {
                TransportCounts { delivered: *delivered, ..TransportCounts::default() }
            }
        }
    }
}

/// What the transport of a flow has done.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct TransportCounts {
    /// Payload bytes delivered in order; in the row of a flow those in packets that were sent since
    /// measuring began.
    pub delivered: u64,
    /// Segments retransmitted.
    pub retransmissions: u64,
    /// Expired retransmission timers.
    pub timeouts: u64,
    /// Entries into fast retransmit.
    pub fast_retransmits: u64,
    /// Round-trip times measured.
    pub rtt_samples: u64,
    /// Their sum in seconds.
    pub rtt_sum: f64,
}

impl TransportCounts {
    /// What was counted since `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            // Data that had arrived may still wait behind a gap.
            delivered: self.delivered.saturating_sub(earlier.delivered),
            retransmissions: self.retransmissions - earlier.retransmissions,
            timeouts: self.timeouts - earlier.timeouts,
            fast_retransmits: self.fast_retransmits - earlier.fast_retransmits,
            rtt_samples: self.rtt_samples - earlier.rtt_samples,
            rtt_sum: self.rtt_sum - earlier.rtt_sum,
        }
    }
}
