//! How an ingress edge sends a burst: a data channel is reserved an offset ahead, and the header leaves.
//!
//! Assumption: an edge that waits reserves the data channel at once, and the control channel when the
//! header is to leave. A header can find its channel taken then, and be late, only if headers last
//! longer than the waiting bursts.

use optics::{Candidates, WhenBusy};
use units::Time;
use wire::context::Context;
use wire::event::{BurstInstant, Event};
use wire::optical::{BurstId, FAR, Lost};

use super::BurstSwitches;

impl BurstSwitches {
    /// A burst requests a data channel of the first fibre, an offset from now.
    pub(super) fn reserve_first(&self, context: &mut Context, id: BurstId) {
        let now = context.now();
        let optical = context.optical_mut();
        let burst = *optical.bursts.get(id.0);
        let offset = self.assembly.offset;
        let occupied = burst.length + self.core.guard;
        let number = optical.fecs[burst.fec].path[0];
        let fibre = &mut optical.fibres[number as usize];
        fibre.enter(&burst);
        optical.log.ask(burst.number, number, now);
        if !fibre.up {
            return context.lose_burst(id, Lost::Down);
        }
        let Some(ready) = fibre.control.ready(now).filter(|&ready| ready < FAR) else {
            return context.lose_burst(id, Lost::Control);
        };
        let mut start = ready + offset;
        fibre.data.forget(now);
        let mut channel = fibre.data.find(Candidates::Any, start, occupied);
        if channel.is_none() && self.assembly.when_busy == WhenBusy::Wait {
            start = fibre.data.earliest(start, occupied);
            channel = fibre.data.find(Candidates::Any, start, occupied);
        }
        let Some(channel) = channel.filter(|_| start < FAR) else {
            return context.lose_burst(id, Lost::Ingress);
        };
        fibre.data.book(channel, start, occupied);
        fibre.note(now, id, &burst, (channel, start));
        let burst = optical.bursts.get_mut(id.0);
        (burst.start, burst.channel) = (start, channel);
        if let Some(row) = optical.log.reservation(burst.number) {
            row.granted = Some((channel, start, start + burst.length));
        }
        context.granted(id);
        // A header precedes its burst by exactly the offset: it waits with a burst that waits for its
        // channel.
        if start > ready + offset {
            let due = Time(start.0 - offset.0);
            context.wake(due, Event::AtCore(BurstInstant::HeaderDue, id));
        } else {
            self.send_header(context, id);
        }
    }
}
