//! The tables of an optical network: classes, channels, bursts.

use cores::{BurstCore, BurstCores};
use engine::world::World;
use plan::table::{Table, counts, numbers, ratio, seconds, texts};
use serde_json::{Value as Json, json};
use wire::optical::{BurstRow, ChannelCounters, FecCounters, Lost, ReservationRow};

use super::sums::add;
use super::{surplus, synchronization};

/// What a cause of loss means.
fn doc(cause: Lost) -> &'static str {
    match cause {
        Lost::Random => "bursts lost at random at the ingress edge",
        Lost::Ingress => "bursts that found no data channel at the ingress edge",
        Lost::Contention => "bursts that found no data channel at a later node",
        Lost::Control => "bursts whose header found no control channel",
        Lost::Late => "bursts that arrived before their header had been processed",
        Lost::Down => "bursts lost because a link was down",
        Lost::Deflected => "optical packets lost on the abstract deflection path",
        Lost::Hops => "optical packets that had reached the hop limit",
    }
}

fn cores(world: &World) -> &BurstCores {
    world.burst_cores().expect("these tables are of networks with edges")
}

fn fibre_name(world: &World, fibre: u32) -> String {
    world.plan().graph.link_name(world.optical().fibres[fibre as usize].link)
}

/// One row per forwarding equivalence class.
pub(super) fn fecs(world: &World) -> Table {
    let counters = world.optical().fec_counters();
    let classes = synchronization::classes(world).into_iter();
    let rows: Vec<_> = classes.map(|(at, fec)| (fec, counters[at])).collect();
    let mut columns = vec![
        texts("ingress", "edge router where bursts are made", &rows, |r| {
            world.plan().graph.node_name(r.0.ingress).to_owned()
        }),
        texts("egress", "edge router where they are disassembled", &rows, |r| {
            world.plan().graph.node_name(r.0.egress).to_owned()
        }),
        counts("bursts", "bursts released in the measured period", &rows, |r| r.1.bursts),
        counts("by-size", "released because they were full", &rows, |r| r.1.by_size),
        counts("by-timer", "released because the timer expired", &rows, |r| r.1.by_timer),
        numbers(("size-mean", "B"), "bytes of a burst, mean", &rows, |r| {
            ratio(r.1.bytes as f64, r.1.bursts as f64)
        }),
        numbers(("packets-mean", ""), "packets of a burst, mean", &rows, |r| {
            ratio(r.1.packets as f64, r.1.bursts as f64)
        }),
        numbers(
            ("assembly-mean", "s"),
            "waiting time of a packet in the assembly queue, mean",
            &rows,
            |r| wait(&r.1),
        ),
    ];
    for &cause in cores(world).causes() {
        columns.push(counts(cause.name(), doc(cause), &rows, |r| r.1.lost(cause)));
    }
    columns.push(numbers(
        ("lost-random-surplus", ""),
        "bursts lost at random at the ingress edge beyond the expected number: a control variate",
        &rows,
        |r| surplus::lost_at_random(world.plan(), &r.1),
    ));
    columns.extend([
        counts("delivered", "bursts that reached their egress edge", &rows, |r| r.1.delivered),
        counts("inside", "bursts still on their way", &rows, |r| r.1.bursts_inside()),
        numbers(("bytes-released", "B"), "bytes of the bursts released", &rows, |r| {
            r.1.bytes as f64
        }),
        numbers(("bytes-delivered", "B"), "bytes of the bursts delivered", &rows, |r| {
            r.1.bytes_delivered as f64
        }),
    ]);
    let counters: Vec<FecCounters> = rows.iter().map(|row| row.1).collect();
    columns.extend(cores(world).class_columns(&counters));
    columns.extend(synchronization::columns(world));
    Table { name: "fecs", columns }
}

/// The mean waiting time of a packet in the assembly queue, in seconds.
fn wait(counters: &FecCounters) -> f64 {
    ratio(counters.wait as f64 * 1e-12, counters.packets as f64)
}

/// One row per channel of a fibre.
pub(super) fn channels(world: &World) -> Table {
    let mut rows: Vec<(String, &str, usize, ChannelCounters)> = Vec::new();
    for (number, fibre) in world.optical().fibres.iter().enumerate() {
        let link = world.plan().graph.link_name(fibre.link);
        let data = fibre.data_channels();
        let counters = world.optical().channel_counters(number, world.now());
        rows.extend(counters.into_iter().enumerate().map(|(at, counters)| {
            let control = at >= data;
            let (kind, at) = if control { ("control", at - data) } else { ("data", at) };
            (link.clone(), kind, at, counters)
        }));
    }
    let measured = world.measured().as_secs_f64();
    let columns = vec![
        texts("link", "from -> to", &rows, |row| row.0.clone()),
        texts("kind", "data or control", &rows, |row| row.1.to_owned()),
        counts("channel", "number among the link's channels of this kind", &rows, |row| {
            row.2 as u64
        }),
        counts("bursts", "bursts or headers assigned to it", &rows, |row| row.3.bursts),
        numbers(("bytes", "B"), "their bytes", &rows, |row| row.3.bytes as f64),
        numbers(("utilization", ""), "share of the time in which it was used", &rows, |row| {
            ratio(row.3.busy as f64 * 1e-12, measured)
        }),
    ];
    Table { name: "channels", columns }
}

