//! Remedies of a packet-switched node, worked by hand.

use proptest::prelude::*;
use units::{Span, Time};

use crate::{
    Arrival, Channels, Deflection, FibreLoopSpec, Loops, PacketCoreSpec, PacketSwitch, PortOrder,
    Remedy, Scheduling, Way,
};

const LENGTH: Span = Span(10);

/// A node with some ports of some channels each.
struct Node {
    switch: PacketSwitch,
    ports: Vec<Channels>,
}

impl Node {
    fn new(spec: &PacketCoreSpec, ports: usize, channels: u32) -> Self {
        let port = Channels::new(Scheduling::LaucVf, channels);
        Self { switch: PacketSwitch::new(spec), ports: vec![port; ports] }
    }

    /// A packet of ten ticks on a wavelength.
    fn arrive(&mut self, start: u64, channel: Option<u16>) -> Option<Way> {
        self.come(Arrival { start: Time(start), length: LENGTH, channel, deflected: false })
    }

    fn come(&mut self, packet: Arrival) -> Option<Way> {
        let ports = &self.ports;
        let way = self.switch.find(packet, ports.len(), |port| ports.get(port))?;
        self.switch.take(packet, &way, &mut self.ports[way.port]);
        Some(way)
    }

    /// Where and when packets leave that all come at 0 on wavelength 0: port, channel, instant.
    fn all_at_once(&mut self, packets: usize) -> Vec<Option<(usize, u16, u64)>> {
        let leave = (0..packets).map(|_| self.arrive(0, Some(0)));
        leave.map(|way| way.map(|way| (way.port, way.channel, way.start.0))).collect()
    }
}

fn with(remedies: &[Remedy]) -> PacketCoreSpec {
    PacketCoreSpec { remedies: remedies.to_vec(), ..PacketCoreSpec::default() }
}

/// Ten ticks from 0: free again at 10, and not at 9. On the other wavelength nothing is in the way.
#[test]
fn an_output_is_held_for_the_length_of_the_packet() {
    let mut node = Node::new(&with(&[]), 1, 2);
    assert!(node.arrive(0, Some(0)).is_some());
    assert!(node.arrive(9, Some(0)).is_none());
    assert!(node.arrive(9, Some(1)).is_some());
    assert!(node.arrive(10, Some(0)).is_some());
    let guarded = PacketCoreSpec { guard: Span(3), ..with(&[]) };
    let mut node = Node::new(&guarded, 1, 1);
    assert!(node.arrive(0, Some(0)).is_some());
    assert!(node.arrive(12, Some(0)).is_none());
    assert!(node.arrive(13, Some(0)).is_some());
}

/// Two ports of two wavelengths: the remedy that is named first varies fastest.
#[test]
fn remedies_are_tried_in_their_order() {
    use Remedy::{Convert, Deflect};
    let leave = |remedies: &[Remedy]| Node::new(&with(remedies), 2, 2).all_at_once(5);
    let wavelengths_first =
        [Some((0, 0, 0)), Some((0, 1, 0)), Some((1, 0, 0)), Some((1, 1, 0)), None];
    assert_eq!(leave(&[Convert, Deflect]), wavelengths_first);
    let ports_first = [Some((0, 0, 0)), Some((1, 0, 0)), Some((0, 1, 0)), Some((1, 1, 0)), None];
    assert_eq!(leave(&[Deflect, Convert]), ports_first);
    assert_eq!(leave(&[Convert])[..3], [Some((0, 0, 0)), Some((0, 1, 0)), None]);
    assert_eq!(leave(&[Deflect])[..3], [Some((0, 0, 0)), Some((1, 0, 0)), None]);
    assert_eq!(leave(&[])[..2], [Some((0, 0, 0)), None]);
}

