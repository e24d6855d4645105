//! Routes and channels of lightpaths: by hand, against slow twins, and in networks whose blocking is known.

use std::collections::BinaryHeap;

use proptest::prelude::*;
use random::Stream;

use super::{mean_and_error, stream};
use crate::rwa::{Fibre, Grid, Mesh};
use crate::spec::{LightConversion, WavelengthAssignment};

/// Standard errors; exceeded once in 16,000 seeds by a right model.
const K: f64 = 4.0;
const BATCHES: usize = 20;

/// Both directions of links of this cost: those of link n are the fibres 2 n and 2 n + 1.
fn mesh(nodes: usize, links: &[(u32, u32, u64)]) -> Mesh {
    let both = |&(a, b, cost): &(u32, u32, u64)| {
        [Fibre { from: a, to: b, cost }, Fibre { from: b, to: a, cost }]
    };
    Mesh::new(nodes, links.iter().flat_map(both).collect())
}

fn ring(nodes: u32) -> Mesh {
    let links: Vec<_> = (0..nodes).map(|at| (at, (at + 1) % nodes, 1)).collect();
    mesh(nodes as usize, &links)
}

/// The NSF network: its 14 places, from west to east, and its 21 links.
fn nsfnet() -> Mesh {
    let links = [
        (0, 1),
        (0, 2),
        (0, 3),
        (1, 2),
        (1, 7),
        (2, 5),
        (3, 4),
        (3, 10),
        (4, 5),
        (4, 6),
        (5, 8),
        (5, 12),
        (6, 7),
        (7, 9),
        (8, 9),
        (9, 11),
        (9, 13),
        (10, 11),
        (10, 13),
        (11, 12),
        (12, 13),
    ];
    mesh(14, &links.map(|(a, b)| (a, b, 1)))
}

/// Two ways around a ring of four, of equal cost; with the first link twice as long the other one is first.
#[test]
fn routes_of_a_ring_by_hand() {
    let links = [(0, 1, 1), (1, 2, 1), (2, 3, 1), (3, 0, 1)];
    // Fibre 2 n leads from node n to the next one, fibre 2 n + 1 back.
    assert_eq!(mesh(4, &links).routes(0, 2, 9), [vec![0, 2], vec![7, 5]]);
    assert_eq!(mesh(4, &links).routes(1, 0, 1), [vec![1]]);
    let longer = [(0, 1, 2), (1, 2, 1), (2, 3, 1), (3, 0, 1)];
    assert_eq!(mesh(4, &longer).routes(0, 2, 9), [vec![7, 5], vec![0, 2]]);
    // Without a cost the one with fewer fibres is first, and no route goes round in a circle.
    let free = [(0, 1, 0), (1, 2, 0), (0, 2, 0)];
    assert_eq!(mesh(3, &free).routes(0, 2, 9), [vec![4], vec![0, 2]]);
    let (one_way, none) = (Fibre { from: 0, to: 1, cost: 1 }, Vec::<Vec<u32>>::new());
    assert_eq!(Mesh::new(2, vec![one_way]).routes(1, 0, 3), none);
}

/// All routes without loops, in their order.
fn all_routes(mesh: &Mesh, from: u32, to: u32) -> Vec<Vec<u32>> {
    fn walk(
        mesh: &Mesh,
        (at, to): (u32, u32),
        seen: &mut Vec<u32>,
        route: &mut Vec<u32>,
        found: &mut Vec<Vec<u32>>,
    ) {
        if at == to {
            return found.push(route.clone());
        }
        seen.push(at);
        for (number, fibre) in (0..).zip(mesh.fibres()) {
            if fibre.from == at && !seen.contains(&fibre.to) {
                route.push(number);
                walk(mesh, (fibre.to, to), seen, route, found);
                route.pop();
            }
        }
        seen.pop();
    }
    let mut found = Vec::new();
    walk(mesh, (from, to), &mut Vec::new(), &mut Vec::new(), &mut found);
    let cost =
        |route: &Vec<u32>| route.iter().map(|&at| mesh.fibres()[at as usize].cost).sum::<u64>();
    found.sort_by_key(|route| (cost(route), route.len(), route.clone()));
    found
}

