//! The core router of an optical burst-switched network.
//!
//! It acts on headers: once one has been processed it reserves a channel of the next fibre for
//! exactly the time of its burst, which passes with its **first** bit, never stored (cut-through;
//! `forwarding = "store-and-forward"` charges the burst's length again instead). The instants:
//!
//! ```text
//! header: last bit in + processing                           must not be later than
//! burst:  first bit left the fibre before + propagation + input delay
//! ```
//!
//! Assumptions: headers are processed side by side, each in the same time; a reservation takes
//! effect at once; a burst whose header finds no idle control channel asks for no data channel;
//! equal instants are served in the order in which the headers were sent.

use optics::{Forwarding, Request};

use crate::event::Event;
use crate::fabric::Fabric;
use crate::optical::{BurstId, FAR, Lost};

/// A header has been processed: its burst asks for a channel of the next fibre.
pub fn on_header(fabric: &mut Fabric, id: BurstId) {
    let now = fabric.now;
    let optical = &mut fabric.optical;
    if optical.bursts.get(id.0).doomed {
        return fabric.lose_burst(id, Lost::Down);
    }
    let core = optical.rules().burst_core();
    let (input_delay, forwarding) = (core.input_delay, core.forwarding);
    let burst = optical.bursts.get_mut(id.0);
    let path = &optical.fecs[burst.fec as usize].path;
    let here = &mut optical.fibres[burst.fibre as usize];
    here.leave(burst);
    let node = here.to;
    let arrives = burst.start + here.delay;
    let mut start = arrives + input_delay;
    if forwarding == Forwarding::StoreAndForward {
        start += burst.length;
    }
    burst.hop += 1;
    let number = path[usize::from(burst.hop)];
    burst.fibre = number;
    let burst = *burst;
    if burst.hop == 1 {
        optical.fecs[burst.fec as usize].end_first_link(arrives, burst.bytes);
    }
    let next = &mut optical.fibres[number as usize];
    next.enter(&burst);
    optical.log.ask(burst.number, number, now);
    if !next.up {
        return fabric.lose_burst(id, Lost::Down);
    }
    if now > start {
        return fabric.lose_burst(id, Lost::Late);
    }
    if next.control.ready(now).is_none_or(|ready| ready >= FAR) {
        return fabric.lose_burst(id, Lost::Control);
    }
    next.data.forget(now);
    let core = optical.core_of(node).expect("a path leads over cores");
    let switch = &mut optical.cores[core as usize];
    switch.forget(now);
    let request = Request { start, length: burst.length, channel: burst.channel };
    let next = &mut optical.fibres[number as usize];
    let Some(grant) = switch.reserve(&mut next.data, request) else {
        return fabric.lose_burst(id, Lost::Contention);
    };
    next.note(now, id, &burst, (grant.channel, grant.start));
    let granted = optical.bursts.get_mut(id.0);
    (granted.start, granted.channel) = (grant.start, grant.channel);
    if let Some(row) = optical.log.reservation(burst.number) {
        row.granted = Some((grant.channel, grant.start, grant.start + burst.length));
        row.fibre_delay = grant.fibre_delay;
        row.converted = grant.converted;
    }
    fabric.granted(id);
    send_header(fabric, id);
}

/// Sends the header of a burst to the end of its present fibre.
pub fn send_header(fabric: &mut Fabric, id: BurstId) {
    let now = fabric.now;
    let optical = &mut fabric.optical;
    let burst = *optical.bursts.get(id.0);
    if burst.doomed {
        return fabric.lose_burst(id, Lost::Down);
    }
    let path = &optical.fecs[burst.fec as usize].path;
    let fibre = &mut optical.fibres[burst.fibre as usize];
    let Some((channel, sent)) = fibre.control.send(now, fibre.header) else {
        return fabric.lose_burst(id, Lost::Control);
    };
    fibre.count_header(channel, sent);
    let last = usize::from(burst.hop) + 1 == path.len();
    let (delay, header) = (fibre.delay, fibre.header);
    if let Some(row) = optical.log.reservation(burst.number) {
        row.header_sent = Some(sent);
    }
    let rules = optical.rules();
    if last {
        let arrives = burst.start + burst.length + delay + rules.burst_core().input_delay;
        fabric.wake(arrives, Event::Burst(id));
    } else {
        let processed = sent + header + delay + rules.control.processing;
        fabric.wake(processed, Event::Header(id));
    }
}
