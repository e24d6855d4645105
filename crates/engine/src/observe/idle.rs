//! The time that a flow would take alone: what its completion time is compared with.
//!
//! The slowdown of a flow is its completion time over the smallest possible one, that of its data sent
//! back to back through an idle network (M. Alizadeh et al., "pFabric", SIGCOMM 2013, section 5.1; B. Montazeri
//! et al., "Homa", SIGCOMM 2018, section 5.1). A transport that opens connections, starts slowly or waits for
//! acknowledgments has a slowdown above 1 even without other traffic.

use std::sync::OnceLock;

use plan::routing::Routing;
use plan::spec::{NodeKind, SpreadSpec};
use plan::topology::{Graph, OneWayLink};
use plan::{Plan, TransportPlan};
use units::{LinkId, NodeId, Rate, Span};

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
#[derive(Debug, Clone, Copy)]
struct Train {
    /// When the first full packet arrives.
    first: f64,
    /// By how much each further one arrives later.
    gap: f64,
    /// When the packet with the rest arrives, of all the last that is sent.
    rest: f64,
    /// When all have arrived.
    last: f64,
    /// Whether they are in order: a shorter packet overtakes a longer one on another link.
    is_in_order: bool,
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
    /// All packets are at the source.
    const START: Self = Self { first: 0.0, gap: 0.0, rest: 0.0, last: 0.0, is_in_order: true };

    /// The train after a stage.
    fn after(self, stage: Stage, bits: Bits) -> Self {
        let first = self.first + stage.time(bits.full) + stage.delay;
        let gap = self.gap.max(stage.gap(bits.full));
        let own = stage.time(bits.rest);
        let is_in_order = self.is_in_order && (bits.further == 0.0 || stage.total <= stage.rate);
        let mut rest = self.rest + own + stage.delay;
        if is_in_order {
            if bits.further > 0.0 {
                // It leaves after the last full packet.
                rest = rest.max(first + gap * (bits.further - 1.0) + own);
            }
            return Self { first, gap, rest, last: rest, is_in_order };
        }
        // Another channel is free, but all of them together are not faster than that.
        let earliest = if self.is_in_order { self.first } else { self.first.min(self.rest) };
        let all = stage.gap(bits.full) * bits.further + stage.gap(bits.rest);
        let last = (self.last + own).max(earliest + all) + stage.delay;
        Self { first, gap, rest, last: last.max(first), is_in_order }
    }
}

/// Where one stage is left and the next begins.
#[derive(Debug, Default)]
struct Chain {
    stages: Vec<Stage>,
    /// Whether the last one is of fibres.
    is_light: bool,
}

impl Chain {
    /// Adds links, of fibres or not, behind nodes that store a packet or not. Light goes on as light.
    fn push(&mut self, own: Stage, is_light: bool, is_stored: bool) {
        let goes_on = !is_stored || self.is_light && is_light;
        self.is_light = is_light;
        match self.stages.last_mut().filter(|_| goes_on) {
            Some(before) => *before = before.then(own),
            None => self.stages.push(own),
        }
    }
}

impl Stage {
    /// The transmission time of a packet with so many bits, to the picosecond, as links have it.
    fn time(self, bits: f64) -> f64 {
        (1e12 * bits / self.rate).round() * 1e-12
    }

    /// By how much such a packet follows another on all channels.
    fn gap(self, bits: f64) -> f64 {
        self.time(bits) * (self.rate / self.total)
    }

    /// This one and the next, between which nothing stops.
    fn then(self, next: Self) -> Self {
        Self {
            rate: self.rate.min(next.rate),
            total: self.total.min(next.total),
            delay: self.delay + next.delay,
        }
    }

    /// The best of two, of which a packet takes one; the packets of a flow share them, or all take the same.
    fn or(self, other: Self, shares: bool) -> Self {
        Self {
            rate: self.rate.max(other.rate),
            total: if shares { self.total + other.total } else { self.total.max(other.total) },
            delay: self.delay.min(other.delay),
        }
    }
}

/// The idle network, with all ways that packets may take.
#[derive(Debug)]
pub struct IdleNetwork {
    /// Each link alone, with the highest rate that it has in the run.
    links: Vec<Stage>,
    /// By node: all links from it to others that forward packets, and all to it.
    cuts: Vec<[Option<Stage>; 2]>,
    /// By router: the least delay in picoseconds from all others, once it has been asked for.
    delays: Vec<OnceLock<Vec<Option<u64>>>>,
}

