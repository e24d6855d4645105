//! The epochs at which matchings on demand are decided.

use optics::circuit::Schedule;

/// When matchings are decided: those of some slots at once.
#[derive(Debug, Clone, Copy)]
pub(super) struct Epochs {
    /// The slots of an epoch, of which the first ones have numbers that it divides.
    pub slots: i64,
    /// How long before it begins its matchings are decided, in picoseconds.
    pub report: i64,
}

impl Epochs {
    /// The first slot of an epoch, not before another one.
    pub(super) fn first(self, slot: i64) -> i64 {
        slot + (-slot).rem_euclid(self.slots)
    }

    /// When the matching of a slot is decided, if one is: racks know of it from then on.
    pub(super) fn decided(self, schedule: &Schedule, slot: i64) -> i64 {
        schedule.begins(0, slot - slot.rem_euclid(self.slots)) - self.report
    }

    /// The first instant after another at which matchings may be decided.
    pub(super) fn next(self, schedule: &Schedule, at: i64) -> i64 {
        self.decided(schedule, self.first(schedule.slot_at(0, at + self.report) + 1))
    }
}
