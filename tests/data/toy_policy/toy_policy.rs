//! The toy policy of the recipe in CONTRIBUTING.md, from a scenario's word for it to its places.

use optics::{AssemblySpec, Place, Policy, Seen};
use random::Seed;
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
    assert!(spec.policy.aggregates() && !spec.policy.has_queues());
}
