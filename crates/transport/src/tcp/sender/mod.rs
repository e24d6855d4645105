//! The sender of a connection: the end that the data come from.
//!
//! `Deviation:` the retransmission timer restarts with a fast retransmit, as in ns-2 and Linux;
//! RFC 6298 restarts it only with acknowledgments of new data.
//!
//! `Deviation:` release is shortened: the receiver answers the FIN with its own FIN and the
//! acknowledgment in one segment, which the sender acknowledges. There is no TIME-WAIT; a sender
//! answers a repeated FIN as long as it is kept.

mod circuits;
mod info;
mod input;
mod marks;
mod normal;
mod output;
mod sampling;

pub use info::{Condition, Info};

use std::sync::Arc;

use extension::Fault;
use random::Stream;
use units::{Span, Time};

use super::congestion::{Congested, Congestion, Signal};
use super::delivery::Delivery;
use super::pacing::Pacer;
use super::recovery::{Before, Detector, Found, Quiet, Recovery};
use super::rtt::Rtt;
use super::scoreboard::Scoreboard;
use super::validation::Usage;
use crate::tcp::config::{Config, EcnFeedback, SsthreshFrom};
use circuits::Circuits;
use marks::Marks;

/// What a sender has done so far.
#[derive(Clone, Debug, Default)]
pub struct SenderCounters {
    /// Segments with data or a FIN, resent ones included.
    pub segments_sent: u64,
    /// Data octets, resent ones included.
    pub bytes_sent: u64,
    /// Segments that were sent again.
    pub retransmissions: u64,
    /// Data octets that were sent again.
    pub bytes_resent: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Losses found by duplicate acknowledgments, or by time.
    pub fast_retransmits: u64,
    /// Reductions of the window that were taken back.
    pub undone: u64,
    /// Reductions of the window by explicit notification.
    pub ecn_reductions: u64,
    /// Measurements of the round-trip time.
    pub rtt_samples: u64,
    /// Their sum in picoseconds, exact.
    pub rtt_sum: u128,
}

impl SenderCounters {
    /// The mean round-trip time of the measurements in seconds.
    pub fn rtt_mean(&self) -> Option<f64> {
        (self.rtt_samples > 0).then(|| self.rtt_sum as f64 * 1e-12 / self.rtt_samples as f64)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The SYN has to be sent.
    Closed,
    /// The SYN is on its way.
    SynSent,
    Established,
}

/// What becomes of room in the window for less than a full segment.
///
/// Where silly windows are not avoided it is as in INET 2.1:
///
/// 1. `TCPConnection::sendData` (`TCPConnectionUtil.cc`) sends full segments while they fit. Where not even one
///    fits it sends as much as does; what is left beside full ones stays, unless it is all that there is to send.
/// 2. `TCPNewReno` calls it once for an acknowledgment that advances, for the third duplicate and for each that
///    inflates the window; `TCPNewReno::receivedDataAck` calls it twice for a partial one, so that the second call
///    sends what the first has left.
/// 3. `TCPBaseAlg::sendData` asks for full segments alone where it is the application that writes and data are in
///    flight (Nagle's algorithm). Before 2.1 it did so with acknowledgments, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rest {
    /// It stays until it has grown to a full segment.
    Stays,
    /// It is used if no full segment is sent before.
    Alone,
    /// It is used after the full segments.
    Used,
}

