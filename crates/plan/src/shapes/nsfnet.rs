//! The NSF network of 14 places: its table of lengths, and the nodes attached to it.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{NodeId, Rate, Span};

use super::{Joins, LinkTable, Shape, ShapeFacts, limits};
use crate::check::{Findings, Flaw};
use crate::spec::{ChannelsSpec, Direction, LinkSpec, NodeKind};
use crate::topology::Builder;

/// The NSF network as an optical network: the usual graph of 14 places and 21 links. Its
/// lengths in km are those of one public copy (other copies differ): CA2–CA1 834, NE–CO 870,
/// NE–IL 864, NJ–DC 312, NJ–MI 942, NY–DC 468, NY–MI 720, PA–GA 1008, PA–IL 846, PA–NJ 540,
/// PA–NY 438, TX–CA2 2520, TX–CO 1746, TX–DC 2364, TX–GA 1350, UT–CA1 1152, UT–CO 684, UT–MI
/// 2820, WA–CA1 1338, WA–CA2 2056, WA–IL 3408. Each place is a core router (`WA`); an edge
/// router (`edge-WA`) is joined to the core router of its place by a fibre of length zero; its
/// hosts are `host-WA-0`, `host-WA-1`, ….
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Nsfnet {
    /// The places that have an edge router, each once.
    #[serde(default = "all_places")]
    #[schemars(length(min = 2, max = 14))]
    pub edges: Vec<Place>,
    /// The links between core routers. Those between edge and core routers are like them,
    /// except for `add-channels`.
    pub link: CoreLinkSpec,
    /// Data channels in each direction between an edge router and its core router; by default
    /// as many as between core routers. Without wavelength conversion a burst on a channel that
    /// the core links do not have is lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_024))]
    pub add_channels: Option<u32>,
    /// Propagation delay per km; by default that of light in glass (200,000 km per second).
    #[serde(default = "delay_per_km")]
    #[schemars(extend("x-max" = "1 ms"))]
    pub delay_per_km: Span,
    /// Hosts behind each edge router; with 0 the edge routers are themselves the endpoints of
    /// flows.
    #[serde(default)]
    #[schemars(range(min = 0, max = 50_000))]
    pub hosts: u32,
    /// The link between a host and its edge router, forward from the host; required with hosts,
    /// and only then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access: Option<LinkSpec>,
    /// How far apart the delays of the hosts of an edge router are, as a share of that of `access`: of n
    /// hosts, host i has 1 + `access-spread` · (2 i + 1 − n) / n times it. They are evenly spread, and
    /// their mean is the delay of `access`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub access_spread: Option<f64>,
}

/// Declares the places of the NSF network in the order of their nodes.
macro_rules! places {
    ($($Place:ident $name:literal $at:literal,)+) => {
        /// A place of the NSF network, named by its state.
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
        )]
        #[serde(rename_all = "UPPERCASE")]
        pub enum Place {
            $(#[doc = $at] $Place,)+
        }

        impl Place {
            /// All of them, in the order of their nodes.
            pub const ALL: [Self; 14] = [$(Self::$Place),+];

            /// Its name, which is that of its core router.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$Place => $name,)+
                }
            }
        }
    };
}

places! {
    Wa "WA" "Washington.",
    Ca1 "CA1" "California, north.",
    Ca2 "CA2" "California, south.",
    Ut "UT" "Utah.",
    Co "CO" "Colorado.",
    Tx "TX" "Texas.",
    Ne "NE" "Nebraska.",
    Il "IL" "Illinois.",
    Pa "PA" "Pennsylvania.",
    Ga "GA" "Georgia.",
    Mi "MI" "Michigan.",
    Ny "NY" "New York.",
    Nj "NJ" "New Jersey.",
    Dc "DC" "The District of Columbia.",
}

fn all_places() -> Vec<Place> {
    Place::ALL.to_vec()
}

