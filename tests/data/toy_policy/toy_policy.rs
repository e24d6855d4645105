//! The toy policy of the recipe in CONTRIBUTING.md, from the TOML to the bursts.

use optics::{AssemblySpec, Place, Policy, Seen};
use random::Seed;
use scenario::load;
use units::Time;

#[test]
fn the_toy_policy_puts_even_and_odd_flows_into_two_queues() {
    let spec: AssemblySpec =
        serde_json::from_str(r#"{ "policy": "toy", "timeout": "1 ms" }"#).unwrap();
    let mut policy = Policy::new(&spec, Seed(1).stream("toy"));
    let now = Time(7);
    for flow in [4, 9, 4, 9] {
        let seen = Seen { flow, life: 0, resent: false, window: 0 };
        let place = Place { queue: flow % 2, since: now };
        assert_eq!(policy.place(now, seen), place);
        assert_eq!(policy.reopen(now, place.queue, seen), place);
        policy.on_release(place.queue);
    }
    assert!(policy.sees_packets());
    assert!(!policy.wants_losses() && !policy.reads_windows());
    let facts = spec.policy.facts();
    assert!(facts.aggregates && !facts.has_queues);
}

/// Two flows of a class have one queue each under it, as they have where each flow has its own.
#[test]
fn two_flows_under_the_toy_policy_are_assembled_as_per_flow() {
    let bursts = |policy: &str| {
        let text = format!(
            r#"
            [run]
            duration = "50 ms"
            [topology]
            kind = "explicit"
            nodes = [{{ name = "A", kind = "edge" }}, {{ name = "B", kind = "edge" }}]
            links = [{{ from = "A", to = "B", rate = "10 Gb/s", delay = "1 ms", channels = 4 }}]
            [assembly]
            policy = "{policy}"
            timeout = "1 ms"
            [[traffic]]
            from = "A"
            to = "B"
            count = 2
            transport = {{ kind = "udp" }}
            source = {{ kind = "cbr", rate = "80 Mb/s", packet = "1000 B" }}
            "#
        );
        let checked = load("toy", &text, &[]).unwrap_or_else(|mistakes| panic!("{mistakes:#?}"));
        checked.run(1).json["bursts"].clone()
    };
    assert_eq!(bursts("toy"), bursts("per-flow"));
    assert_ne!(bursts("toy"), bursts("mixed-flow"));
}
