//! What is over is forgotten: a node that has carried much holds no more than one that has carried little.

use std::fmt::Debug;

use units::{Span, Time};

use super::{Node, at, us};
use crate::{
    Arrival, BurstCoreSpec, Candidates, Channels, Conversion, FibreLoopSpec, PacketCoreSpec,
    PacketSwitch, Remedy, Request, Scheduling,
};

const LENGTH: u64 = 10;

/// What the last of many rounds, one each 100 us, leaves behind is no more than what an early one does; a longer text
/// of the same things is for later instants.
fn stays_small<T: Debug>(mut thing: T, mut round: impl FnMut(&mut T, u64)) {
    let mut held = (0..2_000).map(|k| {
        round(&mut thing, 100 * k);
        format!("{thing:?}").len()
    });
    let early = held.by_ref().take(10).max().unwrap();
    let late = held.last().unwrap();
    assert!(late < 2 * early, "{late} characters after 2,000 rounds, {early} within ten");
}

#[test]
fn channels_forget_what_is_over() {
    for scheduling in
        [Scheduling::LaucVf, Scheduling::LaucVfOneVoid, Scheduling::Lauc, Scheduling::FirstFit]
    {
        stays_small(Channels::new(scheduling, 2), |channels, now| {
            channels.forget(at(now));
            for start in [now, now + 20, now + 40] {
                let found = channels.find(Candidates::Any, at(start), us(LENGTH)).unwrap();
                channels.book(found, at(start), us(LENGTH));
            }
        });
    }
}

/// Three bursts at once on one wavelength of two: the first stays there, one is converted, one goes into the loop.
#[test]
fn a_burst_node_forgets_what_is_over() {
    let fibre_loop = Some(FibreLoopSpec { delay: us(5), lines: 1, turns: 2 });
    let spec = BurstCoreSpec {
        conversion: Conversion::Partial,
        converters: Some(1),
        fibre_loop,
        ..BurstCoreSpec::default()
    };
    let node = Node::new(&spec, 2);
    stays_small(node, |node, now| {
        let request = Request { start: at(now), length: us(LENGTH), channel: 0 };
        let granted: Vec<_> = (0..3).map(|_| node.ask(at(now), request).unwrap()).collect();
        assert!(granted[1].converted && granted[2].fibre_delay > Span::ZERO, "{granted:?}");
    });
}

/// As [`a_burst_node_forgets_what_is_over`].
#[test]
fn a_packet_node_forgets_what_is_over() {
    let spec = PacketCoreSpec {
        remedies: vec![Remedy::Convert, Remedy::Delay],
        converters: Some(1),
        fibre_loop: Some(FibreLoopSpec { delay: us(5), lines: 1, turns: 2 }),
        ..PacketCoreSpec::default()
    };
    let node = (PacketSwitch::new(&spec), Channels::new(Scheduling::LaucVf, 2));
    stays_small(node, |(switch, out), now| {
        let now: Time = at(now);
        switch.forget(now);
        out.forget(now);
        let packet = Arrival { start: now, length: us(LENGTH), channel: Some(0), deflected: false };
        for _ in 0..3 {
            let way = switch.find(packet, 1, |_| Some(&*out)).unwrap();
            switch.take(packet, &way, out);
        }
    });
}
