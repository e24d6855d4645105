//! The links of a graph that are kept, and what became of the others.

use std::collections::{BTreeMap, BTreeSet};

use units::{Rate, Span};

use super::places::Places;
use super::{File, GraphPart, Parallel};
use crate::check::Flaw;
use crate::spec::{ExplicitLink, LinkSpec};

/// The mean radius of the Earth in km (IUGG 1980).
const EARTH_KM: f64 = 6371.0088;

pub(super) const LOOP: &str = "left out: from a place to itself";
pub(super) const OUTSIDE: &str = "left out: not in the largest part";
const PARALLEL: [&str; 3] = [
    "left out: parallel to another link; the shortest is kept",
    "parallel to another link, with which they are one",
    "parallel to another link, in a bundle with it",
];

/// The most parallel links in a bundle.
const MOST_PARALLEL: u32 = 64;
/// The most channels of a link.
const MOST_CHANNELS: u32 = 1_024;

/// One direction of a link that is kept.
#[derive(Clone, Copy)]
pub(super) struct Way {
    pub(super) ends: [usize; 2],
    pub(super) delay: Span,
    pub(super) rate: Rate,
    /// The links of the file that it is.
    pub(super) links: u32,
}

/// The links that are kept, and what became of those of the file.
#[derive(Default)]
pub(super) struct Ways {
    pub(super) list: Vec<Way>,
    pub(super) by_ends: BTreeMap<[usize; 2], usize>,
    /// Links of the file by what became of them, in the order of the first ones.
    pub(super) made: Vec<(String, usize)>,
    /// Whether a link has no rate.
    pub(super) rateless: bool,
    /// Links with a capacity.
    pub(super) capacities: usize,
    /// Links that are parallel to others.
    pub(super) parallel: usize,
    /// Links whose delay neither their length nor coordinates say.
    pub(super) lengthless: usize,
    /// Links with a length that contradicts the coordinates of their ends.
    pub(super) contradicting: usize,
    /// The first link of a bundle that has another rate than those before, by its place in the graph.
    pub(super) unequal: Option<usize>,
}

impl Ways {
    /// Notes what became of a link of the file.
    pub(super) fn count(&mut self, how: String) {
        match self.made.iter_mut().find(|(known, _)| *known == how) {
            Some((_, count)) => *count += 1,
            None => self.made.push((how, 1)),
        }
    }

    /// Keeps one link in each direction, with the delay of the shortest. This one has a place in the graph.
    pub(super) fn add(
        &mut self,
        (way, one_way): (Way, bool),
        how: String,
        kept: Parallel,
        place: usize,
    ) {
        let [from, to] = way.ends;
        let directions = if one_way { &[[from, to]][..] } else { &[[from, to], [to, from]] };
        let parallel = directions.iter().all(|ends| self.by_ends.contains_key(ends));
        self.parallel += usize::from(parallel);
        self.count(if parallel { PARALLEL[kept as usize].to_owned() } else { how });
        for &ends in directions {
            let next = self.list.len();
            let at = *self.by_ends.entry(ends).or_insert(next);
            let way = Way { ends, ..way };
            if at == next {
                self.list.push(way);
                continue;
            }
            let known = &mut self.list[at];
            match kept {
                Parallel::First => {
                    if way.delay < known.delay {
                        *known = way;
                    }
                    continue;
                }
                Parallel::Sum => known.rate = Rate(known.rate.0.saturating_add(way.rate.0)),
                Parallel::Bundle if known.rate != way.rate => {
                    self.unequal.get_or_insert(place);
                }
                Parallel::Bundle => {}
            }
            known.delay = known.delay.min(way.delay);
            known.links += 1;
        }
    }

    /// What parallel links cannot be together.
    pub(super) fn together(&self, file: &File, most: Rate) -> Vec<Flaw> {
        let key = "topology.parallel";
        let optical = file.link.channels;
        let mut flaws = Vec::new();
        if let Some(place) = self.unequal {
            let flaw = Flaw::new(
                format!("topology.graph.{place}"),
                "in a bundle with a link of another rate",
            );
            flaws.push(flaw.accepted("links of one rate, or parallel = \"sum\""));
        }
        if file.parallel == Some(Parallel::Bundle) && optical.is_some() {
            let flaw = Flaw::new(key, "does not apply to an optical link, which has channels");
            flaws.push(flaw.found("\"bundle\"").accepted("\"sum\", which adds them, or \"first\""));
        }
        for way in &self.list {
            let links = u64::from(way.links);
            let (of, limit) = match (file.parallel, optical) {
                (Some(Parallel::Bundle), None) => {
                    (u64::from(file.link.lightpaths.unwrap_or(1)), MOST_PARALLEL)
                }
                (Some(Parallel::Sum), Some(channels)) => (u64::from(channels), MOST_CHANNELS),
                (Some(Parallel::Sum), None) if way.rate > most => (u64::from(u32::MAX), 0),
                _ => continue,
            };
            if links * of > u64::from(limit) {
                let flaw = Flaw::new(key, "more than a link can be")
                    .found(format!("{links} parallel links"));
                flaws.push(flaw.accepted("\"first\""));
                break;
            }
        }
        flaws
    }

