//! From the graph of a file to nodes and links.

mod check;
mod keys;
mod missing_length;
mod parts;
mod places;
mod ways;

use std::collections::{BTreeMap, BTreeSet};

pub use keys::{File, FileLinkSpec, GraphPart, Parallel};
pub use missing_length::MissingLength;
use parts::Parts;
use places::{Names, Place, Places, few};
use units::{Length, Rate, Span};
use ways::{LOOP, OUTSIDE, Way, Ways, explicit, great_circle, middle, optical};

use super::NodeSpec;
use crate::check::Flaw;
use crate::spec::{ExplicitLink, NodeKind};

/// Light in glass: 200,000 km per second.
const DELAY_PER_KM: Span = Span::from_us(5);

/// The rates that a link can have.
const RATES: [Rate; 2] = [Rate(1_000), Rate(100_000_000_000_000)];

/// The nodes and links of a network whose graph is in a file, as if they were explicit.
#[derive(Debug, Clone, PartialEq)]
pub struct FileNetwork {
    /// The places in the order of the file, then for each of those with an edge its edge router and hosts.
    pub nodes: Vec<NodeSpec>,
    /// The links between places, then the links of edge routers and hosts.
    pub links: Vec<ExplicitLink>,
    /// Where delays and rates come from, and what of the file is not used.
    pub notes: Vec<String>,
    /// Links that are parallel to others.
    pub parallel: usize,
    /// Links whose delay neither their length nor coordinates say, counted where `missing-length` says it.
    pub lengthless: usize,
}

impl FileNetwork {
    /// Makes nodes and links of a graph; places of an electronic network become nodes of the kind `switch`.
    /// The flaws have the keys of a scenario.
    pub fn new(file: &File, switch: NodeKind) -> Result<Self, Vec<Flaw>> {
        let mut maker = Maker { file, flaws: Vec::new() };
        let mut places = maker.places();
        let parts = file.largest_part.then(|| Parts::of(&places, file));
        let kept = |at: usize| parts.as_ref().is_none_or(|parts| parts.is_largest(at));
        let edges = maker.edges(&places, &kept);
        let ways = maker.ways(&mut places, &kept);
        maker.options();
        if !maker.flaws.is_empty() {
            return Err(maker.flaws);
        }
        let optical = file.link.channels.is_some();
        let kind = if optical { NodeKind::Core } else { switch };
        let node = |name: &str, kind| NodeSpec { name: name.to_owned(), kind, count: None };
        let mut network = Self {
            nodes: (0..places.list.len())
                .filter(|&at| kept(at))
                .map(|at| node(places.list[at].name, kind))
                .collect(),
            links: ways.links(&places, file),
            notes: ways.notes(&places, file),
            parallel: ways.parallel,
            lengthless: ways.lengthless,
        };
        let all = places.list.len();
        let left_out = all - network.nodes.len();
        if left_out > 0 {
            network.notes.push(format!("{left_out} of {all} places {OUTSIDE}"));
        }
        let mut names = Names::new(places.list.iter().map(|place| place.name));
        for at in edges {
            network.attach(places.list[at].name, file, &mut names);
        }
        Ok(network)
    }

    /// The parts of a graph between which no paths lead both ways: how many places each has, the largest first.
    pub fn parts(file: &File) -> Vec<usize> {
        let places = Maker { file, flaws: Vec::new() }.places();
        Parts::of(&places, file).sizes
    }

    /// The edge router and the hosts of a place.
    fn attach(&mut self, place: &str, file: &File, names: &mut Names) {
        let mut router = place.to_owned();
        if let Some(channels) = file.link.channels {
            router = names.unused(&format!("edge-{place}"));
            self.nodes.push(NodeSpec { name: router.clone(), kind: NodeKind::Edge, count: None });
            let link = file.link.link(file.link.rate.unwrap_or_default(), Span::ZERO);
            let fibre = explicit((&router, place), &link, false);
            self.links.push(optical(fibre, file, file.add_channels.unwrap_or(channels)));
        }
        if let Some(access) = file.access.as_ref().filter(|_| file.hosts > 0) {
            let name = names.unused(&format!("host-{place}"));
            self.links.push(explicit((&name, &router), access, false));
            self.nodes.push(NodeSpec { name, kind: NodeKind::Host, count: Some(file.hosts) });
        }
    }
}

