//! DualPI2 (RFC 9332): two queues, one for L4S and one for Classic traffic, coupled so that both have about the same
//! rate a flow. The names in brackets are those of the pseudo-code in appendix A.
//!
//! A PI controller holds the delay of the Classic queue at a target by a probability p′. Classic packets are dropped
//! or marked with p′², L4S packets marked with k·p′ or, if this is more, by a ramp of their own delay. Which packets is
//! not drawn by chance: probabilities are added up (`recur`).
//!
//! `Deviation:` the controller's updates are computed when a packet comes or leaves, with the delays at their own
//! instants: the same as with a timer. The scheduler is a weighted round robin (section 2.5.1.1 recommends either this
//! or a time-shifted FIFO).

use units::{Span, Time};

use super::Discarded;
use crate::chain::Chain;
use crate::packet::{Marks, PacketId, Packets};

/// The parameters.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terms {
    /// `target`.
    pub(super) target: Span,
    /// `Tupdate`.
    pub(super) update: Span,
    /// `alpha` and `beta` in Hz.
    pub(super) alpha: f64,
    pub(super) beta: f64,
    /// `k`.
    pub(super) coupling: f64,
    /// `minTh`, and `range` above it.
    pub(super) threshold: Span,
    pub(super) range: Span,
    /// The share of Classic traffic where both wait.
    pub(super) classic_weight: f64,
}

/// A queue with the sum of its probabilities.
#[derive(Debug, Clone, Copy)]
struct Half {
    queue: Chain,
    sum: f64,
}

impl Half {
    const EMPTY: Self = Self { queue: Chain::EMPTY, sum: 0.0 };

    /// `recur`.
    fn strikes(&mut self, probability: f64) -> bool {
        self.sum += probability;
        let strikes = self.sum > 1.0;
        if strikes {
            self.sum -= 1.0;
        }
        strikes
    }
}

/// Both queues.
#[derive(Debug, Clone)]
pub(super) struct DualPi2 {
    terms: Terms,
    l4s: Half,
    classic: Half,
    /// `p'`.
    base: f64,
    /// `prevq`.
    before: Span,
    /// When the next update is due.
    due: Time,
    /// Bytes that Classic traffic may send before L4S.
    credit: f64,
}

impl DualPi2 {
    pub(super) fn new(terms: Terms) -> Self {
        Self {
            terms,
            l4s: Half::EMPTY,
            classic: Half::EMPTY,
            base: 0.0,
            before: Span::ZERO,
            due: Time::ZERO + terms.update,
            credit: 0.0,
        }
    }

    /// A packet comes in.
    pub(super) fn put(&mut self, now: Time, packets: &mut Packets, id: PacketId) {
        self.catch_up(now, packets);
        let marks = packets.transit(id).marks;
        // Packets that are marked already are taken for L4S, as it is not known what they were (section 2.3).
        let is_l4s = marks.has(Marks::L4S) || marks.has(Marks::CONGESTION_EXPERIENCED);
        let half = if is_l4s { &mut self.l4s } else { &mut self.classic };
        half.queue.push(packets, id);
    }

    /// The packet that leaves next, and whether it is marked.
    pub(super) fn take(
        &mut self,
        now: Time,
        packets: &mut Packets,
        discarded: &mut Discarded,
    ) -> Option<(PacketId, bool)> {
        self.catch_up(now, packets);
        loop {
            let coupled = self.terms.coupling * self.base;
            let squared = self.base * self.base;
            if self.is_turn_of_l4s(packets)? {
                let wait = self.l4s.queue.wait(now, packets);
                let native = if self.l4s.queue.len() > 1 { self.ramp(wait) } else { 0.0 };
                let id = self.l4s.queue.pop(packets)?;
                if coupled >= 1.0 {
                    // Overload: L4S packets are dropped as Classic ones are.
                    if self.l4s.strikes(squared) {
                        discarded.push(packets, id);
                        continue;
                    }
                }
                return Some((id, self.l4s.strikes(native.max(coupled).min(1.0))));
            }
            let id = self.classic.queue.pop(packets)?;
            if !self.classic.strikes(squared) {
                return Some((id, false));
            }
            let is_overload = squared > 1.0 / (self.terms.coupling * self.terms.coupling);
            if packets.transit(id).marks.has(Marks::ECN_CAPABLE) && !is_overload {
                return Some((id, true));
            }
            discarded.push(packets, id);
        }
    }

    /// Whether the next packet is L4S; none where no packet waits.
    fn is_turn_of_l4s(&mut self, packets: &Packets) -> Option<bool> {
        let size = |half: &Half| half.queue.head().map(|id| f64::from(packets.transit(id).bytes));
        let sizes = (size(&self.l4s), size(&self.classic));
        let (Some(l4s), Some(classic)) = sizes else {
            self.credit = 0.0;
            return sizes.0.or(sizes.1).map(|_| sizes.0.is_some());
        };
        if self.credit >= classic {
            self.credit -= classic;
            return Some(false);
        }
        let weight = self.terms.classic_weight;
        self.credit += l4s * weight / (1.0 - weight);
        Some(true)
    }

    /// `laqm`.
    fn ramp(&self, wait: Span) -> f64 {
        let over = wait.0.saturating_sub(self.terms.threshold.0);
        if over == 0 && wait < self.terms.threshold {
            return 0.0;
        }
        if self.terms.range == Span::ZERO { 1.0 } else { over as f64 / self.terms.range.0 as f64 }
    }

    /// `dualpi2_update` for each instant that has come.
    fn catch_up(&mut self, now: Time, packets: &Packets) {
        while self.due <= now {
            let delay = self.classic.queue.wait(self.due, packets);
            if self.base == 0.0 && delay == Span::ZERO && self.before == Span::ZERO {
                // Nothing changes before something waits.
                let steps = now.since(self.due).0 / self.terms.update.0 + 1;
                self.due = self.due.saturating_add(Span(steps * self.terms.update.0));
                return;
            }
            let (delay_s, target) = (delay.as_secs_f64(), self.terms.target.as_secs_f64());
            let change = self.terms.alpha * (delay_s - target)
                + self.terms.beta * (delay_s - self.before.as_secs_f64());
            self.base = (self.base + change).clamp(0.0, 1.0);
            self.before = delay;
            self.due = self.due.saturating_add(self.terms.update);
        }
    }

    /// Holds p′ at a value.
    #[cfg(test)]
    pub(super) fn hold(&mut self, base: f64) {
        (self.base, self.due) = (base, Time::NEVER);
    }

    /// Packets that wait.
    pub(super) fn chains(&self) -> [&Chain; 2] {
        [&self.l4s.queue, &self.classic.queue]
    }
}