impl IdleNetwork {
    /// That of a plan.
    pub fn new(plan: &Plan) -> Self {
        let Graph { nodes, links: all, .. } = &plan.graph;
        let alone = |(link, rate): (&OneWayLink, Rate)| Stage {
            rate: rate.as_f64(),
            // Where none waits, any number goes on at once.
            total: if plan.never_waits(link) {
                f64::INFINITY
            } else {
                link.bits_per_second_at(rate)
            },
            delay: link.delay.as_secs_f64(),
        };
        let links: Vec<Stage> = all.iter().zip(plan.highest_rates()).map(alone).collect();
        let mut cuts = vec![[None::<Stage>; 2]; nodes.len()];
        for (link, &own) in all.iter().zip(&links) {
            let ends = [link.from, link.to];
            if plan.graph.is_inner(link) {
                for (way, end) in ends.into_iter().enumerate() {
                    let cut = &mut cuts[end.index()][way];
                    *cut = Some(cut.map_or(own, |cut| cut.or(own, true)));
                }
            }
        }
        Self { links, cuts, delays: vec![OnceLock::new(); nodes.len()] }
    }

    /// The completion time in seconds of a flow with `data` bytes in an idle network, from the first offered data to
    /// the acknowledgment of all: a bound over all ways that its packets may take, below which no run falls. `None`
    /// for a transport without acknowledgments, or a source that sends no files.
    ///
    /// Packets are stored and forwarded by routers, racks and CIOQ switches; none waits for another where packets never
    /// wait. Cut-through switches and optical networks forward bits as they come; neither the assembly of bursts nor the
    /// setting of a switch takes time, nor that of a lightpath.
    pub fn completion(
        &self,
        (plan, routing): (&Plan, &Routing),
        (from, to): (NodeId, NodeId),
        traffic: u32,
        data: u64,
    ) -> Option<f64> {
        let entry = &plan.traffic[traffic as usize];
        let sizes =
            Sizes::of(&entry.transport).filter(|_| entry.source.sends_files() && data > 0)?;
        let further = data.div_ceil(sizes.data) - 1;
        let on_wire = |data: u64| 8.0 * (data + sizes.header) as f64;
        let bits = Bits {
            further: further as f64,
            full: on_wire(sizes.data.min(data)),
            rest: on_wire(data - further * sizes.data),
        };
        let shares = plan.spread != SpreadSpec::Flow
            || matches!(entry.transport, TransportPlan::Message(_))
            || plan.facts().anycast.is_some();
        let ways = Ways { idle: self, plan, routing, shares };
        let there = ways.stages(from, to)?.into_iter();
        let there = there.fold(Train::START, |train, stage| train.after(stage, bits));
        let acknowledgment = 8.0 * sizes.acknowledgment as f64;
        let back = ways.stages(to, from)?.into_iter();
        let back: f64 = back.map(|stage| stage.time(acknowledgment) + stage.delay).sum();
        Some(there.last + back)
    }
}

/// All ways that the packets of a flow may take.
#[derive(Clone, Copy)]
struct Ways<'a> {
    idle: &'a IdleNetwork,
    plan: &'a Plan,
    routing: &'a Routing,
    /// Whether the packets of a flow share links of equal cost.
    shares: bool,
}

impl<'a> Ways<'a> {
    /// The stages from one end to the other, each with the best that a way has there.
    fn stages(self, from: NodeId, to: NodeId) -> Option<Vec<Stage>> {
        let mut chain = Chain::default();
        let mut first = from;
        if !self.plan.graph.forwards(from) {
            let (link, own) = self.link(self.routing.first_link(from));
            chain.push(own, false, true);
            first = link.to;
            if first == to {
                return Some(chain.stages);
            }
        }
        let end = self.routing.last_link(to).map(|link| self.link(link));
        let last = end.map_or(to, |(link, _)| link.from);
        if !self.routing.reaches(first, last) {
            return None;
        }
        if first != last {
            if self.leave_routes() {
                chain.push(self.between(first, last)?, true, self.stores(first));
            } else {
                self.routes(&mut chain, first, last);
            }
        }
        if let Some((_, own)) = end {
            chain.push(own, false, self.stores(last));
        }
        Some(chain.stages)
    }

