//! Which hosts an entry of traffic means, and which of them send to which.

use std::collections::BTreeSet;

use scenario::Pattern;
use scenario::endpoints::{count, draw, matches, pairs};
use units::NodeId;

fn ids(list: &[usize]) -> Vec<NodeId> {
    list.iter().map(|&at| NodeId::at(at)).collect()
}

/// Every host behind its own router.
fn own(id: NodeId) -> NodeId {
    id
}

#[test]
fn a_star_matches_any_characters() {
    for (pattern, name, expected) in [
        ("left-*", "left-0", true),
        ("left-*", "right-0", false),
        ("*", "a", true),
        ("*-0", "left-0", true),
        ("*-0", "left-01", false),
        ("h*1*2", "h012", true),
        ("h*1*2", "h021", false),
        ("a*a", "a", false),
    ] {
        assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
    }
}

#[test]
fn one_host_against_many_leaves_itself_out() {
    let (many, one) = (ids(&[1, 2, 3]), ids(&[2]));
    assert_eq!(count(Pattern::Pairs, &many, &one, own), Ok(2));
    let incast: Vec<_> = pairs(Pattern::Pairs, &many, &one).collect();
    assert_eq!(incast, [(many[0], one[0]), (many[2], one[0])]);
}

#[test]
fn counts_and_pairs_agree() {
    let (few, many) = (ids(&[1, 2, 3]), ids(&[3, 4, 5]));
    for pattern in [Pattern::Pairs, Pattern::All] {
        let listed = pairs(pattern, &few, &many).count() as u64;
        assert_eq!(count(pattern, &few, &many, own), Ok(listed));
    }
    assert_eq!(count(Pattern::All, &few, &few, own), Ok(6));
}

#[test]
fn random_partners_hang_on_different_routers() {
    let parity = |id: NodeId| NodeId(id.0 % 2);
    let random =
        |from: &[usize], to: &[usize]| count(Pattern::Random, &ids(from), &ids(to), parity);
    assert_eq!(random(&[1, 2, 3], &[1, 2, 3]), Ok(1));
    assert_eq!(random(&[1, 3], &[2, 4]), Ok(1));
    assert!(random(&[1, 3], &[5, 7]).unwrap_err().starts_with("a sender"));
    assert!(random(&[1, 2], &[5, 7]).unwrap_err().starts_with("a sender"));
    assert!(random(&[1, 3], &[5, 6]).unwrap_err().starts_with("a receiver"));
    assert!(random(&[1, 1], &[2]).unwrap_err().contains("once"));
}

#[test]
fn uniform_partners_differ() {
    let uniform =
        |from: &[usize], to: &[usize]| count(Pattern::Uniform, &ids(from), &ids(to), |_| NodeId(0));
    assert_eq!(uniform(&[1, 2], &[1, 2]), Ok(1));
    assert_eq!(uniform(&[1], &[1, 2]), Ok(1));
    assert_eq!(uniform(&[1, 2], &[3]), Ok(1));
    assert!(uniform(&[1, 2], &[2]).unwrap_err().contains("only itself"));
    assert!(uniform(&[1, 1], &[2]).unwrap_err().contains("once"));
}

#[test]
fn a_permutation_reaches_every_host_once_and_none_itself() {
    let hosts = ids(&[3, 1, 4, 2]);
    let others = ids(&[8, 7, 6, 5]);
    for seed in 0..20 {
        let mut stream = random::Seed(seed).stream("pairs");
        for to in [&hosts, &ids(&[1, 2, 3, 4]), &others] {
            let pairs = draw(Pattern::Permutation, &hosts, to, &mut stream);
            assert!(pairs.iter().all(|(from, to)| from != to));
            assert_eq!(pairs.iter().map(|pair| pair.0).collect::<Vec<_>>(), hosts);
            let reached: BTreeSet<_> = pairs.iter().map(|pair| pair.1).collect();
            assert_eq!(reached, to.iter().copied().collect());
        }
    }
}

#[test]
fn what_cannot_be_paired_is_refused() {
    let (two, three) = (ids(&[1, 2]), ids(&[1, 2, 3]));
    assert!(count(Pattern::Pairs, &two, &three, own).is_err());
    assert!(count(Pattern::Pairs, &two, &two, own).is_err());
    assert!(count(Pattern::Permutation, &two, &three, own).is_err());
    assert!(count(Pattern::Permutation, &ids(&[1]), &ids(&[1]), own).is_err());
    assert!(count(Pattern::Permutation, &two, &ids(&[2, 3]), own).is_err());
    assert!(count(Pattern::Permutation, &ids(&[1, 1]), &two, own).is_err());
    assert_eq!(count(Pattern::Permutation, &two, &ids(&[4, 3]), own), Ok(2));
    assert!(count(Pattern::All, &ids(&[1]), &ids(&[1]), own).is_err());
}
