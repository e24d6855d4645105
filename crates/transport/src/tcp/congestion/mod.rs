//! How much may be in flight: the congestion window and its rules.
//!
//! A rule receives events ([`Acked`], [`Delivered`], [`Congested`]) and computes cwnd and ssthresh. It knows
//! neither segments nor timers; `recovery` detects losses. To add a rule, write its file and its line below:
//! the scenario language, the reference and the conformance suite then include it. `reno` is the shortest
//! example; `rule` has the hooks.
//!
//! How slow start ends where no loss ends it is the window's, for all rules (`slow_start`).
//!
//! Not modelled: waiting for the timer when a notification meets a window of one segment (RFC 3168
//! section 6.1.2).

mod bbr;
mod delivered;
mod rule;
mod sample;
pub mod slow_start;
mod window;

#[cfg(test)]
mod conformance;

use extension::Fault;
use random::Stream;
use rule::Rule;
use units::Time;
use window::Window;

use crate::mistake::Mistakes;

pub use bbr::Pace;
pub use delivered::Delivered;
pub use sample::{Lost, RateSample, Start};
pub use window::{Acked, Congested, Ecn, Growth, Signal, Sizes};

kinds::kinds! {
    /// How the congestion window grows and shrinks: a name, or a table with options.
    "Congestion";
    mod reno; use Reno as "reno";
    mod cubic; use Cubic in Box as "cubic";
    mod maimd; use Maimd in Box as "maimd";
    mod dctcp; use Dctcp in Box as "dctcp";
    mod prague; use Prague in Box as "prague";
    mod compound; use Compound in Box as "compound";
    mod bbr3; use Bbr3 as "bbr3";
    mod bbr1; use Bbr1 as "bbr1";
    mod program; use Program in Box as "program";
}

/// Calls a hook of any rule that may change the window.
macro_rules! change {
    ($congestion:expr, $rule:ident => $call:expr) => {{
        let Congestion { rule, cwnd } = $congestion;
        with!(rule, $rule => {
            $call;
            *cwnd = $rule.window().whole_cwnd();
        });
    }};
}

impl Options {
    /// Whether it is a program without a text, which does what Reno does.
    pub fn is_empty_program(&self) -> bool {
        matches!(self, Self::Program(options) if options.source.trim().is_empty())
    }

    /// What the rule requires of explicit notification.
    pub fn ecn(&self) -> Ecn {
        with_options!(self, Kind, options => Kind::ecn(options))
    }

    /// Whether the rule models the path by delivery-rate samples.
    pub fn models_path(&self) -> bool {
        with_options!(self, Kind, _options => Kind::models_path())
    }

