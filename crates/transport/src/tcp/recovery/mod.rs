//! Loss detection and retransmission: fast retransmit and recovery of each kind.
//!
//! The state is the same for all kinds; the file of each defines what it does when a loss is detected
//! (`enter`), when an acknowledgment advances during recovery (`on_partial`), and which segment it
//! retransmits. `congestion` determines how far the window is reduced. To add a kind, write its file and
//! its line below; `tahoe` is the shortest example, `rule` has the hooks.
//!
//! After a timeout all kinds go back to the oldest hole and retransmit, in slow start, what is not known
//! to have arrived. Until that is acknowledged, duplicate acknowledgments cause no fast retransmit: they
//! may be caused by data sent twice (RFC 6582 section 3.2 step 1, the careful variant; ns-2's `bugFix_`;
//! RFC 6675 section 5.1).

mod f_rto;
mod prr;
mod rule;
mod state;
mod undo;

use units::{Span, Time};

use f_rto::{FRto, Verdict};
use prr::Prr;
use rule::Rule;
use state::State;

use crate::segment::Segment;
use crate::tcp::congestion::Signal;
use crate::tcp::scoreboard::Scoreboard;

pub(crate) use prr::Arrived;
pub(crate) use state::{Before, Choice, Found, News, Noted, Progress, Quiet, Terms};

kinds::kinds! {
    /// How losses are detected and repaired: a name, or a table with options.
    "Recovery";
    mod tahoe; use Tahoe as "tahoe";
    mod reno; use Reno as "reno";
    mod newreno; use NewReno as "newreno";
    mod sack; use Sack as "sack";
    mod rack; use Rack as "rack";
}

impl Options {
    /// Whether it has selective acknowledgments.
    pub fn has_sack(&self) -> bool {
        with_options!(self, Kind, _options => Kind::has_sack())
    }

    /// Whether the receiver reports duplicates to it (RFC 2883).
    pub fn has_reports(&self) -> bool {
        with_options!(self, Kind, options => Kind::has_reports(options))
    }

    /// Whether it undoes reductions by what acknowledgments echo.
    fn has_eifel(&self) -> bool {
        with_options!(self, Kind, options => Kind::has_eifel(options))
    }

    /// Whether it waits before it deems a segment lost, so that more than the window may be out.
    pub fn waits(&self) -> bool {
        with_options!(self, Kind, _options => Kind::waits())
    }

    /// Whether its window may become as large as its limits at once.
    pub fn leaps(&self) -> bool {
        with_options!(self, Kind, options => Kind::leaps(options))
    }

    /// The options, with those of the profile where they are left out.
    pub(crate) fn complete(&self, profile: &[Self]) -> Self {
        let mut complete = self.clone();
        with_options!(&mut complete, Kind, given => {
            kinds::option::complete(given, profile, Kind::complete);
        });
        complete
    }
}

/// The loss recovery of a connection.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct Recovery {
    state: State,
    rule: Any,
    /// Whether the rule waits, kept because every packet checks it: the hooks of time are only for such rules.
    waits: bool,
    /// The same, or it is told of duplicates, or has Eifel.
    tracks: bool,
    has_eifel: bool,
    f_rto: FRto,
    /// The state of another network, with which the present one takes turns (time-division TCP).
    other: Option<Box<State>>,
}

impl Recovery {
    pub(crate) fn new(options: &Options, terms: Terms) -> Self {
        let waits = options.waits();
        let has_eifel = options.has_eifel() && terms.timestamps;
        let tracks = waits || options.has_reports() || has_eifel;
        let f_rto = FRto::new(terms.f_rto && !waits);
        Self {
            state: State::new(terms),
            rule: with_options!(options, Kind, options => Kind::new(options).into()),
            waits,
            tracks,
            has_eifel,
            f_rto,
            other: None,
        }
    }

