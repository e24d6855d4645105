//! The tables of a report, column by column.

use engine::observe::{FlowRow, Sample};
use engine::world::World;
use kinds::Kinds;
use plan::spec::SeriesKind;
use plan::table::{Column, Table, counts, numbers, ratio, seconds, texts};
use transport::Transport;
use units::{LinkId, NodeId, Time};
use wire::link::LinkCounters;

use crate::load::Checked;

/// The transport of an entry of traffic and its preset.
fn transport_of(checked: &Checked, transport: &Transport) -> (&'static str, String) {
    match transport {
        Transport::Udp(_) => ("udp", String::new()),
        Transport::StopAndWait(options) => {
            let preset = if options.rto_margin > 0.0 { "sawl" } else { "saw" };
            ("stop-and-wait", preset.to_owned())
        }
        Transport::Message(options) => ("message", options.spraying.word().to_owned()),
        Transport::Tcp(options) => {
            let config = transport::resolve(&checked.scenario.profile, options).expect("checked");
            let preset = serde_json::to_value(config.preset).expect("a plain name");
            ("tcp", preset.as_str().unwrap_or_default().to_owned())
        }
    }
}

/// Seconds of the measured time in which a flow existed.
fn lifetime(row: &FlowRow, world: &World) -> f64 {
    let warmup = Time::ZERO + world.plan().warmup;
    let now = warmup + world.measured();
    let from = row.started.unwrap_or(now).max(warmup);
    row.finished.unwrap_or(now).since(from).as_secs_f64()
}

/// One row per flow.
pub(super) fn flows(checked: &Checked, world: &World, rows: &[FlowRow]) -> Table {
    let node = |id: NodeId| world.plan().graph.nodes[id.index()].name.clone();
    let entries = &checked.scenario.traffic;
    let names: Vec<_> = entries.iter().map(|e| transport_of(checked, &e.transport)).collect();
    let name = |row: &FlowRow| &names[row.traffic as usize];
    let mut columns = vec![
        counts("flow", "number in the order of creation", rows, |row| row.number),
        counts("traffic", "entry of the scenario's traffic", rows, |row| u64::from(row.traffic)),
        texts("from", "source host", rows, |row| node(row.from)),
        texts("to", "sink host", rows, |row| node(row.to)),
        texts("transport", "tcp, udp, stop-and-wait or message", rows, |row| {
            name(row).0.to_owned()
        }),
        texts("preset", "its name: TCP's preset, saw or sawl (with a margin)", rows, |row| {
            name(row).1.clone()
        }),
        numbers(("start", "s"), "first data offered", rows, |row| seconds(row.started)),
        numbers(("end", "s"), "all data acknowledged", rows, |row| seconds(row.finished)),
        numbers(
            ("slowdown", ""),
            "completion time over that in an idle network, of completed files",
            rows,
            |row| row.slowdown().unwrap_or(f64::NAN),
        ),
        numbers(("size", "B"), "data offered; none if the source is endless", rows, |row| {
            row.offered.map_or(f64::NAN, |bytes| bytes as f64)
        }),
        numbers(
            ("delivered", "B"),
            "data sent and delivered in order within the measured period",
            rows,
            |row| row.transport.delivered as f64,
        ),
        numbers(("goodput", "b/s"), "the same over the flow's time in it", rows, |row| {
            row.transport.delivered as f64 * 8.0 / lifetime(row, world)
        }),
        numbers(
            ("throughput", "b/s"),
            "bits on the wire of the packets delivered, over the same time",
            rows,
            |row| row.counts.delivered[0].bytes as f64 * 8.0 / lifetime(row, world),
        ),
    ];
    columns.extend(packet_columns(rows));
    Table { name: "flows", columns }
}

fn packet_columns(rows: &[FlowRow]) -> Vec<Column> {
    vec![
        counts("packets-sent", "packets from the source in the measured period", rows, |row| {
            row.counts.sent[0].packets
        }),
        counts("packets-delivered", "of these, those that reached the sink", rows, |row| {
            row.counts.delivered[0].packets
        }),
        counts("packets-lost", "of these, those lost", rows, |row| row.counts.lost[0].packets),
        counts("packets-inside", "of these, those still on their way", rows, |row| {
            row.counts.on_the_way(0)
        }),
        counts("acks-sent", "packets from the sink in the measured period", rows, |row| {
            row.counts.sent[1].packets
        }),
        counts("acks-lost", "of these, those lost", rows, |row| row.counts.lost[1].packets),
        counts(
            "reordered",
            "data packets that arrived after one sent later (RFC 4737)",
            rows,
            |row| row.reordered,
        ),
        counts("retransmissions", "segments retransmitted", rows, |row| {
            row.transport.retransmissions
        }),
        counts("timeouts", "expired retransmission timers", rows, |row| row.transport.timeouts),
        counts("fast-retransmits", "entries into fast retransmit", rows, |row| {
            row.transport.fast_retransmits
        }),
        counts("spurious-fast-retransmits", "those of segments that were not lost", rows, |row| {
            row.spurious
        }),
        numbers(("delay-mean", "s"), "sending to last bit at the sink, mean", rows, |row| {
            row.delays.mean()
        }),
        numbers(("delay-std", "s"), "its standard deviation", rows, |row| row.delays.deviation()),
        numbers(
            ("delay-wire-mean", "s"),
            "first bit on the source's wire to last bit at the sink, mean",
            rows,
            |row| row.wire_delays.mean(),
        ),
        numbers(
            ("delay-first-mean", "s"),
            "delay from the first transmission of the data, mean; if recorded",
            rows,
            |row| row.first_delays.mean(),
        ),
        numbers(
            ("rtt-mean", "s"),
            "mean of the round-trip times that the sender measured",
            rows,
            |row| row.transport.rtt_sum / row.transport.rtt_samples as f64,
        ),
    ]
}

