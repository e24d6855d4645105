//! A plan without a scenario file: nodes, links, flows and a core, defined in code.
//!
//! It is for tests of single devices and pairs of devices, and for programs that build networks. It
//! checks only what it needs itself: scenario files are for users, this is for developers who know
//! the plan.
//!
//! ```
//! use plan::builder::Builder;
//! use traffic::{Cbr, Source};
//! use units::{Bytes, Rate, Span};
//!
//! let mut net = Builder::new();
//! let (a, r, b) = (net.host("a"), net.router("r"), net.host("b"));
//! net.link(&a, &r, Rate(1_000_000_000), Span::from_us(5));
//! net.link(&r, &b, Rate(1_000_000_000), Span::from_us(5));
//! net.udp(&a, &b, Source::Cbr(Cbr { rate: Rate(100_000_000).into(), packet: Bytes(1_000).into() }));
//! assert_eq!(net.plan(Span::from_us(10_000)).graph.links.len(), 4);
//! ```

use std::sync::Arc;

use optics::{AssemblySpec, ControlSpec};
use traffic::{Source, Start};
use transport::{Profile, TcpOptions};
use units::{Rate, Span};

use crate::shapes::{Explicit, NodeSpec};
use crate::spec::{Change, CoreSpec, ExplicitLink, Metric, NodeKind, QueueSpec, SpreadSpec, Until};
use crate::topology::Graph;
use crate::{Between, OpticalPlan, Plan, Shortcut, TrafficPlan, TransportPlan};

/// Bytes of UDP and IP headers of a datagram (RFC 768, RFC 791).
const UDP_HEADER: u32 = 28;

/// A network under construction; everything has a name.
#[derive(Debug, Clone)]
pub struct Builder {
    nodes: Vec<NodeSpec>,
    links: Vec<ExplicitLink>,
    flows: Vec<(String, String, TransportPlan, Source)>,
    changes: Vec<(Span, String, Change)>,
    core: Option<CoreSpec>,
    assembly: AssemblySpec,
    control: ControlSpec,
    queue: QueueSpec,
    without: Vec<Shortcut>,
}

impl Default for Builder {
    fn default() -> Self {
        Self::new()
    }
}

impl Builder {
    /// No node yet; queues hold 1,000 packets, and with edges each packet is a burst.
    pub fn new() -> Self {
        Self {
            nodes: Vec::new(),
            links: Vec::new(),
            flows: Vec::new(),
            changes: Vec::new(),
            core: None,
            assembly: AssemblySpec::PER_PACKET,
            control: ControlSpec::default(),
            queue: QueueSpec::packets(1_000),
            without: Vec::new(),
        }
    }

    fn node(&mut self, name: &str, kind: NodeKind) -> String {
        self.nodes.push(NodeSpec { name: name.to_owned(), kind, count: None });
        name.to_owned()
    }

    /// Adds a host; returns its name.
    pub fn host(&mut self, name: &str) -> String {
        self.node(name, NodeKind::Host)
    }

    /// An electronic router.
    pub fn router(&mut self, name: &str) -> String {
        self.node(name, NodeKind::Router)
    }

    /// An edge router of an optical network.
    pub fn edge(&mut self, name: &str) -> String {
        self.node(name, NodeKind::Edge)
    }

    /// A core node.
    pub fn core(&mut self, name: &str) -> String {
        self.node(name, NodeKind::Core)
    }

    /// A rack, behind circuit switches.
    pub fn rack(&mut self, name: &str) -> String {
        self.node(name, NodeKind::Rack)
    }

    /// What the core nodes are.
    pub fn switched_by(&mut self, core: CoreSpec) -> &mut Self {
        self.core = Some(core);
        self
    }

    /// How edges assemble packets into bursts.
    pub fn assembled_by(&mut self, assembly: AssemblySpec) -> &mut Self {
        self.assembly = assembly;
        self
    }

    /// The sizes and times of burst headers.
    pub fn controlled_by(&mut self, control: ControlSpec) -> &mut Self {
        self.control = control;
        self
    }

    /// The queue in front of each link.
    pub fn queues(&mut self, queue: QueueSpec) -> &mut Self {
        self.queue = queue;
        self
    }

