//! Partners: who sends a transfer to whom with the patterns `random` and `uniform`, and by a list.
//!
//! `uniform`: any sender, any receiver except itself. `random`: a sender is drawn uniformly among
//! those that send nothing for this entry, then a receiver behind another router, uniformly among
//! those that receive nothing for it; if all are busy, uniformly among all. So each transfer has its
//! own access links while there are idle ones. A draw takes one step per router with hosts behind it.
//! Pairs are never listed.

use std::collections::BTreeMap;

use random::Stream;
use units::NodeId;

use crate::Member;

/// How the ends of an entry's transfers are drawn.
#[derive(Debug, Clone)]
pub enum Partners {
    /// Those that are idle first.
    Idle(IdleFirst),
    /// Regardless of other transfers.
    Any(Stream, Others),
    /// In the order of a list, with the number of the next pair.
    Listed(Vec<(NodeId, NodeId)>, usize),
}

impl Partners {
    /// The sender and the receiver of the next transfer.
    pub fn draw(&mut self) -> (NodeId, NodeId) {
        match self {
            Self::Idle(hosts) => hosts.draw(),
            Self::Listed(pairs, next) => {
                *next += 1;
                pairs[*next - 1]
            }
            Self::Any(stream, hosts) => {
                let below = |n: usize, stream: &mut Stream| {
                    usize::try_from(stream.below(n as u64)).expect("an index of a list")
                };
                let sender = below(hosts.count(), stream);
                hosts.pair(sender, below(hosts.partners(sender), stream))
            }
        }
    }

    /// From now on other ends are drawn.
    pub fn branch(&mut self, key: u64) {
        match self {
            Self::Idle(hosts) => hosts.stream.branch(key),
            Self::Any(stream, _) => stream.branch(key),
            Self::Listed(..) => {}
        }
    }

    /// A transfer between the two has ended.
    pub fn part(&mut self, from: NodeId, to: NodeId) {
        if let Self::Idle(hosts) = self {
            hosts.part(from, to);
        }
    }
}

/// Hosts, and for each of them those of another list except itself. Pairs are not listed.
#[derive(Debug, Clone)]
pub struct Others {
    /// The hosts, each with its place in `others` if it has one.
    hosts: Vec<(NodeId, Option<usize>)>,
    others: Vec<NodeId>,
}

impl Others {
    /// Each host occurs once in a list.
    pub fn new(hosts: &[NodeId], others: &[NodeId]) -> Self {
        let places: BTreeMap<NodeId, usize> = others.iter().copied().zip(0..).collect();
        let hosts = hosts.iter().map(|host| (*host, places.get(host).copied())).collect();
        Self { hosts, others: others.to_vec() }
    }

    /// The number of hosts.
    pub fn count(&self) -> usize {
        self.hosts.len()
    }

    /// The number of others of a host.
    pub fn partners(&self, host: usize) -> usize {
        self.others.len() - usize::from(self.hosts[host].1.is_some())
    }

    /// A host and one of its others, by their numbers in their orders.
    pub fn pair(&self, host: usize, other: usize) -> (NodeId, NodeId) {
        let (id, place) = self.hosts[host];
        let itself = place.is_some_and(|place| place <= other);
        (id, self.others[other + usize::from(itself)])
    }
}

/// The hosts of an entry, those that send and those that receive.
#[derive(Debug, Clone)]
pub struct IdleFirst {
    stream: Stream,
    senders: Side,
    receivers: Side,
}

impl IdleFirst {
    /// All hosts idle. Each host occurs once per side, and each sender has a receiver behind
    /// another router.
    pub fn new(from: &[Member], to: &[Member], stream: Stream) -> Self {
        Self { stream, senders: Side::new(from), receivers: Side::new(to) }
    }

    /// The sender and the receiver of the next transfer; both are busy from here on.
    pub fn draw(&mut self) -> (NodeId, NodeId) {
        let Self { stream, senders, receivers } = self;
        let sender = senders.draw(stream, None);
        let receiver = receivers.draw(stream, Some(senders.home(sender)));
        (senders.occupy(sender), receivers.occupy(receiver))
    }

    /// A transfer between the two has ended.
    pub fn part(&mut self, from: NodeId, to: NodeId) {
        self.senders.release(from);
        self.receivers.release(to);
    }
}