    /// From now on two networks take turns, each with a state of its own.
    pub(crate) fn split(&mut self) {
        self.other = Some(Box::new(State::new(self.state.terms)));
        with!(&mut self.rule, rule => rule.split());
    }

    /// The other network is now the present one. What was begun is not undone after that, and a reduction in proportion
    /// is over.
    pub(crate) fn change_network(&mut self) {
        let Some(other) = &mut self.other else { return };
        (self.state.head_due, self.state.prr) = (false, None);
        std::mem::swap(&mut self.state, other);
        with!(&mut self.rule, rule => rule.change_network());
        self.forget();
    }

    /// Whether a loss of the other network asks for a reduction of its window, once. The first hole is sent again at
    /// once, as in a fast retransmit.
    pub(crate) fn take_elsewhere_lost(&mut self) -> bool {
        let asks = with!(&mut self.rule, rule => rule.take_elsewhere_lost());
        self.state.head_due |= asks;
        asks
    }

    /// Octets that have arrived of what was sent in the other network, each once.
    pub(crate) fn take_elsewhere_arrived(&mut self) -> u64 {
        with!(&mut self.rule, rule => rule.take_elsewhere_arrived())
    }

    /// Whether nothing is missing or repaired, and the rule wants to know no more than that an acknowledgment advances.
    pub(crate) fn is_normal(&self, board: &Scoreboard) -> bool {
        !self.tracks && !self.f_rto.is_on() && self.state.is_normal(board) && board.is_in_order()
    }

    pub(crate) fn is_active(&self) -> bool {
        self.state.active
    }

    /// Whether data are being sent again by going back.
    pub(crate) fn goes_back(&self, board: &Scoreboard) -> bool {
        self.state.goes_back(board)
    }

    /// Whether a recovery, or the retransmission after a timeout, is in progress.
    pub(crate) fn repairs(&self, board: &Scoreboard) -> bool {
        self.state.repairs(board)
    }

    fn has_sack(&self) -> bool {
        with!(&self.rule, Kind, _rule => Kind::has_sack())
    }

    /// The signal of a loss to the window rule.
    pub(crate) fn signal(&self) -> Signal {
        with!(&self.rule, Kind, _rule => Kind::signal())
    }

    /// Whether it waits before it deems a segment lost, so that more than the window may be out.
    pub(crate) fn waits(&self) -> bool {
        self.waits
    }

    /// Whether duplicate acknowledgments are pending that have not led to a recovery.
    pub(crate) fn counts_duplicates(&self) -> bool {
        self.state.counts_duplicates()
    }

    /// The round-trip time of what the last acknowledgment brought and was sent once, where each segment is known.
    pub(crate) fn last_rtt(&self) -> Option<Span> {
        with!(&self.rule, rule => rule.last_rtt())
    }

    /// Duplicate acknowledgments since the last that advanced.
    pub(crate) fn duplicates(&self) -> u32 {
        self.state.dup_acks
    }

    /// Octets that are deemed lost and have not arrived, sent again or not, and those sent again that are
    /// deemed to be in the network.
    pub(crate) fn lost_and_resent(&self, board: &Scoreboard) -> (u64, u64) {
        with!(&self.rule, rule => rule.lost_and_resent(board))
    }

    /// A duplicate acknowledgment arrived; whether it shows a loss, so that [`Self::enter`] must
    /// follow.
    pub(crate) fn on_duplicate(&mut self, board: &Scoreboard) -> bool {
        let Self { state, rule, .. } = self;
        state.dup_acks = state.dup_acks.saturating_add(1);
        if state.active {
            with!(rule, rule => rule.on_duplicate(state));
            return false;
        }
        with!(rule, rule => rule.shows_loss(state, board)) && state.allows(board)
    }

    /// Fast retransmit: the window has been reduced.
    pub(crate) fn enter(&mut self, board: &mut Scoreboard) {
        self.f_rto.stop();
        let Self { state, rule, .. } = self;
        state.recover = board.high();
        with!(rule, rule => rule.enter(state, board));
        self.reduce_in_proportion(board);
    }

