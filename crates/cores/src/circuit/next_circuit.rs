//! When circuits from a rack to another come and go, as the rack knows it.

use super::state::{Rack, Rules};

/// Whether a circuit to another rack is there or near, and for how long that is so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Outlook {
    /// Whether it is.
    pub open: bool,
    /// When that may change, in picoseconds; never if none.
    pub changes: Option<i64>,
}

impl Rack {
    /// Whether a circuit leads to a rack at an instant, in picoseconds, or will do within `ahead`. Of one on demand the
    /// rack knows nothing before it is decided.
    pub(super) fn outlook(&self, rules: &Rules, to: u32, at: i64, ahead: i64) -> Outlook {
        let schedule = &rules.schedule;
        let decided = rules.epochs.map(|epochs| epochs.next(schedule, at));
        let mut outlook = Outlook { open: false, changes: decided };
        let mut look = |switch: u32| {
            let lead = self.uplinks[switch as usize].lead;
            let mut from = schedule.slot_at(switch, at + lead);
            let window = schedule.window(switch, from);
            if at >= window.closes - rules.guard - lead {
                from += 1;
            }
            let next = schedule.next_slot((switch, self.number), from, |_, end| end == to);
            let Some(slot) = next else { return };
            let window = schedule.window(switch, slot);
            let known = rules.epochs.map_or(i64::MIN, |epochs| epochs.decided(schedule, slot));
            let opens = (window.opens + rules.guard - lead - ahead).max(known);
            let open = opens <= at;
            let changes = if open { window.closes - rules.guard - lead } else { opens };
            outlook.open |= open;
            outlook.changes = outlook.changes.into_iter().chain([changes]).min();
        };
        match rules.epochs {
            Some(_) => schedule.switches().for_each(&mut look),
            None => schedule.ways(self.number, to).for_each(&mut look),
        }
        outlook
    }
}