/// What a file says of how long a link is: its length, its delay.
type Extent = (Option<Length>, Option<Span>);

struct Maker<'a> {
    file: &'a File,
    flaws: Vec<Flaw>,
}

impl<'a> Maker<'a> {
    fn note(&mut self, key: &str, problem: impl Into<String>) {
        self.flaws.push(Flaw::new(key, problem));
    }

    fn places(&mut self) -> Places<'a> {
        let mut places = Places { list: Vec::new(), by_name: BTreeMap::new() };
        for (at, part) in self.file.graph.iter().enumerate() {
            let GraphPart::Place { name, label, longitude, latitude } = part else { continue };
            let key = format!("topology.graph.{at}.name");
            if !name.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c)) {
                let flaw = Flaw::new(&key, "not a name").found(format!("\"{name}\""));
                self.flaws.push(flaw.accepted("letters, digits, \"-\", \"_\" and \".\""));
            }
            if places.by_name.insert(name, places.list.len()).is_some() {
                self.note(&key, format!("another place is also called \"{name}\""));
            }
            let coordinates = longitude.zip(*latitude).map(|(east, north)| [east, north]);
            places.list.push(Place { name, label: label.as_deref(), coordinates });
        }
        if places.list.len() < 2 {
            let flaw = match (&self.file.file, places.list.len()) {
                (None, 0) => Flaw::missing("topology.file", "the name of a file with a graph"),
                (_, count) => {
                    Flaw::new("topology.graph", "too few places").found(count.to_string())
                }
            };
            self.flaws.push(if flaw.missing { flaw } else { flaw.accepted("at least 2") });
        }
        places
    }

    /// The places with an edge router, or with hosts, by their numbers.
    fn edges(&mut self, places: &Places<'a>, kept: &impl Fn(usize) -> bool) -> Vec<usize> {
        let all = 0..places.list.len();
        let Some(asked) = &self.file.edges else { return all.filter(|&at| kept(at)).collect() };
        let labelled = places.list.iter().enumerate().rev();
        let mut known: BTreeMap<&str, usize> =
            labelled.filter_map(|(at, place)| Some((place.label?, at))).collect();
        known.extend(&places.by_name);
        let mut chosen = Vec::new();
        let mut seen = BTreeSet::new();
        for (at, name) in asked.iter().enumerate() {
            let key = format!("topology.edges.{at}");
            match known.get(name.as_str()) {
                None => {
                    let flaw = Flaw::new(&key, "no place has this name");
                    let flaw = flaw.found(format!("\"{name}\""));
                    self.flaws.push(flaw.accepted(few(places)));
                }
                Some(&place) if !seen.insert(place) => {
                    let flaw = Flaw::new(&key, "named twice").found(format!("\"{name}\""));
                    self.flaws.push(flaw.accepted("each place once"));
                }
                Some(&place) if !kept(place) => {
                    let flaw = Flaw::new(&key, "not in the largest part of the graph");
                    self.flaws.push(flaw.found(format!("\"{name}\"")));
                }
                Some(&place) => chosen.push(place),
            }
        }
        if self.file.link.channels.is_some() && asked.len() < 2 {
            let flaw = Flaw::new("topology.edges", "too few").found(asked.len().to_string());
            self.flaws.push(flaw.accepted("at least 2 edge routers"));
        }
        chosen
    }

    fn ways(&mut self, places: &mut Places<'a>, kept: &impl Fn(usize) -> bool) -> Ways {
        let mut ways = Ways::default();
        if self.file.missing_length.is_some() {
            let unknown = |&(ends, known): &_| self.known_delay(places, ends, known).is_none();
            ways.lengthless = self.links(places).filter(unknown).count();
        }
        // Before places without coordinates get some.
        let contradicting =
            self.links(places).filter(|&(ends, (length, _))| contradicts(places, ends, length));
        ways.contradicting =
            contradicting.filter(|(ends, _)| ends.iter().all(|&at| kept(at))).count();
        let fallback = self.fallback(places);
        let parallel = self.file.parallel.unwrap_or(Parallel::First);
        let mut lengthless = Vec::new();
        for (at, part) in self.file.graph.iter().enumerate() {
            let GraphPart::Link { from, to, length, delay, capacity, one_way } = part else {
                continue;
            };
            let key = format!("topology.graph.{at}");
            let mut found = [0; 2];
            for ((end, name), place) in [("from", from), ("to", to)].into_iter().zip(&mut found) {
                if let Some(&at) = places.by_name.get(&**name) {
                    *place = at;
                } else {
                    let flaw = Flaw::new(format!("{key}.{end}"), "no place has this name");
                    self.flaws.push(flaw.found(format!("\"{name}\"")));
                }
            }
            let rate = self.rate(*capacity, &format!("{key}.capacity"));
            ways.rateless |= rate.is_none();
            let rate = rate.unwrap_or_default();
            ways.capacities += usize::from(capacity.is_some());
            if from == to {
                ways.count(LOOP.to_owned());
                continue;
            }
            if !found.into_iter().all(kept) {
                ways.count(OUTSIDE.to_owned());
                continue;
            }
            let known = self.known_delay(places, found, (*length, *delay));
            let known = known.or_else(|| fallback.clone());
            if let Some((delay, how)) = known {
                let way = Way { ends: found, delay, rate, links: 1 };
                ways.add((way, *one_way), how, parallel, at);
            } else {
                lengthless.push(without_length(places, found, &key));
            }
        }
        let nowhere = places.list.iter().all(|place| place.coordinates.is_none());
        if nowhere && ways.list.is_empty() && lengthless.len() > 1 {
            let problem = "missing key: no link of the file has a length, and no place has coordinates in degrees";
            let accepted = "a delay of all links such as \"1 ms\", or missing-length with a time";
            self.flaws.push(Flaw::new("topology.link.delay", problem).accepted(accepted));
        } else {
            self.flaws.extend(lengthless);
        }
        self.flaws.extend(ways.together(self.file, RATES[1]));
        if ways.rateless {
            let accepted =
                "a rate such as \"10 Gb/s\", or capacity-unit where all links have a capacity";
            self.flaws.push(Flaw::missing("topology.link.rate", accepted));
        }
        if ways.made.is_empty() && self.flaws.is_empty() {
            self.note("topology.graph", "no links");
        }
        ways
    }

    /// The rate of a link of this capacity.
    fn rate(&mut self, capacity: Option<f64>, key: &str) -> Option<Rate> {
        let (Some(capacity), Some(unit)) = (capacity, self.file.capacity_unit) else {
            return self.file.link.rate;
        };
        let exact = libm::round(capacity * unit.as_f64());
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
        let rate = Rate(exact as u64);
        if rate < RATES[0] || rate > RATES[1] {
            let flaw = Flaw::new(key, "not the rate of a link");
            let flaw = flaw.found(format!("{capacity} times {unit}"));
            self.flaws.push(flaw.accepted(format!("from {} to {}", RATES[0], RATES[1])));
        }
        Some(rate)
    }

    /// The delay of links of which it is not known, and where it comes from. Places without coordinates get some where
    /// that is asked for.
    fn fallback(&self, places: &mut Places<'a>) -> Option<(Span, String)> {
        match self.file.missing_length? {
            MissingLength::Delay(delay) => Some((delay, format!("no length, {delay}, as given"))),
            MissingLength::Neighbours => {
                self.place_by_neighbours(places);
                None
            }
            MissingLength::Median => {
                let mut known: Vec<Span> = self
                    .links(places)
                    .filter_map(|(ends, known)| self.known_delay(places, ends, known))
                    .map(|(delay, _)| delay)
                    .collect();
                known.sort_unstable();
                let median = *known.get(known.len().checked_sub(1)? / 2)?;
                Some((median, format!("no length, {median}, the median of all others")))
            }
        }
    }

    /// The links between known places, with their lengths and delays.
    fn links(&self, places: &Places<'a>) -> impl Iterator<Item = ([usize; 2], Extent)> {
        self.file.graph.iter().filter_map(|part| {
            let GraphPart::Link { from, to, length, delay, .. } = part else { return None };
            let ends = [places.by_name.get(&**from)?, places.by_name.get(&**to)?];
            (from != to).then_some((ends.map(|&at| at), (*length, *delay)))
        })
    }

    /// Puts each place without coordinates into the middle of its neighbours that have some; those of one round are
    /// neighbours in the next.
    fn place_by_neighbours(&self, places: &mut Places<'a>) {
        let mut neighbours = vec![Vec::new(); places.list.len()];
        for ([from, to], _) in self.links(places) {
            neighbours[from].push(to);
            neighbours[to].push(from);
        }
        let mut open: BTreeSet<usize> =
            (0..places.list.len()).filter(|&at| places.list[at].coordinates.is_none()).collect();
        loop {
            let known = |&at: &usize| places.list[at].coordinates;
            let middles: Vec<(usize, [f64; 2])> = open
                .iter()
                .filter_map(|&at| Some((at, middle(neighbours[at].iter().filter_map(known))?)))
                .collect();
            if middles.is_empty() {
                return;
            }
            for (at, coordinates) in middles {
                places.list[at].coordinates = Some(coordinates);
                open.remove(&at);
            }
        }
    }

    /// The delay of a link, and where it comes from, if it or its length is known or the coordinates of its ends are.
    fn known_delay(
        &self,
        places: &Places<'a>,
        ends: [usize; 2],
        (length, delay): Extent,
    ) -> Option<(Span, String)> {
        if let Some(delay) = self.file.link.delay {
            return Some((delay, format!("a delay of {delay}, as given")));
        }
        if let Some(delay) = delay {
            return Some((delay, "the delay in the file".to_owned()));
        }
        let per_km = self.file.link.delay_per_km.unwrap_or(DELAY_PER_KM);
        if let Some(length) = length {
            let how = format!("a length in km, {per_km} per km");
            return Some((length.propagation(per_km), how));
        }
        let [a, b] = ends.map(|at| places.list[at].coordinates);
        let (a, b) = a.zip(b)?;
        // To the nearest nanosecond: coordinates say no more.
        let ns = libm::round(great_circle(a, b) * per_km.0 as f64 / 1e3);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
        let delay = Span::from_ns(ns as u64);
        Some((delay, format!("the great circle between coordinates, {per_km} per km")))
    }
}