/// The speed of light in glass is 200,000 km per second.
fn delay_per_km() -> Span {
    Span::from_us(5)
}

/// An optical link between two core routers, without its length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CoreLinkSpec {
    /// Bit rate of a data channel.
    #[schemars(extend("x-min" = "1 kb/s", "x-max" = "100 Tb/s"))]
    pub rate: Rate,
    /// Data channels (wavelengths) in each direction.
    #[schemars(range(min = 1, max = 1_024))]
    pub channels: u32,
    /// Control channels in each direction; 2 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_024))]
    pub control_channels: Option<u32>,
    /// Bit rate of a control channel; `rate` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-min" = "1 kb/s", "x-max" = "100 Tb/s"))]
    pub control_rate: Option<Rate>,
}

impl CoreLinkSpec {
    /// What it has in common with other links.
    pub fn link(&self, delay: Span) -> LinkSpec {
        LinkSpec::plain(self.rate, delay)
    }

    /// The channels of such a link with this number of data channels.
    pub fn channels(&self, data: u32) -> ChannelsSpec {
        ChannelsSpec::new(data, self.rate, self.control_channels, self.control_rate)
    }
}

/// The links between the places and their lengths in km, as in the public copy that the sheet of
/// the paper `sync` quotes. The graph is the same in all copies; lengths differ between them.
const LENGTHS: [(Place, Place, u32); 21] = [
    (Place::Ca2, Place::Ca1, 834),
    (Place::Ne, Place::Co, 870),
    (Place::Ne, Place::Il, 864),
    (Place::Nj, Place::Dc, 312),
    (Place::Nj, Place::Mi, 942),
    (Place::Ny, Place::Dc, 468),
    (Place::Ny, Place::Mi, 720),
    (Place::Pa, Place::Ga, 1008),
    (Place::Pa, Place::Il, 846),
    (Place::Pa, Place::Nj, 540),
    (Place::Pa, Place::Ny, 438),
    (Place::Tx, Place::Ca2, 2520),
    (Place::Tx, Place::Co, 1746),
    (Place::Tx, Place::Dc, 2364),
    (Place::Tx, Place::Ga, 1350),
    (Place::Ut, Place::Ca1, 1152),
    (Place::Ut, Place::Co, 684),
    (Place::Ut, Place::Mi, 2820),
    (Place::Wa, Place::Ca1, 1338),
    (Place::Wa, Place::Ca2, 2056),
    (Place::Wa, Place::Il, 3408),
];

impl Nsfnet {
    /// The link of a host, which is one of all at its edge router.
    fn host_link(&self, at: u32) -> LinkSpec {
        let access = self.access.as_ref().expect("checked: hosts have a link");
        let Some(spread) = self.access_spread else { return *access };
        let (at, all) = (f64::from(at), f64::from(self.hosts));
        let times = 1.0 + spread * (2.0 * at + 1.0 - all) / all;
        let delay = Some(access.propagation().delay().scaled(times));
        LinkSpec { delay, length: None, delay_per_km: None, ..*access }
    }
}

impl Shape for Nsfnet {
    fn build(&self, to: &mut Builder<'_>) {
        let cores = Place::ALL.map(|place| to.node(place.name().into(), NodeKind::Core));
        let core = |place: Place| cores[place as usize];
        for (from, end, km) in LENGTHS {
            let link = self.link.link(Span(self.delay_per_km.0 * u64::from(km)));
            fibre((core(from), core(end)), &link, self.link.channels(self.link.channels), to);
        }
        for &place in &self.edges {
            let edge = to.node(format!("edge-{}", place.name()), NodeKind::Edge);
            let channels = self.link.channels(self.add_channels.unwrap_or(self.link.channels));
            fibre((edge, core(place)), &self.link.link(Span::ZERO), channels, to);
            for at in 0..self.hosts {
                let host = to.host(format!("host-{}-{at}", place.name()));
                to.two_way(host, edge, &self.host_link(at));
            }
        }
    }

