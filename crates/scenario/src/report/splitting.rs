//! What was found of a link's rare losses.

use engine::world::{Rare, Region, World};
use plan::table::{Column, Table, Values};
use serde_json::{Value as Json, json};

/// By level: the trials, what they have met there, and the share of all that is offered at this level or above.
pub(super) fn table(rare: Rare<'_>) -> Table {
    let regions = &rare.tally.regions;
    let column = |name, doc, of: fn(&Region) -> u64| {
        let values = Values::U64(regions.iter().map(of).collect());
        Column { name, unit: "", doc, values }
    };
    let share = Column {
        name: "share",
        unit: "",
        doc: "estimated share of what the link is offered after which it is at this level or a higher one",
        values: Values::F64(rare.tally.shares()),
    };
    let columns = vec![
        column(
            "level",
            "where the level begins: packets or bytes that wait, or data channels in use",
            |region| region.level,
        ),
        column("factor", "trials that go on from each that reaches the level", |region| {
            u64::from(region.factor)
        }),
        column("trials", "trials that have gone on from it", |region| region.trials),
        column(
            "offered",
            "packets, or bursts, that all trials have offered from this level up to the next",
            |region| region.offered,
        ),
        column("lost", "those of them that were lost", |region| region.lost),
        share,
    ];
    Table { name: "splitting", columns }
}

/// The estimate.
pub(super) fn totals(rare: Rare<'_>, world: &World) -> Option<Json> {
    let plan = world.plan().splitting.as_ref()?;
    let estimate = rare.tally.estimate();
    Some(json!({
        "link": world.plan().graph.link_name(plan.link),
        "offered": estimate.offered,
        "lost": estimate.lost,
        "loss": estimate.share,
        "loss-low": estimate.interval.0,
        "loss-high": estimate.interval.1,
        "events": rare.events,
    }))
}