    /// The window was reduced: it is approached in proportion, if the rule does so (RFC 9937).
    pub(crate) fn reduce_in_proportion(&mut self, board: &Scoreboard) {
        if with!(&self.rule, rule => rule.has_prr()) {
            let (outstanding, in_flight) = (board.flight() - board.sacked(), self.in_flight(board));
            let prr = Prr::new(outstanding, in_flight, board.high(), self.losses(board));
            self.state.prr = Some(Box::new(prr));
        }
    }

    /// Whether a window is being approached in proportion.
    #[inline]
    pub(crate) fn reduces(&self) -> bool {
        self.state.prr.is_some()
    }

    /// An acknowledgment has come, which is not booked.
    #[inline]
    pub(crate) fn on_next_ack(&mut self) {
        if let Some(prr) = &mut self.state.prr {
            prr.on_next_ack();
        }
    }

    /// An acknowledgment is booked while the window is approached in proportion.
    pub(crate) fn on_arrived(&mut self, board: &Scoreboard, arrived: &Arrived) {
        let (in_flight, losses) = (self.in_flight(board), self.losses(board));
        let State { prr, terms, active, .. } = &mut self.state;
        let Some(reduction) = prr else { return };
        if !*active && board.una() >= reduction.end() {
            *prr = None;
        } else {
            reduction.on_booked(arrived, board.flight() - board.sacked());
            reduction.on_ack(arrived, in_flight, losses, terms.segment);
        }
    }

    /// A number that grows with each loss that is found.
    fn losses(&self, board: &Scoreboard) -> u64 {
        with!(&self.rule, rule => rule.losses(board))
    }

    /// An acknowledgment advanced by `acked` octets.
    pub(crate) fn on_acked(&mut self, acked: u64, board: &Scoreboard) -> Progress {
        let Self { state, rule, .. } = self;
        state.dup_acks = 0;
        if !state.active {
            return Progress::None;
        }
        if board.una() >= state.recover {
            state.leave();
            return Progress::Over;
        }
        with!(rule, rule => rule.on_partial(state, acked))
    }

    /// The maximum window after a recovery.
    pub(crate) fn most_at_exit(&self, board: &Scoreboard) -> Option<u64> {
        with!(&self.rule, rule => rule.most_at_exit(&self.state, board))
    }

    /// The retransmission timer expired.
    pub(crate) fn on_timeout(&mut self, board: &mut Scoreboard, now: Time, srtt: Option<Span>) {
        let Self { state, rule, .. } = self;
        let repairs = state.repairs(board);
        state.leave();
        state.go_back(board);
        // RFC 6675 section 5.1 waits for HighACK >= RecoveryPoint; what it calls a duplicate
        // carries news, so it needs no more care.
        state.guard = board.high() + u64::from(!with!(&*rule, Kind, _rule => Kind::has_sack()));
        with!(rule, rule => rule.on_timeout(state, now, srtt, repairs));
        self.f_rto.on_timeout(board.high());
    }

    /// The retransmission timer is about to reduce the window: if no loss is being repaired, F-RTO may find that it
    /// was spurious.
    pub(crate) fn try_f_rto(&mut self, before: impl FnOnce() -> Before) {
        self.f_rto.begin(before);
    }

    /// An acknowledgment has come; returns the state to restore if a timeout was spurious. Then there was no loss.
    #[inline]
    pub(crate) fn detect_spurious_timeout(
        &mut self,
        board: &mut Scoreboard,
        advances: bool,
    ) -> Option<Before> {
        if !self.f_rto.is_on() {
            return None;
        }
        match self.f_rto.on_ack(board, advances, self.has_sack()) {
            Verdict::Open => None,
            Verdict::Loss => {
                self.state.go_back(board);
                None
            }
            Verdict::Spurious(trial) => {
                self.state.stop();
                board.lose_nothing();
                with!(&mut self.rule, rule => rule.forget());
                Some(trial.before)
            }
        }
    }