/// A link of which nothing says how long it is.
fn without_length(places: &Places<'_>, ends: [usize; 2], key: &str) -> Flaw {
    let [from, to] = ends.map(|at| &places.list[at]);
    let lacking = if from.coordinates.is_none() { from } else { to };
    let called = |place: &Place<'_>| place.label.unwrap_or(place.name).to_owned();
    let problem = format!("the link from '{}' to '{}' has no length", called(from), called(to));
    let found = format!("no length, and no longitude and latitude of '{}'", called(lacking));
    let accepted = "length, distance or dist in km, coordinates in degrees, missing-length, or one delay for all links";
    Flaw::new(key, problem).found(found).accepted(accepted)
}

/// Whether a length is more than three times that between the coordinates of the ends, or less than a third of it.
/// Below 10 km coordinates say too little.
fn contradicts(places: &Places<'_>, ends: [usize; 2], length: Option<Length>) -> bool {
    let [a, b] = ends.map(|at| places.list[at].coordinates);
    let (Some(length), Some((a, b))) = (length, a.zip(b)) else { return false };
    let (km, direct) = (length.0 as f64 / 1e6, great_circle(a, b));
    km.max(direct) > 10.0 && (km > 3.0 * direct || 3.0 * km < direct)
}

#[cfg(test)]
mod tests;
