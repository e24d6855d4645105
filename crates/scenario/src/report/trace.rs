//! The tables of a trace. Instants are whole picoseconds; what did not happen is [`NONE`].

use engine::world::World;
use plan::TransportPlan;
use plan::table::{Column, Table, counts, texts};
use transport::tcp::{Flags, SackBlocks};
use units::{NodeId, Time};
use wire::packet::Marks;
use wire::trace::{PacketRow, Trace, TracedFlow};

use super::tables;

/// Represents a missing value.
const NONE: u64 = u64::MAX;

/// The flags in the order of their bits in a segment's header (RFC 9293 section 3.1, RFC 3168).
const BITS: [(Flags, u64); 5] =
    [(Flags::FIN, 1), (Flags::SYN, 2), (Flags::ACK, 16), (Flags::ECE, 64), (Flags::CWR, 128)];

fn instant(time: Option<Time>) -> u64 {
    time.map_or(NONE, |time| time.0)
}

fn instants<R>(
    name: &'static str,
    doc: &'static str,
    rows: &[R],
    value: impl FnMut(&R) -> u64,
) -> Column {
    Column { unit: "ps", ..counts(name, doc, rows, value) }
}

/// One row for each link that a packet was offered to, in the order of time.
pub(super) fn hops(world: &World) -> Table {
    let now = world.now();
    let rows = world.traced().map_or_else(Vec::new, Trace::rows);
    let columns = vec![
        counts("packet", "row of the table packets", &rows, |row| u64::from(row.packet)),
        counts("link", "row of the table links", &rows, |row| u64::from(row.link.0)),
        counts("hop", "number of the link on its path, from 1", &rows, |row| u64::from(row.hop)),
        instants(
            "offered",
            "it was offered to the link's queue, or its burst requested a channel",
            &rows,
            |row| row.offered.0,
        ),
        instants("start", "its first bit left", &rows, |row| instant(row.happened(now)[0])),
        instants("end", "its last bit left", &rows, |row| instant(row.happened(now)[1])),
        instants("arrived", "the far end acted on it", &rows, |row| instant(row.happened(now)[2])),
        instants("lost", "it was lost", &rows, |row| instant(row.lost.map(|(at, _)| at))),
        texts("cause", "why it was lost", &rows, |row| {
            row.lost.map_or("", |(_, cause)| cause.name()).to_owned()
        }),
        counts("marked", "1 if it carries a congestion mark", &rows, |row| u64::from(row.marked)),
        counts("channel", "data channel of an optical link", &rows, |row| {
            row.burst.map_or(NONE, |(channel, _)| u64::from(channel))
        }),
        counts("burst", "its burst, on an optical link", &rows, |row| {
            row.burst.map_or(NONE, |(_, burst)| burst)
        }),
    ];
    Table { name: "hops", columns }
}

/// One row per packet.
pub(super) fn packets(world: &World) -> Table {
    let rows = world.traced().map_or(&[][..], |trace| &trace.packets);
    let has = |row: &PacketRow, mark| u64::from(row.marks.has(mark));
    let flags = |row: &PacketRow| {
        BITS.iter().filter(|(flag, _)| row.flags.has(*flag)).map(|(_, bit)| bit).sum()
    };
    let mut columns = vec![
        counts("number", "number in the order of sending", rows, |row| row.number),
        counts("flow", "number of its flow", rows, |row| row.flow),
        counts("backward", "1 if sent from the sink to the source", rows, |row| {
            has(row, Marks::BACKWARD)
        }),
        instants("sent", "its transport sent it", rows, |row| row.sent.0),
        Column { unit: "B", ..counts("bytes", "on the wire", rows, |row| u64::from(row.bytes)) },
        Column { unit: "B", ..counts("data", "of payload", rows, |row| u64::from(row.data)) },
        counts("seq", "its first octet, from 0, or the datagram's number", rows, |row| row.seq),
        counts("ack", "the octet acknowledged", rows, |row| row.ack),
        Column { unit: "B", ..counts("window", "offered", rows, |row| u64::from(row.window)) },
        counts("flags", "of TCP's header", rows, flags),
        instants("echo", "the timestamp echoed", rows, |row| instant(known(row.echo))),
        counts("ecn", "1 if a queue may mark it", rows, |row| has(row, Marks::ECN_CAPABLE)),
        counts("resent", "1 if it repeats data", rows, |row| has(row, Marks::RESENT)),
    ];
    for (at, names) in SACKS.iter().enumerate() {
        let block = move |row: &PacketRow| row.sack.as_slice().get(at).copied();
        let edge = move |row: &PacketRow, offset: Option<u32>| {
            offset.map_or(NONE, |offset| SackBlocks::octet(row.ack, offset))
        };
        columns.push(counts(names.0, "SACK block from this octet", rows, |row| {
            edge(row, block(row).map(|block| block.0))
        }));
        columns.push(counts(names.1, "SACK block below this octet", rows, |row| {
            edge(row, block(row).map(|block| block.1))
        }));
    }
    Table { name: "packets", columns }
}