    fn links(&self) -> Vec<LinkTable> {
        self.access.iter().map(|link| LinkTable::new("access", link, Joins::Others)).collect()
    }

    /// Each place at most once, and a link of hosts if there are any.
    fn check(&self, _: bool, to: &mut dyn Findings) {
        let mut seen = BTreeSet::new();
        for (at, place) in self.edges.iter().enumerate() {
            if !seen.insert(place) {
                let key = format!("topology.edges.{at}");
                to.note(&key, format!("\"{}\" already has an edge router", place.name()));
            }
        }
        match (self.hosts, &self.access) {
            (0, Some(_)) => to.note("topology.access", "does not apply: there are no hosts"),
            (1.., None) => {
                let accepted = "a table with rate and delay, the link of a host";
                to.mistake(Flaw::missing("topology.access", accepted), "topology.hosts");
            }
            (0, None) | (1.., Some(_)) => {}
        }
        if self.hosts == 0 && self.access_spread.is_some() {
            to.note("topology.access-spread", "does not apply: there are no hosts");
        }
    }

    fn limits(&self, to: &mut dyn Findings) {
        let all = (Place::ALL.len() + self.edges.len()) as u64;
        let nodes = all + self.edges.len() as u64 * u64::from(self.hosts);
        limits::nodes(nodes, limits::MOST_NODES, "topology.hosts", to);
    }

    fn effects(&self, to: &mut dyn Findings) {
        let (Some(access), Some(_)) = (&self.access, self.access_spread) else { return };
        if self.hosts == 1 {
            to.no_effect("topology.access-spread", "each edge router has one host");
        } else if access.propagation().delay() == Span::ZERO {
            to.no_effect("topology.access-spread", "the links of hosts have no delay");
        }
    }

    fn facts(&self) -> ShapeFacts<'_> {
        ShapeFacts { has_edges: true, ..ShapeFacts::PLAIN }
    }
}

/// Both directions of an optical link.
fn fibre(
    (from, end): (NodeId, NodeId),
    link: &LinkSpec,
    channels: ChannelsSpec,
    to: &mut Builder<'_>,
) {
    to.one_way(from, end, link, Direction::Backward);
    to.one_way(end, from, link, Direction::Forward);
    for way in to.graph.links.iter_mut().rev().take(2) {
        way.channels = Some(channels);
    }
}

#[cfg(test)]
mod tests {
    use units::{Length, LinkId, Rate};

    use super::*;
    use crate::routing::Routing;
    use crate::spec::{Metric, QueueSpec};
    use crate::topology::Graph;

    const QUEUE: QueueSpec = QueueSpec::packets(100);
    const CORE: CoreLinkSpec = CoreLinkSpec {
        rate: Rate(10_000_000_000),
        channels: 2,
        control_channels: Some(1),
        control_rate: None,
    };
    const ACCESS: LinkSpec = LinkSpec {
        rate: Rate(100_000_000),
        delay: Some(Span::from_ms(1)),
        length: None,
        delay_per_km: None,
        queue: None,
        loss: None,
        lightpaths: None,
    };

    fn graph(edges: &[Place], hosts: u32) -> Graph {
        let topology = Nsfnet {
            edges: edges.to_vec(),
            link: CORE,
            add_channels: Some(16),
            delay_per_km: Span::from_us(5),
            hosts,
            access: (hosts > 0).then_some(ACCESS),
            access_spread: None,
        };
        Graph::new(&topology, QUEUE, NodeKind::Router)
    }

    fn id(graph: &Graph, name: &str) -> NodeId {
        NodeId::at(graph.nodes.iter().position(|node| node.name == name).unwrap())
    }

    fn delay(graph: &Graph, path: &[LinkId]) -> Span {
        path.iter().fold(Span::ZERO, |sum, link| sum + graph.links[link.index()].delay)
    }

