//! Latest available unused channel without void filling.

use units::Time;

use super::latest;

/// LAUC, also called Horizon: a channel is known by the end of its last reservation alone. Among
/// those whose end lies at or before the start, the one with the latest, the lowest number among
/// equal ones.
///
/// Source: Y. Xiong, M. Vandenhoude, H. C. Cankaya, "Control architecture in optical burst-switched
/// WDM networks", IEEE JSAC 18(10), 2000; J. S. Turner, "Terabit burst switching", Journal of High
/// Speed Networks 8(1), 1999 (Horizon).
#[derive(Debug, Clone)]
pub(super) struct Lauc {
    horizons: Vec<Time>,
}

impl Lauc {
    pub(super) fn new(channels: u32) -> Self {
        Self { horizons: vec![Time::ZERO; channels as usize] }
    }

    /// The channel for an interval from `start` on.
    pub(super) fn find(&self, start: Time) -> Option<u16> {
        latest(self.horizons.iter().map(|&horizon| (horizon <= start).then_some(horizon)))
    }

    /// Whether the channel takes an interval from `start` on.
    pub(super) fn takes(&self, channel: u16, start: Time) -> bool {
        self.horizons[usize::from(channel)] <= start
    }

    /// The first instant from `start` on at which a channel takes an interval.
    pub(super) fn earliest(&self, start: Time) -> Time {
        self.horizons.iter().copied().min().map_or(start, |horizon| horizon.max(start))
    }

    /// A reservation that ends at `end`.
    pub(super) fn book(&mut self, channel: u16, end: Time) {
        let horizon = &mut self.horizons[usize::from(channel)];
        *horizon = end.max(*horizon);
    }
}
