//! CIOQ switches in whole runs: against cases worked by hand, a slow twin, closed forms, and against
//! themselves where something that changes nothing is added.

mod against_twin;
mod arrears;
mod by_hand;
mod twin;
mod wire;

use scenario::Report;

use crate::common::values;

/// Nodes, links and packets, from which both a scenario and a twin are made.
#[derive(Debug, Clone, Default)]
struct Case {
    /// Names; `h` hosts, `r` routers, `c` switches.
    nodes: Vec<String>,
    links: Vec<Pipe>,
    packets: Vec<Datagram>,
    /// Keys of the core, beside its kind.
    core: String,
}

/// A link, both ways alike.
#[derive(Debug, Clone)]
struct Pipe {
    ends: [usize; 2],
    /// In Mb/s.
    rate: u64,
    /// In ps.
    delay: u64,
    lightpaths: u32,
    queue: Queue,
}

/// What a queue holds.
#[derive(Debug, Clone, Copy)]
enum Queue {
    Endless,
    Bytes(u64),
    Packets(u64),
}

/// A packet from a host to another, offered at an instant in ps.
#[derive(Debug, Clone, Copy)]
struct Datagram {
    from: usize,
    to: usize,
    at: u64,
    bytes: u64,
}

impl Case {
    fn node(&mut self, name: &str) -> usize {
        self.nodes.push(name.to_owned());
        self.nodes.len() - 1
    }

    fn link(&mut self, ends: [usize; 2], rate: u64, delay: u64, queue: Queue) {
        self.links.push(Pipe { ends, rate, delay, lightpaths: 1, queue });
    }

    fn packet(&mut self, from: usize, to: usize, at: u64, bytes: u64) {
        self.packets.push(Datagram { from, to, at, bytes });
    }

    /// As a scenario that lasts so many µs. Each packet is an entry of its own: its next one would come
    /// after 8 s for each byte.
    fn text(&self, micros: u64) -> String {
        let kind = |name: &str| match name.as_bytes()[0] {
            b'h' => "host",
            b'r' => "router",
            _ => "core",
        };
        let nodes = self.nodes.iter();
        let nodes = nodes.map(|n| format!("  {{ name = \"{n}\", kind = \"{}\" }},\n", kind(n)));
        let links = self.links.iter().map(|pipe| {
            let [from, to] = pipe.ends.map(|end| &self.nodes[end]);
            let queue = match pipe.queue {
                Queue::Endless => "bytes = \"1 GB\"".to_owned(),
                Queue::Bytes(bytes) => format!("bytes = \"{bytes} B\""),
                Queue::Packets(packets) => format!("packets = {packets}"),
            };
            let many = match pipe.lightpaths {
                1 => String::new(),
                many => format!(", lightpaths = {many}"),
            };
            format!(
                "  {{ from = \"{from}\", to = \"{to}\", rate = \"{} Mb/s\", delay = \"{} ps\", \
                 queue = {{ kind = \"drop-tail\", {queue} }}{many} }},\n",
                pipe.rate, pipe.delay
            )
        });
        let packets = self.packets.iter().map(|packet| {
            let [from, to] = [packet.from, packet.to].map(|end| &self.nodes[end]);
            format!(
                "[[traffic]]\nfrom = \"{from}\"\nto = \"{to}\"\nstart = \"{} ps\"\n\
                 transport = {{ kind = \"udp\", header = \"0 B\" }}\n\
                 source = {{ kind = \"cbr\", rate = \"1 b/s\", packet = \"{} B\" }}\n",
                packet.at, packet.bytes
            )
        });
        format!(
            "[run]\nduration = \"{micros} us\"\n[topology]\nkind = \"explicit\"\nnodes = [\n{}]\n\
             links = [\n{}]\n[core]\nkind = \"cioq\"\n{}\n{}",
            nodes.collect::<String>(),
            links.collect::<String>(),
            self.core,
            packets.collect::<String>(),
        )
    }
}

/// How long each packet was on its way, in ps; nothing of those that were lost.
fn delays(report: &Report) -> Vec<Option<u64>> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the run")]
    let ps = |delay: &f64| delay.is_finite().then(|| (delay * 1e12).round() as u64);
    values(report, "flows", "delay-mean").iter().map(ps).collect()
}
