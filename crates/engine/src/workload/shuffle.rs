//! Shuffles: every host sends a block to every other.

use plan::partners::Others;
use plan::{Plan, TrafficPlan};
use random::Order;
use units::Time;

use crate::network::Network;
use crate::workload::{Process, Workload};

/// A sender of a shuffle.
#[derive(Debug, Clone)]
pub(super) struct Shuffle {
    traffic: u32,
    /// Its number among the senders.
    sender: u32,
    /// The order of its receivers.
    order: Order,
    /// Receivers, and how many of them have received their block or are about to.
    receivers: u32,
    begun: u32,
    /// Blocks that start at the next event.
    pub(super) due: u32,
}

impl Shuffle {
    /// A block has ended; returns whether another starts.
    pub(super) fn on_end(&mut self) -> bool {
        let more = self.begun + self.due < self.receivers;
        self.due += u32::from(more);
        more
    }
}

impl Workload {
    /// The senders of a shuffle, each with its start; one without receivers has nothing to do.
    pub(super) fn enter_shuffle(
        &mut self,
        network: &mut Network,
        (traffic, source): (&TrafficPlan, &traffic::Shuffle),
        entry: u32,
        hosts: Others,
    ) {
        for sender in 0..hosts.count() {
            let receivers = u32::try_from(hosts.partners(sender)).expect("fewer than 2^32 hosts");
            let of = (entry, sender as u64);
            let at = Time::ZERO + traffic.start.draw(&mut self.stream(of, "start"));
            if receivers > 0 {
                let process = Shuffle {
                    traffic: entry,
                    sender: u32::try_from(sender).expect("fewer than 2^32 hosts"),
                    order: Order::new(receivers, &mut self.stream(of, "order")),
                    receivers,
                    begun: 0,
                    due: source.parallel.min(receivers),
                };
                self.process(network, at, entry, Process::Shuffle(process));
            }
        }
        self.loops[entry as usize] = Some(hosts);
    }

    /// A sender starts the blocks that are due.
    pub(super) fn on_blocks(&mut self, plan: &Plan, network: &mut Network, process: u32) {
        let Process::Shuffle(shuffle) = &mut self.processes[process as usize] else { return };
        let Shuffle { traffic: entry, sender, order, receivers, .. } = *shuffle;
        let places = shuffle.begun..shuffle.begun + std::mem::take(&mut shuffle.due);
        shuffle.begun = places.end;
        if places.end == receivers && !places.is_empty() {
            self.open[entry as usize] -= 1;
        }
        for place in places {
            let hosts = self.loops[entry as usize].as_ref().expect("a closed loop has hosts");
            let pair = hosts.pair(sender as usize, order.at(place) as usize);
            self.block(network, &plan.traffic[entry as usize], (entry, process), pair);
        }
    }
}
