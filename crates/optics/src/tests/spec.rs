//! What a scenario may leave out, and what it may not add.

use serde::Deserialize;
use serde::de::value::{Error, MapDeserializer};
use units::{Bytes, Span};

use crate::{AssemblySpec, ControlSpec, CoreSpec, Forwarding, Scheduling, WhenBusy};

fn read<'a, T: Deserialize<'a>>(keys: &[(&'a str, &'a str)]) -> Result<T, Error> {
    T::deserialize(MapDeserializer::new(keys.iter().copied()))
}

#[test]
fn an_empty_core_is_the_default_one() {
    let core: CoreSpec = read(&[]).unwrap();
    assert_eq!(core, CoreSpec::default());
    assert_eq!(core.input_delay, Span::from_us(1));
    assert_eq!(core.scheduling, Scheduling::LaucVf);
    assert_eq!(core.forwarding, Forwarding::CutThrough);
    let control: ControlSpec = read(&[]).unwrap();
    assert_eq!(control, ControlSpec::default());
    assert_eq!((control.header, control.processing), (Bytes(64), Span::from_us(1)));
}

#[test]
fn assembly_needs_its_timeout_and_nothing_else() {
    let assembly: AssemblySpec = read(&[("max-size", "125 kB"), ("timeout", "1 ms")]).unwrap();
    assert_eq!((assembly.max_size, assembly.timeout), (Some(Bytes(125_000)), Span::from_ms(1)));
    assert_eq!((assembly.offset, assembly.when_busy), (Span::from_us(10), WhenBusy::Wait));
    assert!(assembly.loss.abs() < f64::EPSILON);
    assert!(read::<AssemblySpec>(&[("max-size", "125 kB")]).is_err());
    let unlimited: AssemblySpec = read(&[("timeout", "1 ms")]).unwrap();
    assert_eq!(unlimited, AssemblySpec { max_size: None, ..assembly });
}

#[test]
fn names_are_written_with_dashes_and_no_others_are_known() {
    for (name, scheduling) in [
        ("lauc-vf", Scheduling::LaucVf),
        ("lauc-vf-one-void", Scheduling::LaucVfOneVoid),
        ("lauc", Scheduling::Lauc),
        ("first-fit", Scheduling::FirstFit),
    ] {
        let core: CoreSpec = read(&[("scheduling", name)]).unwrap();
        assert_eq!(core.scheduling, scheduling);
    }
    assert!(read::<CoreSpec>(&[("scheduling", "last-fit")]).is_err());
    assert!(read::<CoreSpec>(&[("input_delay", "1 us")]).is_err());
    assert!(read::<ControlSpec>(&[("size", "64 B")]).is_err());
}