/// One row per node.
pub(super) fn nodes(world: &World) -> Table {
    let rows = &world.plan().graph.nodes;
    let columns = vec![
        texts("node", "its name", rows, |row| row.name.clone()),
        texts("kind", "host, router, edge or core", rows, |row| row.kind.name().to_owned()),
    ];
    Table { name: "nodes", columns }
}

/// The table `links` of a report, and what places a packet on its way.
pub(super) fn links(world: &World) -> Table {
    let rows = &world.plan().graph.links;
    let Table { name, mut columns } = tables::links(world);
    columns.extend([
        counts("from-node", "number of the node where it starts", rows, |row| {
            u64::from(row.from.0)
        }),
        counts("to-node", "number of the node where it ends", rows, |row| u64::from(row.to.0)),
        instants("delay", "propagation delay", rows, |row| row.delay.0),
        counts("channels", "data channels; 1 if it is not optical", rows, |row| {
            u64::from(row.data_channels())
        }),
    ]);
    Table { name, columns }
}

const SACKS: [(&str, &str); 4] = [
    ("sack-from-1", "sack-to-1"),
    ("sack-from-2", "sack-to-2"),
    ("sack-from-3", "sack-to-3"),
    ("sack-from-4", "sack-to-4"),
];

fn known(time: Time) -> Option<Time> {
    Some(time).filter(|&time| time != Time::NEVER)
}

/// One row per flow, with the options that determine its headers.
pub(super) fn flows(world: &World) -> Table {
    let rows = world.traced().map_or(&[][..], |trace| &trace.flows);
    let plan = world.plan();
    let node = |id: NodeId| plan.graph.nodes[id.index()].name.clone();
    let of = |row: &TracedFlow| &plan.traffic[row.traffic as usize].transport;
    let tcp = |row: &TracedFlow, value: fn(&transport::Config) -> u64| match of(row) {
        TransportPlan::Tcp(config) => value(config),
        TransportPlan::Udp { .. } | TransportPlan::StopAndWait(_) | TransportPlan::Message(_) => 0,
    };
    let transport = |row: &TracedFlow| match of(row) {
        TransportPlan::Tcp(_) => "tcp",
        TransportPlan::Udp { .. } => "udp",
        TransportPlan::StopAndWait(_) => "stop-and-wait",
        TransportPlan::Message(_) => "message",
    };
    let sacks = |config: &transport::Config| u64::from(config.recovery.has_sack());
    let columns = vec![
        counts("flow", "number in the order of creation", rows, |row| row.number),
        texts("from", "source", rows, |row| node(row.from)),
        texts("to", "sink", rows, |row| node(row.to)),
        counts("from-node", "number of the source", rows, |row| u64::from(row.from.0)),
        counts("to-node", "number of the sink", rows, |row| u64::from(row.to.0)),
        texts("transport", "tcp, udp, stop-and-wait or message", rows, |row| {
            transport(row).to_owned()
        }),
        counts("segment", "octets of a full segment", rows, |row| {
            tcp(row, |config| config.segment.0)
        }),
        counts("receive-window", "the receiver's window", rows, |row| {
            tcp(row, |config| config.receive_window.0)
        }),
        counts("timestamps", "1 if it uses them", rows, |row| {
            tcp(row, |config| u64::from(config.timestamps))
        }),
        counts("window-scaling", "1 if it uses it", rows, |row| {
            tcp(row, |config| u64::from(config.window_scaling))
        }),
        counts("sack", "1 if it uses selective acknowledgments", rows, |row| tcp(row, sacks)),
        counts("ecn", "1 if it uses ECN", rows, |row| tcp(row, |config| u64::from(config.ecn))),
    ];
    Table { name: "flows", columns }
}
