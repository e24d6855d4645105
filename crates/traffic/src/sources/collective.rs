//! Collective operations as graphs of sends.

use super::graph::{Act, Operation, OperationGraph, Wait};
use super::prelude::*;

/// A collective operation of the hosts of `from`, which are also those of `to`, in that order: a graph that is made for
/// them. A host starts a send when it has what it is to send, and each send is a flow of its own.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Collective {
    /// Which operation, and by which sends.
    pub algorithm: Algorithm,
    /// The data of a host: what an all-reduce adds up, what each has in the end of an all-gather, and what it has at first
    /// of a reduce-scatter or an all-to-all (the sizes of NCCL's tests).
    #[schemars(extend("x-min" = "1 B", "x-max" = "1 TB"))]
    pub size: Bytes,
    /// The hosts that do it together, the first so many, the next, …; by default all. Each group has its own repetitions
    /// and its own `start`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 2, max = 100_000))]
    pub group: Option<u32>,
    /// The equal parts in which the data go, each as if it were alone; a send starts when the same send of the
    /// part before is acknowledged.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 10_000))]
    pub chunks: u32,
    /// How often it is done: again when all data of the group are there.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub repeat: u32,
    /// The time between one repetition and the next, in which hosts compute.
    #[serde(default)]
    #[schemars(extend("x-max" = "2400 h"))]
    pub compute: Span,
}

impl Kind for Collective {
    fn facts(&self) -> Facts<'_> {
        Facts::of(Form::Graph(OfGraph::Collective(self)))
    }

    fn scale(&mut self, _: f64) {}

    fn check(&self, problems: &mut Problems) {
        problems.some_bytes(self.size, "size");
        problems.demand(self.group != Some(0), "group", "must be at least 2");
        problems.demand(self.chunks > 0, "chunks", "must be at least 1");
        problems.demand(self.repeat > 0, "repeat", "must be at least 1");
    }

    fn offers(&self, _: Bytes) -> Option<Offers> {
        None
    }
}

/// How a collective operation is done by sends from host to host. N is the number of hosts, S the size.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Algorithm {
    /// All-reduce: `ring-reduce-scatter`, then `ring-all-gather`: 2(N − 1) steps of S/N, the least
    /// data that a host can send (P. Patarasu and X. Yuan, "Bandwidth optimal all-reduce algorithms for clusters of
    /// workstations", J. Parallel and Distributed Computing 69, 2009).
    #[default]
    RingAllReduce,
    /// Each host gets the sum of one block of S/N: in N − 1 steps each sends a block to the next host, as soon as it
    /// has that of the step before from the host before it.
    RingReduceScatter,
    /// Each host gets the blocks of all, in the same steps.
    RingAllGather,
    /// All-reduce: all data go up a binomial tree to the first host, and down again: 2 log₂ N steps of S (R. Thakur,
    /// R. Rabenseifner and W. Gropp, "Optimization of collective communication operations in MPICH", Int. J. High
    /// Performance Computing Applications 19, 2005). On the way down a host sends to one after the other, each when the
    /// one before has acknowledged all.
    TreeAllReduce,
    /// All-reduce: hosts at the distances N/2, N/4, …, 1 exchange halves of what they have, then at 1, 2, …, N/2 what they
    /// have: 2 log₂ N steps, as many data as in a ring (R. Rabenseifner, in the same paper). N is a power of two.
    HalvingDoublingAllReduce,
    /// Each host has a block of S/N for each other: in step r of N − 1 it sends to the r-th host after it, when its
    /// block of the step before is acknowledged and the one from the host as far before it is there (pairwise exchange, in the
    /// same paper). The source `shuffle` has no steps.
    AllToAll,
}