/// The end that the data come from: first what each segment touches.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Sender {
    config: Arc<Config>,
    phase: Phase,
    /// Whether it is [in its normal state](Self::is_normal).
    normal: bool,
    rest: Rest,
    /// The application writes no more.
    closed: bool,
    /// An empty acknowledgment has to be sent.
    ack_due: bool,
    /// The next new data report that the window was reduced.
    cwr_due: bool,
    /// The timer has expired for the oldest octet.
    timer_resent: bool,
    /// The receiver's FIN has arrived.
    peer_closed: bool,
    /// Octets that the application has written.
    offered: u64,
    /// The end of the receiver's window.
    window_end: u64,
    /// When the retransmission timer expires, [`Time::NEVER`] while it is off.
    timer: Time,
    /// The instant to echo to the receiver.
    echo: Time,
    /// When data were sent last (`lsndtime` of Linux).
    sent_at: Time,
    /// The segment that is timed without timestamps: its end (zero for none) and its instant.
    timed_end: u64,
    timed_at: Time,
    /// Octets that arrived ahead of a gap while nothing was repaired: the window's growth counts them with
    /// the next acknowledgment that advances.
    uncounted: u64,
    /// Octets that limited transmit sent since the last acknowledgment that advanced.
    limited_transmitted: u64,
    congestion: Congestion,
    usage: Usage,
    rtt: Rtt,
    board: Scoreboard,
    recovery: Recovery,
    /// What spreads segments over the round-trip time, if that is so.
    pacer: Option<Box<Pacer>>,
    /// The delivery-rate samples, for a rule that models the path.
    delivery: Option<Box<Delivery>>,
    /// What it knows of circuits, where it heeds them.
    circuits: Option<Box<Circuits>>,
    counters: SenderCounters,
    /// The last reduction of the window concerns what lies below (RFC 3168 section 6.1.2).
    reduced_below: u64,
    /// What AccECN feedback has told so far (RFC 9768).
    marks: Marks,
    lost_syns: u8,
    /// Whether the short way is closed, to compare it with that of all segments.
    #[cfg(test)]
    takes_long_way: bool,
}

impl Sender {
    /// An idle sender. With a handshake its first segment is the SYN, whether or not there are data.
    pub fn new(config: Arc<Config>) -> Self {
        let mut recovery = Recovery::new(&config.recovery, config.recovery_terms());
        let delivery = config.congestion.models_path().then(|| {
            let time = recovery.by_time_mut().expect("a rule that models the path needs it");
            time.keep_news();
            Box::default()
        });
        let sender = Self {
            board: Scoreboard::default(),
            offered: 0,
            window_end: config.first_receive_window(),
            timer: Time::NEVER,
            congestion: Congestion::new(
                &config.congestion,
                &config.slow_start,
                &config.window_sizes(),
            ),
            recovery,
            rtt: Rtt::new(&config),
            timed_end: 0,
            timed_at: Time::ZERO,
            usage: Usage::new(config.window_validation),
            sent_at: Time::NEVER,
            pacer: config.pacing.then(|| Box::new(Pacer::new())),
            delivery,
            reduced_below: 0,
            uncounted: 0,
            limited_transmitted: 0,
            marks: Marks::default(),
            echo: Time::NEVER,
            phase: if config.handshake { Phase::Closed } else { Phase::Established },
            normal: false,
            rest: Rest::Stays,
            circuits: None,
            closed: false,
            peer_closed: false,
            ack_due: false,
            cwr_due: false,
            timer_resent: false,
            lost_syns: 0,
            counters: SenderCounters::default(),
            #[cfg(test)]
            takes_long_way: false,
            config,
        };
        let mut sender = sender.heeding_circuits();
        sender.normal = sender.is_normal();
        sender
    }

    /// The same where a full packet takes `packet_time` on the sender's link: what
    /// [`TcpOptions::rto_margin`](crate::TcpOptions::rto_margin) is counted in.
    #[must_use]
    pub fn with_packet_time(mut self, packet_time: Span) -> Self {
        self.rtt.set_packet_time(packet_time, &self.config);
        self
    }

    /// The same with a stream of random numbers, for a window rule that draws by chance.
    #[must_use]
    pub fn with_stream(mut self, stream: Stream) -> Self {
        self.draw_elsewhere(&stream);
        self.congestion.draw_from(stream);
        self
    }

    /// The application writes `bytes` octets; [`u64::MAX`] never ends.
    pub fn offer(&mut self, now: Time, bytes: u64) {
        debug_assert!(!self.closed, "nothing is written after the end");
        self.check_app_limited();
        self.offered = self.offered.saturating_add(bytes);
        if self.board.flight() == 0 {
            self.shrink_unused_window(now);
            self.shrink_idle_window(now);
        }
    }

    /// The application writes no more: a FIN follows the last octet (see
    /// [`TcpOptions::release`](crate::TcpOptions::release)).
    pub fn close(&mut self, _now: Time) {
        self.closed = true;
    }

