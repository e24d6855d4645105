//! Loss detection and retransmission: fast retransmit and recovery of each kind.
//!
//! A recovery is made of three parts. `detection` finds losses: by duplicate acknowledgments, by selective ones, or by
//! time. `repair` has the hooks in which kinds differ: what happens when a loss is detected (`enter`), when an
//! acknowledgment advances during recovery (`on_partial`), and with which window. `undo` finds that a reduction was
//! spurious. The state is the same for all kinds, and the `facts` of a kind choose the parts. `congestion` determines
//! how far the window is reduced. To add a kind, write its file and its line below; `tahoe` is the shortest example.
//!
//! After a timeout all kinds go back to the oldest hole and retransmit, in slow start, what is not known
//! to have arrived. Until that is acknowledged, duplicate acknowledgments cause no fast retransmit: they
//! may be caused by data sent twice (RFC 6582 section 3.2 step 1, the careful variant; ns-2's `bugFix_`;
//! RFC 6675 section 5.1).

mod detection;
mod facts;
mod prr;
mod repair;
mod state;
mod undo;

use units::{Span, Time};

use detection::Detection;
use facts::{Facts, Means};
use prr::Prr;
use repair::Repair;
use undo::{Undo, Verdict};

use crate::segment::Segment;
use crate::tcp::congestion::Signal;
use crate::tcp::scoreboard::Scoreboard;

pub(crate) use detection::Detector;
pub(crate) use prr::Arrived;
pub(crate) use state::{Before, Choice, Found, Noted, Progress, Quiet, State, Terms};

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
    #[inline]
    fn facts(&self) -> Facts {
        with_options!(self, Kind, options => Kind::facts(options))
    }

    /// Whether it has selective acknowledgments.
    #[inline]
    pub fn has_sack(&self) -> bool {
        self.facts().detects_by != Means::Duplicates
    }

    /// Whether the receiver reports duplicates to it (RFC 2883).
    #[inline]
    pub fn has_reports(&self) -> bool {
        self.facts().has_reports
    }

    /// Whether losses are detected by time, so that more than the window may be out, and each segment is known.
    pub fn detects_by_time(&self) -> bool {
        self.facts().detects_by == Means::Time
    }

    /// Whether a reduced window is approached in proportion (RFC 9937).
    pub(crate) fn has_prr(&self) -> bool {
        self.facts().has_prr
    }

    /// Whether its window may become as large as its limits at once.
    pub fn leaps(&self) -> bool {
        self.facts().leaps
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
    /// Whether it takes notice of each segment, kept because every packet asks.
    tracks: bool,
    has_prr: bool,
    signal: Signal,
    detection: Detection,
    undo: Undo,
    repair: Any,
}

impl Recovery {
    pub(crate) fn new(options: &Options, terms: Terms) -> Self {
        let facts = options.facts();
        let detection = Detection::new(facts);
        let by_time = detection.by_time().is_some();
        let undo = Undo::new(facts, &terms, by_time);
        Self {
            state: State::new(terms),
            tracks: by_time || undo.tracks(),
            has_prr: facts.has_prr,
            signal: facts.signal,
            detection,
            undo,
            repair: with_options!(options, Kind, options => Kind::new(options).into()),
        }
    }

    /// The state of another network, with which the present one takes turns from now on.
    pub(crate) fn split(&mut self) -> State {
        if let Some(time) = self.by_time_mut() {
            time.split();
        }
        State::new(self.state.terms)
    }

    /// The `other` network is now the present one. What was begun is not undone after that, and a reduction in
    /// proportion is over.
    pub(crate) fn change_network(&mut self, other: &mut State) {
        (self.state.head_due, self.state.prr) = (false, None);
        std::mem::swap(&mut self.state, other);
        if let Some(time) = self.by_time_mut() {
            time.change_network();
        }
        self.forget();
    }

    /// Whether a loss of the other network asks for a reduction of its window, once. The first hole is sent again at
    /// once, as in a fast retransmit.
    pub(crate) fn take_elsewhere_lost(&mut self) -> bool {
        let asks = self.by_time_mut().is_some_and(Detector::take_elsewhere_lost);
        self.state.head_due |= asks;
        asks
    }

    /// What is known of each segment, where losses are detected by time.
    #[inline]
    pub(crate) fn by_time(&self) -> Option<&Detector> {
        self.detection.by_time()
    }

    /// What is known of each segment, where losses are detected by time.
    #[inline]
    pub(crate) fn by_time_mut(&mut self) -> Option<&mut Detector> {
        self.detection.by_time_mut()
    }