    /// The links of the network: one for both directions if they are equal.
    pub(super) fn links(&self, places: &Places<'_>, file: &File) -> Vec<ExplicitLink> {
        let mut done = BTreeSet::new();
        let mut links = Vec::new();
        for &Way { ends, delay, rate, links: count } in &self.list {
            if done.contains(&ends) {
                continue;
            }
            let [from, to] = ends;
            let back = self.by_ends.get(&[to, from]).map(|&at| &self.list[at]);
            let same = |back: &Way| (back.delay, back.rate, back.links) == (delay, rate, count);
            let both = back.is_some_and(same);
            if both {
                done.insert([to, from]);
            }
            let names = (places.list[from].name, places.list[to].name);
            let mut spec = file.link.link(rate, delay);
            if count > 1 && file.parallel == Some(Parallel::Bundle) {
                spec.lightpaths = Some(count * spec.lightpaths.unwrap_or(1));
            }
            let link = explicit(names, &spec, !both);
            links.push(match file.link.channels {
                Some(channels) => optical(link, file, channels * count),
                None => link,
            });
        }
        links
    }

    pub(super) fn notes(&self, places: &Places<'_>, file: &File) -> Vec<String> {
        let many = |count: usize, what: &str, whats: &str| {
            format!("{count} {}", if count == 1 { what } else { whats })
        };
        let all = self.made.iter().map(|(_, count)| count).sum();
        let (count, links) = (places.list.len(), many(all, "link", "links"));
        let mut notes = vec![format!("{count} places and {links}")];
        let made = self.made.iter();
        notes.extend(made.map(|(how, count)| format!("{}: {how}", many(*count, "link", "links"))));
        if self.capacities > 0 {
            let capacities = many(self.capacities, "capacity", "capacities");
            notes.push(match file.capacity_unit {
                Some(unit) => format!("{capacities} used, in units of {unit}"),
                None if file.link.channels.is_some() => format!("not used: {capacities} of links"),
                None => format!("not used: {capacities} of links, without capacity-unit"),
            });
        }
        if self.contradicting > 0 {
            let links = many(self.contradicting, "link", "links");
            notes.push(format!(
                "{links} with a length more than three times that between the coordinates of the ends, or less than a third"
            ));
        }
        for part in &*file.graph {
            if let GraphPart::Unused { what } = part {
                notes.push(format!("not used: {what}"));
            }
        }
        notes
    }
}

/// A link of the network.
pub(super) fn explicit((from, to): (&str, &str), link: &LinkSpec, one_way: bool) -> ExplicitLink {
    let LinkSpec { rate, delay, length, delay_per_km, queue, loss, lightpaths } = *link;
    let (from, to) = (from.to_owned(), to.to_owned());
    ExplicitLink {
        from,
        to,
        rate,
        delay,
        length,
        delay_per_km,
        queue,
        loss,
        one_way,
        lightpaths,
        channels: None,
        control_channels: None,
        control_rate: None,
    }
}

/// The same with channels.
pub(super) fn optical(link: ExplicitLink, file: &File, channels: u32) -> ExplicitLink {
    let (control_channels, control_rate) = (file.link.control_channels, file.link.control_rate);
    ExplicitLink { channels: Some(channels), control_channels, control_rate, ..link }
}

/// The middle of some places with longitude and latitude in degrees: where the mean of their directions from the
/// Earth's centre points. None of no places, and of places that are opposite to each other.
pub(super) fn middle(places: impl Iterator<Item = [f64; 2]>) -> Option<[f64; 2]> {
    let mut sum = [0.0; 3];
    for [east, north] in places.map(|pair| pair.map(f64::to_radians)) {
        let level = libm::cos(north);
        let to = [level * libm::cos(east), level * libm::sin(east), libm::sin(north)];
        sum = [0, 1, 2].map(|at| sum[at] + to[at]);
    }
    let [x, y, z] = sum;
    let level = libm::sqrt(x * x + y * y);
    let length = libm::sqrt(level * level + z * z);
    (length > 1e-9).then(|| [libm::atan2(y, x), libm::atan2(z, level)].map(f64::to_degrees))
}

/// The km between two places with longitude and latitude in degrees: the haversine formula on a sphere
/// (R. W. Sinnott 1984).
pub(super) fn great_circle([east_a, north_a]: [f64; 2], [east_b, north_b]: [f64; 2]) -> f64 {
    let half_sine = |a: f64, b: f64| libm::sin((b - a).to_radians() / 2.0);
    let cosine = |north: f64| libm::cos(north.to_radians());
    let square = half_sine(north_a, north_b) * half_sine(north_a, north_b)
        + cosine(north_a) * cosine(north_b) * half_sine(east_a, east_b) * half_sine(east_a, east_b);
    2.0 * EARTH_KM * libm::asin(libm::sqrt(square.min(1.0)))
}
