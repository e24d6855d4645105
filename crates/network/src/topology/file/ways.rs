//! The links of a graph that are kept, and what became of the others.

use std::collections::{BTreeMap, BTreeSet};

use units::{Rate, Span};

use super::places::Places;
use crate::spec::{ExplicitLink, FileTopology, GraphPart, LinkSpec};

/// The mean radius of the Earth in km (IUGG 1980).
const EARTH_KM: f64 = 6371.0088;

pub(super) const LOOP: &str = "left out: from a place to itself";
const PARALLEL: &str = "left out: parallel to another link; the shortest is kept";

/// One direction of a link that is kept.
#[derive(Clone, Copy)]
pub(super) struct Way {
    pub(super) ends: [usize; 2],
    pub(super) delay: Span,
    pub(super) rate: Rate,
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
}

impl Ways {
    /// Notes what became of a link of the file.
    pub(super) fn count(&mut self, how: String) {
        match self.made.iter_mut().find(|(known, _)| *known == how) {
            Some((_, count)) => *count += 1,
            None => self.made.push((how, 1)),
        }
    }

    /// Keeps the shortest link in each direction.
    pub(super) fn add(&mut self, way: Way, one_way: bool, how: String) {
        let [from, to] = way.ends;
        let directions = if one_way { &[[from, to]][..] } else { &[[from, to], [to, from]] };
        let parallel = directions.iter().all(|ends| self.by_ends.contains_key(ends));
        self.count(if parallel { PARALLEL.to_owned() } else { how });
        for &ends in directions {
            let next = self.list.len();
            let at = *self.by_ends.entry(ends).or_insert(next);
            let way = Way { ends, ..way };
            if at == next {
                self.list.push(way);
            } else if way.delay < self.list[at].delay {
                self.list[at] = way;
            }
        }
    }

    /// The links of the network: one for both directions if they are equal.
    pub(super) fn links(&self, places: &Places<'_>, file: &FileTopology) -> Vec<ExplicitLink> {
        let mut done = BTreeSet::new();
        let mut links = Vec::new();
        for &Way { ends, delay, rate } in &self.list {
            if done.contains(&ends) {
                continue;
            }
            let [from, to] = ends;
            let back = self.by_ends.get(&[to, from]).map(|&at| &self.list[at]);
            let both = back.is_some_and(|back| back.delay == delay && back.rate == rate);
            if both {
                done.insert([to, from]);
            }
            let names = (places.list[from].name, places.list[to].name);
            let link = explicit(names, &file.link.link(rate, delay), !both);
            links.push(match file.link.channels {
                Some(channels) => optical(link, file, channels),
                None => link,
            });
        }
        links
    }

    pub(super) fn notes(&self, places: &Places<'_>, file: &FileTopology) -> Vec<String> {
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
pub(super) fn optical(link: ExplicitLink, file: &FileTopology, channels: u32) -> ExplicitLink {
    let (control_channels, control_rate) = (file.link.control_channels, file.link.control_rate);
    ExplicitLink { channels: Some(channels), control_channels, control_rate, ..link }
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