    /// The application takes back what has not been sent for the first time, and writes no more; says how
    /// many octets remain.
    pub fn withdraw(&mut self, now: Time) -> u64 {
        if !self.closed || self.board.high() < self.offered {
            self.offered = self.sent_once();
            self.close(now);
        }
        self.offered
    }

    /// Why its window rule cannot go on, if so: only a program fails.
    #[inline]
    pub fn fault(&self) -> Option<&Fault> {
        self.congestion.fault()
    }

    /// The congestion window in octets, without what Reno and NewReno inflate it by in recovery.
    pub fn cwnd(&self) -> u64 {
        self.congestion.cwnd()
    }

    /// The most that the congestion window counts for, in octets; [`u64::MAX`] without a limit.
    pub fn max_window(&self) -> u64 {
        self.config.max_window.0
    }

    /// The slow start threshold in octets, [`u64::MAX`] without a limit.
    pub fn ssthresh(&self) -> u64 {
        self.congestion.ssthresh()
    }

    /// The window rule.
    #[cfg(test)]
    pub(in crate::tcp) fn congestion(&self) -> &Congestion {
        &self.congestion
    }

    /// The smoothed round-trip time; none before the first measurement.
    pub fn srtt(&self) -> Option<Span> {
        self.rtt.srtt()
    }

    /// The retransmission timeout with its back-off.
    pub fn rto(&self) -> Span {
        let here = self.rtt.rto(&self.config);
        self.elsewhere_rtt().map_or(here, |rtt| rtt.rto(&self.config).max(here))
    }

    /// Octets sent and not acknowledged, a FIN included.
    pub fn flight(&self) -> u64 {
        self.board.flight()
    }

    /// Octets acknowledged without a gap.
    pub fn acked(&self) -> u64 {
        self.board.una().min(self.offered)
    }

    /// Octets sent at least once.
    pub fn sent_once(&self) -> u64 {
        self.board.high().min(self.offered)
    }

    /// Whether a fast recovery is in progress.
    pub fn is_recovering(&self) -> bool {
        self.recovery.is_active()
    }

    /// Whether the application has ended and all data and the FIN are acknowledged.
    pub fn is_finished(&self) -> bool {
        self.closed && self.phase == Phase::Established && self.board.una() == self.end()
    }

    /// What it has done so far.
    pub fn counters(&self) -> &SenderCounters {
        &self.counters
    }

    /// The earliest deadline; none while nothing is awaited.
    #[inline]
    pub fn next_timeout(&self) -> Option<Time> {
        let paced = self.pacer.as_ref().map_or(Time::NEVER, |pacer| pacer.deadline());
        let looks = self.recovery.by_time().map_or(Time::NEVER, Detector::deadline);
        let deadline = self.timer.min(paced).min(looks);
        (deadline != Time::NEVER).then_some(deadline)
    }

    /// A deadline has passed. A call without one does nothing.
    pub fn on_timeout(&mut self, now: Time) {
        if let Some(pacer) = &mut self.pacer {
            pacer.release(now);
        }
        self.check_app_limited();
        self.on_deadline(now);
        self.book_losses(now);
        self.normal = self.is_normal();
    }

    fn on_deadline(&mut self, now: Time) {
        if self.recovery.by_time().is_some_and(|time| time.is_due(now)) {
            self.find_lost(now);
        }
        if self.recovery.by_time_mut().is_some_and(|time| time.probe_expires(now)) {
            self.timer = now.saturating_add(self.rto());
        }
        if now < self.timer {
            return;
        }
        self.counters.timeouts += 1;
        self.rtt.back_off(&self.config);
        self.timed_end = 0;
        self.timer = now.saturating_add(self.rto());
        if self.phase == Phase::SynSent {
            self.phase = Phase::Closed;
            self.lost_syns = self.lost_syns.saturating_add(1);
            return;
        }
        let repeated = self.timer_resent && self.config.ssthresh_from == SsthreshFrom::Flight;
        self.timer_resent = true;
        // After a timeout only what was sent since then is in flight (RFC 5681's FlightSize, with
        // what is deemed lost left out).
        let flight = if self.recovery.goes_back(&self.board) {
            self.recovery.pipe(&self.board)
        } else {
            self.flight_size()
        };
        if !self.is_repairing() {
            self.keep_window(true);
        }
        self.reduce(now, if repeated { Signal::RepeatedTimeout } else { Signal::Timeout }, flight);
        self.recovery.on_timeout(&mut self.board, now, self.rtt.srtt());
        if self.delivery.is_some() {
            self.book_losses(now);
            self.congestion.on_timed_out(self.recovery.in_flight(&self.board));
        }
    }