impl Algorithm {
    /// Why so many hosts cannot do it, if they cannot.
    pub fn problem(self, hosts: usize) -> Option<&'static str> {
        match self {
            _ if hosts < 2 => Some("needs two hosts or more"),
            Self::HalvingDoublingAllReduce if !hosts.is_power_of_two() => {
                Some("needs a power of two of hosts")
            }
            _ => None,
        }
    }

    /// The sends of so many hosts and chunks; saturates.
    pub fn sends(self, hosts: u64, chunks: u64) -> u64 {
        let each = match self {
            Self::RingAllReduce => 2 * (hosts - 1) * hosts,
            Self::RingReduceScatter | Self::RingAllGather | Self::AllToAll => (hosts - 1) * hosts,
            Self::TreeAllReduce => 2 * (hosts - 1),
            Self::HalvingDoublingAllReduce => 2 * hosts * u64::from(hosts.ilog2()),
        };
        each.saturating_mul(chunks)
    }

    /// The parts into which it divides the data of a host.
    pub fn blocks(self, hosts: u64) -> u64 {
        match self {
            Self::TreeAllReduce => 1,
            _ => hosts,
        }
    }

    /// Its graph over hosts 0 to `hosts` − 1, for data that go in chunks, the same send of one behind that of the other.
    pub fn graph(self, size: Bytes, hosts: u32, chunks: u32) -> OperationGraph {
        let mut sends = Sends::default();
        for chunk in 0..chunks {
            let begin = sends.operations.len();
            let part = Part {
                from: share(size.0, chunk, chunks),
                to: share(size.0, chunk + 1, chunks),
                hosts,
            };
            match self {
                Self::RingAllReduce => part.ring(&mut sends, 0..2 * (hosts - 1)),
                Self::RingReduceScatter => part.ring(&mut sends, 0..hosts - 1),
                Self::RingAllGather => part.ring(&mut sends, hosts - 1..2 * (hosts - 1)),
                Self::TreeAllReduce => part.tree(&mut sends),
                Self::HalvingDoublingAllReduce => part.halving_doubling(&mut sends),
                Self::AllToAll => part.all_to_all(&mut sends),
            }
            let each = sends.operations.len() - begin;
            for later in (begin..begin + each).filter(|_| chunk > 0) {
                sends.wait(number(later), number(later - each));
            }
        }
        OperationGraph::new(sends.operations, &sends.waits)
    }
}

/// Where part `at` of `of` equal ones begins; they differ by a byte at most.
fn share(size: u64, at: u32, of: u32) -> u64 {
    let place = u128::from(size) * u128::from(at) / u128::from(of);
    u64::try_from(place).expect("no more than the size")
}

fn number(at: usize) -> u32 {
    u32::try_from(at).expect("the number of operations is limited")
}

/// Operations so far.
#[derive(Default)]
struct Sends {
    operations: Vec<Operation>,
    waits: Vec<Wait>,
}

impl Sends {
    fn send(&mut self, host: u32, to: u32, bytes: u64) -> u32 {
        self.operations.push(Operation { host, act: Act::Send { to, bytes } });
        number(self.operations.len() - 1)
    }

    fn wait(&mut self, later: u32, earlier: u32) {
        self.waits.push(Wait { later, earlier, start: false });
    }
}

/// The data of a chunk.
struct Part {
    from: u64,
    to: u64,
    hosts: u32,
}

impl Part {
    /// The bytes of a range of blocks.
    fn bytes(&self, blocks: std::ops::Range<u32>) -> u64 {
        let size = self.to - self.from;
        share(size, blocks.end, self.hosts) - share(size, blocks.start, self.hosts)
    }

    /// In step s host i sends block i − s to the next; at the step N − 1 that is the block whose sum it has.
    fn ring(&self, sends: &mut Sends, steps: std::ops::Range<u32>) {
        let hosts = self.hosts;
        let mut before: Vec<u32> = Vec::new();
        for step in steps {
            let mut now = Vec::new();
            for host in 0..hosts {
                let block = (host + 2 * hosts - step) % hosts;
                let send = sends.send(host, (host + 1) % hosts, self.bytes(block..block + 1));
                if !before.is_empty() {
                    sends.wait(send, before[((host + hosts - 1) % hosts) as usize]);
                }
                now.push(send);
            }
            before = now;
        }
    }

