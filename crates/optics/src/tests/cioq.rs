//! The fabric of a CIOQ switch against a twin that does every slot, and against an output-queued switch.

use std::collections::VecDeque;

use proptest::prelude::*;
use random::Stream;
use units::{Span, Time};

use super::stream;
use crate::SchedulerSpec;
use crate::cioq::{CioqSwitch, Done, Fabric};
use crate::scheduling::{Arbiter, Mask, Requests};

const SLOT: u64 = 51_200;

/// A packet of a test: when its last bit is in (picoseconds), its input, its output, its bytes.
type Packet = (u64, u32, u32, u32);

/// Does slot after slot: who has a cell asks, who is matched sends one.
struct Twin<const W: usize> {
    arbiter: Arbiter<W>,
    queue_of: Vec<u32>,
    /// By input and queue: packets with the cells they have left.
    queues: Vec<Vec<VecDeque<(usize, u32, u32)>>>,
}

impl<const W: usize> Twin<W> {
    fn new(fabric: &Fabric) -> Self {
        let outputs = u32::try_from(fabric.queue_of.len()).unwrap();
        let arbiter = Arbiter::new(&fabric.scheduler, fabric.inputs, outputs, stream("twin"));
        let queues = vec![vec![VecDeque::new(); outputs as usize]; fabric.inputs as usize];
        Self { arbiter, queue_of: fabric.queue_of.to_vec(), queues }
    }

    /// When each packet is at its output, in picoseconds.
    fn run(&mut self, packets: &[Packet], payload: u32) -> Vec<u64> {
        let mut done = vec![0; packets.len()];
        let (mut next, mut slot) = (0, 0);
        let (inputs, outputs) = (self.queues.len(), self.queue_of.len());
        while done.contains(&0) {
            while next < packets.len() && packets[next].0 <= slot * SLOT {
                let (_, input, output, bytes) = packets[next];
                let queue = self.queue_of[output as usize];
                let cells = bytes.div_ceil(payload);
                self.queues[input as usize][queue as usize].push_back((next, output, cells));
                next += 1;
            }
            let mut requests =
                Requests::<W>::new(u32::try_from(inputs).unwrap(), u32::try_from(outputs).unwrap());
            for (input, queues) in (0..).zip(&self.queues) {
                for queue in queues {
                    queue.front().iter().for_each(|head| requests.set(input, head.1));
                }
            }
            let mut pairs = Vec::new();
            self.arbiter.slot(
                slot,
                &requests,
                Mask::first_ports(u32::try_from(inputs).unwrap()),
                &mut pairs,
            );
            slot += 1;
            for (input, output) in pairs {
                let queue =
                    &mut self.queues[input as usize][self.queue_of[output as usize] as usize];
                let head = queue.front_mut().unwrap();
                head.2 -= 1;
                if head.2 == 0 {
                    done[head.0] = slot * SLOT;
                    queue.pop_front();
                }
            }
        }
        done
    }
}

fn fabric(inputs: u32, queue_of: &[u32], scheduler: SchedulerSpec) -> Fabric {
    Fabric { inputs, queue_of: queue_of.into(), slot: Span(SLOT), payload: 48, scheduler }
}

/// The same by the fabric, which is looked at when it says and when packets come. Also how often
/// that was.
fn run(fabric: &Fabric, packets: &[Packet]) -> (Vec<u64>, usize) {
    let mut switch = CioqSwitch::<usize>::new(fabric, stream("twin"));
    let mut done = vec![0; packets.len()];
    let mut looks = 0;
    let mut next = 0;
    loop {
        let due = switch.due(|_| Time::ZERO);
        let arrival = packets.get(next).map(|packet| Time(packet.0));
        let Some(now) = due.into_iter().chain(arrival).min() else { break };
        looks += 1;
        assert!(looks < 1_000_000, "it gets nowhere");
        let mut take = |&Done { packet, at, input, output, .. }: &Done<usize>| {
            assert_eq!(at, now, "nothing is done before anybody looks");
            assert_eq!((input, output), (packets[packet].1, packets[packet].2));
            done[packet] = at.0;
        };
        // What comes behind others does not make it settle slots.
        if due == Some(now) {
            switch.advance(now, &mut take);
        }
        while let Some(&(at, input, output, bytes)) = packets.get(next).filter(|p| p.0 == now.0) {
            if !switch.meets(now, (input, output)).1 {
                switch.advance(now, &mut take);
            }
            let before = switch.bytes_at(input);
            switch.offer(Time(at), (input, output), next, bytes);
            assert_eq!(switch.bytes_at(input), before + u64::from(bytes));
            next += 1;
        }
    }
    assert!(switch.is_empty());
    assert!((0..fabric.inputs).all(|input| switch.bytes_at(input) == 0));
    (done, looks)
}