    /// All shortest distances in km by Floyd and Warshall's three loops.
    fn distances() -> [[u32; 14]; 14] {
        let mut km = [[1_000_000; 14]; 14];
        for (from, to, length) in LENGTHS {
            km[from as usize][to as usize] = length;
            km[to as usize][from as usize] = length;
        }
        for via in 0..14 {
            km[via][via] = 0;
            for from in 0..14 {
                for to in 0..14 {
                    km[from][to] = km[from][to].min(km[from][via] + km[via][to]);
                }
            }
        }
        km
    }

    /// As in the sheet: `A–B km`.
    #[test]
    fn the_core_is_the_published_one() {
        let sheet = "CA2–CA1 834, NE–CO 870, NE–IL 864, NJ–DC 312, NJ–MI 942, NY–DC 468, \
                     NY–MI 720, PA–GA 1008, PA–IL 846, PA–NJ 540, PA–NY 438, TX–CA2 2520, \
                     TX–CO 1746, TX–DC 2364, TX–GA 1350, UT–CA1 1152, UT–CO 684, UT–MI 2820, \
                     WA–CA1 1338, WA–CA2 2056, WA–IL 3408";
        let graph = graph(&Place::ALL, 0);
        let forward = graph.links.iter().step_by(2).take(21).enumerate();
        let listed: Vec<String> = forward
            .map(|(at, link)| {
                let name = graph.link_name(LinkId::at(2 * at)).replace(" -> ", "–");
                assert_eq!(link.delay.0 % 5_000_000, 0);
                format!("{name} {}", link.delay.0 / 5_000_000)
            })
            .collect();
        assert_eq!(listed.join(", "), sheet);
        // Every direction is followed by the opposite one with the same delay.
        for ways in graph.links.chunks(2) {
            assert_eq!((ways[0].from, ways[0].to), (ways[1].to, ways[1].from));
            assert_eq!(ways[0].delay, ways[1].delay);
        }
    }

    #[test]
    fn places_have_their_names_and_degrees() {
        let graph = graph(&[Place::Wa, Place::Ca1], 0);
        let names = "WA CA1 CA2 UT CO TX NE IL PA GA MI NY NJ DC edge-WA edge-CA1";
        let found: Vec<&str> = graph.nodes.iter().map(|node| node.name.as_str()).collect();
        assert_eq!(found.join(" "), names);
        let degrees: Vec<usize> = (0..14)
            .map(|at| graph.links[..42].iter().filter(|link| link.from.index() == at).count())
            .collect();
        assert_eq!(degrees, [3, 3, 3, 3, 3, 4, 2, 3, 4, 2, 3, 3, 3, 3]);
        assert_eq!(degrees.iter().sum::<usize>(), 42);
    }

    #[test]
    fn edges_and_hosts_hang_on_their_place() {
        let graph = graph(&[Place::Tx, Place::Dc], 3);
        assert_eq!(graph.nodes.len(), 14 + 2 + 6);
        assert_eq!(graph.links.len(), 2 * (21 + 2 + 6));
        assert_eq!(graph.links_named("edge-TX - TX").len(), 2);
        assert_eq!(graph.links_named("host-DC-2 - edge-DC").len(), 2);
        let kinds = |kind| graph.nodes.iter().filter(|node| node.kind == kind).count();
        let expected = [(NodeKind::Core, 14), (NodeKind::Edge, 2), (NodeKind::Host, 6)];
        assert!(expected.into_iter().all(|(kind, count)| kinds(kind) == count));
        for link in &graph.links {
            let ends = [link.from, link.to].map(|end| graph.nodes[end.index()].kind);
            let (data, delay) = if ends == [NodeKind::Core; 2] {
                (Some(2), link.delay)
            } else if ends.contains(&NodeKind::Core) {
                (Some(16), Span::ZERO)
            } else {
                (None, Span::from_ms(1))
            };
            assert_eq!(link.channels.map(|channels| channels.data), data);
            assert_eq!(link.delay, delay);
        }
    }