/// Wavelength 1 is in use on two other fibres, wavelength 0 on one: a third lightpath gets 1, or 0 at first fit.
#[test]
fn a_wavelength_by_hand() {
    for (assignment, third) in
        [(WavelengthAssignment::FirstFit, 0), (WavelengthAssignment::MostUsed, 1)]
    {
        let rules = (assignment, LightConversion::None);
        let (mut grid, mut chosen) = (Grid::new(&[2, 2, 2, 2], rules, stream("grid")), Vec::new());
        let mut take = |route: &[u32]| grid.assign(route, &mut chosen).then(|| chosen[0]);
        assert_eq!(take(&[0]), Some(0));
        assert_eq!(take(&[0, 1]), Some(1), "0 is taken on the first fibre");
        assert_eq!(take(&[2]), Some(third));
        // Both fibres have a free channel, but of another wavelength.
        assert_eq!(take(&[1]), Some(0));
        assert_eq!(take(&[1, 2]), None);
    }
    let rules = (WavelengthAssignment::FirstFit, LightConversion::Full);
    let (mut grid, mut chosen) = (Grid::new(&[2, 2], rules, stream("grid")), Vec::new());
    assert!(grid.assign(&[0], &mut chosen));
    assert!(grid.assign(&[0, 1], &mut chosen));
    assert_eq!(chosen, [1, 0]);
    assert!(!grid.assign(&[0, 1], &mut chosen), "the first fibre is full");
    assert_eq!((grid.free(0), grid.free(1)), (0, 1), "and nothing was taken of the second");
    grid.release(&[0, 1], &[1, 0]);
    assert_eq!((grid.free(0), grid.free(1)), (1, 2));
}

proptest! {
    /// The k shortest routes are the first k of all.
    #[test]
    fn routes_are_the_first_of_all(
        nodes in 2_u32..7,
        links in prop::collection::vec((0_u32..7, 0_u32..7, 0_u64..4), 1..14),
        most in 1_usize..12,
    ) {
        let fibre = |&(a, b, cost): &(u32, u32, u64)| Fibre { from: a % nodes, to: b % nodes, cost };
        let fibres = links.iter().map(fibre).filter(|fibre| fibre.from != fibre.to);
        let mesh = Mesh::new(nodes as usize, fibres.collect());
        for to in 1..nodes {
            let mut expected = all_routes(&mesh, 0, to);
            expected.truncate(most);
            prop_assert_eq!(mesh.routes(0, to, most), expected);
        }
    }

    /// The channels of any lightpaths are those of a list of free ones, of which first fit takes the lowest and most used the
    /// one that is taken most often.
    #[test]
    fn a_grid_is_a_list_of_free_channels(
        channels in prop::collection::vec(1_u32..140, 4),
        asked in prop::collection::vec((0_u32..4, 1_u32..4, any::<bool>()), 1..200),
        which in 0_usize..6,
    ) {
        let assignments =
            [WavelengthAssignment::FirstFit, WavelengthAssignment::MostUsed, WavelengthAssignment::Random];
        let assignment = assignments[which % 3];
        let conversion = if which < 3 { LightConversion::None } else { LightConversion::Full };
        let mut grid = Grid::new(&channels, (assignment, conversion), stream("grid"));
        let mut free: Vec<Vec<u16>> = channels.iter().map(|&count| (0..u16::try_from(count).unwrap()).collect()).collect();
        let mut held: Vec<(Vec<u32>, Vec<u16>)> = Vec::new();
        for (first, hops, ends) in asked {
            if ends && !held.is_empty() {
                let (route, chosen) = held.remove(first as usize % held.len());
                grid.release(&route, &chosen);
                for (&fibre, &channel) in route.iter().zip(&chosen) {
                    free[fibre as usize].push(channel);
                }
                continue;
            }
            let route: Vec<u32> = (0..hops).map(|hop| (first + hop) % 4).collect();
            let together: Vec<u16> = free[first as usize].iter().copied()
                .filter(|channel| route.iter().all(|&fibre| free[fibre as usize].contains(channel))).collect();
            let has = match conversion {
                LightConversion::None => !together.is_empty(),
                LightConversion::Full => route.iter().all(|&fibre| !free[fibre as usize].is_empty()),
            };
            let taken = |channel: u16| held.iter().flat_map(|(_, chosen)| chosen).filter(|&&other| other == channel).count();
            let mut chosen = Vec::new();
            prop_assert_eq!(grid.assign(&route, &mut chosen), has);
            if !has {
                continue;
            }
            if conversion == LightConversion::None {
                prop_assert!(chosen.iter().all(|&channel| channel == chosen[0]) && together.contains(&chosen[0]));
            }
            for (&fibre, &channel) in route.iter().zip(&chosen) {
                let here = if conversion == LightConversion::None { &together } else { &free[fibre as usize] };
                let lowest = |channels: &mut dyn Iterator<Item = u16>| channels.min();
                match assignment {
                    WavelengthAssignment::FirstFit => {
                        prop_assert_eq!(Some(channel), lowest(&mut here.iter().copied()));
                    }
                    WavelengthAssignment::MostUsed => {
                        let most = here.iter().map(|&other| taken(other)).max();
                        let best = &mut here.iter().copied().filter(|&other| Some(taken(other)) == most);
                        prop_assert_eq!(Some(channel), lowest(best));
                    }
                    WavelengthAssignment::Random => prop_assert!(here.contains(&channel)),
                }
            }
            for (&fibre, &channel) in route.iter().zip(&chosen) {
                free[fibre as usize].retain(|&other| other != channel);
            }
            held.push((route, chosen));
        }
        for (fibre, free) in (0..).zip(&free) {
            prop_assert_eq!(grid.free(fibre) as usize, free.len());
        }
    }
}

