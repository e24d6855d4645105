//! What a scenario may leave out, and what it may not add.

use serde::Deserialize;
use serde::de::value::{Error, MapDeserializer};
use units::{Bytes, Span};

use crate::{
    AllocationRule, AnycastPolicy, AssemblyPolicy, AssemblySpec, BurstCoreSpec, ControlSpec, Cycle,
    Forwarding, LossKnown, Overflow, SchedulerSpec, Scheduling, Thresholds, Timer, WhenBusy,
};

fn read<'a, T: Deserialize<'a>>(keys: &[(&'a str, &'a str)]) -> Result<T, Error> {
    T::deserialize(MapDeserializer::new(keys.iter().copied()))
}

#[test]
fn an_empty_core_is_the_default_one() {
    let core: BurstCoreSpec = read(&[]).unwrap();
    assert_eq!(core, BurstCoreSpec::default());
    assert_eq!(core.input_delay, Span::from_us(1));
    assert_eq!(core.scheduling, Scheduling::LaucVf);
    assert_eq!(core.forwarding, Forwarding::CutThrough);
    let control: ControlSpec = read(&[]).unwrap();
    assert_eq!(control, ControlSpec::default());
    assert_eq!((control.header, control.processing), (Bytes(64), Span::from_us(1)));
}

#[test]
fn assembly_needs_its_timeout_and_nothing_else() {
    let read = serde_json::from_str::<AssemblySpec>;
    let assembly = read(r#"{ "timeout": "1 ms" }"#).unwrap();
    assert_eq!((assembly.policy, assembly.queues), (AssemblyPolicy::MixedFlow, None));
    assert_eq!((assembly.max_size, assembly.timeout), (None, Some(Span::from_ms(1))));
    assert_eq!((assembly.overflow, assembly.timer), (Overflow::NextBurst, Timer::FirstPacket));
    assert_eq!((assembly.offset, assembly.when_busy), (Span::from_us(10), WhenBusy::Wait));
    assert!(assembly.loss.abs() < f64::EPSILON);
    let limited = read(r#"{ "timeout": "1 ms", "max-size": "125 kB" }"#).unwrap();
    assert_eq!(limited, AssemblySpec { max_size: Some(Bytes(125_000)), ..assembly });
}

#[test]
fn thresholds_are_those_of_the_scenario_but_without_a_policy() {
    let thresholds = |text| Thresholds::new(&serde_json::from_str(text).unwrap());
    let given = r#"{ "timeout": "1 ms", "max-size": "77750 B", "overflow": "this-burst",
        "timer": "interval", "policy": "per-flow" }"#;
    let expected = Thresholds {
        max_size: Some(Bytes(77_750)),
        overflow: Overflow::ThisBurst,
        timeout: Span::from_ms(1),
        timer: Timer::Interval,
    };
    assert_eq!(thresholds(given), expected);
    // No packet is too small to fill a burst.
    let none = thresholds(r#"{ "policy": "none" }"#);
    assert_eq!((none.max_size, none.overflow), (Some(Bytes::ZERO), Overflow::ThisBurst));
}

#[test]
fn policies_are_written_as_they_are_read() {
    let text = r#"{"policy":"dynamic-queues","queues":8,"allocation":"a-posteriori","#.to_owned()
        + r#""cycle":"common","loss-known":"resent","overflow":"this-burst","timeout":"3 ms","#
        + r#""timer":"interval","loss":0.0,"offset":"10 us","when-busy":"wait"}"#;
    let assembly: AssemblySpec = serde_json::from_str(&text).unwrap();
    assert_eq!(assembly.policy, AssemblyPolicy::DynamicQueues);
    assert_eq!(assembly.allocation, Some(AllocationRule::APosteriori));
    assert_eq!((assembly.queues, assembly.cycle), (Some(8), Some(Cycle::Common)));
    assert_eq!(assembly.loss_known, Some(LossKnown::Resent));
    assert_eq!(serde_json::to_string(&assembly).unwrap(), text);
}

#[test]
fn names_are_written_with_dashes_and_no_others_are_known() {
    for (name, scheduling) in [
        ("lauc-vf", Scheduling::LaucVf),
        ("lauc-vf-one-void", Scheduling::LaucVfOneVoid),
        ("lauc", Scheduling::Lauc),
        ("first-fit", Scheduling::FirstFit),
    ] {
        let core: BurstCoreSpec = read(&[("scheduling", name)]).unwrap();
        assert_eq!(core.scheduling, scheduling);
    }
    assert!(read::<BurstCoreSpec>(&[("scheduling", "last-fit")]).is_err());
    assert!(read::<BurstCoreSpec>(&[("input_delay", "1 us")]).is_err());
    assert!(read::<ControlSpec>(&[("size", "64 B")]).is_err());
}

#[test]
fn a_scheduler_is_islip_with_one_iteration_where_nothing_is_said() {
    let read = serde_json::from_str::<SchedulerSpec>;
    assert_eq!(SchedulerSpec::default(), SchedulerSpec::Islip { iterations: 1 });
    assert_eq!(read(r#"{ "kind": "islip" }"#).unwrap(), SchedulerSpec::default());
    let pim = r#"{"kind":"pim","iterations":4}"#;
    assert_eq!(read(pim).unwrap(), SchedulerSpec::Pim { iterations: 4 });
    assert_eq!(serde_json::to_string(&read(pim).unwrap()).unwrap(), pim);
    assert_eq!(read(r#"{ "kind": "maximum-size" }"#).unwrap(), SchedulerSpec::MaximumSize {});
    assert_eq!(read(r#"{ "kind": "wavefront" }"#).unwrap(), SchedulerSpec::Wavefront {});
    assert!(read(r#"{ "kind": "maximum-size", "iterations": 1 }"#).is_err());
    assert!(read(r#"{ "kind": "islip", "rounds": 1 }"#).is_err());
}

#[test]
fn anycast_policies_have_the_names_of_the_paper() {
    for (name, policy) in [
        ("ecmp", AnycastPolicy::Ecmp),
        ("destination", AnycastPolicy::Destination),
        ("random", AnycastPolicy::Random),
        ("round-robin", AnycastPolicy::RoundRobin),
        ("jsvoq", AnycastPolicy::Jsvoq),
        ("e-jsq", AnycastPolicy::EJsq),
        ("flowlet", AnycastPolicy::Flowlet),
        ("ideal-jsq", AnycastPolicy::IdealJsq),
    ] {
        assert_eq!(serde_json::to_value(policy).unwrap(), name);
    }
    assert_eq!(AnycastPolicy::default(), AnycastPolicy::Ecmp);
}
