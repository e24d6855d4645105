//! A run of an optical network on several threads has the results of one, bit for bit: random networks of edges and
//! cores, with all kinds of assembly and all remedies that need no other node. `PROPTEST_CASES=2000` draws as many.

use proptest::prelude::*;
use proptest::sample::select;

use super::{CARRIERS, TRANSFERS, check, few, files, is_divided};

const BURST_CORES: [&str; 6] = [
    "",
    "scheduling = \"first-fit\"\nconversion = \"none\"",
    "scheduling = \"lauc-vf-one-void\"\nguard = \"100 ns\"\ninput-delay = \"1 us\"",
    "scheduling = \"lauc\"\nfibre-delays = [\"10 us\", \"40 us\"]",
    "scheduling = \"lauc-vf\"\nconversion = \"partial\"\nconverters = 1\nfibre-delays = [\"30 us\"]",
    "forwarding = \"store-and-forward\"\ninput-delay = \"3 us\"",
];

const PACKET_CORES: [&str; 7] = [
    "",
    "remedies = [\"convert\"]\nguard = \"50 ns\"",
    "remedies = [\"convert\", \"delay\"]\nconverters = 2\nfibre-delays = [\"20 us\", \"70 us\"]",
    "remedies = [\"delay\"]\nfibre-loop = { delay = \"10 us\", lines = 3, turns = 2 }\ninput-delay = \"1 us\"",
    "remedies = [\"deflect\"]\ndeflection = { kind = \"ports\", order = \"random\", loops = \"no-return\", hop-limit = 9 }",
    "remedies = [\"convert\", \"deflect\"]\ndeflection = { kind = \"ports\", order = \"shortest\", loops = \"allowed\", hop-limit = 7 }",
    "remedies = [\"deflect\", \"delay\"]\nfibre-delays = [\"50 us\"]\n\
     deflection = { kind = \"ports\", order = \"shortest\", loops = \"no-return\", hop-limit = 16, reserve = 1 }",
];

const ASSEMBLIES: [&str; 6] = [
    "policy = \"mixed-flow\"\ntimeout = \"500 us\"\nmax-size = \"20 kB\"",
    "policy = \"per-flow\"\ntimeout = \"300 us\"\noverflow = \"this-burst\"\nmax-size = \"10 kB\"",
    "policy = \"none\"",
    "policy = \"static-queues\"\nqueues = 3\ntimeout = \"1 ms\"\nloss = 0.01",
    "policy = \"dynamic-queues\"\nqueues = 2\ntimeout = \"1 ms\"",
    "policy = \"dynamic-queues\"\nqueues = 3\nallocation = \"a-posteriori\"\nloss-known = \"resent\"\ntimeout = \"700 us\"\ncycle = \"common\"",
];

const TRANSPORTS: [(&str, &str); 6] = [
    ("kind = \"tcp\"", "kind = \"bulk\""),
    ("kind = \"tcp\", preset = \"tahoe\"", "kind = \"poisson-writes\", rate = \"5 Mb/s\""),
    ("kind = \"tcp\", preset = \"sack\"", "kind = \"bulk\", size = \"300 kB\""),
    ("kind = \"udp\"", "kind = \"cbr\", rate = \"20 Mb/s\", packet = \"1250 B\""),
    ("kind = \"udp\"", "kind = \"poisson-packets\", rate = \"15 Mb/s\", packet = \"900 B\""),
    ("kind = \"message\"", "kind = \"bulk\", size = \"100 kB\""),
];

/// A network of cores in a ring with a chord, each with an edge, and hosts behind the edges; where edges switch there
/// are no cores. Some of the fibres are short.
fn topology(size: usize, delays: &[u64], cores: bool, channels: u32) -> String {
    let name = |at: usize| format!("{}{at}", if cores { "c" } else { "e" });
    let (mut nodes, mut links) = (Vec::new(), Vec::new());
    let fibre = |from: &str, to: &str, delay: u64| {
        format!(
            "{{ from = \"{from}\", to = \"{to}\", rate = \"100 Mb/s\", delay = \"{delay} us\", channels = {channels} }}"
        )
    };
    let mut delays = delays.iter().copied().cycle();
    let mut next = || delays.next().expect("a cycle");
    for at in 0..size {
        nodes.push(format!("{{ name = \"e{at}\", kind = \"edge\" }}"));
        nodes.push(format!("{{ name = \"h{at}\", kind = \"host\", count = 2 }}"));
        if cores {
            nodes.push(format!("{{ name = \"c{at}\", kind = \"core\" }}"));
            links.push(fibre(&format!("e{at}"), &name(at), next()));
        }
        links.push(format!(
            "{{ from = \"h{at}\", to = \"e{at}\", rate = \"100 Mb/s\", delay = \"20 us\" }}"
        ));
        links.push(fibre(&name(at), &name((at + 1) % size), next()));
    }
    if size > 3 {
        links.push(fibre(&name(0), &name(size / 2), next()));
    }
    format!(
        "[topology]\nkind = \"explicit\"\nnodes = [{}]\nlinks = [{}]\n",
        nodes.join(", "),
        links.join(", ")
    )
}

