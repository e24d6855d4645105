//! Masks against sets.

use std::collections::BTreeSet;

use proptest::prelude::*;

use crate::Mask;

type Set = BTreeSet<u32>;

/// What the mask does of the ports that it has room for.
fn agrees<const W: usize>(all: &Set, others: &Set, port: u32) -> Result<(), TestCaseError> {
    let room = 64 * u32::try_from(W).unwrap();
    let set = |mask: Mask<W>| mask.iter().collect::<Set>();
    let port = port % room;
    let all: Set = all.iter().map(|port| port % room).collect();
    let others: Set = others.iter().map(|port| port % room).collect();
    let mask: Mask<W> = all.iter().copied().collect();
    let other: Mask<W> = others.iter().copied().collect();
    prop_assert!(mask.iter().eq(all.iter().copied()), "ascending");
    prop_assert_eq!(mask.len() as usize, all.len());
    prop_assert_eq!(mask.is_empty(), all.is_empty());
    prop_assert_eq!(mask.first(), all.first().copied());
    prop_assert_eq!(mask.next_after(port), all.range(port + 1..).next().or(all.first()).copied());
    prop_assert_eq!(mask.has(port), all.contains(&port));
    prop_assert_eq!(set(mask & other), &all & &others);
    prop_assert_eq!(set(mask | other), &all | &others);
    prop_assert_eq!(set(mask.without(other)), &all - &others);
    prop_assert_eq!(set(!mask & other), &others - &all);
    let mut less = mask;
    less.clear(port);
    prop_assert_eq!(set(less), &all - &Set::from([port]));
    Ok(())
}

proptest! {
    #[test]
    fn a_mask_is_a_set(
        all in prop::collection::btree_set(0..256_u32, 0..40),
        others in prop::collection::btree_set(0..256_u32, 0..40),
        port in 0..256_u32,
    ) {
        agrees::<1>(&all, &others, port)?;
        agrees::<2>(&all, &others, port)?;
        agrees::<4>(&all, &others, port)?;
    }
}

#[test]
fn the_first_ports_are_those_below() {
    assert_eq!(Mask::<1>::first_ports(0), Mask::EMPTY);
    assert_eq!(Mask::<1>::first_ports(64).len(), 64);
    assert_eq!(Mask::<2>::first_ports(65).iter().last(), Some(64));
}