/// The law of the time for which a lightpath is held, of mean 1.
#[derive(Debug, Clone, Copy)]
enum Law {
    Constant,
    Exponential,
    /// Of ten one is 9.1, the others 0.1: a squared coefficient of variation of 7.3.
    TwoPoint,
}

/// A request: when, between which nodes, for how long.
#[derive(Debug, Clone, Copy)]
struct Call {
    at: f64,
    pair: (u32, u32),
    holds: f64,
}

/// A time with an order.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Ends(f64, usize);

impl Eq for Ends {}

impl Ord for Ends {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.0.total_cmp(&self.0)
    }
}

impl PartialOrd for Ends {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Poisson requests between any two different nodes, so many erlangs in all.
fn calls(nodes: u32, load: f64, count: usize, law: Law, draws: &mut Stream) -> Vec<Call> {
    let mut now = 0.0;
    let mut next = || {
        now += draws.exponential(1.0 / load);
        let from = u32::try_from(draws.below(u64::from(nodes))).unwrap();
        let step = u32::try_from(draws.below(u64::from(nodes) - 1)).unwrap() + 1;
        let holds = match law {
            Law::Constant => 1.0,
            Law::Exponential => draws.exponential(1.0),
            Law::TwoPoint => {
                if draws.chance(0.1) {
                    9.1
                } else {
                    0.1
                }
            }
        };
        Call { at: now, pair: (from, (from + step) % nodes), holds }
    };
    (0..count).map(|_| next()).collect()
}

fn nodes(mesh: &Mesh) -> u32 {
    mesh.fibres().iter().map(|fibre| fibre.from.max(fibre.to) + 1).max().unwrap()
}

/// For each batch of calls, after a tenth of all for warming up, the share that is blocked.
fn blocked(mesh: &Mesh, (most, grid): (usize, &mut Grid), calls: &[Call]) -> Vec<f64> {
    let nodes = nodes(mesh);
    let pairs = (0..nodes).flat_map(|from| (0..nodes).map(move |to| (from, to)));
    let routes: Vec<_> = pairs
        .map(|(from, to)| if from == to { Vec::new() } else { mesh.routes(from, to, most) })
        .collect();
    let (mut ends, mut held, mut lost) = (BinaryHeap::new(), Vec::new(), Vec::new());
    for call in calls {
        while let Some(&Ends(when, which)) = ends.peek()
            && when <= call.at
        {
            let (route, chosen): &(&Vec<u32>, Vec<u16>) = &held[which];
            grid.release(route, chosen);
            ends.pop();
        }
        let mut chosen = Vec::new();
        let between = &routes[(call.pair.0 * nodes + call.pair.1) as usize];
        let way = between.iter().find(|route| grid.assign(route, &mut chosen));
        lost.push(if way.is_none() { 1.0 } else { 0.0 });
        if let Some(route) = way {
            ends.push(Ends(call.at + call.holds, held.len()));
            held.push((route, chosen));
        }
    }
    let measured = &lost[lost.len() / 10..];
    measured
        .chunks_exact(measured.len() / BATCHES)
        .map(|batch| batch.iter().sum::<f64>() / batch.len() as f64)
        .collect()
}

fn grid(mesh: &Mesh, channels: u32, rules: (WavelengthAssignment, LightConversion)) -> Grid {
    Grid::new(&vec![channels; mesh.fibres().len()], rules, stream("grid"))
}

const FIRST_FIT: (WavelengthAssignment, LightConversion) =
    (WavelengthAssignment::FirstFit, LightConversion::None);
const CONVERSION: (WavelengthAssignment, LightConversion) =
    (WavelengthAssignment::FirstFit, LightConversion::Full);

/// Erlang's B by its recursion.
fn erlang_b(servers: u32, load: f64) -> f64 {
    (1..=servers).fold(1.0, |b, n| load * b / (f64::from(n) + load * b))
}

/// One fibre with Poisson requests is M/G/W/W: its blocking is Erlang's B, whatever the law of the holding times.
#[test]
fn one_fibre_blocks_as_erlang_says() {
    let mesh = Mesh::new(2, vec![Fibre { from: 0, to: 1, cost: 1 }]);
    for (channels, load) in [(4, 2.0), (16, 12.0), (40, 36.0)] {
        for law in [Law::Constant, Law::Exponential, Law::TwoPoint] {
            let mut calls = calls(2, load, 400_000, law, &mut stream("erlang"));
            for call in &mut calls {
                call.pair = (0, 1);
            }
            let mut grid = grid(&mesh, channels, FIRST_FIT);
            let (found, error) = mean_and_error(&blocked(&mesh, (1, &mut grid), &calls));
            let expected = erlang_b(channels, load);
            assert!(
                (found - expected).abs() < K * error && error < 0.06 * expected,
                "{law:?}, {channels} channels: {found} ± {error}, Erlang has {expected}"
            );
        }
    }
}

/// The fixed point of the reduced load (F. P. Kelly, *Blocking probabilities in large circuit-switched networks*, Advances in
/// Applied Probability 18(2), 1986): each fibre blocks as Erlang says of what the other fibres of its routes let through.
fn reduced_load(mesh: &Mesh, channels: u32, load: f64) -> f64 {
    let nodes = nodes(mesh);
    let pairs = (0..nodes)
        .flat_map(|from| (0..nodes).map(move |to| (from, to)))
        .filter(|(from, to)| from != to);
    let routes: Vec<Vec<u32>> =
        pairs.map(|(from, to)| mesh.routes(from, to, 1).remove(0)).collect();
    let each = load / routes.len() as f64;
    let mut blocking = vec![0.0; mesh.fibres().len()];
    let passes = |route: &[u32], blocking: &[f64]| {
        route.iter().map(|&fibre| 1.0 - blocking[fibre as usize]).product::<f64>()
    };
    for _ in 0..500 {
        let mut offered = vec![0.0; blocking.len()];
        for route in &routes {
            let through = passes(route, &blocking);
            for &fibre in route {
                offered[fibre as usize] += each * through / (1.0 - blocking[fibre as usize]);
            }
        }
        for (blocking, offered) in blocking.iter_mut().zip(offered) {
            // Half of the way, so that it does not swing.
            *blocking = 0.5 * (*blocking + erlang_b(channels, offered));
        }
    }
    1.0 - routes.iter().map(|route| passes(route, &blocking)).sum::<f64>() / routes.len() as f64
}

/// The blocking of the same calls under other rules, its mean and error.
fn blocking(
    mesh: &Mesh,
    channels: u32,
    calls: &[Call],
    most: usize,
    rules: (WavelengthAssignment, LightConversion),
) -> (f64, f64) {
    mean_and_error(&blocked(mesh, (most, &mut grid(mesh, channels, rules)), calls))
}

/// With conversion, and one route for each pair, the fixed point is within 6 % of the blocking of a mesh, and above that of a
/// ring by up to 20 %: there long routes share several fibres, so that one that is free on the first is more often free on the
/// next ones, which the fixed point does not know.
#[test]
fn networks_with_conversion_block_as_the_fixed_point_says() {
    for (mesh, nodes, cases, range) in [
        (nsfnet(), 14, [(8, 60.0), (16, 160.0), (32, 380.0)], 0.94..1.06),
        (ring(8), 8, [(8, 20.0), (16, 60.0), (16, 80.0)], 0.8..1.0),
    ] {
        for (channels, load) in cases {
            let calls = calls(nodes, load, 500_000, Law::Exponential, &mut stream("network"));
            let (found, error) = blocking(&mesh, channels, &calls, 1, CONVERSION);
            let expected = reduced_load(&mesh, channels, load);
            assert!(error < 0.025 * found, "{found} ± {error}");
            assert!(
                range.contains(&(found / expected)),
                "{nodes} nodes, {channels} channels, {load} erlangs: {found}, {expected}"
            );
        }
    }
}

/// The same calls: continuity blocks more than conversion, alternates less than the shortest route alone, and random channels
/// more than the first that fits, which leaves the most for long routes.
#[test]
fn rules_of_routes_and_channels_keep_their_order() {
    for (mesh, nodes, channels, load) in
        [(nsfnet(), 14, 8, 60.0), (ring(8), 8, 16, 60.0), (ring(8), 8, 8, 20.0)]
    {
        for law in [Law::Constant, Law::Exponential] {
            let calls = calls(nodes, load, 200_000, law, &mut stream("order"));
            let of = |most, rules| blocking(&mesh, channels, &calls, most, rules).0;
            let (fixed, none) = (of(1, CONVERSION), LightConversion::None);
            let (first, most_used) =
                (of(1, FIRST_FIT), of(1, (WavelengthAssignment::MostUsed, none)));
            let random = of(1, (WavelengthAssignment::Random, none));
            let all = [fixed, most_used, first, random];
            assert!(all.is_sorted(), "{nodes} nodes, {law:?}: {all:?}");
            assert!(first < 0.92 * random, "{nodes} nodes, {law:?}: {all:?}");
            assert!(of(3, FIRST_FIT) < 0.5 * first, "{nodes} nodes, {law:?}: {all:?}");
            assert!(of(3, CONVERSION) < 0.5 * fixed, "{nodes} nodes, {law:?}: {all:?}");
        }
    }
}
