//! How the packets of a flow are spread over paths of equal cost.
//!
//! A packet carries 16 bits of hash, by which each router makes its choice. They are the flow's
//! own, so that all of its packets take one path, or they are drawn for each packet ("spraying") or
//! for each flowlet: packets of one direction of a flow without a long silence between them
//! (Kandula, Katabi, Sinha and Berger 2007). The bits of a packet are a function of the flow, the
//! direction, the number of packets sent before, and the seed, so the same packet takes the same
//! path regardless of what switches do with it: different networks are compared with common random
//! numbers.

use plan::spec::SpreadSpec;
use random::mix;
use units::{FlowId, Span, Time};

use crate::packet::{Marks, Transit};

/// The odd number nearest to 2⁶⁴ over the golden ratio: steps of it, mixed, are `splitmix64`.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// How the packets of a flow are spread, with the necessary state of each flow.
#[derive(Debug, Clone)]
pub enum Spread {
    /// All on one path.
    Flow,
    /// Each packet independently.
    Packet {
        /// A number that depends on the seed.
        salt: u64,
        /// By flow id.
        flows: Vec<Sprayed>,
    },
    /// Flowlet by flowlet.
    Flowlet {
        /// A number that depends on the seed.
        salt: u64,
        /// A silence longer than this ends a flowlet.
        gap: Span,
        /// By flow id.
        flows: Vec<Flowlets>,
    },
}

/// A flow whose packets are spread independently.
#[derive(Debug, Clone)]
pub struct Sprayed {
    key: u64,
    /// Packets sent, in each direction.
    sent: [u32; 2],
}

/// A flow whose flowlets are spread.
#[derive(Debug, Clone)]
pub struct Flowlets {
    key: u64,
    /// Flowlets that have ended, in each direction.
    over: [u32; 2],
    /// When the last packet was sent, in each direction.
    last: [Time; 2],
}

impl Spread {
    /// No flows yet. `gap` is only used for flowlets.
    pub fn new(spec: SpreadSpec, gap: Span, salt: u64) -> Self {
        match spec {
            SpreadSpec::Flow => Self::Flow,
            SpreadSpec::Packet => Self::Packet { salt, flows: Vec::new() },
            SpreadSpec::Flowlet => Self::Flowlet { salt, gap, flows: Vec::new() },
        }
    }

    /// Assigns an id to the flow with this number of creation.
    pub fn begin(&mut self, id: FlowId, number: u64) {
        let key = |salt: u64| mix(mix(number.wrapping_mul(STEP)) ^ salt);
        match self {
            Self::Flow => {}
            Self::Packet { salt, flows } => {
                put(flows, id, Sprayed { key: key(*salt), sent: [0; 2] });
            }
            Self::Flowlet { salt, flows, .. } => {
                let flow = Flowlets { key: key(*salt), over: [0; 2], last: [Time::NEVER; 2] };
                put(flows, id, flow);
            }
        }
    }

    /// The hash of a packet that its host sends now; `own` is that of its flow.
    #[inline]
    pub fn hash(&mut self, id: FlowId, own: u16, marks: Marks, now: Time) -> u16 {
        let way = usize::from(marks.has(Marks::BACKWARD));
        match self {
            Self::Flow => own,
            Self::Packet { flows, .. } => {
                let Sprayed { key, sent } = &mut flows[id.index()];
                let hash = drawn(*key, sent[way], way);
                sent[way] = sent[way].wrapping_add(1);
                hash
            }
            Self::Flowlet { gap, flows, .. } => {
                let Flowlets { key, over, last } = &mut flows[id.index()];
                if now.since(last[way]) > *gap {
                    over[way] = over[way].wrapping_add(1);
                }
                last[way] = now;
                // The first flowlet takes the path of the flow.
                if over[way] == 0 { own } else { drawn(*key, over[way], way) }
            }
        }
    }

    /// The value by which a router chooses among equal-cost paths: the hash and the direction; with
    /// spraying also the packet's destination, because 2¹⁶ hashes are distributed unevenly over the
    /// paths to one destination, by about a percent.
    #[inline]
    pub fn key(&self, transit: &Transit) -> u64 {
        let way = u64::from(transit.marks.0 & Marks::BACKWARD) << 16;
        let key = way | u64::from(transit.hash);
        match self {
            Self::Packet { .. } => key | u64::from(transit.to.0) << 17,
            Self::Flow | Self::Flowlet { .. } => key,
        }
    }
}

