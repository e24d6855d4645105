//! What is wrong with the graph of a file, and what of it has no effect.

use super::{File, FileNetwork, GraphPart, Maker};
use crate::check::{Findings, Flaw};
use crate::shapes::explicit::{add, all_nodes, counted};
use crate::shapes::{Joins, LinkTable, Shape, ShapeFacts, limits};
use crate::spec::{Direction, LossSpec, NodeKind};
use crate::topology::Builder;

/// The names that a wrong one is compared with.
const MOST_COMPARED: usize = 200;

impl File {
    /// Its nodes and links, with routers at the places if it is electronic; none if it has errors, which are reported.
    /// How large it may be is not checked.
    pub fn network(&self, to: &mut dyn Findings) -> Option<FileNetwork> {
        let flaws = match FileNetwork::new(self, NodeKind::Router) {
            Ok(network) => return Some(network),
            Err(flaws) => flaws,
        };
        for mut flaw in flaws {
            if let Some(name) = self.meant(&flaw, to) {
                flaw.problem = format!("{} (did you mean \"{name}\"?)", flaw.problem);
            }
            let key = flaw.key.clone();
            to.mistake(flaw, &key);
        }
        None
    }

    /// The place that a name in `edges` may mean.
    fn meant(&self, flaw: &Flaw, to: &dyn Findings) -> Option<&str> {
        let at: usize = flaw.key.strip_prefix("topology.edges.")?.parse().ok()?;
        let wrong = self.edges.as_ref()?.get(at)?;
        let names = self.graph.iter().flat_map(|part| match part {
            GraphPart::Place { name, label, .. } => [label.as_deref(), Some(&**name)],
            GraphPart::Link { .. } | GraphPart::Unused { .. } => [None; 2],
        });
        to.nearest(wrong, &mut names.flatten().take(MOST_COMPARED)).filter(|name| name != wrong)
    }
}

impl Maker<'_> {
    /// Keys that exclude or require each other.
    pub(super) fn options(&mut self) {
        let File { link, capacity_unit, add_channels, hosts, access, .. } = self.file;
        let optical = link.channels.is_some();
        if link.delay.is_some() && link.delay_per_km.is_some() {
            self.note("topology.link.delay-per-km", "does not apply: every link has link.delay");
        }
        if link.delay.is_some() && self.file.missing_length.is_some() {
            self.note("topology.missing-length", "does not apply: every link has link.delay");
        }
        let electronic = "does not apply to an optical link, which has channels";
        let channels = "does not apply without link.channels: the network is electronic";
        for (key, given, when, problem) in [
            ("link.queue", link.queue.is_some(), optical, electronic),
            ("link.loss", link.loss.is_some(), optical, electronic),
            ("link.lightpaths", link.lightpaths.is_some(), optical, electronic),
            (
                "capacity-unit",
                capacity_unit.is_some(),
                optical,
                "does not apply to an optical network, whose channels have one rate",
            ),
            ("link.control-channels", link.control_channels.is_some(), !optical, channels),
            ("link.control-rate", link.control_rate.is_some(), !optical, channels),
            ("add-channels", add_channels.is_some(), !optical, channels),
        ] {
            if given && when {
                self.note(&format!("topology.{key}"), problem);
            }
        }
        match (hosts, access) {
            (0, Some(_)) => self.note("topology.access", "does not apply: there are no hosts"),
            (0, None) if !optical => {
                let flaw =
                    Flaw::new("topology.hosts", "an electronic network has hosts").found("0");
                self.flaws.push(flaw.accepted("at least 1"));
            }
            (1.., None) => {
                let accepted = "a table with rate and delay, the link of a host";
                self.flaws.push(Flaw::missing("topology.access", accepted));
            }
            (0, None) | (1.., Some(_)) => {}
        }
    }
}

impl Shape for File {
    fn build(&self, to: &mut Builder<'_>) {
        let FileNetwork { nodes, links, .. } = FileNetwork::new(self, to.switch).expect("checked");
        add(&nodes, &links, to);
    }

    fn links(&self) -> Vec<LinkTable> {
        let link = LinkTable::plain("link", ("link.queue", self.link.queue), Joins::Switches);
        let access = self.access.iter().map(|link| LinkTable::new("access", link, Joins::Others));
        [link].into_iter().chain(access).collect()
    }

    fn check(&self, _: bool, _: &mut dyn Findings) {}

    /// Whether nodes and links can be made of the graph, and how many there may be.
    fn limits(&self, to: &mut dyn Findings) {
        let Some(network) = self.network(to) else { return };
        let FileNetwork { nodes, links, parallel, lengthless, .. } = network;
        if parallel > 0 && self.parallel.is_none() {
            let are = if parallel == 1 { "link is" } else { "links are" };
            let problem = format!(
                "{parallel} {are} parallel to others and left out: the shortest of each is kept"
            );
            let flaw = Flaw::new("topology.parallel", problem);
            let accepted = "\"first\" to say so, \"sum\" for their rates, or \"bundle\"";
            to.warning(flaw.accepted(accepted), "topology");
        }
        if parallel == 0 {
            to.no_effect("topology.parallel", "no link is parallel to another");
        }
        if lengthless == 0 {
            let why = "every link has a length or a delay, or its ends coordinates";
            to.no_effect("topology.missing-length", why);
        }
        if self.largest_part && FileNetwork::parts(self).len() < 2 {
            to.no_effect("topology.largest-part", "the graph has one part");
        }
        let routers = nodes.iter().filter(|node| node.kind.forwards()).count();
        let lightpaths = self.link.lightpaths.unwrap_or(1) as usize;
        let all = links.len().saturating_mul(lightpaths);
        limits::size((routers, all), "topology.graph", to);
        limits::too_many_routers(routers as u64, "topology.graph", to);
        limits::nodes(all_nodes(&nodes), limits::MOST_NODES, "topology.hosts", to);
        counted(&nodes, &|_, _| "topology.graph".to_owned(), to);
    }

    fn effects(&self, to: &mut dyn Findings) {
        let links = self.graph.iter().filter_map(|part| match part {
            GraphPart::Link { capacity, delay, one_way, .. } => {
                Some((capacity.is_some(), delay.is_some(), *one_way))
            }
            GraphPart::Place { .. } | GraphPart::Unused { .. } => None,
        });
        if self.capacity_unit.is_some() {
            if links.clone().all(|(capacity, ..)| capacity) {
                to.no_effect("topology.link.rate", "every link of the file has a capacity");
            } else if links.clone().all(|(capacity, ..)| !capacity) {
                to.no_effect("topology.capacity-unit", "no link of the file has a capacity");
            }
        }
        if links.clone().all(|(_, delay, _)| delay) {
            to.no_effect("topology.link.delay-per-km", "every link of the file has a delay");
        }
        let backward =
            self.link.loss.as_ref().map(LossSpec::direction) == Some(Direction::Backward);
        if backward && links.clone().all(|(.., one_way)| one_way) {
            to.no_effect("topology.link.loss", "all links are one-way");
        }
    }

    fn facts(&self) -> ShapeFacts<'_> {
        let has_edges = self.link.channels.is_some();
        ShapeFacts { has_edges, is_connected: false, file: Some(self), ..ShapeFacts::PLAIN }
    }
}
