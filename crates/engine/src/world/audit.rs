//! Checks of every run: conservation, and the digest of its counters.

use cores::Core;
use units::LinkId;
use wire::record::FlowCounts;

use super::World;
use crate::host::Stage;

impl World {
    /// Checks conservation: what went in = what came out + dropped + still inside, for every link
    /// in packets and bytes, for every flow, and for the world as a whole.
    pub fn check_conservation(&self) -> Result<(), String> {
        let mut on_links = 0;
        for id in (0..self.network.links().len()).map(LinkId::at) {
            let network = &self.where_is(id).network;
            let (link, all) = (network.link(id), network.packets());
            let (packets, bytes) = link.inside(all);
            let counted = link.counters(self.network.now(), all);
            on_links += packets;
            if counted.packets_in != counted.packets_out + counted.dropped() + packets
                || counted.bytes_in != counted.bytes_out + counted.bytes_dropped + bytes
            {
                let name = self.plan.graph.link_name(id);
                return Err(format!("link {name}: {counted:?}, inside {packets} ({bytes} B)"));
            }
        }
        let of_flows: u64 = self.network.counts().iter().map(FlowCounts::inside).sum();
        let inside = self.packets_inside() as u64;
        on_links += self.network.inside();
        if inside != on_links || inside != of_flows {
            return Err(format!("{inside} packets, {on_links} on links, {of_flows} of flows"));
        }
        self.network.optical().check_conservation()?;
        self.network.cores().check_conservation()?;
        for flow in self.workload.flows.iter().filter(|flow| flow.stage != Stage::Gone) {
            let Some((acked, delivered)) = flow.ends.progress() else { continue };
            if acked > delivered || flow.offered.is_some_and(|offered| delivered > offered) {
                let number = flow.number;
                return Err(format!("flow {number}: acked {acked}, delivered {delivered}"));
            }
        }
        Ok(())
    }

    /// A digest of the final counters of every flow and link: equal for equal runs, regardless of
    /// what was observed and of whether rows of ended flows were taken out.
    pub fn digest(&self) -> u64 {
        let mut hash = xxhash_rust::xxh3::Xxh3::new();
        let mut put = |n: u64| hash.update(&n.to_le_bytes());
        for counters in self.counters_now() {
            counters.words().into_iter().for_each(&mut put);
        }
        self.ended.digest().into_iter().for_each(&mut put);
        for row in self.present_rows() {
            row.words().into_iter().for_each(&mut put);
        }
        let packet_core = self.plan.facts().is_packet;
        for fec in self.network.optical().fecs.in_order() {
            fec.counters_of_all().words(packet_core).for_each(&mut put);
        }
        self.network.cores().words(&mut put);
        put(self.events());
        hash.digest()
    }
}
