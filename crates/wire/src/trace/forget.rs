//! What has ended leaves a trace that goes on without end.

use std::collections::BTreeMap;

use units::Time;

use super::{NONE, Trace, row};

impl Trace {
    /// The number of rows so far.
    pub fn len(&self) -> usize {
        self.hops.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.hops.is_empty()
    }

    /// Drops the rows of what has ended before `now`. Those of packets that are on a link or wait for
    /// one stay, and the last row of each other packet in the network, and the flows of all of them.
    pub fn forget(&mut self, now: Time) {
        let mut stays: Vec<_> = self.hops.iter().map(|row| !row.has_ended(now)).collect();
        for slot in &self.slots {
            if let Some(stays) = stays.get_mut(slot.hop as usize) {
                *stays = true;
            }
        }
        let mut places = vec![NONE; self.hops.len()];
        let mut packets = Renumbered::of(self.packets.len());
        let mut hops = Vec::new();
        for (at, mut each) in std::mem::take(&mut self.hops).into_iter().enumerate() {
            if stays[at] {
                each.packet = packets.place(each.packet);
                places[at] = row(hops.len());
                hops.push(each);
            }
        }
        self.hops = hops;
        for slot in &mut self.slots {
            slot.hop = places.get(slot.hop as usize).copied().unwrap_or(NONE);
            slot.packet = packets.places.get(slot.packet as usize).copied().unwrap_or(NONE);
        }
        self.packets = packets.kept.iter().map(|&at| self.packets[at as usize]).collect();
        self.forget_flows();
    }

    /// Keeps the flows of the packets, and those that still have their ids.
    fn forget_flows(&mut self) {
        let rows: BTreeMap<_, _> =
            (0u32..).zip(&self.flows).map(|(at, flow)| (flow.number, at)).collect();
        let mut flows = Renumbered::of(self.flows.len());
        for packet in &self.packets {
            flows.place(rows[&packet.flow]);
        }
        for live in self.live.iter_mut().filter(|live| live.row != NONE) {
            live.row = flows.place(live.row);
        }
        self.flows = flows.kept.iter().map(|&at| self.flows[at as usize]).collect();
    }
}

/// Rows that are kept, in the order in which they are met.
struct Renumbered {
    /// The new number of each row.
    places: Vec<u32>,
    /// The old number of each row that is kept.
    kept: Vec<u32>,
}

impl Renumbered {
    /// None of so many rows.
    fn of(rows: usize) -> Self {
        Self { places: vec![NONE; rows], kept: Vec::new() }
    }

    /// The new number of a row, which is kept.
    fn place(&mut self, old: u32) -> u32 {
        let place = &mut self.places[old as usize];
        if *place == NONE {
            *place = row(self.kept.len());
            self.kept.push(old);
        }
        *place
    }
}