/// The hosts of one side.
#[derive(Debug, Clone)]
struct Side {
    /// In the order of their ids.
    hosts: Vec<Host>,
    /// In the order of their routers' ids.
    groups: Vec<Group>,
}

#[derive(Debug, Clone)]
struct Host {
    id: NodeId,
    /// The number of its group and its place in it.
    group: u32,
    place: u32,
    /// Its transfers.
    live: u32,
}

/// The hosts behind one router.
#[derive(Debug, Clone)]
struct Group {
    home: NodeId,
    /// The numbers of its hosts: first those that are idle, then the busy ones.
    members: Vec<u32>,
    idle: u32,
}

impl Side {
    fn new(members: &[Member]) -> Self {
        let mut members = members.to_vec();
        members.sort_unstable_by_key(|member| member.host);
        let mut homes: Vec<NodeId> = members.iter().map(|member| member.home).collect();
        homes.sort_unstable();
        homes.dedup();
        let mut groups: Vec<Group> =
            homes.iter().map(|&home| Group { home, members: Vec::new(), idle: 0 }).collect();
        let mut hosts = Vec::with_capacity(members.len());
        for (number, member) in (0u32..).zip(&members) {
            let at = homes.binary_search(&member.home).expect("listed");
            let place = groups[at].idle;
            groups[at].members.push(number);
            groups[at].idle += 1;
            let group = u32::try_from(at).expect("fewer than 2^32 nodes");
            hosts.push(Host { id: member.host, group, place, live: 0 });
        }
        Self { hosts, groups }
    }

    fn home(&self, host: usize) -> NodeId {
        self.groups[self.hosts[host].group as usize].home
    }

    /// The number of a host that is not behind the router `but`; an idle one if possible.
    fn draw(&self, stream: &mut Stream, but: Option<NodeId>) -> usize {
        let idle = |group: &Group| u64::from(group.idle);
        let all = |group: &Group| group.members.len() as u64;
        let others = || self.groups.iter().filter(|group| Some(group.home) != but);
        let free: u64 = others().map(idle).sum();
        let size = if free > 0 { idle } else { all };
        let mut rank = stream.below(if free > 0 { free } else { others().map(all).sum() });
        for group in others() {
            if rank < size(group) {
                let at = usize::try_from(rank).expect("an index of the group");
                return group.members[at] as usize;
            }
            rank -= size(group);
        }
        unreachable!("the rank lies below the sum of the sizes")
    }

    /// A host starts a transfer.
    fn occupy(&mut self, host: usize) -> NodeId {
        self.hosts[host].live += 1;
        if self.hosts[host].live == 1 {
            let group = &mut self.groups[self.hosts[host].group as usize];
            group.idle -= 1;
            let border = group.idle;
            self.swap(host, border);
        }
        self.hosts[host].id
    }

    /// A host ends a transfer.
    fn release(&mut self, id: NodeId) {
        let host =
            self.hosts.binary_search_by_key(&id, |host| host.id).expect("a host of the side");
        self.hosts[host].live -= 1;
        if self.hosts[host].live == 0 {
            let group = &mut self.groups[self.hosts[host].group as usize];
            let border = group.idle;
            group.idle += 1;
            self.swap(host, border);
        }
    }

