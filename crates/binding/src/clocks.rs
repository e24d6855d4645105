//! Wall time, processor time and memory, through Python's portable means.

use pyo3::prelude::*;

/// The time of a clock of Python's module `time`, in seconds.
pub(crate) fn clock(py: Python<'_>, name: &str) -> PyResult<f64> {
    py.import("time")?.getattr(name)?.call0()?.extract()
}

/// The peak memory of this process so far, in bytes.
///
/// Linux reports it in `/proc`; the value of `getrusage` there starts from the peak of the parent
/// process.
pub(crate) fn peak_memory(py: Python<'_>) -> PyResult<u64> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|rest| rest.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    if let Some(kib) = kib {
        return Ok(kib * 1024);
    }
    let resource = py.import("resource")?;
    let usage = resource.call_method1("getrusage", (resource.getattr("RUSAGE_SELF")?,))?;
    let peak: u64 = usage.getattr("ru_maxrss")?.extract()?;
    // macOS counts in bytes, other systems in KiB.
    Ok(if cfg!(target_os = "macos") { peak } else { peak * 1024 })
}