    /// An acknowledgment advances that echoes this instant; returns the state to restore if a reduction was spurious.
    /// Then there was no loss.
    #[inline]
    pub(crate) fn detect_spurious_resend(
        &mut self,
        board: &mut Scoreboard,
        echo: Time,
    ) -> Option<Before> {
        if !self.has_eifel {
            return None;
        }
        let before = with!(&mut self.rule, rule => rule.on_echo(echo))?;
        self.f_rto.stop();
        self.state.stop();
        board.lose_nothing();
        Some(before)
    }

    /// Whether what an acknowledgment brings may show that a reduction was spurious.
    #[inline]
    pub(crate) fn may_be_spurious(&self) -> bool {
        self.has_eifel || self.f_rto.is_on()
    }

    /// The octets that the window rule's cwnd allows, and by which the window differs from it.
    #[inline]
    pub(crate) fn window(&self, cwnd: u64, board: &Scoreboard) -> u64 {
        let state = &self.state;
        if let Some(prr) = &state.prr {
            return prr.window();
        }
        if state.dup_acks == 0 && !state.active {
            return cwnd;
        }
        let terms = &state.terms;
        if state.active {
            return with!(&self.rule, rule => rule.window(state, cwnd));
        }
        // RFC 3042 section 2: new data, for the duplicates before the one that shows a loss.
        // With selective acknowledgments the pipe has made room already (RFC 6675 step 3).
        let limited = terms.limited_transmit
            && !self.has_sack()
            && state.dup_acks < terms.dup_acks
            && !state.goes_back(board);
        if limited { cwnd.saturating_add(u64::from(state.dup_acks) * terms.segment) } else { cwnd }
    }

    /// The window of which a loss takes a share, where the share is one of cwnd.
    pub(crate) fn basis(&self, cwnd: u64) -> u64 {
        with!(&self.rule, rule => rule.basis(&self.state, cwnd))
    }

    /// Octets deemed to be in the network.
    pub(crate) fn pipe(&self, board: &Scoreboard) -> u64 {
        with!(&self.rule, rule => rule.pipe(board))
    }

    /// The octets in flight that the window is compared with.
    #[inline]
    pub(crate) fn in_flight(&self, board: &Scoreboard) -> u64 {
        with!(&self.rule, rule => rule.in_flight(&self.state, board))
    }

    /// Whether lost segments wait to be sent again, where each is known.
    pub(crate) fn has_lost(&self) -> bool {
        with!(&self.rule, rule => rule.has_lost())
    }

    /// The oldest hole, where it is to be sent at once.
    #[inline]
    pub(crate) fn take_head(&mut self, board: &Scoreboard) -> Option<Choice> {
        if !self.state.head_due {
            return None;
        }
        self.state.head_due = false;
        with!(&mut self.rule, rule => rule.head(board))
    }

    /// Whether new data are to show if a timeout was spurious.
    #[inline]
    pub(crate) fn probes(&self) -> bool {
        self.f_rto.probes()
    }

    /// What to send when the window allows a segment; `has_new` says whether there are new data, where it
    /// [probes](Self::probes).
    #[inline]
    pub(crate) fn choose(&mut self, board: &Scoreboard, has_new: bool) -> Choice {
        if self.f_rto.probes() {
            if has_new {
                return Choice::New;
            }
            self.f_rto.stop();
        }
        with!(&mut self.rule, rule => rule.choose(&self.state, board))
    }

    /// What to send when the window allows a segment and there are no new data.
    pub(crate) fn choose_without_new(&mut self, board: &Scoreboard) -> Option<Choice> {
        with!(&mut self.rule, rule => rule.choose_without_new(&self.state, board))
    }

