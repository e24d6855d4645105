//! The engine's speed on a standard workload.

use std::collections::BTreeMap;

use pyo3::exceptions::PyLookupError;
use pyo3::prelude::*;
use scenario::bench::{self, Workload};

use crate::clocks;
use crate::memory::Limit;
use crate::worker::Worker;

/// The names of the standard workloads.
#[pyfunction]
pub(crate) fn workloads() -> Vec<&'static str> {
    bench::WORKLOADS.to_vec()
}

/// Measures a workload once: rates in processor time of the engine's thread without the set-up and
/// the warm-up, memory as the growth of this process' peak. The peak is meaningful only in a fresh process.
#[pyfunction(name = "bench")]
pub(crate) fn measure(py: Python<'_>, workload: String) -> PyResult<BTreeMap<&'static str, f64>> {
    let worker = Worker::new(Limit::new(None, ""))?;
    let unknown = format!("no workload {workload:?}");
    let name = workload.clone();
    let scenario = worker.call(py, move || bench::scenario(&name))?;
    let memory = clocks::peak_memory(py)?;
    let set_up = worker.call(py, move || {
        let mut running = Workload::new(&workload, scenario.as_ref())?;
        running.warm_up();
        Some((running.done(), running))
    })?;
    let (before, mut running) = set_up.ok_or_else(|| PyLookupError::new_err(unknown))?;
    let cpu = worker.cpu_seconds(py)?;
    running = worker.call(py, move || {
        running.work();
        running
    })?;
    let cpu_seconds = worker.cpu_seconds(py)? - cpu;
    let after = running.done();
    let packet_hops = (after.packet_hops - before.packet_hops) as f64;
    let events = (after.events - before.events) as f64;
    let per_hop = |count: f64| if packet_hops > 0.0 { count / packet_hops } else { 0.0 };
    let mut measured = BTreeMap::from([
        ("packet_hops_per_second", packet_hops / cpu_seconds),
        ("events_per_packet_hop", per_hop(events)),
        ("delivered_packets", (after.delivered_packets - before.delivered_packets) as f64),
        ("peak_memory_bytes", (clocks::peak_memory(py)? - memory) as f64),
        ("cpu_seconds", cpu_seconds),
        ("simulated_seconds", after.now.since(before.now).as_secs_f64()),
    ]);
    if after.cells > before.cells {
        let cells = (after.cells - before.cells) as f64;
        measured.insert("cells_per_second", cells / cpu_seconds);
    }
    if after.slots > before.slots {
        let slots = (after.slots - before.slots) as f64;
        measured.insert("nanoseconds_per_slot", cpu_seconds * 1e9 / slots);
    }
    Ok(measured)
}
