//! What a sender does when circuits come and go.

use random::Stream;
use units::{Span, Time};

use super::Sender;
use crate::tcp::circuits::Options;
use crate::tcp::circuits::retcp::ReTcp;
use crate::tcp::congestion::{Acked, Congested, Congestion, Signal};
use crate::tcp::recovery::{Detector, State};
use crate::tcp::rtt::Rtt;

/// What a sender knows of circuits to the rack of its receiver.
#[derive(Clone, Debug)]
pub(super) enum Circuits {
    /// Nothing is sent without one; whether there is one.
    Hold(bool),
    /// The window is resized.
    ReTcp(ReTcp),
    /// Each network has a state of its own.
    TdTcp(TdTcp),
}

/// The state of the network in which a sender is not.
#[derive(Clone, Debug)]
pub(super) struct TdTcp {
    /// Whether there is a circuit.
    pub(super) open: bool,
    /// When it came or went.
    pub(super) changed: Time,
    /// The window.
    pub(super) congestion: Congestion,
    /// The round-trip times.
    pub(super) rtt: Rtt,
    /// The last reduction of the window concerns what lies below.
    pub(super) reduced_below: u64,
    /// The loss recovery.
    pub(super) recovery: State,
}

impl Sender {
    /// The same, with a circuit yet to come, if its options say what it does then.
    pub(super) fn heeding_circuits(mut self) -> Self {
        let config = &self.config;
        let circuits = config.circuits.as_ref().map(|options| match options {
            Options::Hold(_) => Circuits::Hold(false),
            Options::ReTcp(options) => Circuits::ReTcp(ReTcp::new(options)),
            Options::TdTcp(_) => Circuits::TdTcp(TdTcp {
                open: false,
                changed: Time::ZERO,
                congestion: Congestion::new(
                    &config.congestion,
                    &config.slow_start,
                    &config.window_sizes(),
                ),
                rtt: Rtt::new(config),
                reduced_below: 0,
                recovery: self.recovery.split(),
            }),
        });
        self.circuits = circuits.map(Box::new);
        self
    }

    /// Whether it is to be told when a circuit to the rack of its receiver opens or closes.
    #[inline]
    pub fn wants_signals(&self) -> bool {
        self.circuits.is_some()
    }

    /// It is not told of circuits, since there are none on its way.
    pub fn ignore_signals(&mut self) {
        self.circuits = None;
    }

    /// The rack says whether a circuit leads to that of the receiver now; at first none does.
    pub fn on_signal(&mut self, now: Time, open: bool) {
        match self.circuits.as_deref_mut() {
            Some(Circuits::Hold(there)) => *there = open,
            Some(Circuits::ReTcp(retcp)) => {
                retcp.open = open;
                self.resize();
            }
            Some(Circuits::TdTcp(tdtcp)) if tdtcp.open != open => {
                (tdtcp.open, tdtcp.changed) = (open, now);
                std::mem::swap(&mut self.congestion, &mut tdtcp.congestion);
                std::mem::swap(&mut self.rtt, &mut tdtcp.rtt);
                std::mem::swap(&mut self.reduced_below, &mut tdtcp.reduced_below);
                self.recovery.change_network(&mut tdtcp.recovery);
                (self.timed_end, self.uncounted) = (0, 0);
            }
            Some(Circuits::TdTcp(_)) | None => {}
        }
    }

    /// Whether it holds data while there is no circuit, which there is now: those in its host's interface should be few.
    #[inline]
    pub fn holds_data(&self) -> bool {
        matches!(self.circuits.as_deref(), Some(Circuits::Hold(true)))
    }

    /// Whether data wait for a circuit.
    #[inline]
    pub(super) fn is_held(&self) -> bool {
        matches!(self.circuits.as_deref(), Some(Circuits::Hold(false)))
    }

    /// reTCP: the window follows the circuit, except in a recovery.
    fn resize(&mut self) {
        if self.is_repairing() {
            return;
        }
        if let Some(Circuits::ReTcp(retcp)) = self.circuits.as_deref_mut()
            && let Some(factor) = retcp.take_factor()
        {
            self.congestion.multiply(factor);
        }
    }

    /// An acknowledgment lets windows grow: that of the network in which each octet was sent.
    #[inline]
    pub(super) fn grow(&mut self, acked: &Acked) {
        if self.circuits.is_none() {
            return self.congestion.on_ack(acked);
        }
        let there = self.recovery.by_time_mut().map_or(0, Detector::take_elsewhere_arrived);
        let there = there.min(acked.octets);
        if let Some(Circuits::TdTcp(tdtcp)) = self.circuits.as_deref_mut()
            && there > 0
        {
            let srtt = tdtcp.rtt.srtt().unwrap_or(Span::ZERO);
            tdtcp.congestion.on_ack(&Acked { octets: there, srtt, ..*acked });
        }
        if there < acked.octets {
            self.congestion.on_ack(&Acked { octets: acked.octets - there, ..*acked });
        }
        self.resize();
    }

    /// A loss of what was sent in the other network reduces the window there.
    #[inline]
    pub(super) fn reduce_elsewhere(&mut self, now: Time) {
        if let Some(Circuits::TdTcp(tdtcp)) = self.circuits.as_deref_mut()
            && self.recovery.take_elsewhere_lost()
        {
            let basis = tdtcp.congestion.cwnd().min(self.config.max_window.0);
            tdtcp.congestion.on_loss(&Congested { now, signal: Signal::Loss, basis });
            tdtcp.reduced_below = self.board.high();
        }
    }

    /// Whether the network has changed since an instant.
    pub(super) fn has_changed_since(&self, sent: Time) -> bool {
        match self.circuits.as_deref() {
            Some(Circuits::TdTcp(tdtcp)) => sent < tdtcp.changed,
            Some(Circuits::Hold(_) | Circuits::ReTcp(_)) | None => false,
        }
    }

    /// The round-trip times of the other network, if it has one and they were measured.
    pub(super) fn elsewhere_rtt(&self) -> Option<&Rtt> {
        match self.circuits.as_deref() {
            Some(Circuits::TdTcp(tdtcp)) => Some(&tdtcp.rtt).filter(|rtt| rtt.srtt().is_some()),
            Some(Circuits::Hold(_) | Circuits::ReTcp(_)) | None => None,
        }
    }

    /// The smoothed round-trip time of the slower network.
    pub(super) fn slower_srtt(&self) -> Option<Span> {
        self.rtt.srtt().max(self.elsewhere_rtt().and_then(Rtt::srtt))
    }

    /// What the window rule of the other network draws by chance comes from the same stream.
    pub(super) fn draw_elsewhere(&mut self, stream: &Stream) {
        if let Some(Circuits::TdTcp(tdtcp)) = self.circuits.as_deref_mut() {
            tdtcp.congestion.draw_from(stream.clone());
        }
    }
}
