//! The time that a flow would take alone: what its completion time is compared with.
//!
//! The slowdown of a flow is its completion time over the smallest possible one, that of its data sent
//! back to back through an idle network (M. Alizadeh et al., "pFabric", SIGCOMM 2013, section 5.1; B. Montazeri
//! et al., "Homa", SIGCOMM 2018, section 5.1). A transport that opens connections, starts slowly or waits for
//! acknowledgments has a slowdown above 1 even without other traffic.

use units::{LinkId, NodeId};

use crate::plan::{Plan, TransportPlan};
use crate::routing::Routing;
use crate::spec::{CoreSpec, NodeKind, SpreadSpec};
use crate::topology::OneWayLink;

/// The sizes of a transport's packets in bytes.
#[derive(Debug, Clone, Copy)]
struct Sizes {
    /// The data in a full packet.
    data: u64,
    /// What a packet with data adds to them on the wire.
    header: u64,
    /// An acknowledgment on the wire.
    acknowledgment: u64,
}

impl Sizes {
    fn of(transport: &TransportPlan) -> Option<Self> {
        match transport {
            TransportPlan::Tcp(config) => Some(Self {
                data: config.segment.0,
                header: config.header.0,
                acknowledgment: config.header.0,
            }),
            TransportPlan::StopAndWait(options) => Some(Self {
                data: options.packet.0,
                header: options.header.0,
                acknowledgment: options.control.0,
            }),
            TransportPlan::Message(options) => Some(Self {
                data: options.packet.0,
                header: options.header.0,
                acknowledgment: options.control.0,
            }),
            TransportPlan::Udp { .. } => None,
        }
    }
}

/// What packets that were sent back to back experience on their way through an idle network, so far; in
/// seconds. Nothing of a run depends on it, so floats, which divide faster, are enough.
#[derive(Debug, Clone, Copy, Default)]
struct Train {
    /// When the first packet arrives.
    first: f64,
    /// By how much each further full packet arrives later.
    gap: f64,
    /// When the last packet arrives.
    last: f64,
}

/// Links that bits cross without a stop: one, or several between which a switch acts on the first bit.
#[derive(Debug, Clone, Copy)]
struct Stage {
    /// The least bit rate, at which a packet is sent.
    rate: f64,
    /// The least total rate of the channels or links that share the packets of a flow.
    total: f64,
    /// The propagation delay in seconds.
    delay: f64,
}

/// The bits of a file on the wire: so many further full packets, and then one with the rest.
#[derive(Debug, Clone, Copy)]
struct Bits {
    further: f64,
    full: f64,
    rest: f64,
}

impl Train {
    /// The train after a stage.
    fn after(self, stage: Stage, bits: Bits) -> Self {
        let first = self.first + bits.full / stage.rate + stage.delay;
        let gap = self.gap.max(bits.full / stage.total);
        let own = bits.rest / stage.rate;
        let last = if bits.further == 0.0 {
            self.last + own
        } else if stage.total > stage.rate {
            // Another channel is free, but all of them together are not faster than that.
            let all = bits.full * bits.further + bits.rest;
            (self.last + own).max(self.first + all / stage.total)
        } else {
            // It leaves after the last full packet.
            let before = first - stage.delay + gap * (bits.further - 1.0);
            before.max(self.last) + own
        };
        Self { first, gap, last: last + stage.delay }
    }
}

/// The completion time in seconds of a flow with `data` bytes in an idle network, from the first offered data to the
/// acknowledgment of all; `None` for a transport without acknowledgments, or a source that sends no files.
///
/// Packets are stored and forwarded by routers and CIOQ switches. Cut-through switches and optical networks
/// forward bits as they come; neither the assembly of bursts nor the setting of a switch takes time, nor that of a lightpath. Of
/// equal-cost paths it is the first one, with the best of parallel links. Link rates are those at the start.
pub(super) fn completion(
    plan: &Plan,
    routing: &Routing,
    (from, to): (NodeId, NodeId),
    traffic: u32,
    data: u64,
) -> Option<f64> {
    let entry = &plan.traffic[traffic as usize];
    let sizes = Sizes::of(&entry.transport).filter(|_| entry.source.sends_files() && data > 0)?;
    let further = data.div_ceil(sizes.data) - 1;
    let on_wire = |data: u64| 8.0 * (data + sizes.header) as f64;
    let bits = Bits {
        further: further as f64,
        full: on_wire(sizes.data.min(data)),
        rest: on_wire(data - further * sizes.data),
    };
    let acknowledgment = 8.0 * sizes.acknowledgment as f64;
    let start = Train::default();
    let pass = |train: Train, stage| train.after(stage, bits);
    let there = across(plan, routing, (from, to), start, pass)?;
    let pass = |time: f64, stage: Stage| time + acknowledgment / stage.rate + stage.delay;
    let back = across(plan, routing, (to, from), 0.0, pass)?;
    Some(there.last + back)
}