    /// Exchanges a host with the one at another place of its group.
    fn swap(&mut self, host: usize, place: u32) {
        let from = self.hosts[host].place;
        let members = &mut self.groups[self.hosts[host].group as usize].members;
        members.swap(from as usize, place as usize);
        self.hosts[members[from as usize] as usize].place = from;
        self.hosts[host].place = place;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use random::Seed;

    use super::*;

    /// Hosts 100, 101, … behind the routers 0, 1, …, the given number behind each.
    fn behind(counts: &[u32]) -> Vec<Member> {
        let homes = (0u32..).zip(counts).flat_map(|(home, &count)| (0..count).map(move |_| home));
        homes
            .zip(100..)
            .map(|(home, host)| Member { host: NodeId(host), home: NodeId(home) })
            .collect()
    }

    fn home_of(members: &[Member], host: NodeId) -> NodeId {
        members.iter().find(|member| member.host == host).unwrap().home
    }

    proptest! {
        /// Against a plain count of every host's transfers.
        #[test]
        fn each_transfer_has_hosts_of_its_own_while_there_are_idle_ones(
            seed: u64,
            counts in prop::collection::vec(1..5u32, 2..5),
            steps in prop::collection::vec((0..3u8, 0..1000usize), 1..120),
        ) {
            let members = behind(&counts);
            let mut partners = IdleFirst::new(&members, &members, Seed(seed).stream("ends"));
            let mut live: Vec<(NodeId, NodeId)> = Vec::new();
            for (kind, which) in steps {
                if kind == 0 && !live.is_empty() {
                    let (from, to) = live.swap_remove(which % live.len());
                    partners.part(from, to);
                    continue;
                }
                let (from, to) = partners.draw();
                let home = home_of(&members, from);
                prop_assert_ne!(home, home_of(&members, to));
                let sends = |host| live.iter().any(|pair| pair.0 == host);
                let receives = |host| live.iter().any(|pair| pair.1 == host);
                if members.iter().any(|member| !sends(member.host)) {
                    prop_assert!(!sends(from));
                }
                if members.iter().any(|member| member.home != home && !receives(member.host)) {
                    prop_assert!(!receives(to));
                }
                live.push((from, to));
            }
        }
    }

    /// Two behind one router, one and three behind the others: 1/6 for each sender; for the
    /// receiver, each of those behind the other routers with equal probability, idle or not.
    #[test]
    fn draws_are_uniform_among_what_is_admissible() {
        const N: u32 = 60_000;
        let members = behind(&[2, 1, 3]);
        for busy in [false, true] {
            let mut partners = IdleFirst::new(&members, &members, Seed(7).stream("ends"));
            if busy {
                for member in &members {
                    let (senders, receivers) = (&mut partners.senders, &mut partners.receivers);
                    let at = |side: &Side| side.hosts.iter().position(|h| h.id == member.host);
                    senders.occupy(at(senders).unwrap());
                    receivers.occupy(at(receivers).unwrap());
                }
            }
            let mut counts: BTreeMap<(NodeId, NodeId), u32> = BTreeMap::new();
            for _ in 0..N {
                let pair = partners.draw();
                partners.part(pair.0, pair.1);
                *counts.entry(pair).or_default() += 1;
            }
            assert_eq!(counts.len(), 2 * 4 + 5 + 3 * 3);
            let mut chi_square = 0.0;
            for ((from, to), count) in counts {
                let home = home_of(&members, from);
                assert_ne!(home, home_of(&members, to));
                let others = members.iter().filter(|member| member.home != home).count();
                let expected = f64::from(N) / 6.0 / others as f64;
                chi_square += (f64::from(count) - expected).powi(2) / expected;
            }
            // 21 degrees of freedom: exceeded once in 1000 seeds.
            assert!(chi_square < 46.8, "{chi_square}");
        }
    }

    /// Senders 1, 2, 3 and receivers 3, 4, 1, 5: 1/3 for each sender, then each receiver except
    /// itself with equal probability.
    #[test]
    fn any_pair_but_a_host_with_itself_is_as_likely_as_its_sender_allows() {
        const N: u32 = 100_000;
        let ids = |list: &[u32]| list.iter().copied().map(NodeId).collect::<Vec<_>>();
        let hosts = Others::new(&ids(&[1, 2, 3]), &ids(&[3, 4, 1, 5]));
        let mut partners = Partners::Any(Seed(3).stream("ends"), hosts);
        let mut counts: BTreeMap<(NodeId, NodeId), u32> = BTreeMap::new();
        for _ in 0..N {
            *counts.entry(partners.draw()).or_default() += 1;
        }
        assert_eq!(counts.len(), 3 + 4 + 3);
        let mut chi_square = 0.0;
        for ((from, to), count) in counts {
            assert_ne!(from, to);
            let expected = f64::from(N) / 3.0 / if from.0 == 2 { 4.0 } else { 3.0 };
            chi_square += (f64::from(count) - expected).powi(2) / expected;
        }
        // 9 degrees of freedom: exceeded once in 1000 seeds.
        assert!(chi_square < 27.9, "{chi_square}");
    }
}
