//! Packets that never wait for a link: each is an event of its own.

use units::LinkId;

use super::Context;
use crate::event::Event;
use crate::packet::PacketId;
use crate::trace::{Cause, Loss, Offer};

impl Context {
    /// Sends a packet on a link at once, whatever else is on it. It is there after the transmission time and the delay of
    /// the link, with its first bit after the delay where the far end acts on that.
    pub fn send_at_once(&mut self, link: LinkId, id: PacketId) {
        let (now, bytes) = (self.now, self.transit(id).bytes);
        match self.links[link.index()].set_out(now, bytes) {
            Ok(passage) => {
                if self.trace.is_some() {
                    self.trace_offer(id, &Offer { link, at: now, burst: None });
                }
                if let Some(trace) = &mut self.trace {
                    trace.passes(id, passage);
                }
                self.wake(passage.arrives, Event::Across(link, id));
            }
            Err(cause) => self.refuse(id, (link, now), Cause::Link(cause)),
        }
    }

    /// A packet that was sent at once is at the far end of a link, if it is not lost.
    pub fn come_across(&mut self, link: LinkId, id: PacketId) -> bool {
        let bytes = self.transit(id).bytes;
        let Err(cause) = self.links[link.index()].come_across(bytes) else { return true };
        let cause = Cause::Link(cause);
        self.lose(id, Loss { link: Some(link), at: self.now, cause, taken_in: true });
        false
    }

    /// What was sent at once on a link that is down now is lost at once.
    #[cold]
    pub(super) fn cut_off(&mut self, link: LinkId) {
        let now = self.now;
        self.reschedule(|event| match event {
            Event::Across(at, _) if at == link => Some(now),
            _ => None,
        });
    }
}
