//! The buffer of a hybrid switch: worked by hand, and against a twin that looks at every instant.

use proptest::prelude::*;
use units::{Bytes, Span, Time};

use crate::spec::{Buffering, HybridCoreSpec, Paths};
use crate::{Fate, HybridSwitch};

/// A packet that comes: when, for which azimuth, how long.
type Packet = (u64, u32, u64);

/// What became of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// It passed as light.
    Through,
    /// It left the buffer then.
    Buffered(u64),
    NoPort,
    Full,
}
use Outcome::{Buffered, Full, NoPort, Through};

const AZIMUTHS: u32 = 4;

fn spec(electronic_ports: u32, buffering: Buffering, size: Option<u64>) -> HybridCoreSpec {
    let paths = Paths::default();
    HybridCoreSpec { electronic_ports, buffering, paths, buffer_size: size.map(Bytes) }
}

/// What becomes of packets, in the order in which they come; one byte a picosecond.
fn outcomes(spec: &HybridCoreSpec, packets: &[Packet]) -> Vec<Outcome> {
    let mut switch = HybridSwitch::new(spec, AZIMUTHS as usize);
    let mut free_at = [Time::ZERO; AZIMUTHS as usize];
    let mut found = vec![Through; packets.len()];
    let mut next = 0;
    loop {
        let due = switch.due(|azimuth| free_at[azimuth as usize]);
        let comes = packets.get(next).map(|packet| Time(packet.0));
        let Some(now) = due.into_iter().chain(comes).min() else { return found };
        while let Some(stored) = switch.release(now, |azimuth| free_at[azimuth as usize]) {
            found[stored.packet] = Buffered(now.0);
            free_at[stored.azimuth as usize] = now + stored.length;
        }
        if comes != Some(now) {
            continue;
        }
        let (_, azimuth, length) = packets[next];
        let free_at = &mut free_at[azimuth as usize];
        if *free_at <= now {
            *free_at = now + Span(length);
        } else {
            let bytes = u32::try_from(length).unwrap();
            match switch.store(now, next, azimuth, (Span(length), bytes)) {
                Fate::Stored => {}
                Fate::NoPort => found[next] = NoPort,
                Fate::Full => found[next] = Full,
            }
        }
        next += 1;
    }
}

/// The same by looking at every picosecond, with lists of intervals in place of ports that are held.
fn twin(spec: &HybridCoreSpec, packets: &[Packet]) -> Vec<Outcome> {
    let ports = spec.electronic_ports as usize;
    let mut found: Vec<Option<Outcome>> = vec![None; packets.len()];
    let mut passes: Vec<(u32, u64, u64)> = Vec::new();
    let (mut stored, mut left): (Vec<usize>, Vec<(u64, u64)>) = (Vec::new(), Vec::new());
    let mut now = 0;
    while found.contains(&None) {
        let busy = |passes: &[(u32, u64, u64)], azimuth| {
            passes.iter().any(|&(other, from, to)| other == azimuth && from <= now && now < to)
        };
        loop {
            let inside = left.iter().filter(|&&(from, to)| from <= now && now < to).count();
            let waiting: Vec<usize> =
                stored.iter().copied().filter(|&at| found[at].is_none()).collect();
            let leaves = waiting.iter().copied().find(|&at| {
                let (came, azimuth, length) = packets[at];
                let head = *waiting.iter().find(|&&other| packets[other].1 == azimuth).unwrap();
                let ready = match spec.buffering {
                    Buffering::StoreAndForward => came + length,
                    Buffering::CutThrough => came,
                };
                at == head && ready <= now && inside < ports && !busy(&passes, azimuth)
            });
            let Some(at) = leaves else { break };
            let (_, azimuth, length) = packets[at];
            passes.push((azimuth, now, now + length));
            left.push((now, now + length));
            found[at] = Some(Buffered(now));
        }
        for (at, &(came, azimuth, length)) in packets.iter().enumerate() {
            if came != now {
                continue;
            }
            let coming =
                stored.iter().filter(|&&other| now < packets[other].0 + packets[other].2).count();
            let held: u64 = stored
                .iter()
                .filter(|&&other| found[other].is_none())
                .map(|&other| packets[other].2)
                .sum();
            if !busy(&passes, azimuth) {
                passes.push((azimuth, now, now + length));
                found[at] = Some(Through);
            } else if coming >= ports {
                found[at] = Some(NoPort);
            } else if spec.buffer_size.is_some_and(|size| held + length > size.0) {
                found[at] = Some(Full);
            } else {
                stored.push(at);
            }
        }
        now += 1;
    }
    found.into_iter().map(Option::unwrap).collect()
}

/// Three packets of 10 for azimuth 0, at 0, 4 and 7.
const THREE: [Packet; 3] = [(0, 0, 10), (4, 0, 10), (7, 0, 10)];

