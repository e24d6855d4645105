//! Hybrid opto-electronic switches, the network as a whole, against cases worked by hand, closed
//! forms and conservation.

mod contention;
mod failures;
mod links;
mod paths;
mod queues;
mod stop_and_wait;

use scenario::Report;

use crate::common::values;

/// Hosts `h0`, `h1`, … around one hybrid switch `hub`; 10 m take 50 ns, 9000 B last 7.2 µs.
fn star(hosts: u32, duration: &str, core: &str) -> String {
    format!(
        "[run]\nduration = \"{duration}\"\n[topology]\nkind = \"star\"\nhosts = {hosts}\n\
         link = {{ rate = \"10 Gb/s\", length = \"10 m\" }}\n\
         [core]\nkind = \"hybrid\"\n{core}\n"
    )
}

/// One packet of 9000 B from a host to another at this time. The next would come after 8 s for each
/// byte.
fn packet(from: &str, to: &str, at: &str) -> String {
    format!(
        "[[traffic]]\nfrom = \"{from}\"\nto = \"{to}\"\nstart = \"{at}\"\n\
         transport = {{ kind = \"udp\", header = \"0 B\" }}\n\
         source = {{ kind = \"cbr\", rate = \"1 b/s\", packet = \"9 kB\" }}\n"
    )
}

/// Packets of 9000 B at the instants of a Poisson process, `rate` in Gb/s.
fn poisson(from: &str, to: &str, rate: f64) -> String {
    format!(
        "[[traffic]]\nfrom = \"{from}\"\nto = \"{to}\"\n\
         transport = {{ kind = \"udp\", header = \"0 B\" }}\n\
         source = {{ kind = \"poisson-packets\", rate = \"{rate} Gb/s\", packet = \"9 kB\" }}\n"
    )
}

/// The delay of each flow's packets in nanoseconds, NaN where none arrived.
fn delays_ns(report: &Report) -> Vec<f64> {
    let round = |delay: f64| (delay * 1e12).round() / 1e3;
    values(report, "flows", "delay-mean").into_iter().map(round).collect()
}

/// Whether numbers are the same but for rounding; NaN, which stands for a packet that is lost, is NaN.
fn same(found: &[f64], expected: &[f64]) -> bool {
    let alike = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-6 || (a.is_nan() && b.is_nan());
    found.len() == expected.len() && found.iter().zip(expected).all(alike)
}
