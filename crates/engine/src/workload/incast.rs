//! Incast: rounds in which many send a block to one at the same instant.

use plan::partners::Others;
use plan::{Plan, TrafficPlan};
use random::{Order, Stream};
use units::Time;

use crate::network::Network;
use crate::workload::{Process, Workload};

/// A receiver of an incast.
#[derive(Debug, Clone)]
pub(super) struct Incast {
    traffic: u32,
    /// Its number among the receivers.
    receiver: u32,
    /// The hosts that may send to it.
    others: u32,
    /// The senders of a round.
    pub(super) senders: u32,
    /// Draws the senders of a round, and their order at its instant.
    stream: Stream,
    /// Rounds that have not started.
    rounds: u32,
    /// Blocks of the round that have not ended.
    left: u32,
}

impl Incast {
    /// From now on other senders are drawn.
    pub(super) fn branch(&mut self, key: u64) {
        self.stream.branch(key);
    }

    /// A block has ended; returns whether another round starts.
    pub(super) fn on_end(&mut self) -> bool {
        self.left -= 1;
        self.left == 0 && self.rounds > 0
    }
}

impl Workload {
    /// The receivers of an incast, each with its start; one without senders has nothing to do.
    pub(super) fn enter_incast(
        &mut self,
        network: &mut Network,
        (traffic, source): (&TrafficPlan, &traffic::Incast),
        entry: u32,
        hosts: Others,
    ) {
        for receiver in 0..hosts.count() {
            let others = u32::try_from(hosts.partners(receiver)).expect("fewer than 2^32 hosts");
            let of = (entry, receiver as u64);
            let at = Time::ZERO + traffic.start.draw(&mut self.stream(of, "start"));
            if others > 0 {
                let process = Incast {
                    traffic: entry,
                    receiver: u32::try_from(receiver).expect("fewer than 2^32 hosts"),
                    others,
                    senders: source.senders.unwrap_or(others),
                    stream: self.stream(of, "senders"),
                    rounds: source.rounds,
                    left: 0,
                };
                self.process(network, at, entry, Process::Incast(process));
            }
        }
        self.loops[entry as usize] = Some(hosts);
    }

    /// A receiver's next round: all its senders start at once.
    pub(super) fn on_round(&mut self, plan: &Plan, network: &mut Network, process: u32) {
        let Process::Incast(incast) = &mut self.processes[process as usize] else { return };
        let Incast { traffic: entry, receiver, others, senders, .. } = *incast;
        let order = Order::new(others, &mut incast.stream);
        incast.left = senders;
        incast.rounds -= 1;
        if incast.rounds == 0 {
            self.open[entry as usize] -= 1;
        }
        for place in 0..senders {
            let hosts = self.loops[entry as usize].as_ref().expect("a closed loop has hosts");
            let (to, from) = hosts.pair(receiver as usize, order.at(place) as usize);
            self.block(network, &plan.traffic[entry as usize], (entry, process), (from, to));
        }
    }
}