/// One row per recorded burst.
pub(super) fn bursts(world: &World) -> Table {
    let rows = &world.optical().log.bursts;
    let outcome = |row: &BurstRow| match (row.delivered, row.lost) {
        (Some(_), _) => "delivered",
        (None, Some(cause)) => cause.name(),
        (None, None) => "inside",
    };
    let columns = vec![
        counts("burst", "number in the order of release", rows, |row| row.burst),
        texts("ingress", "edge router where it was made", rows, |row| {
            world.plan().graph.node_name(row.ingress).to_owned()
        }),
        texts("egress", "edge router to which it goes", rows, |row| {
            world.plan().graph.node_name(row.egress).to_owned()
        }),
        counts("packets", "packets in it", rows, |row| u64::from(row.packets)),
        numbers(("bytes", "B"), "their bytes", rows, |row| row.bytes.0 as f64),
        numbers(("opened", "s"), "arrival of its first packet", rows, |row| {
            seconds(Some(row.opened))
        }),
        numbers(("released", "s"), "release from the queue", rows, |row| {
            seconds(Some(row.released))
        }),
        texts("cause", "size: it was full; timer: its timer expired", rows, |row| {
            if row.full { "size" } else { "timer" }.to_owned()
        }),
        texts("outcome", "delivered, inside, or why it was lost", rows, |row| {
            outcome(row).to_owned()
        }),
        numbers(("delivered", "s"), "arrival of its last bit at the egress edge", rows, |row| {
            seconds(row.delivered)
        }),
    ];
    Table { name: "bursts", columns }
}

/// One row per reservation that a recorded burst requested.
pub(super) fn reservations(world: &World) -> Table {
    let rows = &world.optical().log.reservations;
    let outcome = |row: &ReservationRow| match (row.lost, row.granted) {
        (Some(cause), _) => cause.name(),
        (None, Some(_)) => "granted",
        // The abstract path grants nothing.
        (None, None) => "deflected",
    };
    let mut columns = vec![
        counts("burst", "number of the burst", rows, |row| row.burst),
        texts("link", "from -> to", rows, |row| fibre_name(world, row.fibre)),
        numbers(("asked", "s"), "burst released, or header processed", rows, |row| {
            seconds(Some(row.asked))
        }),
        numbers(("header-sent", "s"), "first bit of the header left", rows, |row| {
            seconds(row.header_sent)
        }),
        numbers(("channel", ""), "data channel", rows, |row| {
            row.granted.map_or(f64::NAN, |granted| f64::from(granted.0))
        }),
        numbers(("start", "s"), "first bit of the burst leaves", rows, |row| {
            seconds(row.granted.map(|granted| granted.1))
        }),
        numbers(("end", "s"), "last bit of the burst leaves", rows, |row| {
            seconds(row.granted.map(|granted| granted.2))
        }),
        numbers(("fibre-delay", "s"), "delay of its fibre delay line", rows, |row| {
            row.fibre_delay.as_secs_f64()
        }),
        counts("converted", "1 if its wavelength is converted", rows, |row| {
            u64::from(row.converted)
        }),
        texts(
            "outcome",
            "granted, deflected (onto an abstract path), or the reason for a refusal",
            rows,
            |row| outcome(row).to_owned(),
        ),
    ];
    let outcome = columns.len() - 1;
    columns.splice(outcome..outcome, cores(world).reservation_columns(rows));
    Table { name: "reservations", columns }
}

/// The counters of all classes together.
pub(super) fn totals(world: &World) -> Json {
    let zero = FecCounters::default();
    let sum = world.optical().fec_counters().iter().fold(zero, |sum, fec| sum.plus(fec));
    let (flows_mean, index) = synchronization::totals(world);
    let mut json = json!({
        "released": sum.bursts,
        "by-size": sum.by_size,
        "by-timer": sum.by_timer,
        "size-mean": ratio(sum.bytes as f64, sum.bursts as f64),
        "packets-mean": ratio(sum.packets as f64, sum.bursts as f64),
        "assembly-mean": wait(&sum),
        "delivered": sum.delivered,
        "flows-mean": flows_mean,
        "synchronization-index": index,
    });
    for &cause in cores(world).causes() {
        json[cause.name()] = json!(sum.lost(cause));
    }
    json["lost-random-surplus"] = json!(surplus::lost_at_random(world.plan(), &sum));
    add(json, &cores(world).class_sums(&sum))
}
