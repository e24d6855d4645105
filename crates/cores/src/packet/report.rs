//! What the report of a packet-switched core adds to that of any core with edges.

use optics::{Deflection, PacketCoreSpec};
use plan::table::{Column, Sum, Sums, counts, numbers, ratio};
use wire::optical::{FecCounters, Lost, ReservationRow, SwitchedCounters};

/// Why it loses optical packets, in the order of the columns.
pub(super) const CAUSES: [Lost; 6] =
    [Lost::Random, Lost::Ingress, Lost::Contention, Lost::Down, Lost::Deflected, Lost::Hops];

/// A column of counts: its name, what it means, the counter.
type Count = (&'static str, &'static str, fn(&SwitchedCounters) -> u64);
/// A column of numbers: its name and unit, what it means, the number.
type Number = ((&'static str, &'static str), &'static str, fn(&FecCounters) -> f64);

/// What a packet-switched core did, in the order of its columns.
const SWITCHED: [Count; 5] = [
    ("deflected", "optical packets that were deflected once or more often", |s| s.deflected),
    ("deflections", "deflections", |s| s.deflections),
    ("deflected-delivered", "of the deflected ones, those delivered", |s| s.cost.count),
    ("converted", "changes of the wavelength", |s| s.converted),
    ("delayed", "passages of a delay line", |s| s.delayed),
];

/// The same as numbers, with their units.
const COSTS: [Number; 3] = [
    (("deflection-cost-mean", "s"), COST, |c| c.switched.cost.mean()),
    (("deflection-cost-std", "s"), "its standard deviation", |c| c.switched.cost.deviation()),
    (("hops-mean", ""), "links that delivered ones passed, mean", |c| {
        ratio(c.switched.hops as f64, c.delivered as f64)
    }),
];

const COST: &str = "delay of deflected ones beyond that of the shortest way, mean";

const SURPLUS: &str = "lost-deflected-surplus";
const OF_SURPLUS: &str =
    "packets lost on the abstract deflection path beyond the expected number: a control variate";

/// The columns of the table of classes.
pub(super) fn class_columns(core: &PacketCoreSpec, rows: &[FecCounters]) -> Vec<Column> {
    let switched =
        SWITCHED.map(|(name, doc, what)| counts(name, doc, rows, |row| what(&row.switched)));
    let costs = COSTS.map(|(name, doc, what)| numbers(name, doc, rows, what));
    let beyond = numbers((SURPLUS, ""), OF_SURPLUS, rows, |row| surplus(core, row));
    switched.into_iter().chain(costs).chain([beyond]).collect()
}

/// The same of all classes together.
pub(super) fn class_sums(core: &PacketCoreSpec, sum: &FecCounters) -> Sums {
    let switched = SWITCHED.map(|(name, _, what)| (name, Sum::U64(what(&sum.switched))));
    let costs = COSTS.map(|((name, _), _, what)| (name, Sum::F64(what(sum))));
    let beyond = (SURPLUS, Sum::F64(surplus(core, sum)));
    switched.into_iter().chain(costs).chain([beyond]).collect()
}

/// What the abstract deflection path has lost beyond its probability; NaN without one.
fn surplus(core: &PacketCoreSpec, fec: &FecCounters) -> f64 {
    match core.deflection {
        Some(Deflection::Abstract { congestion, .. }) => {
            fec.lost(Lost::Deflected) as f64 - congestion * fec.switched.deflections as f64
        }
        Some(Deflection::Ports { .. }) | None => f64::NAN,
    }
}

/// The columns of the table of reservations.
pub(super) fn reservation_columns(rows: &[ReservationRow]) -> Vec<Column> {
    let doc = "1 where it leaves the shortest way: by this link, or beside the network";
    vec![counts("deflected", doc, rows, |row| u64::from(row.deflected))]
}
