//! Each kind of core alone and in pairs, without a scenario file: delays by hand, and nothing lost but where
//! it must be.

use cores::{Account, Core};
use engine::observe::FlowRow;
use engine::world::World;
use optics::{
    Buffering, BurstCoreSpec, CioqCoreSpec, HybridCoreSpec, OutputQueuedCoreSpec, PacketCoreSpec,
    Paths, Switching,
};
use plan::builder::Builder;
use plan::spec::{Change, CoreSpec};
use traffic::{Bulk, Cbr, Source};
use units::{Bytes, NodeId, Rate, Span};

const LINK: Rate = Rate(1_000_000_000);
const DELAY: Span = Span::from_us(5);
/// How long a datagram of 972 B of data, 1,000 B on the wire, lasts on a link.
const WIRE: Span = Span::from_us(8);
const RUN: Span = Span::from_ms(2);

/// Datagrams at a tenth of what a link carries: none meets another.
fn sparse() -> Source {
    Source::Cbr(Cbr { rate: Rate(97_200_000).into(), packet: Bytes(972).into() })
}

/// Datagrams as fast as a link carries them.
fn full() -> Source {
    Source::Cbr(Cbr { rate: Rate(972_000_000).into(), packet: Bytes(972).into() })
}

/// Hybrid switches whose shared buffer has so many ports, and room without limit.
fn hybrid(electronic_ports: u32) -> CoreSpec {
    let buffering = Buffering::default();
    let paths = Paths::default();
    CoreSpec::Hybrid(HybridCoreSpec { electronic_ports, buffering, paths, buffer_size: None })
}

/// Two hosts and so many nodes of a core in a row between them, all links alike.
fn row(core: CoreSpec, nodes: usize) -> Builder {
    let mut net = Builder::new();
    let mut last = net.host("a");
    for at in 0..nodes {
        let node = net.core(&format!("c{at}"));
        net.link(&last, &node, LINK, DELAY);
        last = node;
    }
    let b = net.host("b");
    net.link(&last, &b, LINK, DELAY);
    net.udp("a", "b", sparse()).switched_by(core);
    net
}

/// Two edge routers that end flows themselves, and so many nodes of a core in a row between them.
fn optical_row(core: CoreSpec, nodes: usize) -> Builder {
    let mut net = Builder::new();
    let mut last = net.edge("a");
    for at in 0..nodes {
        let node = net.core(&format!("c{at}"));
        net.fibre(&last, &node, (2, LINK), DELAY);
        last = node;
    }
    let b = net.edge("b");
    net.fibre(&last, &b, (2, LINK), DELAY);
    net.udp("a", "b", sparse()).switched_by(core);
    net
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "below the end of a run"
)]
fn nanoseconds(seconds: f64) -> u64 {
    (seconds * 1e9).round() as u64
}

/// The one flow of a world: the mean delay of its packets, all of them equal.
fn delay(world: &World) -> Span {
    let rows = world.flow_rows();
    let [FlowRow { delays, counts, .. }] = rows.as_slice() else { panic!("one flow") };
    assert!(delays.count > 20, "{delays:?}");
    assert_eq!(counts.lost[0].packets, 0);
    let spread = delays.squares / delays.count as f64 - delays.mean() * delays.mean();
    assert!(spread.abs() < 1e-20, "all packets take the same time: {delays:?}");
    Span::from_ns(nanoseconds(delays.mean()))
}

fn core(net: &Builder) -> Span {
    delay(&World::run(net.plan(RUN), 1))
}

#[test]
fn a_router_stores_and_forwards() {
    let mut net = Builder::new();
    let (a, r, b) = (net.host("a"), net.router("r"), net.host("b"));
    net.link(&a, &r, LINK, DELAY);
    net.link(&r, &b, LINK, DELAY);
    net.udp(&a, &b, sparse());
    assert_eq!(core(&net), WIRE * 2 + DELAY * 2);
}

#[test]
fn a_hybrid_switch_passes_light_through() {
    let spec = || hybrid(1);
    assert_eq!(core(&row(spec(), 1)), WIRE + DELAY * 2);
    assert_eq!(core(&row(spec(), 2)), WIRE + DELAY * 3);
}

#[test]
fn an_output_queued_switch_does_what_its_switching_says() {
    let of = |switching| {
        CoreSpec::OutputQueued(OutputQueuedCoreSpec { switching, ..Default::default() })
    };
    assert_eq!(core(&row(of(Switching::CutThrough), 1)), WIRE + DELAY * 2);
    assert_eq!(core(&row(of(Switching::CutThrough), 2)), WIRE + DELAY * 3);
    assert_eq!(core(&row(of(Switching::StoreAndForward), 1)), WIRE * 2 + DELAY * 2);
    assert_eq!(core(&row(of(Switching::StoreAndForward), 2)), WIRE * 3 + DELAY * 3);
}

/// 1,000 B are 21 cells of 48 B of data; a cell of 64 B takes 128 ns at 4 Gb/s, and slots begin at
/// multiples of that: packets come at other multiples of 80 us + 13 us + …, so each waits for its slot.
#[test]
fn a_cioq_switch_moves_cells_in_slots() {
    let slot = 128;
    let spec = CoreSpec::Cioq(CioqCoreSpec { speedup: 4, ..CioqCoreSpec::default() });
    let net = row(spec, 1);
    let world = World::run(net.plan(RUN), 1);
    let [FlowRow { delays, .. }] = &world.flow_rows()[..] else { panic!("one flow") };
    // The last bits are in at 13 us + n · 80 us.
    let there = (0..delays.count).map(|n| (n * 80 + 13) * 1_000);
    let through = there.map(|at| {
        let first_slot = at.next_multiple_of(slot);
        first_slot + 21 * slot - at
    });
    let by_hand: u64 = through.map(|through| through + 8_000 * 2 + 5_000 * 2).sum();
    assert_eq!(nanoseconds(delays.sum), by_hand, "nanoseconds of {} packets", delays.count);
}