/// Goes through the stages of a path.
fn across<T: Copy>(
    plan: &Plan,
    routing: &Routing,
    (from, to): (NodeId, NodeId),
    mut found: T,
    pass: impl Fn(T, Stage) -> T,
) -> Option<T> {
    let nodes = &plan.graph.nodes;
    let through = plan.optical.is_some() || plan.core().is_some_and(CoreSpec::acts_on_first_bit);
    // A lightpath passes racks, too, and is a single channel.
    let by_light = plan.core().and_then(CoreSpec::lightpath).is_some();
    let is_fibre = |ends: [NodeId; 2]| ends.iter().all(|end| nodes[end.index()].kind.forwards());
    let (mut at, mut stage, mut came) = (from, None::<Stage>, from);
    for _ in 0..=nodes.len() {
        if at == to {
            return Some(stage.map_or(found, |stage| pass(found, stage)));
        }
        let (own, onward) = next(plan, routing, at, to)?;
        let goes_on = (through && nodes[at.index()].kind == NodeKind::Core)
            || (by_light && is_fibre([came, at]) && is_fibre([at, onward]));
        let own = if by_light { Stage { total: own.rate, ..own } } else { own };
        let joined = stage.filter(|_| goes_on).map(|before| join(before, own));
        if let Some(before) = stage
            && !goes_on
        {
            found = pass(found, before);
        }
        (came, at, stage) = (at, onward, joined.or(Some(own)));
    }
    None
}

/// Two stages between which nothing stops.
fn join(before: Stage, own: Stage) -> Stage {
    Stage {
        rate: before.rate.min(own.rate),
        total: before.total.min(own.total),
        delay: before.delay + own.delay,
    }
}

/// The link from a node towards a destination, and where it leads.
fn next(plan: &Plan, routing: &Routing, at: NodeId, to: NodeId) -> Option<(Stage, NodeId)> {
    let links = &plan.graph.links;
    let is_home = |link: &OneWayLink| link.to == to;
    if !plan.graph.nodes[at.index()].kind.forwards() {
        let link = &links[routing.first_link(at).index()];
        return Some((alone(link), link.to));
    }
    if !routing.reaches(at, to) {
        return None;
    }
    if routing.home(at) == routing.home(to) {
        let link = routing.next_link(at, to, 0);
        return Some(&links[link.index()])
            .filter(|link| is_home(link))
            .map(|link| (alone(link), link.to));
    }
    let shares =
        plan.spread != SpreadSpec::Flow || plan.core().and_then(CoreSpec::anycast_rule).is_some();
    let mut set = routing.links(at, to).map(|link: LinkId| &links[link.index()]);
    let first = set.next()?;
    let mut best = alone(first);
    for link in set {
        let other = alone(link);
        best.rate = best.rate.max(other.rate);
        best.total = if shares { best.total + other.total } else { best.total.max(other.total) };
        if link.to == first.to {
            best.delay = best.delay.min(other.delay);
        }
    }
    Some((best, first.to))
}

fn alone(link: &OneWayLink) -> Stage {
    let (rate, total) = (link.rate.as_f64(), link.bits_per_second());
    Stage { rate, total, delay: link.delay.as_secs_f64() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A link of so many Mb/s and 1 ms.
    fn link(mbps: f64) -> Stage {
        Stage { rate: 1e6 * mbps, total: 1e6 * mbps, delay: 1e-3 }
    }

    /// When the last of `further` packets of 1000 B and one of `rest` bytes arrives, in ms.
    fn last(stages: &[Stage], further: u32, rest: u32) -> f64 {
        let bits = Bits { further: f64::from(further), full: 8000.0, rest: f64::from(8 * rest) };
        let pass = |train: Train, &stage: &Stage| train.after(stage, bits);
        1e3 * stages.iter().fold(Train::default(), pass).last
    }

    fn assert_ms(found: f64, by_hand: f64) {
        assert!((found - by_hand).abs() < 1e-9, "{found} instead of {by_hand}");
    }

    #[test]
    fn one_packet_is_stored_at_every_node() {
        // 1000 B last 8 ms at 1 Mb/s and 0.8 ms at 10 Mb/s.
        assert_ms(last(&[link(1.0), link(10.0), link(1.0)], 0, 1000), 3.0 + 16.8);
    }

    #[test]
    fn a_train_passes_at_the_rate_of_its_narrowest_link() {
        assert_ms(last(&[link(1.0), link(10.0)], 9, 1000), 2.0 + 10.0 * 8.0 + 0.8);
        assert_ms(last(&[link(10.0), link(1.0)], 9, 1000), 2.0 + 0.8 + 10.0 * 8.0);
    }

    /// Of 100 B, 0.8 ms at 1 Mb/s: it waits for the full packet before it where the link is narrow.
    #[test]
    fn a_short_last_packet_follows_a_full_one() {
        assert_ms(last(&[link(1.0), link(10.0)], 1, 100), 2.0 + 8.0 + 0.8 + 0.08);
        assert_ms(last(&[link(10.0), link(1.0)], 1, 100), 2.0 + 0.8 + 8.0 + 0.8);
    }

    #[test]
    fn channels_share_a_train() {
        let four = Stage { total: 4e6, ..link(1.0) };
        // The last one needs a whole 8 ms of its channel; a long train, 2 ms a packet.
        assert_ms(last(&[link(10.0), four], 3, 1000), 2.0 + 4.0 * 0.8 + 8.0);
        assert_ms(last(&[link(10.0), four], 99, 1000), 2.0 + 0.8 + 100.0 * 2.0);
    }
}
