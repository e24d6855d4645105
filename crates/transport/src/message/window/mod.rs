//! The congestion window of the message transport, in octets on the wire.
//!
//! A rule is told of each packet that came (`on_delivered`), was trimmed (`on_nack`) or was given up (`on_loss`). To
//! add one, write its file and its line below; `fixed` is the shortest.

use units::{Rate, Span, Time};

use crate::mistake::Mistakes;

kinds::kinds! {
    /// The rule of the window: a name, or a table with options.
    "MessageWindow";
    mod nscc; use Nscc as "nscc";
    mod fixed; use Fixed as "fixed";
}

impl Options {
    /// Notes what is wrong with the options, beyond what the schema says.
    pub(super) fn check(&self, found: &mut Mistakes) {
        with_options!(self, Kind, options => Kind::check(options, found));
    }
}

/// What a rule knows of its connection.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// Octets of a full packet on the wire.
    pub packet: u64,
    /// The rate at which its host sends.
    pub rate: Rate,
    /// The round-trip time of an idle network.
    pub base_rtt: Span,
}

impl Terms {
    /// The octets that fill the path of an idle network: rate times round-trip time, at least a packet.
    pub fn path(&self) -> f64 {
        let octets = self.rate.as_f64() * self.base_rtt.as_secs_f64() / 8.0;
        octets.max(self.packet as f64)
    }
}

/// Packets that came.
#[derive(Clone, Copy, Debug)]
pub struct Delivered {
    /// When this is known.
    pub now: Time,
    /// Their octets on the wire.
    pub octets: u64,
    /// Octets still in flight.
    pub in_flight: u64,
    /// Whether the one that is answered was marked.
    pub marked: bool,
    /// The round-trip time of that one.
    pub rtt: Span,
}

/// A packet that was trimmed or given up.
#[derive(Clone, Copy, Debug)]
pub struct Missing {
    /// When this is known.
    pub now: Time,
    /// Its octets on the wire.
    pub octets: u64,
    /// Octets still in flight.
    pub in_flight: u64,
}

/// A window rule.
trait Rule: Clone {
    /// Its options in a scenario. Their doc comment is the text on the rule in the reference.
    type Options: Clone + Default + PartialEq;

    /// That of a connection, at its start.
    fn new(options: &Self::Options, terms: &Terms) -> Self;

    /// Notes what is wrong with options, beyond what the schema says.
    fn check(_: &Self::Options, _: &mut Mistakes) {}

    /// The window in octets.
    fn window(&self) -> f64;

    /// Packets came.
    fn on_delivered(&mut self, _: &Delivered) {}

    /// A packet was trimmed.
    fn on_nack(&mut self, _: &Missing) {}

    /// A packet was given up.
    fn on_loss(&mut self, _: &Missing) {}
}

/// The window of a connection.
#[derive(Clone, Debug)]
pub struct Window(Any);

impl Window {
    /// That of a connection at its start.
    pub fn new(options: &Options, terms: &Terms) -> Self {
        Self(with_options!(options, Kind, options => Kind::new(options, terms).into()))
    }

    /// Octets on the wire that may be in flight.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positive, and a few paths"
    )]
    pub fn octets(&self) -> u64 {
        with!(&self.0, rule => rule.window()) as u64
    }

    /// Packets came.
    pub fn on_delivered(&mut self, delivered: &Delivered) {
        with!(&mut self.0, rule => rule.on_delivered(delivered));
    }

    /// A packet was trimmed.
    pub fn on_nack(&mut self, missing: &Missing) {
        with!(&mut self.0, rule => rule.on_nack(missing));
    }

    /// A packet was given up.
    pub fn on_loss(&mut self, missing: &Missing) {
        with!(&mut self.0, rule => rule.on_loss(missing));
    }
}