/// Packets over a few slots' time, many at slot starts, sizes of the paper and cells' borders.
fn packets(ports: u32) -> impl Strategy<Value = Vec<Packet>> {
    let size = prop_oneof![Just(40u32), Just(48), Just(49), Just(96), Just(576), Just(1500)];
    let at = prop_oneof![(0..300u64).prop_map(|slot| slot * SLOT), 0..300 * SLOT];
    prop::collection::vec((at, 0..ports, 0..ports, size), 1..60).prop_map(|mut packets| {
        packets.sort_by_key(|packet| packet.0);
        packets
    })
}

fn agree<const W: usize>(fabric: &Fabric, packets: &[Packet]) {
    let expected = Twin::<W>::new(fabric).run(packets, fabric.payload);
    assert_eq!(run(fabric, packets).0, expected, "{packets:?}");
}

proptest! {
    /// One queue an output, and one queue a bundle of two or three outputs.
    #[test]
    fn slots_in_bulk_are_slots_one_by_one(packets in packets(6), iterations in 1..4u32) {
        let islip = SchedulerSpec::Islip { iterations };
        agree::<1>(&fabric(6, &[0, 1, 2, 3, 4, 5], islip), &packets);
        agree::<1>(&fabric(6, &[0, 0, 0, 3, 3, 5], islip), &packets);
        agree::<1>(&fabric(6, &[0, 1, 2, 3, 4, 5], SchedulerSpec::MaximumSize {}), &packets);
        agree::<1>(&fabric(6, &[0, 0, 2, 2, 4, 4], SchedulerSpec::MaximumSize {}), &packets);
        agree::<1>(&fabric(6, &[0, 1, 2, 3, 4, 5], SchedulerSpec::Wavefront {}), &packets);
        agree::<1>(&fabric(6, &[0, 0, 2, 2, 4, 4], SchedulerSpec::Wavefront {}), &packets);
    }
}

proptest! {
    #![proptest_config(trials::cases(24))]

    /// The same of switches with more ports than a word has bits, and than four words have: ports of
    /// several words compete.
    #[test]
    fn slots_in_bulk_are_slots_one_by_one_beyond_a_word(packets in packets(6), pairs in 0..2u32) {
        let port = |ports: u32, of: u32| [0, 63, 64, 127, 128, ports - 1][of as usize];
        let spread = |ports| -> Vec<Packet> {
            let ports = |&(at, input, output, bytes): &Packet| {
                (at, port(ports, input), port(ports, output), bytes)
            };
            packets.iter().map(ports).collect()
        };
        for ports in [140, 300] {
            // A queue an output, or a queue for each two.
            let queue_of: Vec<u32> = (0..ports).map(|output| output & !pairs).collect();
            let fabric = fabric(ports, &queue_of, SchedulerSpec::default());
            match ports {
                140 => agree::<4>(&fabric, &spread(ports)),
                _ => agree::<16>(&fabric, &spread(ports)),
            }
        }
    }
}

/// A packet alone: 32 cells of 48 bytes, from the first slot that begins when it is in or later.
#[test]
fn a_packet_alone_takes_a_slot_a_cell() {
    let fabric = fabric(2, &[0, 1], SchedulerSpec::default());
    assert_eq!(run(&fabric, &[(0, 0, 1, 1500)]), (vec![32 * SLOT], 2));
    assert_eq!(run(&fabric, &[(SLOT, 0, 1, 1500)]).0, [33 * SLOT]);
    assert_eq!(run(&fabric, &[(SLOT + 1, 0, 1, 1500)]).0, [34 * SLOT]);
    assert_eq!(run(&fabric, &[(0, 0, 1, 48), (0, 1, 0, 49)]).0, [SLOT, 2 * SLOT]);
}

/// Two inputs that want one output take turns, whichever comes first.
#[test]
fn two_packets_for_one_output_interleave_their_cells() {
    let fabric = fabric(2, &[0, 1], SchedulerSpec::default());
    // Slots 0, 2, 4 and 1, 3, 5.
    assert_eq!(run(&fabric, &[(0, 0, 1, 144), (0, 1, 1, 144)]).0, [5 * SLOT, 6 * SLOT]);
    // Alone for two slots; then the pointer is beyond input 0, so that input 1 goes first.
    let late = [(0, 0, 1, 144), (2 * SLOT, 1, 1, 144)];
    assert_eq!(run(&fabric, &late).0, [4 * SLOT, 6 * SLOT]);
}

