//! Congestion controls and policies as programs, in whole runs: the same digests as the built-in ones.

use crate::common::checked;

const RENO: &str = include_str!("../../../transport/src/tcp/congestion/program/reno.program");
const CUBIC: &str = include_str!("../../../transport/src/tcp/congestion/program/cubic.program");
const DCTCP: &str = include_str!("../../../transport/src/tcp/congestion/program/dctcp.program");

const DUMBBELL: &str = include_str!("../../../../examples/dumbbell.toml");
const LOSSY: &str = include_str!("../../../../examples/tcp-lossy-path.toml");
const ECN: &str = include_str!("../../../../examples/ecn.toml");
const OBS: &str = include_str!("../../../../examples/obs-three-nodes.toml");
const SHUFFLE: &str = include_str!("../../../../examples/shuffle.toml");
const OWN: &str = include_str!("../../../../examples/own-congestion-control.toml");

/// The value of `congestion` that is this program.
fn program(source: &str) -> String {
    format!("{{ kind = \"program\", source = {} }}", serde_json::Value::from(source))
}

fn digest(text: &str, congestion: &str, settings: &[(&str, &str)]) -> String {
    let mut all = vec![("traffic.0.transport.congestion", congestion)];
    all.extend_from_slice(settings);
    let run = checked(text, &all).run(1);
    run.json["digest"].to_string()
}

/// The built-in rule and the program give one digest, and another rule a different one.
fn same(text: &str, (word, source): (&str, &str), settings: &[(&str, &str)]) {
    let built_in = digest(text, &format!("\"{word}\""), settings);
    assert_eq!(digest(text, &program(source), settings), built_in, "{word} {settings:?}");
    let other = "def on_loss(congested): window.reduce(congested, 0.9)";
    assert_ne!(digest(text, &program(other), settings), built_in, "{word} {settings:?}");
}

#[test]
fn a_program_gives_the_digest_of_the_rule_that_it_is() {
    let short = ("run.duration", "6 s");
    for rule in [("reno", RENO), ("cubic", CUBIC)] {
        same(DUMBBELL, rule, &[short]);
        same(LOSSY, rule, &[short, ("run.warmup", "1 s")]);
        same(ECN, rule, &[short]);
        same(OBS, rule, &[("run.duration", "1 s"), ("assembly.loss", "0.02")]);
    }
}

