//! Two networks that take turns (time-division TCP): a segment is known by the one in which it was sent last.

use units::{Span, Time};

use super::segments::{Segments, Sent};
use super::{Arrival, Arrived, Detector};

/// What is known of the network that is not the present one.
#[derive(Clone, Debug, Default)]
pub(super) struct Other {
    arrived: Arrived,
    /// Its last transmission before its window was reduced last.
    reduced: u64,
    /// Whether a loss there asks for a reduction of its window.
    asks: bool,
    /// Octets that have arrived of what was sent in it, which the growth of its window has not counted.
    uncounted: u64,
}

impl Detector {
    /// From now on two networks take turns.
    pub(crate) fn split(&mut self) {
        self.other = Some(Box::default());
    }

    /// The other network is now the present one.
    pub(crate) fn change_network(&mut self) {
        let Some(other) = &mut self.other else { return };
        std::mem::swap(&mut self.arrived, &mut other.arrived);
        std::mem::swap(&mut self.reduced, &mut other.reduced);
        (other.asks, other.uncounted) = (false, 0);
        self.segments.change_network();
    }

    /// Whether a loss of the other network asks for a reduction of its window, once.
    pub(crate) fn take_elsewhere_lost(&mut self) -> bool {
        self.other.as_mut().is_some_and(|other| std::mem::take(&mut other.asks))
    }

    /// Octets that have arrived of what was sent in the other network, each once.
    pub(crate) fn take_elsewhere_arrived(&mut self) -> u64 {
        self.other.as_mut().map_or(0, |other| std::mem::take(&mut other.uncounted))
    }
}

/// Finds what is lost of both networks.
pub(super) fn find_lost(
    segments: &mut Segments,
    (now, window): (Time, Span),
    here: &Arrived,
    other: &mut Other,
    mut found: impl FnMut(&Sent),
) -> Time {
    let there = &other.arrived;
    let measured = |arrived: &Arrived| arrived.min_rtt.map(|_| arrived.patience(window));
    let longest = measured(here).max(measured(there)).unwrap_or(Span(u64::MAX));
    let [patience, patience_there] = [here, there].map(|one| measured(one).unwrap_or(longest));
    let (newest, newest_there) = (here.newest, there.newest);
    let patience = |segment: &Sent| match segment.here {
        true if segment.transmission < newest => patience,
        false if segment.transmission < newest_there => patience_there,
        _ => longest,
    };
    let transmissions = segments.transmissions();
    segments.find_lost(newest.max(newest_there), now, patience, |segment| {
        if segment.here {
            found(segment);
        } else if segment.transmission > other.reduced {
            (other.asks, other.reduced) = (true, transmissions);
        }
    })
}

/// A segment is told of which it was not known that it had arrived. Its round-trip time says nothing if the network
/// has changed since it was sent.
pub(super) fn note(
    (here, other): (&mut Arrived, &mut Option<Box<Other>>),
    segment: &Sent,
    arrival: Arrival,
) {
    match other {
        Some(other) if !segment.here => {
            other.arrived.newest = other.arrived.newest.max(segment.transmission);
            other.uncounted += segment.end - segment.start;
        }
        _ => here.note(segment, arrival),
    }
}