/// Flows between hosts, or between the edges themselves, of which there are so many.
fn traffic((transport, source): (&str, &str), edges: Option<usize>, start: &str) -> String {
    let ends = match edges {
        None => "from = \"h*\"\nto = \"h*\"\npattern = \"permutation\"".to_owned(),
        Some(count) => {
            let list = |first: usize| {
                let names = (0..count).map(|at| format!("\"e{}\"", (at + first) % count));
                names.collect::<Vec<_>>().join(", ")
            };
            format!("from = [{}]\nto = [{}]", list(0), list(1))
        }
    };
    format!(
        "[[traffic]]\n{ends}\ntransport = {{ {transport} }}\nsource = {{ {source} }}\nstart = {start}\n"
    )
}

/// What surrounds the kinds of cores and of assembly.
#[derive(Debug)]
struct Around {
    /// The delays of fibres in µs, taken in turn.
    delays: Vec<u64>,
    /// Transports with their sources, and whether edges are the ends of datagrams.
    mix: Vec<((&'static str, &'static str), bool)>,
    /// File transfers between hosts, and what carries them.
    transfers: Option<((&'static str, &'static str), &'static str)>,
    start: &'static str,
    span: bool,
    series: bool,
    seed: u64,
    threads: usize,
}

prop_compose! {
    fn around()(
        delays in prop::collection::vec(select(&[3, 10, 250, 1000, 1731][..]), 3..9),
        mix in prop::collection::vec((select(&TRANSPORTS[..]), any::<bool>()), 1..4),
        transfers in prop::option::of((select(&TRANSFERS[..]), select(&CARRIERS[..]))),
        start in select(&["\"0 s\"", "{ kind = \"uniform\", from = \"0 s\", to = \"40 ms\" }"][..]),
        (span, series) in any::<(bool, bool)>(),
        seed in 0..1000u64,
        threads in 2..7usize,
    ) -> Around {
        Around { delays, mix, transfers, start, span, series, seed, threads }
    }
}

impl Around {
    /// Enters what is recorded and the traffic of a network with so many edges.
    fn enter(&self, text: &mut String, size: usize) {
        record(text, self.span, self.series);
        for &(transport, at_edges) in &self.mix {
            *text += &traffic(transport, size_if(at_edges, transport, size), self.start);
        }
        if let Some((source, transport)) = self.transfers {
            *text += &files(source, transport, self.start);
        }
    }
}

proptest! {
    #![proptest_config(few())]

    #[test]
    fn random_networks_of_bursts_have_the_same_results_on_any_number_of_threads(
        (size, channels, core) in (3..7usize, 1..4u32, select(&BURST_CORES[..])),
        assembly in select(&ASSEMBLIES[..]),
        waits in any::<(bool, bool)>(),
        around in around(),
    ) {
        let mut text = "[run]\nduration = \"150 ms\"\nwarmup = \"40 ms\"\n".to_owned();
        text += &topology(size, &around.delays, true, channels);
        text.extend(["[assembly]\n", assembly, "\noffset = \"200 us\"\nwhen-busy = "]);
        text.extend([word(waits.0), "\n[core]\nkind = \"burst\"\n", core]);
        text.extend(["\n[control]\nheader = \"64 B\"\nprocessing = \"2 us\"\nwhen-busy = "]);
        text.extend([word(waits.1), "\n"]);
        around.enter(&mut text, size);
        prop_assume!(is_divided(&text, around.threads));
        check(&text, around.seed, &[around.threads]);
    }

    #[test]
    fn random_networks_of_optical_packets_have_the_same_results_on_any_number_of_threads(
        (size, channels, core) in (3..7usize, 2..5u32, select(&PACKET_CORES[..])),
        assembly in select(&ASSEMBLIES[..]),
        (waits, cores) in any::<(bool, bool)>(),
        around in around(),
    ) {
        let mut text = "[run]\nduration = \"150 ms\"\nwarmup = \"40 ms\"\n".to_owned();
        text += &topology(size, &around.delays, cores, channels);
        text.extend(["[assembly]\n", assembly, "\nwhen-busy = ", word(waits)]);
        text.extend(["\n[core]\nkind = \"packet\"\n", core, "\n"]);
        around.enter(&mut text, size);
        prop_assume!(is_divided(&text, around.threads));
        check(&text, around.seed, &[around.threads]);
    }
}

/// Edges are the ends of datagrams alone.
fn size_if(at_edges: bool, transport: (&str, &str), size: usize) -> Option<usize> {
    (at_edges && transport.0.contains("udp")).then_some(size)
}

/// What a burst does that finds no channel, or a header.
fn word(waits: bool) -> &'static str {
    if waits { "\"wait\"" } else { "\"drop\"" }
}

/// Bytes of classes in spans of time, delays from the first transmission, and series.
fn record(text: &mut String, span: bool, series: bool) {
    if span || series {
        *text += "[record]\n";
    }
    if span {
        *text += "throughput-span = \"3 ms\"\nfirst-transmission = true\n";
    }
    if series {
        *text += "series = [\"cwnd\", \"queue\", \"channels\"]\ninterval = \"7 ms\"\n";
    }
}