    /// Of four hosts with a spread of 0.8 around 10 ms, by hand: 10 (1 ∓ 0.6) and 10 (1 ∓ 0.2) ms.
    #[test]
    fn delays_of_hosts_are_spread_evenly_around_that_of_their_link() {
        let (delay, length) = (Some(Span::from_ms(10)), Some(Length(2_000_000_000)));
        for (delay, length) in [(delay, None), (None, length)] {
            let topology = Nsfnet {
                edges: vec![Place::Wa, Place::Ny],
                link: CORE,
                add_channels: None,
                delay_per_km: Span::from_us(5),
                hosts: 4,
                access: Some(LinkSpec { delay, length, ..ACCESS }),
                access_spread: Some(0.8),
            };
            let graph = Graph::new(&topology, QUEUE, NodeKind::Router);
            for edge in ["WA", "NY"] {
                let delays = [0, 1, 2, 3].map(|at| {
                    let links = graph.links_named(&format!("host-{edge}-{at} - edge-{edge}"));
                    let [there, back] = links[..] else { panic!("one link") };
                    let delays = [there, back].map(|link| graph.links[link.index()].delay);
                    assert_eq!(delays[0], delays[1]);
                    delays[0]
                });
                assert_eq!(delays, [4, 8, 12, 16].map(Span::from_ms));
            }
        }
    }

    #[test]
    fn add_channels_left_out_are_those_of_the_core() {
        let topology = Nsfnet {
            edges: vec![Place::Wa, Place::Ny],
            link: CORE,
            add_channels: None,
            delay_per_km: Span::from_us(4),
            hosts: 0,
            access: None,
            access_spread: None,
        };
        let graph = Graph::new(&topology, QUEUE, NodeKind::Router);
        assert!(graph.links.iter().all(|link| link.channels.unwrap().data == 2));
        assert_eq!(graph.links[0].delay, Span::from_us(4 * 834));
    }

    /// In km: WA–IL–PA–NY 3408 + 846 + 438 = 4692, WA–CA1–UT–MI–NY 6030. CA2–TX–DC 2520 + 2364 =
    /// 4884, all others over 5000. CA1–UT–MI–NJ 1152 + 2820 + 942 = 4914, over CO, NE, IL and PA
    /// 1152 + 684 + 870 + 864 + 846 + 540 = 4956.
    #[test]
    fn shortest_paths_by_hand() {
        let graph = graph(&Place::ALL, 0);
        let routing = Routing::new(&graph, Metric::Delay, 0);
        for (from, to, way) in [
            ("edge-WA", "edge-NY", "WA IL PA NY"),
            ("edge-CA2", "edge-DC", "CA2 TX DC"),
            ("edge-CA1", "edge-NJ", "CA1 UT MI NJ"),
        ] {
            let path = routing.path(&graph, id(&graph, from), id(&graph, to), 1).unwrap();
            let over = path.iter().map(|link| graph.links[link.index()].from).skip(1);
            let names: Vec<&str> = over.map(|id| graph.nodes[id.index()].name.as_str()).collect();
            assert_eq!(names.join(" "), way);
        }
        let path = routing.path(&graph, id(&graph, "edge-WA"), id(&graph, "edge-NY"), 1).unwrap();
        assert_eq!(delay(&graph, &path), Span::from_us(5 * 4692));
    }

    #[test]
    fn every_edge_reaches_every_other_on_the_shortest_way() {
        let graph = graph(&Place::ALL, 0);
        let routing = Routing::new(&graph, Metric::Delay, 0);
        let expected = distances();
        for from in Place::ALL {
            for to in Place::ALL.into_iter().filter(|&to| to != from) {
                let edge = |place: Place| id(&graph, &format!("edge-{}", place.name()));
                let path = routing.path(&graph, edge(from), edge(to), 1).unwrap();
                let km = expected[from as usize][to as usize];
                assert_eq!(delay(&graph, &path), Span::from_us(5 * u64::from(km)));
            }
        }
    }
}
