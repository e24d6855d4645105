//! Packets that pass a circuit switch when they are sent change nothing that can be seen.
//!
//! A run in which links change has none: a change that changes nothing, of a link that nothing uses, turns them off.

use proptest::prelude::*;
use scenario::{Report, load};

use crate::common::assert_same_tables;

const CHANGE: &str = "[[changes]]\nat = \"1 ns\"\nlink = \"h0-1 -> leaf-0\"\n\
                      set = { kind = \"rate\", rate = \"10 Gb/s\" }\n";

/// All tables are the same in a run with passages and in one without, and the number of events; whether it could be run.
fn is_the_same(text: &str, seed: u64) -> bool {
    let run = |text: &str| Some(load("passages", text, &[]).ok()?.run(seed));
    let Some([with, without]) = run(text).zip(run(&(text.to_owned() + CHANGE))).map(<[_; 2]>::from)
    else {
        return false;
    };
    assert_same_tables(&with.tables, &without.tables, text);
    let events = |report: &Report| report.json["events"].as_u64().unwrap();
    // The change is one.
    assert_eq!(events(&with) + 1, events(&without), "events of {text}");
    true
}

/// Racks of two hosts, of which only the first ones send, and the series of all links.
fn network(
    (racks, switches, channels): (u32, u32, u32),
    core: &str,
    [delay, interval]: [u32; 2],
) -> String {
    format!(
        "[run]\nduration = \"6 ms\"\nwarmup = \"1003 us\"\n\
         [record]\nseries = [\"queue\", \"cwnd\"]\ninterval = \"{interval} ns\"\n\
         [topology]\nkind = \"leaf-spine\"\nleaves = {racks}\nspines = {switches}\nhosts = 2\n\
         link = {{ rate = \"10 Gb/s\", delay = \"{delay} ns\" }}\n\
         access = {{ rate = \"10 Gb/s\", delay = \"300 ns\" }}\n\
         [core]\nkind = \"circuit\"\nchannels = {channels}\n{core}\n"
    )
}

/// Traffic between the first hosts of all racks.
fn traffic(transport: &str, source: &str) -> String {
    format!(
        "[[traffic]]\nfrom = \"h*-0\"\nto = \"h*-0\"\npattern = \"all\"\ntransport = {{ {transport} }}\nsource = {{ {source} }}\n"
    )
}

/// Datagrams of which many come at one instant, drawn ones, and files.
fn kinds() -> impl Strategy<Value = String> {
    let udp = "kind = \"udp\", header = \"0 B\"";
    let tcp = "kind = \"tcp\"";
    prop_oneof![
        (20_u32..900).prop_map(move |rate| traffic(
            udp,
            &format!("kind = \"cbr\", packet = \"1000 B\", rate = \"{rate} Mb/s\"")
        )),
        (20_u32..900).prop_map(move |rate| traffic(
            udp,
            &format!("kind = \"poisson-packets\", packet = \"500 B\", rate = \"{rate} Mb/s\"")
        )),
        Just(traffic(tcp, "kind = \"bulk\"")),
        (20_u32..400).prop_map(move |rate| traffic(
            tcp,
            &format!(
                "kind = \"transfers\", per-second = {rate}.0, size = {{ kind = \"websearch\" }}"
            )
        )),
    ]
}

proptest! {
    #![proptest_config(trials::cases(48))]

    /// Rotors with all rules of forwarding, several wavelengths, and clocks that are wrong, so that light is lost in the
    /// dark.
    #[test]
    fn any_rotor_is_the_same(
        (racks, switches, channels) in (2_u32..6, 1_u32..4, 1_u32..3),
        (slot, dark, delay, skew) in (15_u32..60, 0_u32..8, 0_u32..3_000, 0_u32..3),
        forwarding in prop::sample::select(vec!["direct", "valiant", "rotor-lb"]),
        phases in prop::sample::select(vec!["together", "staggered"]),
        (interval, seed) in (20_000_u32..900_000, 0_u64..1_000),
        traffic in kinds(),
    ) {
        let core = format!(
            "slot = \"{slot} us\"\nreconfiguration = \"{dark} us\"\nforwarding = \"{forwarding}\"\n\
             phases = \"{phases}\"\nrack-queue = \"50 kB\"\nskew = \"{skew} us\""
        );
        let text = network((racks, switches, channels), &core, [delay, interval]);
        prop_assert!(is_the_same(&(text + &traffic), seed));
    }

    /// Short flows over several circuits.
    #[test]
    fn any_short_flows_are_the_same(
        (racks, switches, channels) in (4_u32..8, 2_u32..5, 1_u32..3),
        (slice, dark, delay) in (10_u32..40, 0_u32..5, 1_u32..2_000),
        short in prop::sample::select(vec!["", "below = \"50 kB\"", "below = \"1 MB\", queue = \"9 kB\""]),
        (interval, draw, seed) in (20_000_u32..900_000, 1_u32..9, 0_u64..1_000),
        traffic in kinds(),
    ) {
        let core = format!(
            "slot = \"{} us\"\nreconfiguration = \"{dark} us\"\nrack-queue = \"100 kB\"\n\
             schedule = \"opera\"\ndraw = {draw}\nshort-flows = {{ {short} }}",
            slice * switches * channels
        );
        let text = network((racks, switches, channels), &core, [delay, interval]);
        // A draw may have a slice in which racks are cut off; that is said.
        prop_assume!(is_the_same(&(text + &traffic), seed));
    }
}

/// A rotor of three racks as matchings that are given, whose datagrams all come at the same instants.
#[test]
fn matchings_that_are_given_are_the_same() {
    let core = "slot = \"20 us\"\nreconfiguration = \"2 us\"\nschedule = \"explicit\"\n\
                matchings = [[[1, 2, 0], [2, 0, 1], [1, 0, 2]]]";
    let source = "kind = \"cbr\", packet = \"1000 B\", rate = \"800 Mb/s\"";
    let text = network((3, 1, 1), core, [800, 50_000]);
    let text = text + &traffic("kind = \"udp\", header = \"0 B\"", source);
    assert!(is_the_same(&text, 1));
}