/// Two ports of three wavelengths, one of which deflected packets leave free: they take two of the other port, and one
/// that was deflected before two of its own.
#[test]
fn deflected_packets_leave_channels_free() {
    use Remedy::{Convert, Deflect};
    let reserving = |reserve| PacketCoreSpec {
        deflection: Some(Deflection::Ports {
            order: PortOrder::Shortest,
            loops: Loops::NoReturn,
            hop_limit: 32,
            reserve,
        }),
        ..with(&[Convert, Deflect])
    };
    let taken = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)];
    for (reserve, places) in [(None, 6), (Some(1), 5), (Some(2), 4), (Some(3), 3)] {
        let leave = Node::new(&reserving(reserve), 2, 3).all_at_once(7);
        let leave = leave.into_iter().map(|way| way.map(|(port, channel, _)| (port, channel)));
        let expected = taken.into_iter().take(places).map(Some).chain([None; 7]).take(7);
        assert!(leave.eq(expected), "{reserve:?}");
    }
    let mut node = Node::new(&reserving(Some(1)), 1, 3);
    let again =
        |start| Arrival { start: Time(start), length: LENGTH, channel: Some(0), deflected: true };
    let first: Vec<_> = (0..3).map(|_| node.come(again(0)).map(|way| way.channel)).collect();
    assert_eq!(first, [Some(0), Some(1), None]);
    // The third wavelength is for others, and at 10 the first two are free again.
    assert!(node.arrive(5, Some(2)).is_some());
    assert!(node.come(again(9)).is_none());
    assert_eq!(node.come(again(10)).map(|way| way.channel), Some(0));
    // A channel that is taken from 11 on is not free for a packet of ten ticks with a guard of three.
    let guarded = PacketCoreSpec { guard: Span(3), ..reserving(Some(1)) };
    let mut node = Node::new(&guarded, 1, 2);
    node.ports[0].book(1, Time(11), Span(13));
    assert!(node.come(again(0)).is_none());
    assert!(node.arrive(0, Some(0)).is_some());
}

/// Lines of 10 and 15 ticks, packets of 10: at 0 the output is free, then the line of 10 helps; the
/// line of 15 would meet [10, 20), so the third packet is lost, or leaves by the other wavelength.
#[test]
fn a_delay_line_holds_the_output_for_when_the_packet_comes_out() {
    use Remedy::{Convert, Delay};
    let lines = |remedies: &[Remedy]| PacketCoreSpec {
        fibre_delays: vec![Span(10), Span(15)],
        ..with(remedies)
    };
    let leave = |remedies: &[Remedy]| Node::new(&lines(remedies), 1, 2).all_at_once(4);
    assert_eq!(leave(&[Delay])[..3], [Some((0, 0, 0)), Some((0, 0, 10)), None]);
    let delayed_first = [Some((0, 0, 0)), Some((0, 0, 10)), Some((0, 1, 0)), Some((0, 1, 10))];
    assert_eq!(leave(&[Delay, Convert]), delayed_first);
    let converted_first = [Some((0, 0, 0)), Some((0, 1, 0)), Some((0, 0, 10)), Some((0, 1, 10))];
    assert_eq!(leave(&[Convert, Delay]), converted_first);
    // A packet that comes at 5 finds the output held from 0 to 20; the line of 15 leads to 20.
    let mut node = Node::new(&lines(&[Delay]), 1, 2);
    node.all_at_once(2);
    assert_eq!(node.arrive(5, Some(0)).map(|way| way.start), Some(Time(20)));
    // Two turns of one looped line: the second turn of 0 + 2 · (5 + 10) is free, the line is not.
    let fibre = FibreLoopSpec { delay: Span(5), lines: 1, turns: 2 };
    let mut node = Node::new(&PacketCoreSpec { fibre_loop: Some(fibre), ..with(&[Delay]) }, 1, 1);
    assert_eq!(node.all_at_once(3), [Some((0, 0, 0)), Some((0, 0, 15)), None]);
}