    /// Whether a recovery, or what a timeout began, is in progress.
    pub(super) fn is_repairing(&self) -> bool {
        self.recovery.repairs(&self.board)
    }

    /// Looks for what is lost by now, and does what follows.
    fn find_lost(&mut self, now: Time) {
        match self.recovery.find_lost(&self.board, now, self.rtt.srtt()) {
            Found::Nothing => {}
            Found::Loss => self.fast_retransmit(now),
            Found::LossAgain => self.reduce(now, Signal::Loss, self.flight_size()),
        }
        self.reduce_elsewhere(now);
    }

    /// Remembers the window before it is reduced, for a timeout or another loss.
    fn keep_window(&mut self, by_timeout: bool) {
        let (congestion, reduced_below) = (&self.congestion, self.reduced_below);
        let before = || Before { congestion: congestion.clone(), reduced_below };
        self.recovery.keep(before);
        if by_timeout {
            self.recovery.try_f_rto(before);
        }
    }

    /// Notifies recovery that nothing more is sent until an answer arrives or a timer expires.
    fn await_answer(&mut self, now: Time) {
        if self.recovery.by_time().is_some()
            && let Some(srtt) = self.slower_srtt()
        {
            let rto_at = self.timer;
            self.recovery.on_quiet(&self.board, &Quiet { now, srtt, rto_at });
        }
    }

    /// The number after the last octet, the FIN included.
    fn end(&self) -> u64 {
        self.offered.saturating_add(u64::from(self.closed && self.config.release))
    }

    /// The data in flight as RFC 5681 wants them for ssthresh: without what limited transmit added
    /// (section 3.2 step 2), and at most cwnd. During a recovery more is out: the segments that have left the
    /// network, as duplicates or selective acknowledgments tell, are unacknowledged still, and others were sent
    /// in their place. Of a flight that counts both, a timeout would set ssthresh to more than cwnd.
    fn flight_size(&self) -> u64 {
        (self.board.flight() - self.limited_transmitted).min(self.congestion.cwnd())
    }

    fn reduce(&mut self, now: Time, signal: Signal, flight: u64) {
        let basis = match self.config.ssthresh_from {
            SsthreshFrom::Flight => flight,
            SsthreshFrom::Window => self.congestion.cwnd().min(self.config.max_window.0),
            SsthreshFrom::Cwnd => {
                let most = self.config.max_window.min(self.config.receive_window);
                self.recovery.basis(self.congestion.cwnd()).min(most.0)
            }
        };
        self.congestion.on_loss(&Congested { now, signal, basis });
        self.uncounted = 0;
        self.reduced_below = self.board.high();
        self.cwr_due = self.config.ecn && self.config.ecn_feedback != EcnFeedback::Accurate;
    }

    /// `tcp_cwnd_restart` of Linux.
    fn shrink_idle_window(&mut self, now: Time) {
        if !self.config.slow_start_after_idle || self.sent_at == Time::NEVER {
            return;
        }
        let (rto, initial) = (self.rto(), self.config.initial_window.0);
        let mut idle = now.since(self.sent_at).saturating_sub(rto);
        while idle > Span::ZERO && self.congestion.cwnd() > initial {
            self.congestion.on_unused(initial);
            idle = idle.saturating_sub(rto);
        }
    }

    fn shrink_unused_window(&mut self, now: Time) {
        if self.usage.has_expired(now, self.congestion.cwnd()) {
            self.congestion.on_unused(self.config.initial_window.0);
        }
    }
}