    /// Whether nothing is missing or repaired, and it takes notice of no more than that an acknowledgment advances.
    pub(crate) fn is_normal(&self, board: &Scoreboard) -> bool {
        let is_plain = !self.tracks && !self.undo.doubts_timeout();
        is_plain && self.state.is_normal(board) && board.is_in_order()
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

    /// Whether there are selective acknowledgments.
    #[inline]
    pub(crate) fn has_sack(&self) -> bool {
        self.detection.has_sack()
    }

    /// The signal of a loss to the window rule.
    pub(crate) fn signal(&self) -> Signal {
        self.signal
    }

    /// Whether duplicate acknowledgments are pending that have not led to a recovery.
    pub(crate) fn counts_duplicates(&self) -> bool {
        self.state.counts_duplicates()
    }

    /// Duplicate acknowledgments since the last that advanced.
    pub(crate) fn duplicates(&self) -> u32 {
        self.state.dup_acks
    }

    /// Octets that are deemed lost and have not arrived, sent again or not, and those sent again that are
    /// deemed to be in the network.
    pub(crate) fn lost_and_resent(&self, board: &Scoreboard) -> (u64, u64) {
        self.detection.lost_and_resent(board)
    }

    /// A duplicate acknowledgment arrived; whether it shows a loss, so that [`Self::enter`] must
    /// follow.
    pub(crate) fn on_duplicate(&mut self, board: &Scoreboard) -> bool {
        let Self { state, repair, .. } = self;
        state.dup_acks = state.dup_acks.saturating_add(1);
        if state.active {
            with!(repair, repair => repair.on_duplicate(state));
            return false;
        }
        self.detection.shows_loss(state, board) && state.allows(board)
    }

    /// Fast retransmit: the window has been reduced.
    pub(crate) fn enter(&mut self, board: &mut Scoreboard) {
        self.undo.stop_f_rto();
        let Self { state, repair, .. } = self;
        state.recover = board.high();
        with!(repair, repair => repair.enter(state, board));
        if let Some(time) = self.detection.by_time_mut() {
            time.on_recovery();
        }
        self.reduce_in_proportion(board);
    }

    /// The window was reduced: it is approached in proportion, if that is its option (RFC 9937).
    pub(crate) fn reduce_in_proportion(&mut self, board: &Scoreboard) {
        if self.has_prr {
            let (outstanding, in_flight) = (board.flight() - board.sacked(), self.in_flight(board));
            let prr = Prr::new(outstanding, in_flight, board.high(), self.detection.losses(board));
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
        let (in_flight, losses) = (self.in_flight(board), self.detection.losses(board));
        let State { prr, terms, active, .. } = &mut self.state;
        let Some(reduction) = prr else { return };
        if !*active && board.una() >= reduction.end() {
            *prr = None;
        } else {
            reduction.on_booked(arrived, board.flight() - board.sacked());
            reduction.on_ack(arrived, in_flight, losses, terms.segment);
        }
    }

    /// An acknowledgment advanced by `acked` octets.
    pub(crate) fn on_acked(&mut self, acked: u64, board: &Scoreboard) -> Progress {
        let Self { state, repair, .. } = self;
        state.dup_acks = 0;
        if !state.active {
            return Progress::None;
        }
        if board.una() >= state.recover {
            state.leave();
            return Progress::Over;
        }
        with!(repair, repair => repair.on_partial(state, acked))
    }

    /// The maximum window after a recovery.
    pub(crate) fn most_at_exit(&self, board: &Scoreboard) -> Option<u64> {
        with!(&self.repair, repair => repair.most_at_exit(&self.state, board))
    }

    /// The retransmission timer expired.
    pub(crate) fn on_timeout(&mut self, board: &mut Scoreboard, now: Time, srtt: Option<Span>) {
        let Self { state, detection, .. } = self;
        let repairs = state.repairs(board);
        state.leave();
        state.go_back(board);
        // RFC 6675 section 5.1 waits for HighACK >= RecoveryPoint; what it calls a duplicate
        // carries news, so it needs no more care.
        state.guard = board.high() + u64::from(!detection.has_sack());
        if let Some(time) = detection.by_time_mut() {
            time.on_timeout(now, time.reordering_window(repairs, state.terms.dup_acks, srtt));
            // Segments not deemed lost may fill the window; the oldest is retransmitted nevertheless.
            state.head_due = true;
        }
        self.undo.on_timeout(board.high());
    }

    /// The retransmission timer is about to reduce the window: if no loss is being repaired, F-RTO may find that it
    /// was spurious.
    pub(crate) fn try_f_rto(&mut self, before: impl FnOnce() -> Before) {
        self.undo.try_f_rto(before);
    }

    /// An acknowledgment has come; returns the state to restore if a timeout was spurious. Then there was no loss.
    #[inline]
    pub(crate) fn detect_spurious_timeout(
        &mut self,
        board: &mut Scoreboard,
        advances: bool,
    ) -> Option<Before> {
        if !self.undo.doubts_timeout() {
            return None;
        }
        match self.undo.on_ack(board, advances, self.has_sack()) {
            Verdict::Open => None,
            Verdict::Loss => {
                self.state.go_back(board);
                None
            }
            Verdict::Spurious(trial) => {
                self.state.stop();
                board.lose_nothing();
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
        let before = self.undo.on_echo(echo)?;
        self.state.stop();
        board.lose_nothing();
        if let Some(time) = self.by_time_mut() {
            time.lose_nothing();
        }
        Some(before)
    }

    /// Whether what an acknowledgment brings may show that a reduction was spurious.
    #[inline]
    pub(crate) fn may_be_spurious(&self) -> bool {
        self.undo.is_open()
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
            return with!(&self.repair, repair => repair.window(state, cwnd));
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
        with!(&self.repair, repair => repair.basis(&self.state, cwnd))
    }

    /// Octets deemed to be in the network.
    pub(crate) fn pipe(&self, board: &Scoreboard) -> u64 {
        self.detection.pipe(board)
    }

    /// The octets in flight that the window is compared with.
    #[inline]
    pub(crate) fn in_flight(&self, board: &Scoreboard) -> u64 {
        self.detection.in_flight(&self.state, board)
    }

    /// Whether some octets are deemed lost that were not sent again.
    pub(crate) fn has_lost(&self, board: &Scoreboard) -> bool {
        self.detection.has_lost(board)
    }

    /// The oldest hole, where it is to be sent at once.
    #[inline]
    pub(crate) fn take_head(&mut self, board: &Scoreboard) -> Option<Choice> {
        if !self.state.head_due {
            return None;
        }
        self.state.head_due = false;
        self.detection.head(board)
    }

    /// Whether new data are to show if a timeout was spurious.
    #[inline]
    pub(crate) fn probes(&self) -> bool {
        self.undo.probes()
    }

    /// What to send when the window allows a segment; `has_new` says whether there are new data, where it
    /// [probes](Self::probes).
    #[inline]
    pub(crate) fn choose(&mut self, board: &Scoreboard, has_new: bool) -> Choice {
        if self.undo.probes() {
            if has_new {
                return Choice::New;
            }
            self.undo.stop_f_rto();
        }
        self.detection.choose(&self.state, board)
    }

    /// What to send when the window allows a segment and there are no new data.
    pub(crate) fn choose_without_new(&mut self, board: &Scoreboard) -> Option<Choice> {
        with!(&mut self.repair, repair => repair.choose_without_new(&self.state, board))
    }

    /// `start .. end` was sent, for the first time or again.
    #[inline]
    pub(crate) fn on_sent(&mut self, now: Time, octets: (u64, u64), resent: bool) {
        if let Some(prr) = &mut self.state.prr {
            prr.on_sent(octets.1 - octets.0);
        }
        if self.tracks {
            self.track(now, octets, resent);
        }
    }

    fn track(&mut self, now: Time, (start, end): (u64, u64), resent: bool) {
        if let Some(time) = self.detection.by_time_mut() {
            if resent {
                time.resend(start, now);
            } else {
                time.send(start, end, now);
            }
        }
        if resent {
            self.undo.on_resent(start, now);
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
        self.detection.on_arrivals(&self.state, board, now, segment)
    }

    /// Detects what is lost by now, where that is a question of time.
    #[inline]
    pub(crate) fn find_lost(&mut self, board: &Scoreboard, now: Time, srtt: Option<Span>) -> Found {
        let Some(time) = self.detection.by_time_mut() else { return Found::Nothing };
        let repairs = self.state.repairs(board);
        let window = time.reordering_window(repairs, self.state.terms.dup_acks, srtt);
        let Some(transmission) = time.find_lost(now, window) else { return Found::Nothing };
        if repairs {
            let again = time.reduces_again(transmission);
            if again && !self.has_prr { Found::LossAgain } else { Found::Nothing }
        } else if self.state.allows(board) {
            Found::Loss
        } else {
            Found::Nothing
        }
    }

    /// Restarts the timer of a probe, or stops it if no probe is needed.
    #[inline]
    pub(crate) fn on_quiet(&mut self, board: &Scoreboard, quiet: &Quiet) {
        if let Some(time) = self.detection.by_time_mut() {
            time.on_quiet(&self.state, board, quiet);
        }
    }

    /// The window is about to be reduced for a loss.
    pub(crate) fn keep(&mut self, before: impl FnOnce() -> Before) {
        let probe = self.by_time().and_then(Detector::probed);
        self.undo.keep(before, probe);
    }

    /// Something other than a loss showed congestion.
    pub(crate) fn forget(&mut self) {
        self.undo.forget();
    }

    /// The receiver reports the segment that begins with `start` as a duplicate; returns the state to
    /// restore if the reduction was spurious. Then there was no loss.
    pub(crate) fn on_report(&mut self, board: &Scoreboard, start: u64) -> Option<Before> {
        if let Some(time) = self.detection.by_time_mut() {
            time.on_duplicate(board.una(), board.high());
        }
        let before = self.undo.on_report(start, self.detection.has_lost(board))?;
        self.state.stop();
        Some(before)
    }
}