    /// Notes what is wrong with the options, beyond what the schema says.
    pub(crate) fn check(&self, found: &mut Mistakes) {
        with_options!(self, Kind, options => Kind::check(options, found));
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

/// The window rule of a connection.
#[derive(Clone, Debug)]
pub struct Congestion {
    rule: Any,
    /// The window in whole octets, which each packet asks for.
    cwnd: u64,
}

impl Congestion {
    /// A rule with its initial window.
    pub fn new(options: &Options, slow_start: &slow_start::Options, sizes: &Sizes) -> Self {
        let window = Window::new(sizes, slow_start);
        let rule: Any = with_options!(options, Kind, options => Kind::new(window, options).into());
        let cwnd = with!(&rule, rule => rule.window().whole_cwnd());
        Self { rule, cwnd }
    }

    /// New data were acknowledged.
    #[inline]
    pub fn on_ack(&mut self, acked: &Acked) {
        change!(self, rule => rule.on_ack(acked));
    }

    /// The network showed congestion.
    pub fn on_loss(&mut self, congested: &Congested) {
        change!(self, rule => rule.on_loss(congested));
    }

    /// Whether a notification at this instant is heeded.
    pub fn heeds(&self, now: Time) -> bool {
        with!(&self.rule, rule => rule.heeds(now))
    }

    /// An acknowledgment advanced; called before everything else that follows from it.
    #[inline]
    pub fn on_delivered(&mut self, delivered: &Delivered) {
        change!(self, rule => {
            rule.window_mut().on_delivered(delivered);
            rule.on_delivered(delivered);
        });
    }

    /// The rate of a paced connection, as a multiple of cwnd/SRTT.
    #[inline]
    pub fn pacing(&mut self) -> f64 {
        with!(&mut self.rule, rule => rule.pacing())
    }

    /// What the rule draws by chance comes from here.
    pub fn draw_from(&mut self, stream: Stream) {
        with!(&mut self.rule, rule => rule.draw_from(stream));
    }

    /// An acknowledgment is processed that delivers data.
    pub fn on_sample(&mut self, sample: &RateSample) {
        change!(self, rule => rule.on_sample(sample));
    }

    /// A packet is deemed lost.
    pub fn on_lost(&mut self, lost: &Lost) {
        change!(self, rule => rule.on_lost(lost));
    }

    /// Data are about to be sent.
    pub fn on_start(&mut self, start: &Start) {
        change!(self, rule => rule.on_start(start));
    }

    /// The retransmission timer has expired, and so many octets are in flight.
    pub fn on_timed_out(&mut self, in_flight: u64) {
        change!(self, rule => rule.on_timed_out(in_flight));
    }

    /// The rate of a rule that models the path.
    #[inline]
    pub fn pace(&self) -> Option<Pace> {
        with!(&self.rule, rule => rule.pace())
    }

    /// Whether the rule sends little on purpose.
    pub fn holds_back(&self) -> bool {
        with!(&self.rule, rule => rule.holds_back())
    }

    /// Why a program cannot go on, if so.
    #[inline]
    pub fn fault(&self) -> Option<&Fault> {
        with!(&self.rule, rule => rule.fault())
    }

    /// The connection is there after `lost` SYNs were lost.
    pub fn on_lost_syn(&mut self, lost: u8) {
        change!(self, rule => rule.on_lost_syn(lost));
    }

    /// The congestion window in octets, at least a segment.
    #[inline]
    pub fn cwnd(&self) -> u64 {
        self.cwnd
    }

    /// The slow start threshold in octets, at least a segment; without a limit [`u64::MAX`].
    #[inline]
    pub fn ssthresh(&self) -> u64 {
        self.window().whole_ssthresh()
    }

    /// A reduction proves to be spurious: the earlier state is restored, but the window does not shrink.
    pub fn restore(&mut self, before: Self) {
        let cwnd = self.window().cwnd;
        with!(&mut self.rule, rule => match (&before.rule).try_into() {
            Ok(before) => rule.on_undo(before),
            Err(_) => self.rule = before.rule,
        });
        self.set(|window| window.set(window.cwnd.max(cwnd)));
    }

    /// The window is multiplied by something that the path has told; ssthresh stays.
    pub fn multiply(&mut self, factor: f64) {
        self.on_restart();
        self.set(|window| window.set(window.cwnd * factor));
    }

    /// A recovery has ended, and the window may be at most `most` octets.
    pub fn on_exit(&mut self, most: u64) {
        let most = most as f64;
        if self.window().cwnd > most {
            self.on_restart();
            self.set(|window| window.set(most));
        }
    }

    /// The window was not used for the whole non-validated period: it is halved, down to `initial`
    /// octets (RFC 7661 section 4.4.3).
    pub fn on_unused(&mut self, initial: u64) {
        self.on_restart();
        self.set(|window| {
            window.ssthresh = window.ssthresh.max(0.75 * window.cwnd);
            window.set((window.cwnd / 2.0).max(initial as f64).min(window.cwnd));
        });
    }

    fn on_restart(&mut self) {
        with!(&mut self.rule, rule => rule.on_restart());
    }

    #[inline]
    fn window(&self) -> &Window {
        with!(&self.rule, rule => rule.window())
    }

    /// Sets the window, whatever the rule.
    fn set(&mut self, set: impl FnOnce(&mut Window)) {
        change!(self, rule => set(rule.window_mut()));
    }
}

#[cfg(test)]
impl Congestion {
    fn most_growth(&self, counted: f64) -> f64 {
        with!(&self.rule, rule => rule.most_growth(counted))
    }

    fn grows_beside_slow_start(&self) -> bool {
        with!(&self.rule, Kind, _rule => Kind::grows_beside_slow_start())
    }

    fn is_cautious(&self) -> bool {
        with!(&self.rule, Kind, _rule => Kind::is_cautious())
    }
}
