//! Switches that choose among lightpaths, in whole runs: output-queued ones by hand and by closed forms,
//! the order of packets, and how each policy spreads them in any topology.

mod lbas;
mod order;
mod output_queued;
mod spread;
mod waits;

use scenario::Report;

use crate::common::values;

/// One packet from a host to another at this time, in ps. The next would come after 8 s for each byte.
fn packet(from: &str, to: &str, at: u64, bytes: u64) -> String {
    format!(
        "[[traffic]]\nfrom = \"{from}\"\nto = \"{to}\"\nstart = \"{at} ps\"\n\
         transport = {{ kind = \"udp\", header = \"0 B\" }}\n\
         source = {{ kind = \"cbr\", rate = \"1 b/s\", packet = \"{bytes} B\" }}\n"
    )
}

/// How long each flow's packets were on their way in the mean, in ps.
fn delays(report: &Report) -> Vec<f64> {
    values(report, "flows", "delay-mean").into_iter().map(|d| (d * 1e12).round()).collect()
}

/// Two core nodes with lightpaths between them, four sub-networks a side for two of them.
fn bundle(lightpaths: u32, duration: &str, core: &str, traffic: &str) -> String {
    format!(
        r#"
        [run]
        duration = "{duration}"
        [topology]
        kind = "lightpath-bundle"
        lightpaths = {lightpaths}
        k = 2
        link = {{ rate = "2.5 Gb/s", delay = "0 s", queue = {{ kind = "drop-tail", bytes = "128 MB" }} }}
        tcp-rate = "1 Gb/s"
        rtt = {{ min = "1 ms", max = "2 ms" }}
        [core]
        {core}
        {traffic}
        "#
    )
}

/// Packets of 40, 576 and 1500 B.
const MIX: &str =
    r#"{ kind = "mix", sizes = ["40 B", "576 B", "1500 B"], shares = [0.58, 0.33, 0.09] }"#;

/// Datagrams from the sources of a side to the sinks of the other, at the instants of Poisson processes,
/// `rate` in b/s.
fn poisson(from: &str, to: &str, rate: f64, packet: &str) -> String {
    format!(
        r#"
        [[traffic]]
        from = "{from}"
        to = "{to}"
        transport = {{ kind = "udp", header = "0 B" }}
        [traffic.source]
        kind = "poisson-packets"
        rate = "{rate:.0} b/s"
        packet = {packet}
        "#
    )
}