#[test]
fn it_does_so_through_timeouts_undone_reductions_and_pacing() {
    let loss = "topology.bottleneck.loss";
    let bursts = r#"{ kind = "gilbert-elliott", good-to-bad = 0.001, bad-to-good = 0.2, loss-good = 0.0, loss-bad = 0.5 }"#;
    let recoveries = ["\"newreno\"", r#"{ kind = "rack", undo = true }"#];
    for rule in [("reno", RENO), ("cubic", CUBIC)] {
        for recovery in recoveries {
            let settings = [
                ("run.duration", "20 s"),
                ("run.warmup", "1 s"),
                (loss, bursts),
                ("traffic.0.transport.recovery", recovery),
                ("traffic.0.transport.pacing", "true"),
            ];
            same(LOSSY, rule, &settings);
        }
    }
}

#[test]
fn dctcp_as_a_program_is_told_of_every_mark() {
    same(
        SHUFFLE,
        ("dctcp", DCTCP),
        &[("traffic.0.source.block", "100 kB"), ("run.duration", "20 ms")],
    );
}

#[test]
fn the_text_and_the_parameters_are_in_the_digest_of_the_scenario() {
    let plain = checked(OWN, &[]).digest();
    let key = "traffic.0.transport.congestion.parameters.alpha";
    assert_ne!(checked(OWN, &[(key, "3")]).digest(), plain);
    let commented = OWN.replace("# the shortest one of this", "# the least of this");
    assert_ne!(checked(&commented, &[]).digest(), plain);
}

#[test]
fn a_run_whose_program_fails_ends_there_and_says_where() {
    let source =
        "n = 0\ndef on_ack(acked):\n    n += 1\n    if n == 100:\n        window.cwnd = 0 / 0\n";
    let checked = checked(LOSSY, &[("traffic.0.transport.congestion", &program(source))]);
    let mut run = checked.start(1);
    assert_eq!(run.failure(), None);
    while run.advance(1000).stop.is_none() {}
    let failure = run.failure().expect("a failure");
    let expected = "traffic.0.transport.congestion.source: line 5: window.cwnd would be NaN; accepted a \
                    number from 0; flow 0 at ";
    assert!(failure.starts_with(expected), "{failure}");
    assert!(run.world().now() < units::Time::ZERO + units::Span::from_secs(200));
    assert_eq!(run.finish().json["stop"], "failed");
}

const SYNC: &str = include_str!("../../../../examples/tcp-synchronization.toml");

/// Assembly policies as programs.
const STATIC: &str = "turn = 0\n\ndef assign(packet):\n    if packet.known:\n        return packet.queue\n    \
                      queue = turn\n    turn = (turn + 1) % queues.count\n    return queue\n";
const DYNAMIC: &str = "def assign(packet):\n    return draw.below(queues.count)\n";
const A_POSTERIORI: &str = "def assign(packet):\n    if packet.known and not packet.lost:\n        \
                            return packet.queue\n    return draw.below(queues.count)\n";
const AWARE: &str = "def assign(packet):\n    best = 0\n    for i in range(1, queues.count):\n        \
                     if queues.windows(i) < queues.windows(best):\n            best = i\n    return best\n";

fn assembly_digest(policy: &[(&str, &str)]) -> String {
    let mut all = vec![
        ("run.duration", "60 s"),
        ("run.warmup", "10 s"),
        ("assembly.queues", "4"),
        ("assembly.loss", "0.01"),
    ];
    all.extend_from_slice(policy);
    checked(SYNC, &all).run(1).json["digest"].to_string()
}

#[test]
fn an_assembly_policy_as_a_program_gives_the_digest_of_the_built_in_one() {
    let known: [(&str, &[(&str, &str)]); 4] = [
        (STATIC, &[("assembly.policy", "static-queues")]),
        (DYNAMIC, &[("assembly.policy", "dynamic-queues"), ("assembly.cycle", "common")]),
        (
            A_POSTERIORI,
            &[
                ("assembly.policy", "dynamic-queues"),
                ("assembly.allocation", "a-posteriori"),
                ("assembly.loss-known", "resent"),
            ],
        ),
        (AWARE, &[("assembly.policy", "window-aware")]),
    ];
    let mut digests = Vec::new();
    for (source, built_in) in known {
        let text = serde_json::Value::from(source).to_string();
        let mut own =
            vec![("assembly.policy", "program"), ("assembly.program.source", text.as_str())];
        let common =
            |(key, _): &&(&str, &str)| matches!(*key, "assembly.cycle" | "assembly.loss-known");
        own.extend(built_in.iter().filter(common));
        let found = assembly_digest(&own);
        assert_eq!(found, assembly_digest(built_in), "{source}");
        digests.push(found);
    }
    digests.sort();
    digests.dedup();
    assert_eq!(digests.len(), 4);
}

#[test]
fn a_run_whose_assembly_program_fails_says_which_class_and_when() {
    let source = "n = 0\ndef assign(packet):\n    n += 1\n    return n / 40\n";
    let text = serde_json::Value::from(source).to_string();
    let settings = [
        ("assembly.policy", "program"),
        ("assembly.queues", "4"),
        ("assembly.program.source", text.as_str()),
    ];
    let mut run = checked(SYNC, &settings).start(1);
    while run.advance(1000).stop.is_none() {}
    let failure = run.failure().expect("a failure");
    let expected = "assembly.program.source: line 3: assign returns no queue; accepted a whole number from 0 to \
                    3; class E0 -> E1 at ";
    assert!(failure.starts_with(expected), "{failure}");
    let beyond = serde_json::Value::from("def assign(packet): return queues.flows(4)").to_string();
    let settings = [settings[0], settings[1], ("assembly.program.source", beyond.as_str())];
    let mut run = checked(SYNC, &settings).start(1);
    while run.advance(1000).stop.is_none() {}
    let failure = run.failure().expect("a failure");
    assert!(
        failure.contains("line 1: no queue 4; accepted a whole number from 0 to 3"),
        "{failure}"
    );
}

const BUNDLE: &str = include_str!("../../../../examples/lightpath-bundle.toml");

macro_rules! anycast {
    ($name:literal) => {
        ($name, include_str!(concat!("../../../optics/src/anycast/programs/", $name, ".program")))
    };
}

/// Anycast policies as programs.
const ANYCAST: [(&str, &str); 7] = [
    anycast!("ecmp"),
    anycast!("destination"),
    anycast!("random"),
    anycast!("round-robin"),
    anycast!("e-jsq"),
    anycast!("jsvoq"),
    anycast!("flowlet"),
];
const IDEAL: (&str, &str) = anycast!("ideal-jsq");

fn anycast_digest(kind: &str, policy: &str) -> String {
    let core = format!("{{ kind = \"{kind}\", {policy} }}");
    checked(BUNDLE, &[("run.duration", "20 ms"), ("core", &core)]).run(1).json["digest"].to_string()
}

#[test]
fn an_anycast_policy_as_a_program_gives_the_digest_of_the_built_in_one() {
    let all = ANYCAST.into_iter();
    let in_cioq = all.clone().map(|one| ("cioq", one));
    let beside_outputs = all.take(4).chain([IDEAL]).map(|one| ("output-queued", one));
    for (kind, (word, source)) in in_cioq.chain(beside_outputs) {
        let gap = if word == "flowlet" { ", flowlet-gap = \"2 us\"" } else { "" };
        let found = anycast_digest(kind, &format!("anycast = \"{word}\"{gap}"));
        let parameters = if word == "flowlet" { ", parameters = { gap = 2e-6 }" } else { "" };
        let text = serde_json::Value::from(source);
        let own = format!("anycast = \"program\", program = {{ source = {text}{parameters} }}");
        assert_eq!(anycast_digest(kind, &own), found, "{kind} {word}");
        let other =
            "anycast = \"program\", program = { source = \"def choose(packet): return 0\" }";
        assert_ne!(anycast_digest(kind, other), found, "{kind} {word}");
    }
}

#[test]
fn a_run_whose_anycast_program_fails_says_which_switch_and_when() {
    let source = "n = 0\ndef choose(packet):\n    n += 1\n    return n / 40\n";
    let text = serde_json::Value::from(source);
    for kind in ["cioq", "output-queued"] {
        let core = format!(
            "{{ kind = \"{kind}\", anycast = \"program\", program = {{ source = {text} }} }}"
        );
        let mut run = checked(BUNDLE, &[("core", &core)]).start(1);
        while run.advance(1000).stop.is_none() {}
        let failure = run.failure().expect("a failure");
        let expected = "core.program.source: line 3: choose returns no lightpath; accepted a whole number from 0 to ";
        assert!(failure.starts_with(expected), "{failure}");
        assert!(failure.contains("; switch "), "{failure}");
    }
}
