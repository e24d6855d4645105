//! The energy model: the cost of moving the bits of a run, component by component.
//!
//! Five costs per bit times the bits counted; `docs/background/energy.md` describes the model, its
//! defaults with their sources, and what is not modelled.

use cores::Device;
use cores::{Account, Core};
use engine::world::World;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{EnergyPerBit, NodeId};
use wire::link::LinkCounters;

/// The energy that moving a bit costs. Each bit on the wire counts, headers included: at a host `eo`
/// when it is sent and `oe` when it is received; at a hybrid switch `optical`, or, through the
/// buffer, twice `optical`, `oe`, `buffer` and `eo`; at an electronic switch `oe`, `electronic` and
/// `eo`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct EnergySpec {
    /// Through the optical matrix of a hybrid switch. Default: an assumption, one semiconductor
    /// optical amplifier of 150 mW over 10 Gb/s (literature: 1 to 75 pJ/b).
    #[schemars(extend("x-max" = "1000 nJ/b"))]
    pub optical: EnergyPerBit,
    /// From light to electricity. Default: half of an SFP+ module of power level I, 1 W at 10 Gb/s each
    /// way (SFF-8431).
    #[schemars(extend("x-max" = "1000 nJ/b"))]
    pub oe: EnergyPerBit,
    /// From electricity to light. Default: the other half.
    #[schemars(extend("x-max" = "1000 nJ/b"))]
    pub eo: EnergyPerBit,
    /// Into the buffer of a hybrid switch and out of it. Default: a 1 MB SRAM, 100 pJ for 64 bits each
    /// (Horowitz, ISSCC 2014).
    #[schemars(extend("x-max" = "1000 nJ/b"))]
    pub buffer: EnergyPerBit,
    /// Through an electronic switch, without its optics. Default: an assumption, the geometric mean of
    /// 10 pJ/b (a chip of 2022) and 500 pJ/b (a whole 10 Gb/s switch).
    #[schemars(extend("x-max" = "1000 nJ/b"))]
    pub electronic: EnergyPerBit,
}

impl Default for EnergySpec {
    fn default() -> Self {
        const PICO: u64 = 1_000_000;
        Self {
            optical: EnergyPerBit(15 * PICO),
            oe: EnergyPerBit(50 * PICO),
            eo: EnergyPerBit(50 * PICO),
            buffer: EnergyPerBit(3 * PICO),
            electronic: EnergyPerBit(70 * PICO),
        }
    }
}

/// A component of the energy model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Part {
    /// Its name.
    pub(crate) name: &'static str,
    /// The bits that it moved.
    pub(crate) bits: u64,
    /// The energy per bit in joules.
    pub(crate) per_bit: f64,
}

impl Part {
    /// Its energy in joules.
    pub(crate) fn energy(self) -> f64 {
        self.bits as f64 * self.per_bit
    }
}

/// Bits that hosts and switches moved while it was measured.
#[derive(Debug, Clone, Copy, Default)]
struct Moved {
    sent: u64,
    received: u64,
    forwarded: u64,
    through: u64,
    buffered: u64,
}

impl Moved {
    fn of(world: &World, links: &[LinkCounters]) -> Self {
        let mut moved = Self::default();
        let graph = &world.plan().graph;
        for (link, counters) in graph.links.iter().zip(links) {
            // Bits lost on the wire have been sent nevertheless.
            let (sent, received) = (counters.bytes_out + counters.bytes_lost, counters.bytes_out);
            match world.device(link.from) {
                Device::Host => moved.sent += sent * 8,
                Device::Router => moved.forwarded += sent * 8,
                Device::Edge(_) => {}
                Device::Core(number) => match world.cores().account(number) {
                    Account::Electronic => moved.forwarded += sent * 8,
                    Account::None | Account::Hybrid(..) => {}
                },
            }
            match world.device(link.to) {
                Device::Host => moved.received += received * 8,
                Device::Router | Device::Edge(_) | Device::Core(_) => {}
            }
        }
        for node in (0..graph.nodes.len()).map(NodeId::at) {
            let account = match world.device(node) {
                Device::Core(number) => world.cores().account(number),
                Device::Host | Device::Router | Device::Edge(_) => Account::None,
            };
            match account {
                Account::Hybrid(counters, _) => {
                    moved.through += counters.bytes_through * 8;
                    moved.buffered += counters.bytes_buffered * 8;
                }
                Account::None | Account::Electronic => {}
            }
        }
        moved
    }
}

/// The energy of a run from the counters of its links; components that moved nothing are included.
pub(crate) fn account(spec: &EnergySpec, world: &World, links: &[LinkCounters]) -> [Part; 8] {
    let moved = Moved::of(world, links);
    let part = |name, bits, cost: EnergyPerBit| {
        let per_bit = cost.as_joules_f64();
        Part { name, bits, per_bit }
    };
    [
        part("host-eo", moved.sent, spec.eo),
        part("host-oe", moved.received, spec.oe),
        part("optical", moved.through + 2 * moved.buffered, spec.optical),
        part("buffer-oe", moved.buffered, spec.oe),
        part("buffer", moved.buffered, spec.buffer),
        part("buffer-eo", moved.buffered, spec.eo),
        part("electronic-oe-eo", moved.forwarded, EnergyPerBit(spec.oe.0 + spec.eo.0)),
        part("electronic", moved.forwarded, spec.electronic),
    ]
}