    /// `start .. end` was sent, for the first time or again.
    #[inline]
    pub(crate) fn on_sent(&mut self, now: Time, octets: (u64, u64), resent: bool) {
        if let Some(prr) = &mut self.state.prr {
            prr.on_sent(octets.1 - octets.0);
        }
        if self.tracks {
            with!(&mut self.rule, rule => rule.on_sent(now, octets, resent));
        }
    }

    /// Notes what an acknowledgment says to have arrived.
    #[inline]
    pub(crate) fn on_arrivals(
        &mut self,
        board: &mut Scoreboard,
        now: Time,
        segment: &Segment,
    ) -> Noted {
        with!(&mut self.rule, rule => rule.on_arrivals(&self.state, board, now, segment))
    }

    /// What has become of each segment is noted from now on.
    pub(crate) fn keep_news(&mut self) {
        with!(&mut self.rule, rule => rule.keep_news());
    }

    /// What has become of segments since it was emptied, where it is noted.
    pub(crate) fn news(&mut self) -> Option<&mut News> {
        with!(&mut self.rule, rule => rule.news())
    }

    /// The round-trip time was measured.
    #[inline]
    pub(crate) fn on_measured(&mut self, rtt: Span) {
        if self.waits {
            with!(&mut self.rule, rule => rule.on_measured(rtt));
        }
    }

    /// A recovery, or the retransmission after a timeout, has ended.
    pub(crate) fn on_over(&mut self) {
        with!(&mut self.rule, rule => rule.on_over());
    }

    /// Detects what is lost by now.
    #[inline]
    pub(crate) fn find_lost(&mut self, board: &Scoreboard, now: Time, srtt: Option<Span>) -> Found {
        with!(&mut self.rule, rule => rule.find_lost(&self.state, board, now, srtt))
    }

    /// The earliest deadline, [`Time::NEVER`] for none.
    #[inline]
    pub(crate) fn deadline(&self) -> Time {
        if self.waits { with!(&self.rule, rule => rule.deadline()) } else { Time::NEVER }
    }

    /// Whether it is time to detect losses again.
    pub(crate) fn is_due(&self, now: Time) -> bool {
        with!(&self.rule, rule => rule.is_due(now))
    }

    /// Whether the timer of a probe expires now.
    pub(crate) fn probe_expires(&mut self, now: Time) -> bool {
        with!(&mut self.rule, rule => rule.probe_expires(now))
    }

    /// Restarts the timer of a probe, or stops it if no probe is needed.
    #[inline]
    pub(crate) fn on_quiet(&mut self, board: &Scoreboard, quiet: &Quiet) {
        with!(&mut self.rule, rule => rule.on_quiet(&self.state, board, quiet));
    }

    /// The last segment, where a probe is to be sent now.
    #[inline]
    pub(crate) fn take_probe(&mut self) -> Option<(u64, u64)> {
        if self.waits { with!(&mut self.rule, rule => rule.take_probe()) } else { None }
    }

    /// A probe was sent, so everything below `end` has been sent. `repeats` is the first octet that it
    /// retransmitted, if it had no new data.
    pub(crate) fn on_probe(&mut self, end: u64, repeats: Option<u64>) {
        with!(&mut self.rule, rule => rule.on_probe(end, repeats));
    }

    /// The window is about to be reduced for a loss.
    pub(crate) fn keep(&mut self, before: impl FnOnce() -> Before) {
        with!(&mut self.rule, rule => rule.keep(before));
    }

    /// Something other than a loss showed congestion.
    pub(crate) fn forget(&mut self) {
        self.f_rto.stop();
        with!(&mut self.rule, rule => rule.forget());
    }

    /// The receiver reports the segment that begins with `start` as a duplicate; returns the state to
    /// restore if the reduction was spurious. Then there was no loss.
    pub(crate) fn on_report(&mut self, board: &Scoreboard, start: u64) -> Option<Before> {
        let before = with!(&mut self.rule, rule => rule.on_report(board, start))?;
        self.state.stop();
        Some(before)
    }
}