/// Bits for the packet, or flowlet, with this number.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "any 16 bits of a hash are a hash")]
fn drawn(key: u64, number: u32, way: usize) -> u16 {
    mix(key.wrapping_add((u64::from(number) << 1 | way as u64).wrapping_mul(STEP))) as u16
}

/// Stores the state of a flow at the place of its id, at most the first free one.
fn put<T>(flows: &mut Vec<T>, id: FlowId, flow: T) {
    match flows.get_mut(id.index()) {
        Some(place) => *place = flow,
        None => flows.push(flow),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use kernel::Order;
    use plan::routing::Routing;
    use plan::shapes::FatTree;
    use plan::spec::{LinkSpec, Metric, NodeKind, QueueSpec};
    use plan::topology::Graph;
    use transport::tcp::Flags;
    use units::{LinkId, NodeId, Rate};

    use super::*;
    use crate::packet::NO_PACKET;

    const THERE: Marks = Marks(0);
    const BACK: Marks = Marks(Marks::BACKWARD);

    struct Tree {
        graph: Graph,
        routing: Routing,
    }

    impl Tree {
        /// 128 hosts; 16 behind each pod, 4 behind each edge router.
        fn new() -> Self {
            let queue = QueueSpec::packets(10);
            let link = LinkSpec::plain(Rate(1), Span(1));
            let graph = Graph::new(&FatTree { k: 8, link }, queue, NodeKind::Router);
            let routing = Routing::new(&graph, Metric::Hops, 5);
            Self { graph, routing }
        }

        fn host(&self, at: usize) -> NodeId {
            self.graph.hosts().nth(at).unwrap()
        }

        fn path(&self, spread: &Spread, from: usize, to: usize, hash: u16) -> Vec<LinkId> {
            let (from, to) = (self.host(from), self.host(to));
            let transit = Transit {
                arrives: Time::NEVER,
                order: Order(0),
                next: NO_PACKET,
                bytes: 0,
                to,
                hash,
                marks: THERE,
                flags: Flags::NONE,
            };
            self.routing.path(&self.graph, from, to, spread.key(&transit)).unwrap()
        }

        /// The aggregation and core routers on a path, which identify it.
        fn middle(&self, path: &[LinkId]) -> Vec<String> {
            let nodes = path.iter().map(|link| self.graph.links[link.index()].to);
            let names = nodes.map(|node| self.graph.nodes[node.index()].name.clone());
            names.filter(|name| name.starts_with("agg") || name.starts_with("core")).collect()
        }
    }

    fn chi_square(counts: &BTreeMap<Vec<String>, u32>) -> f64 {
        let expected = f64::from(counts.values().sum::<u32>()) / counts.len() as f64;
        counts.values().map(|&n| (f64::from(n) - expected).powi(2) / expected).sum()
    }

    fn packet(salt: u64, flows: u64) -> Spread {
        let mut spread = Spread::new(SpreadSpec::Packet, Span::ZERO, salt);
        (0..flows).for_each(|flow| spread.begin(FlowId(u32::try_from(flow).unwrap()), flow));
        spread
    }

    fn hash(spread: &mut Spread, flow: u32, marks: Marks, us: u64) -> u16 {
        spread.hash(FlowId(flow), 77, marks, Time::ZERO + Span::from_us(us))
    }

    /// From the hosts of a pod to all hosts of others, 100 packets each: the first aggregation
    /// router and the core router identify the path.
    #[test]
    fn sprayed_packets_take_all_paths_between_pods_alike() {
        let (tree, mut spread) = (Tree::new(), packet(1, 16 * 112));
        let mut counts: BTreeMap<Vec<String>, u32> = BTreeMap::new();
        for flow in 0..16 * 112u32 {
            let (from, to) = (flow as usize % 16, 16 + flow as usize / 16);
            for _ in 0..100 {
                let hash = hash(&mut spread, flow, THERE, 0);
                let path = tree.path(&spread, from, to, hash);
                assert_eq!(path.len(), 6);
                let up = tree.middle(&path)[..2].to_vec();
                *counts.entry(up).or_default() += 1;
            }
        }
        assert_eq!(counts.len(), 16);
        // 15 degrees of freedom: exceeded once in 1000 seeds.
        assert!(chi_square(&counts) < 37.7, "{counts:?}");
    }

    #[test]
    fn sprayed_packets_take_all_paths_within_a_pod_alike() {
        let (tree, mut spread) = (Tree::new(), packet(2, 192));
        let mut counts: BTreeMap<Vec<String>, u32> = BTreeMap::new();
        for flow in 0..192u32 {
            let (from, to) =
                (flow as usize % 16, (flow as usize % 16 + 4 + flow as usize / 16) % 16);
            if from / 4 == to / 4 {
                continue;
            }
            for _ in 0..1000 {
                let hash = hash(&mut spread, flow, THERE, 0);
                let path = tree.path(&spread, from, to, hash);
                assert_eq!(path.len(), 4);
                *counts.entry(tree.middle(&path)).or_default() += 1;
            }
        }
        // Four aggregation routers of pod 0, 3 degrees of freedom.
        assert_eq!(counts.len(), 4);
        assert!(chi_square(&counts) < 16.3, "{counts:?}");
        assert_eq!(tree.path(&spread, 0, 1, 9).len(), 2);
    }

    /// The path of a packet is independent of the next one and of the opposite direction.
    #[test]
    fn the_paths_of_one_packet_and_the_next_are_independent() {
        let (tree, mut spread) = (Tree::new(), packet(3, 1));
        let mut counts: BTreeMap<Vec<String>, u32> = BTreeMap::new();
        for _ in 0..50_000 {
            let first = hash(&mut spread, 0, THERE, 0);
            let acknowledged = hash(&mut spread, 0, BACK, 0);
            let second = hash(&mut spread, 0, THERE, 0);
            let paths = [first, acknowledged, second].map(|h| tree.path(&spread, 0, 30, h));
            let choices = paths.iter().map(|path| tree.middle(path)[0].clone()).collect();
            *counts.entry(choices).or_default() += 1;
        }
        assert_eq!(counts.len(), 64);
        // 63 degrees of freedom; 2¹⁶ hashes with 1% unevenness add about 63 · 50,000 / 65,536.
        assert!(chi_square(&counts) < 103.4 + 50.0, "{}", chi_square(&counts));
    }

    #[test]
    fn a_packet_s_path_hangs_on_its_flow_and_number_alone() {
        let (mut alone, mut among) = (packet(4, 3), packet(4, 3));
        let calm: Vec<u16> = (0..50).map(|_| hash(&mut alone, 1, THERE, 0)).collect();
        let busy: Vec<u16> = (0..50)
            .map(|at| {
                hash(&mut among, 0, BACK, at);
                hash(&mut among, 1, BACK, at);
                hash(&mut among, 1, THERE, 1000 * at)
            })
            .collect();
        assert_eq!(calm, busy);
        // An id that is used again is another flow.
        among.begin(FlowId(1), 3);
        alone.begin(FlowId(0), 3);
        let next = |spread: &mut Spread, id| (0..50).map(|_| hash(spread, id, THERE, 0)).collect();
        let (again, other): (Vec<u16>, Vec<u16>) = (next(&mut among, 1), next(&mut alone, 0));
        assert_eq!(again, other);
        assert_ne!(again, calm);
        let seeds: BTreeSet<u16> = (0..50).map(|s| hash(&mut packet(s, 1), 0, THERE, 0)).collect();
        assert!(seeds.len() > 45);
    }

    #[test]
    fn a_flow_keeps_its_hash() {
        let mut spread = Spread::new(SpreadSpec::Flow, Span::ZERO, 1);
        spread.begin(FlowId(0), 0);
        assert!((0..100).all(|at| hash(&mut spread, 0, THERE, at * at) == 77));
    }

    #[test]
    fn a_flowlet_ends_with_a_silence_longer_than_the_gap_in_its_direction() {
        let mut spread = Spread::new(SpreadSpec::Flowlet, Span::from_us(50), 1);
        spread.begin(FlowId(0), 0);
        // The wait for the first packet is not a silence.
        assert_eq!(hash(&mut spread, 0, THERE, 1000), 77);
        assert_eq!(hash(&mut spread, 0, THERE, 1050), 77);
        // Packets in the opposite direction do not end a silence.
        assert_eq!(hash(&mut spread, 0, BACK, 1090), 77);
        let second = hash(&mut spread, 0, THERE, 1101);
        assert_ne!(second, 77);
        assert_eq!(hash(&mut spread, 0, THERE, 1101), second);
        assert_eq!(hash(&mut spread, 0, THERE, 1151), second);
        assert_eq!(hash(&mut spread, 0, BACK, 1140), 77);
        let third = hash(&mut spread, 0, THERE, 1202);
        assert!(third != second && third != 77);
        let back = hash(&mut spread, 0, BACK, 1250);
        assert!(back != 77 && back != second && back != third);
    }
}