#[test]
fn a_burst_follows_its_header_by_the_offset() {
    let input = Span::from_us(1);
    let spec = || CoreSpec::Burst(BurstCoreSpec { input_delay: input, ..Default::default() });
    let offset = optics::AssemblySpec::DEFAULT_OFFSET;
    // The light waits at the core's input and at that of the egress edge.
    assert_eq!(core(&optical_row(spec(), 1)), offset + WIRE + (DELAY + input) * 2);
    assert_eq!(core(&optical_row(spec(), 2)), offset + WIRE + (DELAY + input) * 3);
}

#[test]
fn an_optical_packet_needs_no_header_ahead() {
    let input = Span::from_us(1);
    let spec = || CoreSpec::Packet(PacketCoreSpec { input_delay: input, ..Default::default() });
    assert_eq!(core(&optical_row(spec(), 1)), WIRE + DELAY * 2 + input);
    assert_eq!(core(&optical_row(spec(), 2)), WIRE + DELAY * 3 + input * 2);
}

/// Two senders of full rate at one output: it carries half of what comes, and what a switch cannot hold is
/// lost there. [`Builder::run`] checks conservation.
fn contention(core: CoreSpec) -> World {
    let mut net = Builder::new();
    let (a, b) = (net.host("a"), net.host("b"));
    let (switch, sink) = (net.core("s"), net.host("sink"));
    for host in [&a, &b] {
        net.link(host, &switch, LINK, DELAY);
        net.udp(host, &sink, full());
    }
    net.link(&switch, &sink, LINK, DELAY);
    net.switched_by(core);
    World::run(net.plan(Span::from_ms(20)), 1)
}

#[test]
fn every_kind_accounts_for_packets_that_contend() {
    let bufferless = hybrid(0);
    let small = CioqCoreSpec { input_buffer: Bytes(100_000), ..CioqCoreSpec::default() };
    for core in
        [bufferless, CoreSpec::Cioq(small), CoreSpec::OutputQueued(OutputQueuedCoreSpec::default())]
    {
        let world = contention(core.clone());
        let rows = world.flow_rows();
        let sum = |of: fn(&FlowRow) -> u64| rows.iter().map(of).sum::<u64>();
        let (sent, delivered, lost) = (
            sum(|row| row.counts.sent[0].packets),
            sum(|row| row.counts.delivered[0].packets),
            sum(|row| row.counts.lost[0].packets),
        );
        // 20 ms hold 2,500 packets of one link.
        assert!((4_990..=5_002).contains(&sent), "{core:?}: {sent}");
        assert!((2_480..=2_500).contains(&delivered), "{core:?}: {delivered}");
        // At most 1,000 wait in the queue of the output, as many bytes in a shared buffer.
        assert!(lost > 1_300 && lost <= sent - delivered, "{core:?}: {lost}");
        assert_eq!(sent, delivered + lost + world.packets_inside() as u64, "{core:?}");
    }
}

/// A hybrid switch holds what waits for an azimuth that is down, and sends it when the link works again.
#[test]
fn a_hybrid_switch_waits_for_a_link_that_is_down() {
    let mut net = Builder::new();
    let (a, b) = (net.host("a"), net.host("b"));
    let (switch, sink) = (net.core("s"), net.host("sink"));
    for host in [&a, &b] {
        net.link(host, &switch, LINK, DELAY);
        net.udp(host, &sink, full());
    }
    net.link(&switch, &sink, LINK, DELAY);
    net.switched_by(hybrid(4));
    let link = "s -> sink";
    net.change(Span::from_us(200), link, Change::Down).change(Span::from_us(900), link, Change::Up);
    let world = World::run(net.plan(Span::from_us(950)), 1);
    let number = NodeId::at(2);
    assert_eq!(world.plan().graph.node_name(number), "s");
    let Account::Hybrid(counters, azimuths) = world.cores().account(0) else {
        panic!("a hybrid switch")
    };
    assert_eq!(azimuths, 3);
    assert!(counters.lost_down > 50, "packets that found the azimuth down: {counters:?}");
    assert!(counters.packets_released > 0, "{counters:?}");
    // It was down when the longest stay began, and up when it ended.
    assert!(counters.wait_max >= Span::from_us(700).0, "{counters:?}");
}

/// TCP over each pair of kinds of node that hosts and edges can be joined to: a file arrives whole.
#[test]
fn a_file_crosses_every_kind() {
    let file = || Source::Bulk(Bulk { size: Some(Bytes(300_000)) });
    for core in [
        hybrid(2),
        CoreSpec::Cioq(CioqCoreSpec::default()),
        CoreSpec::OutputQueued(OutputQueuedCoreSpec::default()),
        CoreSpec::Burst(BurstCoreSpec::default()),
        CoreSpec::Packet(PacketCoreSpec::default()),
    ] {
        let mut net = if core.facts().has_edges {
            optical_row(core.clone(), 2)
        } else {
            row(core.clone(), 2)
        };
        net.tcp("b", "a", file());
        let world = World::run(net.plan(Span::from_ms(100)), 7);
        let rows = world.flow_rows();
        let of_tcp = &rows[1];
        assert!(of_tcp.finished.is_some(), "{core:?}: {of_tcp:?}");
        assert_eq!(of_tcp.transport.delivered, 300_000);
    }
}