/// Three inputs take turns for one output; one goes when its packet is through, one comes in the midst.
#[test]
fn a_round_of_three_goes_on_with_two_and_with_those_that_come() {
    let fabric = fabric(4, &[0, 1, 2, 3], SchedulerSpec::default());
    let three = [(0, 0, 1, 48), (0, 1, 1, 144), (0, 2, 1, 96)];
    // Slots 0; 1, 3, 5; 2, 4.
    assert_eq!(run(&fabric, &three).0, [SLOT, 6 * SLOT, 5 * SLOT]);
    // The fourth may be asked for in slot 3, and is: the pointer is beyond input 2. Then 1, 2, 3, 1.
    let four = [three[0], three[1], three[2], (3 * SLOT, 3, 1, 96)];
    assert_eq!(run(&fabric, &four).0, [SLOT, 8 * SLOT, 6 * SLOT, 7 * SLOT]);
}

/// An AS-VOQ asks for the port of its first packet alone, though the other port of the bundle is free.
#[test]
fn packets_of_one_bundle_leave_an_input_in_their_order() {
    let packets = [(0, 0, 0, 144), (0, 1, 0, 144), (1, 0, 1, 48)];
    let shared = fabric(2, &[0, 0], SchedulerSpec::default());
    assert_eq!(run(&shared, &packets).0, [5 * SLOT, 6 * SLOT, 6 * SLOT]);
    let apart = fabric(2, &[0, 1], SchedulerSpec::default());
    // The third is in when slot 0 has begun; in slot 1 output 0 is for input 1, and input 0 sends it.
    assert_eq!(run(&apart, &packets).0[2], 2 * SLOT);
}

/// How long idle times are costs nothing, nor how long packets are that meet nobody.
#[test]
fn idle_slots_cost_nothing() {
    let fabric = fabric(2, &[0, 1], SchedulerSpec::default());
    let hour = 3_600_000_000_000_000 / SLOT * SLOT;
    let (done, looks) = run(&fabric, &[(0, 0, 1, 40), (hour, 1, 0, 60_000)]);
    assert_eq!(done, [SLOT, hour + 1250 * SLOT]);
    assert_eq!(looks, 4);
}

fn one_of(draws: &mut Stream, count: u64) -> u32 {
    u32::try_from(draws.below(count)).unwrap()
}

/// Speedup N: a slot of the line is N slots of the fabric. At most N cells come when one begins, one
/// an input, and a maximal matching moves one of those left in each slot of the fabric at least. So all
/// are at their outputs when it ends, and the outputs are busy when those of an output-queued switch
/// are. (Chuang, Goel, McKeown and Prabhakar 1999 show that its order needs less speedup, but more of the
/// scheduler.)
#[test]
fn with_speedup_n_outputs_are_busy_when_those_of_an_output_queued_switch_are() {
    const N: u64 = 4;
    let mut draws = stream("speedup");
    let (maximum, wavefront) = (SchedulerSpec::MaximumSize {}, SchedulerSpec::Wavefront {});
    for scheduler in [SchedulerSpec::Islip { iterations: 4 }, maximum, wavefront] {
        let ports: Vec<u32> = (0..4).collect();
        let fabric = fabric(4, &ports, scheduler);
        let mut packets = Vec::new();
        for line_slot in 0..5_000u64 {
            for input in 0..4 {
                if draws.uniform() < 0.9 {
                    packets.push((line_slot * N * SLOT, input, one_of(&mut draws, 4), 48));
                }
            }
        }
        // The same cells, as soon as they come and when the fabric has moved them.
        let direct = packets.iter().map(|&(at, _, output, _)| (at / (N * SLOT), output));
        let (done, _) = run(&fabric, &packets);
        // In slot k of the line the fabric moves what came at its start; its outputs send in slot k.
        let moved = done.iter().zip(&packets).map(|(&at, p)| ((at - 1) / (N * SLOT), p.2));
        let (direct, moved) = (busy(direct.collect()), busy(moved.collect()));
        assert!(direct[0].len() > 4_000);
        assert_eq!(moved, direct);
    }
}

/// The busy slots of each output that sends a cell in each slot while it has some.
fn busy(mut arrivals: Vec<(u64, u32)>) -> Vec<Vec<u64>> {
    arrivals.sort_unstable();
    let mut busy = vec![Vec::new(); 4];
    for (slot, output) in arrivals {
        let free = busy[output as usize].last().map_or(0, |last| last + 1);
        busy[output as usize].push(free.max(slot));
    }
    busy
}

/// PIM draws, so that no twin can follow it cell by cell; all packets come through, each in the time
/// that its cells need at least.
#[test]
fn pim_moves_everything() {
    let fabric = fabric(3, &[0, 0, 2], SchedulerSpec::Pim { iterations: 2 });
    let mut draws = stream("pim");
    let mut packets: Vec<Packet> = (0..500)
        .map(|_| {
            let at = draws.below(10_000_000);
            (at, one_of(&mut draws, 3), one_of(&mut draws, 3), 500)
        })
        .collect();
    packets.sort_by_key(|packet| packet.0);
    let (done, _) = run(&fabric, &packets);
    assert!(done.iter().zip(&packets).all(|(at, p)| at - p.0 >= 11 * SLOT));
}