    fn link(self, link: LinkId) -> (&'a OneWayLink, Stage) {
        (&self.plan.graph.links[link.index()], self.idle.links[link.index()])
    }

    /// Whether a node takes a packet in before it sends it on, if not as light.
    fn stores(self, node: NodeId) -> bool {
        !self.plan.facts().acts_on_first_bit
            || self.plan.graph.nodes[node.index()].kind != NodeKind::Core
    }

    /// Whether packets between two routers may go where the table of routes does not lead.
    fn leave_routes(self) -> bool {
        let facts = self.plan.facts();
        facts.has_racks() || facts.deflection.is_some()
    }

    /// The stages of the routes of equal cost between two routers, hop by hop.
    fn routes(self, chain: &mut Chain, first: NodeId, last: NodeId) {
        let (mut at, mut onward) = (vec![first], Vec::new());
        // Routes of equal delay need not have equally many hops: some may be over when others go on.
        let (mut uneven, mut delay) = (false, 0.0);
        while at != [last] {
            let (mut best, mut is_light) = (None::<Stage>, false);
            for &node in at.iter().filter(|&&node| node != last) {
                for link in self.routing.links(node, last) {
                    let (link, own) = self.link(link);
                    best = Some(best.map_or(own, |best| best.or(own, self.shares)));
                    is_light |= link.channels.is_some();
                    onward.push(link.to);
                }
            }
            let is_stored = at.iter().all(|&node| self.stores(node));
            if let Some(best) = best.filter(|_| !uneven) {
                chain.push(best, is_light, is_stored);
                delay += best.delay;
            }
            onward.sort_unstable();
            onward.dedup();
            uneven |= onward.contains(&last) && onward.len() > 1;
            if at.contains(&last) && !onward.contains(&last) {
                onward.push(last);
            }
            std::mem::swap(&mut at, &mut onward);
            onward.clear();
        }
        if uneven && let Some(least) = self.least_delay(first, last) {
            chain.stages.last_mut().expect("a route has a link").delay += (least - delay).max(0.0);
        }
    }

    /// The least delay in seconds between two routers.
    fn least_delay(self, from: NodeId, to: NodeId) -> Option<f64> {
        let [from, to] = [from, to].map(|node| self.routing.home(node));
        let graph = &self.plan.graph;
        let delays = self.idle.delays[to].get_or_init(|| self.routing.least_delays(graph, to));
        delays[from].map(|delay| Span(delay).as_secs_f64())
    }

    /// One stage for whatever is between two routers: each packet takes a link from the first and one to the last,
    /// and no way has less delay.
    fn between(self, first: NodeId, last: NodeId) -> Option<Stage> {
        let [out, _] = self.idle.cuts[first.index()];
        let [_, into] = self.idle.cuts[last.index()];
        let (rate, total) = out
            .zip(into)
            .map(|(out, into)| (out.rate.min(into.rate), out.total.min(into.total)))?;
        // A lightpath is a single channel.
        let by_light = self.plan.facts().lightpath.is_some();
        let delay = self.least_delay(first, last)?;
        Some(Stage { rate, total: if by_light { rate } else { total }, delay })
    }
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
        1e3 * stages.iter().fold(Train::START, pass).last
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

    /// Behind two links side by side 100 B and 900 B are before 1000 B; the last link has 900 B and 1000 B one after the
    /// other.
    #[test]
    fn a_short_packet_overtakes_a_full_one_on_another_link() {
        let two = Stage { total: 2e6, ..link(1.0) };
        let last = |rest| last(&[link(10.0), two, link(1.0)], 1, rest);
        assert_ms(last(100), 3.0 + 0.8 + 8.0 + 8.0);
        assert_ms(last(900), 3.0 + 0.8 + 0.72 + 7.2 + 15.2);
    }

    #[test]
    fn channels_share_a_train() {
        let four = Stage { total: 4e6, ..link(1.0) };
        // The last one needs a whole 8 ms of its channel; a long train, 2 ms a packet.
        assert_ms(last(&[link(10.0), four], 3, 1000), 2.0 + 4.0 * 0.8 + 8.0);
        assert_ms(last(&[link(10.0), four], 99, 1000), 2.0 + 0.8 + 100.0 * 2.0);
    }
}
