//! Taking back a reduction of the window: when the receiver has reported every copy that was sent again as a
//! duplicate (RFC 2883), nothing was lost (RFC 3708), and the window is what it was (as in Linux; RFC 9438
//! section 4.9 for what CUBIC restores).
//!
//! With timestamps the first acknowledgment that advances may show it already: what it echoes is from before
//! anything was sent again, so the first copy has arrived (the Eifel detection, RFC 3522; `tcp_packet_delayed` in
//! Linux). Receivers never echo an earlier instant than before, so that later ones show nothing else.
//!
//! A report counts if it is of a segment that was sent again: others are of copies that the network made
//! (RFC 2883 section 5.1). Where anything else shows congestion meanwhile, nothing is taken back.

use std::collections::BTreeMap;

use units::Time;

use crate::tcp::recovery::state::Before;

/// What would be restored, and what is missing for it.
#[derive(Clone, Debug)]
pub(super) struct Copies {
    before: Option<Before>,
    /// Copies that were sent again and not reported as duplicates, by their first octets.
    open: BTreeMap<u64, u32>,
    /// When the first of them was sent, [`Time::NEVER`] for none (`RetransmitTS`).
    since: Time,
}

impl Default for Copies {
    fn default() -> Self {
        Self { before: None, open: BTreeMap::new(), since: Time::NEVER }
    }
}

impl Copies {
    /// The window is about to be reduced. `probe` is the first octet of a segment that was sent again to
    /// probe, and is not settled: its report is no other copy's.
    pub(super) fn begin(&mut self, before: Before, probe: Option<u64>) {
        self.before = Some(before);
        self.open.clear();
        self.open.extend(probe.map(|start| (start, 1)));
        self.since = Time::NEVER;
    }

    /// The segment that begins with this octet is sent again.
    pub(super) fn on_resent(&mut self, start: u64, now: Time) {
        if self.before.is_some() {
            *self.open.entry(start).or_default() += 1;
            self.since = self.since.min(now);
        }
    }

    /// The segment that begins with this octet was reported as a duplicate; what is to be restored, if that
    /// was the last one and none waits to be sent again.
    pub(super) fn on_duplicate(&mut self, start: u64, some_wait: bool) -> Option<Before> {
        let copies = self.open.get_mut(&start)?;
        *copies -= 1;
        if *copies == 0 {
            self.open.remove(&start);
        }
        if self.open.is_empty() && !some_wait { self.before.take() } else { None }
    }

    /// An acknowledgment that advances echoes this instant; what is to be restored, if it is of a first copy.
    pub(super) fn on_echo(&mut self, echo: Time) -> Option<Before> {
        if self.since == Time::NEVER || echo >= self.since {
            return None;
        }
        let before = self.before.take();
        self.forget();
        before
    }

    /// Something else has shown congestion.
    pub(super) fn forget(&mut self) {
        self.before = None;
        self.open.clear();
        self.since = Time::NEVER;
    }
}