/// One converter, three wavelengths: it is held while a packet passes, and one on its own wavelength
/// needs none.
#[test]
fn converters_are_shared_by_a_node() {
    let spec = PacketCoreSpec { converters: Some(1), ..with(&[Remedy::Convert]) };
    let mut node = Node::new(&spec, 1, 3);
    assert_eq!(node.all_at_once(3), [Some((0, 0, 0)), Some((0, 1, 0)), None]);
    assert!(node.arrive(5, Some(2)).is_some_and(|way| !way.converted));
    // At 10 wavelength 0 is free; the next needs the converter, which is free too.
    let at_ten: Vec<_> = (0..3).map(|_| node.arrive(10, Some(0))).collect();
    let converted: Vec<_> =
        at_ten.iter().map(|way| way.as_ref().map(|way| way.converted)).collect();
    assert_eq!(converted, [Some(false), Some(true), None]);
}

#[test]
fn a_port_that_is_down_is_passed_over() {
    let node = Node::new(&with(&[Remedy::Deflect]), 3, 1);
    let packet = Arrival { start: Time(0), length: LENGTH, channel: Some(0), deflected: false };
    let way = node.switch.find(packet, 3, |port| node.ports.get(port).filter(|_| port == 2));
    assert_eq!(way.map(|way| way.port), Some(2));
}

/// What a node does, in the plainest words: every packet that it has taken, with the intervals that
/// it holds.
#[derive(Default)]
struct Twin {
    /// Port, channel, from, to.
    held: Vec<(usize, u16, u64, u64)>,
}

impl Twin {
    fn arrive(
        &mut self,
        remedies: &[Remedy],
        (delays, ports, channels): (&[u64], usize, u16),
        (start, own): (u64, u16),
    ) -> Option<(usize, u64)> {
        let mut tries = vec![(false, 0, 0)];
        for remedy in remedies {
            let before = tries.clone();
            let again = |change: &dyn Fn((bool, u64, usize)) -> (bool, u64, usize)| {
                before.iter().map(|&tried| change(tried)).collect::<Vec<_>>()
            };
            match remedy {
                Remedy::Convert => tries.extend(again(&|(_, delay, port)| (true, delay, port))),
                Remedy::Delay => {
                    for &line in delays {
                        tries.extend(again(&|(convert, _, port)| (convert, line, port)));
                    }
                }
                Remedy::Deflect => {
                    for other in 1..ports {
                        tries.extend(again(&|(convert, delay, _)| (convert, delay, other)));
                    }
                }
            }
        }
        for (convert, delay, port) in tries {
            let (from, to) = (start + delay, start + delay + LENGTH.0);
            let free = |channel: u16| {
                let meets = |&&(p, c, f, t): &&(usize, u16, u64, u64)| {
                    (p, c) == (port, channel) && f < to && from < t
                };
                self.held.iter().find(meets).is_none()
            };
            let wavelengths = if convert { 0..channels } else { own..own + 1 };
            // Among several free ones the switch chooses by LAUC-VF, which has its own twin.
            if wavelengths.clone().any(free) {
                return Some((port, from));
            }
        }
        None
    }
}

proptest! {
    /// Beside the twin: which port, and when.
    #[test]
    fn a_node_does_what_its_twin_does(
        order in Just([Remedy::Convert, Remedy::Delay, Remedy::Deflect]).prop_shuffle(),
        named in 0..4_usize,
        arrivals in prop::collection::vec((0..6_u64, 0..2_u16), 1..80),
    ) {
        let remedies = &order[..named];
        let delays = [4, 9];
        let fibre_delays = if remedies.contains(&Remedy::Delay) {
            delays.map(Span).to_vec()
        } else {
            Vec::new()
        };
        let mut node = Node::new(&PacketCoreSpec { fibre_delays, ..with(remedies) }, 3, 2);
        let mut twin = Twin::default();
        let mut now = 0;
        for (gap, own) in arrivals {
            now += gap;
            node.switch.forget(Time(now));
            node.ports.iter_mut().for_each(|port| port.forget(Time(now)));
            let expected = twin.arrive(remedies, (&delays, 3, 2), (now, own));
            let way = node.arrive(now, Some(own));
            prop_assert_eq!(way.map(|way| (way.port, way.start.0)), expected);
            if let Some(way) = way {
                let from = way.start.0;
                twin.held.push((way.port, way.channel, from, from + LENGTH.0));
            }
        }
    }
}