/// How many packets wait in front of links, and how long.
fn queues(rows: &[(LinkId, LinkCounters)], measured: f64) -> [Column; 3] {
    [
        numbers(("queue-mean", "packets"), "waiting packets, mean over time", rows, |(_, c)| {
            ratio(c.queue_time as f64 * 1e-12, measured)
        }),
        numbers(
            ("wait-mean", "s"),
            "mean wait of an accepted packet, behind the packets ahead of it; where the queue decides when a packet \
             leaves, of those that left it",
            rows,
            |(_, c)| c.mean_wait(),
        ),
        numbers(
            ("wait-max", "s"),
            "longest wait, whole run; none if a change of the link has changed waits",
            rows,
            |(_, c)| c.longest_wait(),
        ),
    ]
}

/// The share of the measured time in which a link sent what got through, on average over its data channels.
pub(super) fn used(world: &World, link: LinkId, counters: &LinkCounters) -> f64 {
    let measured = world.measured().as_secs_f64();
    counters.busy as f64 * 1e-12 / measured / world.channels(link) as f64
}

/// One row per one-way link.
pub(super) fn links(world: &World) -> Table {
    let counters = world.link_counters().into_iter().enumerate();
    let rows: Vec<(LinkId, LinkCounters)> = counters.map(|(at, c)| (LinkId::at(at), c)).collect();
    let measured = world.measured().as_secs_f64();
    let rate = |id: LinkId| world.link(id).rate().as_f64() * world.channels(id) as f64;
    let mut columns = vec![
        texts("link", "from -> to", &rows, |(id, _)| world.plan().graph.link_name(*id)),
        numbers(
            ("rate", "b/s"),
            "rate at the end of the run, of all data channels together",
            &rows,
            |(id, _)| rate(*id),
        ),
        counts("packets-in", "packets offered to the queue", &rows, |(_, c)| c.packets_in),
        numbers(("bytes-in", "B"), "their bytes", &rows, |(_, c)| c.bytes_in as f64),
        counts("packets-out", "packets whose last bit reached the far end", &rows, |(_, c)| {
            c.passed()
        }),
        numbers(("bytes-out", "B"), "their bytes", &rows, |(_, c)| c.passed_bytes() as f64),
        counts("dropped-queue", "dropped by a full queue", &rows, |(_, c)| c.dropped_queue),
        counts(
            "dropped-red",
            "dropped early by active queue management, or by a policer",
            &rows,
            |(_, c)| c.dropped_red,
        ),
        counts("dropped-loss", "lost on the wire", &rows, |(_, c)| c.dropped_loss),
        counts("dropped-down", "lost because the link was down", &rows, |(_, c)| c.dropped_down),
        counts(
            "dropped-burst",
            "lost with a burst that this link could not carry, or lost",
            &rows,
            |(_, c)| c.dropped_burst,
        ),
        counts("packets-before", "packets inside when measuring began", &rows, |(_, c)| {
            c.packets_before
        }),
        counts("packets-inside", "packets inside at the end", &rows, |(_, c)| c.inside()),
        counts("trimmed", "packets whose data were cut off", &rows, |(_, c)| c.trimmed),
        counts("marked", "marked with congestion experienced", &rows, |(_, c)| c.marked),
        numbers(
            ("utilization", ""),
            "share of the time in which it sent the packets that got through; with several at a time above 1",
            &rows,
            |(id, c)| used(world, *id, c),
        ),
    ];
    columns.extend(queues(&rows, measured));
    if world.plan().facts().loses_at_busy_links {
        let doc = "found the link busy at a hybrid switch that could not store them";
        let at =
            columns.iter().position(|column| column.name == "packets-before").expect("a column");
        let lost = counts("dropped-contention", doc, &rows, |(_, c)| c.dropped_contention);
        columns.insert(at, lost);
    }
    Table { name: "links", columns }
}

/// One row per sample.
pub(super) fn series(world: &World) -> Table {
    let rows = &world.sampler().samples;
    let subject = |sample: &Sample| match sample.what {
        SeriesKind::Queue | SeriesKind::Channels => {
            let link = LinkId(u32::try_from(sample.subject).expect("an id"));
            world.plan().graph.link_name(link)
        }
        _ => format!("flow {}", sample.subject),
    };
    let what = |sample: &Sample| match sample.what {
        SeriesKind::Cwnd => "cwnd",
        SeriesKind::Ssthresh => "ssthresh",
        SeriesKind::Rtt => "rtt",
        SeriesKind::Queue => "queue",
        SeriesKind::Channels => "channels",
    };
    let columns = vec![
        numbers(("time", "s"), "when", rows, |sample| sample.time.as_secs_f64()),
        texts(
            "what",
            "cwnd (B), ssthresh (B), rtt (s), queue (packets), channels (busy)",
            rows,
            |sample| what(sample).to_owned(),
        ),
        texts("subject", "flow or link", rows, subject),
        numbers(("value", ""), "the value, in the unit of the quantity", rows, |sample| {
            sample.value
        }),
    ];
    Table { name: "series", columns }
}