#[test]
fn without_electronic_ports_a_packet_that_finds_its_azimuth_busy_is_lost() {
    for buffering in [Buffering::StoreAndForward, Buffering::CutThrough] {
        assert_eq!(outcomes(&spec(0, buffering, None), &THREE), [Through, NoPort, NoPort]);
    }
}

#[test]
fn with_one_port_the_second_is_stored_and_the_third_finds_the_input_held() {
    // Stored whole at 14; the azimuth is free at 10.
    let whole = spec(1, Buffering::StoreAndForward, None);
    assert_eq!(outcomes(&whole, &THREE), [Through, Buffered(14), NoPort]);
    let cut = spec(1, Buffering::CutThrough, None);
    assert_eq!(outcomes(&cut, &THREE), [Through, Buffered(10), NoPort]);
}

#[test]
fn with_two_ports_both_are_stored_and_leave_in_their_order() {
    let whole = spec(2, Buffering::StoreAndForward, None);
    assert_eq!(outcomes(&whole, &THREE), [Through, Buffered(14), Buffered(24)]);
    let cut = spec(2, Buffering::CutThrough, None);
    assert_eq!(outcomes(&cut, &THREE), [Through, Buffered(10), Buffered(20)]);
}

#[test]
fn light_passes_while_the_head_is_not_stored_whole() {
    // The azimuth is free from 10 on; the head is whole at 15 and finds the light of 12.
    let packets = [(0, 0, 10), (5, 0, 10), (12, 0, 10)];
    let whole = spec(1, Buffering::StoreAndForward, None);
    assert_eq!(outcomes(&whole, &packets), [Through, Buffered(22), Through]);
    let cut = spec(1, Buffering::CutThrough, None);
    assert_eq!(
        outcomes(&cut, &packets),
        [Through, Buffered(10), NoPort],
        "its input is held to 15"
    );
}

#[test]
fn light_passes_while_no_electronic_output_is_free() {
    // The one output sends for azimuth 0 from 10 to 20; azimuth 1 is free from 11 on.
    let packets = [(0, 0, 10), (0, 1, 11), (0, 0, 10), (10, 1, 2), (13, 1, 3)];
    let whole = spec(1, Buffering::StoreAndForward, None);
    assert_eq!(outcomes(&whole, &packets), [Through, Through, Buffered(10), Buffered(20), Through]);
}

#[test]
fn a_packet_that_waits_goes_before_one_that_comes_at_the_same_instant() {
    let packets = [(0, 0, 10), (0, 0, 10), (10, 0, 10)];
    let whole = spec(2, Buffering::StoreAndForward, None);
    assert_eq!(outcomes(&whole, &packets), [Through, Buffered(10), Buffered(20)]);
}

#[test]
fn a_free_output_serves_the_head_that_has_waited_longest() {
    // Both azimuths are free at 30, and there is one output.
    let packets = [(0, 0, 30), (0, 1, 30), (1, 1, 5), (6, 0, 5), (11, 1, 5)];
    let whole = spec(1, Buffering::StoreAndForward, None);
    assert_eq!(
        outcomes(&whole, &packets),
        [Through, Through, Buffered(30), Buffered(35), Buffered(40)]
    );
}

#[test]
fn a_full_buffer_loses_what_does_not_fit() {
    let packets = [(0, 0, 30), (1, 0, 6), (8, 0, 5), (15, 0, 4)];
    let small = spec(1, Buffering::StoreAndForward, Some(10));
    assert_eq!(outcomes(&small, &packets), [Through, Buffered(30), Full, Buffered(36)]);
}

fn packets() -> impl Strategy<Value = Vec<Packet>> {
    prop::collection::vec((0..60u64, 0..AZIMUTHS, 1..15u64), 1..40).prop_map(|mut packets| {
        packets.sort_by_key(|packet| packet.0);
        packets
    })
}

proptest! {
    #[test]
    fn it_does_what_looking_at_every_instant_does(
        ports in 0..4u32,
        cut: bool,
        size in prop::option::of(5..60u64),
        packets in packets(),
    ) {
        let buffering = if cut { Buffering::CutThrough } else { Buffering::StoreAndForward };
        let spec = spec(ports, buffering, size);
        prop_assert_eq!(outcomes(&spec, &packets), twin(&spec, &packets));
    }

    /// With a port for every packet and an unlimited buffer nothing is lost, and an azimuth's queue
    /// keeps its order.
    #[test]
    fn with_ports_enough_nothing_is_lost_and_order_is_kept(packets in packets()) {
        let found = outcomes(&spec(40, Buffering::StoreAndForward, None), &packets);
        for azimuth in 0..AZIMUTHS {
            let of = packets.iter().zip(&found).filter(|(packet, _)| packet.1 == azimuth);
            let left: Vec<u64> = of
                .filter_map(|(_, outcome)| match outcome {
                    Buffered(at) => Some(*at),
                    Through => None,
                    NoPort | Full => panic!("lost"),
                })
                .collect();
            prop_assert!(left.is_sorted_by(|a, b| a < b), "{left:?}");
        }
    }
}
