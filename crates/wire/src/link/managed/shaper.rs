//! A shaper: packets wait for the tokens of a bucket.

use plan::spec::queue::shaper;
use units::Time;

use super::{Discarded, Leaving, Queue};
use crate::chain::Chain;
use crate::link::bucket::Bucket;
use crate::packet::{PacketId, Packets};

/// A queue behind a bucket.
#[derive(Debug, Clone)]
pub(in crate::link) struct Shaper {
    queue: Chain,
    bucket: Bucket,
}

impl Shaper {
    pub(in crate::link) fn new(options: &shaper::Options) -> Self {
        Self { queue: Chain::EMPTY, bucket: Bucket::new(options.rate, options.burst) }
    }
}

impl Queue for Shaper {
    fn put(&mut self, _now: Time, packets: &mut Packets, id: PacketId) {
        self.queue.push(packets, id);
    }

    fn ready(&mut self, now: Time, packets: &Packets) -> Time {
        let head = self.queue.head();
        head.map_or(now, |id| self.bucket.ready(now, packets.transit(id).bytes))
    }

    fn take(&mut self, _now: Time, packets: &mut Packets, _out: &mut Discarded) -> Leaving {
        let id = self.queue.pop(packets)?;
        self.bucket.spend(packets.transit(id).bytes);
        Some((id, false))
    }

    fn each_chain(&self, visit: &mut dyn FnMut(&Chain)) {
        visit(&self.queue);
    }

    fn branch(&mut self, _key: u64) {}
}

#[cfg(test)]
mod tests {
    use plan::spec::QueueSpec;
    use plan::spec::queue::Limit;
    use plan::spec::queue::shaper::Options;
    use units::{Bytes, Rate};

    use super::*;
    use crate::link::managed::bench::{Bench, MS};

    /// 4 Mb/s and 5000 B over a link of 8 Mb/s: five packets and then one each 2 ms.
    #[test]
    fn a_shaper_lets_a_burst_pass_and_then_its_rate() {
        let (limit, rate, burst) = (Limit::packets(1000), Rate(4_000_000), Bytes(5000));
        let queue = QueueSpec::Shaper(Options { limit, rate, burst });
        let mut bench = Bench::new(queue);
        (0..20).for_each(|_| bench.offer(0, (1, 1000, 0)));
        bench.run_to(9 * MS);
        // The longest wait is that of those that still wait: the last one that left did at 8 ms.
        let now = Time(9 * MS);
        assert_eq!(bench.link.counters(now, &bench.packets).wait_max, 9 * MS);
        bench.run_to(1000 * MS);
        let at: Vec<u64> = bench.sent.iter().map(|sent| sent.0).collect();
        // Tokens come while the burst is sent: 5000 B and 500 B for each ms.
        let expected = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30];
        assert_eq!(at, expected.map(|ms: u64| ms * 1000));
    }
}