    /// A shortcut that the run must not use.
    pub fn without(&mut self, shortcut: Shortcut) -> &mut Self {
        self.without.push(shortcut);
        self
    }

    /// A two-way link, returned for further changes.
    pub fn link(&mut self, from: &str, to: &str, rate: Rate, delay: Span) -> &mut ExplicitLink {
        self.links.push(ExplicitLink {
            from: from.to_owned(),
            to: to.to_owned(),
            rate,
            delay: Some(delay),
            length: None,
            delay_per_km: None,
            queue: None,
            loss: None,
            one_way: false,
            lightpaths: None,
            channels: None,
            control_channels: None,
            control_rate: None,
        });
        self.links.last_mut().expect("pushed")
    }

    /// A two-way link of this number of data channels of a rate.
    pub fn fibre(&mut self, from: &str, to: &str, (channels, rate): (u32, Rate), delay: Span) {
        self.link(from, to, rate, delay).channels = Some(channels);
    }

    /// A change of a link, by its name as in a scenario.
    pub fn change(&mut self, at: Span, link: &str, change: Change) -> &mut Self {
        self.changes.push((at, link.to_owned(), change));
        self
    }

    /// A flow of datagrams from the start on.
    pub fn udp(&mut self, from: &str, to: &str, source: Source) -> &mut Self {
        self.flow((from, to), TransportPlan::Udp { header: UDP_HEADER }, source)
    }

    /// A flow of TCP as in the RFCs.
    ///
    /// # Panics
    /// If the profile's own options contradict each other: never.
    pub fn tcp(&mut self, from: &str, to: &str, source: Source) -> &mut Self {
        let config = transport::resolve(Profile::default(), &TcpOptions::default());
        let config = config.expect("a profile's own options");
        self.flow((from, to), TransportPlan::Tcp(Arc::new(config)), source)
    }

    /// A flow from the start on.
    pub fn flow(
        &mut self,
        (from, to): (&str, &str),
        transport: TransportPlan,
        source: Source,
    ) -> &mut Self {
        self.flows.push((from.to_owned(), to.to_owned(), transport, source));
        self
    }

    /// The plan of a run of this duration, measured from its start.
    ///
    /// # Panics
    /// If a flow or a change names an unknown node or link, or there are edges without a core for
    /// them.
    pub fn plan(&self, duration: Span) -> Plan {
        let (nodes, links) = (self.nodes.clone(), self.links.clone());
        let graph = Graph::new(&Explicit { nodes, links }, self.queue, NodeKind::Router);
        let node = |name: &str| graph.node_named(name).unwrap_or_else(|| panic!("no node {name}"));
        let traffic = self.flows.iter().map(|(from, to, transport, source)| TrafficPlan {
            between: Between::Pairs(vec![(node(from), node(to))]),
            weights: Vec::new(),
            count: 1,
            start: Start::default(),
            stop: None,
            transport: transport.clone(),
            graph: None,
            source: source.clone(),
            reordering: false,
        });
        let traffic = traffic.collect();
        let mut changes = Vec::new();
        for (at, name, change) in &self.changes {
            let named = graph.links_named(name);
            assert!(!named.is_empty(), "no link {name}");
            changes.extend(named.into_iter().map(|link| (*at, link, *change)));
        }
        changes.sort_by_key(|&(at, _, _)| at);
        let has_edges = graph.edges().next().is_some();
        let optical = has_edges.then(|| OpticalPlan {
            assembly: self.assembly.clone(),
            core: self.core.clone().unwrap_or_default(),
            control: self.control,
        });
        Plan {
            metric: Metric::default(),
            spread: SpreadSpec::default(),
            flowlet_gap: Span::ZERO,
            traffic,
            changes,
            warmup: Span::ZERO,
            duration,
            until: Until::default(),
            max_events: u64::MAX,
            optical,
            core: self.core.clone().filter(|core| !core.facts().has_edges),
            bursts_recorded: 0,
            first_transmission: false,
            acknowledgments: false,
            synchronization: None,
            throughput_span: None,
            splitting: None,
            without: self.without.clone(),
            graph,
        }
    }
}