    fn tree(&self, sends: &mut Sends) {
        let (hosts, size) = (self.hosts, self.to - self.from);
        // By host: what it waits for before it sends.
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); hosts as usize];
        let mut distance = 1;
        while distance < hosts {
            for host in (distance..hosts).step_by(2 * distance as usize) {
                let send = sends.send(host, host - distance, size);
                before[host as usize].drain(..).for_each(|earlier| sends.wait(send, earlier));
                before[(host - distance) as usize].push(send);
            }
            distance *= 2;
        }
        while distance > 1 {
            distance /= 2;
            for host in (distance..hosts).step_by(2 * distance as usize) {
                let above = host - distance;
                let send = sends.send(above, host, size);
                before[above as usize].drain(..).for_each(|earlier| sends.wait(send, earlier));
                before[above as usize].push(send);
                before[host as usize].push(send);
            }
        }
    }

    fn halving_doubling(&self, sends: &mut Sends) {
        let hosts = self.hosts;
        let mut before: Vec<u32> = Vec::new();
        let steps = hosts.ilog2();
        for step in 0..2 * steps {
            let halving = step < steps;
            let distance = if halving { hosts >> (step + 1) } else { 1 << (step - steps) };
            let mut now = Vec::new();
            for host in 0..hosts {
                let partner = host ^ distance;
                // The half that it gives away has the partner's block; afterwards all that it has.
                let whose = if halving { partner } else { host };
                let first = whose & !(distance - 1);
                let send = sends.send(host, partner, self.bytes(first..first + distance));
                if !before.is_empty() {
                    let last = if step == steps {
                        host ^ 1
                    } else if halving {
                        host ^ (distance << 1)
                    } else {
                        host ^ (distance >> 1)
                    };
                    sends.wait(send, before[last as usize]);
                }
                now.push(send);
            }
            before = now;
        }
    }

    fn all_to_all(&self, sends: &mut Sends) {
        let hosts = self.hosts;
        let mut before: Vec<u32> = Vec::new();
        for step in 1..hosts {
            let mut now = Vec::new();
            for host in 0..hosts {
                let to = (host + step) % hosts;
                let send = sends.send(host, to, self.bytes(to..to + 1));
                if !before.is_empty() {
                    sends.wait(send, before[((host + hosts - (step - 1)) % hosts) as usize]);
                    sends.wait(send, before[host as usize]);
                }
                now.push(send);
            }
            before = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::Milestone;

    const ALL: [Algorithm; 6] = [
        Algorithm::RingAllReduce,
        Algorithm::RingReduceScatter,
        Algorithm::RingAllGather,
        Algorithm::TreeAllReduce,
        Algorithm::HalvingDoublingAllReduce,
        Algorithm::AllToAll,
    ];

    /// The operations in steps, each as early as it can be: lists of the operations of a step.
    fn steps(graph: &OperationGraph) -> Vec<Vec<u32>> {
        let mut missing = graph.missing().to_vec();
        let mut now: Vec<u32> =
            (0..number(missing.len())).filter(|&o| missing[o as usize] == 0).collect();
        let mut found = Vec::new();
        while !now.is_empty() {
            let mut next = Vec::new();
            for &operation in &now {
                for milestone in [Milestone::Start, Milestone::Known, Milestone::End] {
                    for &later in graph.waiting(operation, milestone) {
                        missing[later as usize] -= 1;
                        if missing[later as usize] == 0 {
                            next.push(later);
                        }
                    }
                }
            }
            found.push(std::mem::replace(&mut now, next));
        }
        found
    }

    /// The sends of a graph whose chunks are one: who has the contributions of whom to which block.
    fn carried(algorithm: Algorithm, hosts: u32) -> Vec<Vec<BTreeSet<u32>>> {
        // Only what is known when a step begins is sent in it.
        let graph = algorithm.graph(Bytes(1000 * u64::from(hosts)), hosts, 1);
        let mut has: Vec<Vec<BTreeSet<u32>>> =
            (0..hosts).map(|host| vec![BTreeSet::from([host]); hosts as usize]).collect();
        for (step, sends) in steps(&graph).into_iter().enumerate() {
            let before = has.clone();
            for operation in sends {
                let Operation { host, act: Act::Send { to, bytes } } =
                    graph.operations()[operation as usize]
                else {
                    panic!("only sends")
                };
                for block in blocks(algorithm, hosts, number(step), (host, to)) {
                    assert!(bytes >= 1000);
                    let more = before[host as usize][block as usize].clone();
                    has[to as usize][block as usize].extend(more);
                }
            }
        }
        has
    }

    /// The blocks of a send, written from the papers and not from the code above.
    fn blocks(algorithm: Algorithm, n: u32, step: u32, (host, to): (u32, u32)) -> Vec<u32> {
        match algorithm {
            Algorithm::TreeAllReduce => (0..n).collect(),
            Algorithm::HalvingDoublingAllReduce => {
                let distance = host.abs_diff(to);
                // Blocks that agree with whose end in the bits above the distance.
                let whose = if step < n.ilog2() { to } else { host };
                (0..n).filter(|block| block / distance == whose / distance).collect()
            }
            Algorithm::RingAllGather => vec![(host + 2 * n - (n - 1) - step) % n],
            _ => vec![(host + 2 * n - step) % n],
        }
    }

    #[test]
    fn after_an_all_reduce_each_host_has_all_contributions_to_each_block() {
        for hosts in [2, 4, 8, 16] {
            for algorithm in [
                Algorithm::RingAllReduce,
                Algorithm::TreeAllReduce,
                Algorithm::HalvingDoublingAllReduce,
            ] {
                let has = carried(algorithm, hosts);
                let all: BTreeSet<u32> = (0..hosts).collect();
                assert!(
                    has.iter().flatten().all(|found| *found == all),
                    "{algorithm:?} of {hosts}"
                );
            }
        }
        for hosts in [3, 5, 6, 7, 12, 13] {
            for algorithm in [Algorithm::RingAllReduce, Algorithm::TreeAllReduce] {
                let has = carried(algorithm, hosts);
                let all: BTreeSet<u32> = (0..hosts).collect();
                assert!(
                    has.iter().flatten().all(|found| *found == all),
                    "{algorithm:?} of {hosts}"
                );
            }
        }
    }

    #[test]
    fn after_a_reduce_scatter_each_host_has_one_whole_block() {
        for hosts in [2, 3, 8, 13] {
            let has = carried(Algorithm::RingReduceScatter, hosts);
            let whole = |host: &Vec<BTreeSet<u32>>| {
                host.iter().position(|block| block.len() == hosts as usize)
            };
            let found: BTreeSet<_> = has.iter().filter_map(whole).collect();
            assert_eq!(found.len(), hosts as usize);
        }
    }

    #[test]
    fn the_sends_are_as_many_as_foretold_and_of_all_data() {
        for hosts in [2u32, 4, 8, 16] {
            for (chunks, size) in [(1u32, 16_001u64), (3, 100_003)] {
                for algorithm in ALL {
                    let graph = algorithm.graph(Bytes(size), hosts, chunks);
                    let foretold = algorithm.sends(u64::from(hosts), u64::from(chunks));
                    assert_eq!(graph.operations().len() as u64, foretold, "{algorithm:?}");
                    assert_eq!(graph.cycle(), None);
                    assert!(graph.sends().all(|(from, to, bytes)| from != to && bytes > 0));
                    let sum: u64 = graph.sends().map(|(_, _, bytes)| bytes).sum();
                    let n = u64::from(hosts);
                    let expected = match algorithm {
                        Algorithm::AllToAll
                        | Algorithm::RingReduceScatter
                        | Algorithm::RingAllGather => (n - 1) * size,
                        _ => 2 * (n - 1) * size,
                    };
                    assert_eq!(sum, expected, "{algorithm:?} of {hosts}");
                }
            }
        }
    }

    #[test]
    fn steps_are_those_of_the_papers() {
        let count =
            |algorithm: Algorithm, hosts| steps(&algorithm.graph(Bytes(1_000_000), hosts, 1)).len();
        assert_eq!(count(Algorithm::RingAllReduce, 13), 24);
        assert_eq!(count(Algorithm::RingAllGather, 13), 12);
        assert_eq!(count(Algorithm::TreeAllReduce, 16), 8);
        // Without hosts 13 to 15 host 8 has all below it a step earlier.
        assert_eq!(count(Algorithm::TreeAllReduce, 13), 7);
        assert_eq!(count(Algorithm::HalvingDoublingAllReduce, 16), 8);
        assert_eq!(count(Algorithm::AllToAll, 13), 12);
    }

    #[test]
    fn all_to_all_brings_a_block_from_each_to_each_other() {
        let graph = Algorithm::AllToAll.graph(Bytes(700), 7, 1);
        let pairs: BTreeSet<(u32, u32)> = graph.sends().map(|(from, to, _)| (from, to)).collect();
        assert_eq!(pairs.len(), 42);
        for step in steps(&graph) {
            // Each host sends one block and receives one.
            let receivers: BTreeSet<u32> = step
                .iter()
                .map(|&at| match graph.operations()[at as usize].act {
                    Act::Send { to, .. } => to,
                    Act::Compute { .. } => panic!("only sends"),
                })
                .collect();
            assert_eq!(receivers.len(), 7);
        }
    }
}
