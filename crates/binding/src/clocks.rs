//! Wall time, processor time and memory, through Python's portable means.

use pyo3::prelude::*;

/// Wall and processor time since a start.
pub(crate) struct Clocks {
    wall: f64,
    cpu: f64,
}

impl Clocks {
    pub(crate) fn start(py: Python<'_>) -> PyResult<Self> {
        Ok(Self { wall: clock(py, "perf_counter")?, cpu: clock(py, "thread_time")? })
    }

    /// Seconds on the wall, and seconds of this thread on a processor.
    pub(crate) fn elapsed(&self, py: Python<'_>) -> PyResult<(f64, f64)> {
        Ok((clock(py, "perf_counter")? - self.wall, clock(py, "thread_time")? - self.cpu))
    }
}

fn clock(py: Python<'_>, name: &str) -> PyResult<f64> {
    py.import("time")?.getattr(name)?.call0()?.extract()
}

/// The largest memory that this process has had so far, in bytes.
pub(crate) fn peak_memory(py: Python<'_>) -> PyResult<u64> {
    let resource = py.import("resource")?;
    let usage = resource.call_method1("getrusage", (resource.getattr("RUSAGE_SELF")?,))?;
    let peak: u64 = usage.getattr("ru_maxrss")?.extract()?;
    // Linux counts in KiB, macOS in bytes.
    Ok(if cfg!(target_os = "macos") { peak } else { peak * 1024 })
}
