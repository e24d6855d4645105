//! A run on several threads has the results of one, bit for bit: random scenarios with all queues and transports, and
//! what has its own order in the code. `PROPTEST_CASES=2000` draws as many random ones.

mod optical;

use std::sync::Arc;

use proptest::prelude::*;
use proptest::sample::select;
use scenario::{Report, Run, Values};

use crate::common::{assert_same_tables, checked};

/// A run on so many threads, in slices of so many events; parts advance side by side in every other slice.
fn run(text: &str, threads: usize, seed: u64) -> Report {
    let checked = Arc::new(checked(text, &[]));
    let mut run = if threads == 1 {
        Run::new(checked, seed)
    } else {
        Run::divided(checked, seed, threads).expect("far links")
    };
    assert_eq!(run.world().threads() > 1, threads > 1, "{text}");
    let mut side_by_side = seed.is_multiple_of(2);
    run.advance_side_by_side(side_by_side);
    while run.advance(10_000).stop.is_none() {
        side_by_side = !side_by_side;
        run.advance_side_by_side(side_by_side);
    }
    run.finish()
}

/// Whether a network has far links that divide its traffic.
fn is_divided(text: &str, threads: usize) -> bool {
    let checked = Arc::new(checked(text, &[]));
    Run::divided(checked, 0, threads).is_some()
}

/// All tables, the digest and the number of events are the same on several threads.
fn check(text: &str, seed: u64, threads: &[usize]) {
    let one = run(text, 1, seed);
    for &threads in threads {
        let many = run(text, threads, seed);
        assert_same_tables(&one.tables, &many.tables, &format!("{threads}: {text}"));
        let same = ["digest", "events", "summary", "measures", "switches"];
        for key in same {
            assert_eq!(one.json.get(key), many.json.get(key), "{key}, {threads}: {text}");
        }
    }
}

/// Entries of traffic with permanent flows.
fn traffic(transport: &str, source: &str, more: &str) -> String {
    format!(
        "[[traffic]]\nfrom = \"h*\"\nto = \"h*\"\npattern = \"permutation\"\n\
         transport = {{ {transport} }}\nsource = {{ {source} }}\n{more}\n"
    )
}

const TOPOLOGIES: [&str; 6] = [
    "kind = \"ring\"\nrouters = 7\nhosts = 2",
    "kind = \"torus\"\ndimensions = [3, 3]\nhosts = 1",
    "kind = \"mesh\"\ndimensions = [2, 4]\nhosts = 2",
    "kind = \"full-mesh\"\nrouters = 5\nhosts = 2",
    "kind = \"leaf-spine\"\nleaves = 4\nspines = 2\nhosts = 3",
    "kind = \"fat-tree\"\nk = 4",
];

const QUEUES: [&str; 10] = [
    "kind = \"drop-tail\", packets = 12",
    "kind = \"drop-tail\", bytes = \"20 kB\"",
    "kind = \"ecn-threshold\", packets = 30, mark-above = 5",
    "kind = \"red\", packets = 40, min = 5, max = 20, max-probability = 0.1",
    "kind = \"codel\", packets = 50",
    "kind = \"fq-codel\", packets = 50",
    "kind = \"fair\", packets = 40",
    "kind = \"dualpi2\", packets = 50",
    "kind = \"trimming\", packets = 10",
    "kind = \"shaper\", packets = 30, rate = \"6 Mb/s\", burst = \"10 kB\"",
];

const TRANSPORTS: [(&str, &str); 8] = [
    ("kind = \"tcp\"", "kind = \"bulk\""),
    ("kind = \"tcp\", preset = \"cubic\"", "kind = \"bulk\", size = \"150 kB\""),
    ("kind = \"tcp\", preset = \"dctcp\"", "kind = \"bulk\""),
    ("kind = \"tcp\", preset = \"newreno\"", "kind = \"poisson-writes\", rate = \"1 Mb/s\""),
    ("kind = \"message\"", "kind = \"bulk\", size = \"100 kB\""),
    ("kind = \"stop-and-wait\"", "kind = \"bulk\""),
    ("kind = \"udp\"", "kind = \"poisson-packets\", rate = \"2 Mb/s\", packet = \"1000 B\""),
    ("kind = \"udp\"", "kind = \"cbr\", rate = \"3 Mb/s\", packet = \"1250 B\""),
];

/// Patterns and sources of file transfers: between any hosts, between those of a permutation, and those that are under way
/// from the start, between hosts that are idle then.
const TRANSFERS: [(&str, &str); 4] = [
    ("uniform", "per-second = 700, size = { kind = \"exponential\", mean = \"9 kB\" }"),
    ("uniform", "per-second = 200, size = \"20 kB\", under-way = 9, limit = 11"),
    ("permutation", "per-second = 60, size = \"7 kB\", under-way = 2"),
    (
        "random",
        "per-second = 0, size = { kind = \"exponential\", mean = \"60 kB\" }, under-way = 40",
    ),
];

/// What carries them.
const CARRIERS: [&str; 6] = [
    "kind = \"tcp\"",
    "kind = \"tcp\", preset = \"cubic\"",
    "kind = \"tcp\", preset = \"dctcp\"",
    "kind = \"message\"",
    "kind = \"message\", credits = true",
    "kind = \"stop-and-wait\"",
];

/// An entry of file transfers.
fn files((pattern, source): (&str, &str), transport: &str, start: &str) -> String {
    format!(
        "[[traffic]]\nfrom = \"h*\"\nto = \"h*\"\npattern = \"{pattern}\"\n\
         transport = {{ {transport} }}\nsource = {{ kind = \"transfers\", {source} }}\nstart = {start}\n"
    )
}

/// A few cases, unless the environment asks for more.
fn few() -> ProptestConfig {
    ProptestConfig { max_shrink_iters: 20, ..trials::cases(24) }
}

proptest! {
    #![proptest_config(few())]

    #[test]
    fn random_networks_have_the_same_results_on_any_number_of_threads(
        topology in select(&TOPOLOGIES[..]),
        queue in select(&QUEUES[..]),
        mix in prop::collection::vec(select(&TRANSPORTS[..]), 0..4),
        transfers in prop::collection::vec((select(&TRANSFERS[..]), select(&CARRIERS[..])), 0..3),
        delay in select(&["10 us", "137 us", "1 ms", "2999999 ns"][..]),
        spread in select(&["flow", "packet", "flowlet"][..]),
        start in select(&["\"0 s\"", "{ kind = \"uniform\", from = \"0 s\", to = \"40 ms\" }"][..]),
        series in any::<bool>(),
        seed in 0..1000u64,
        threads in 2..9usize,
    ) {
        let mut text = format!(
            "[run]\nduration = \"120 ms\"\nwarmup = \"30 ms\"\n[routing]\nspread = \"{spread}\"\n"
        );
        if spread == "flowlet" {
            text += "flowlet-gap = \"500 us\"\n";
        }
        text.extend(["[topology]\n", topology, "\n"]);
        let link = format!("{{ rate = \"10 Mb/s\", delay = \"{delay}\", queue = {{ {queue} }} }}");
        text.extend(["link = ", &link, "\n"]);
        if !topology.contains("fat-tree") {
            text += "access = { rate = \"100 Mb/s\", delay = \"10 us\" }\n";
        }
        if series {
            text += "[record]\nseries = [\"cwnd\", \"queue\", \"rtt\"]\ninterval = \"7 ms\"\nacknowledgments = true\nfirst-transmission = true\n";
        }
        prop_assume!(!mix.is_empty() || !transfers.is_empty());
        for (transport, source) in mix {
            text += &traffic(transport, source, &format!("start = {start}"));
        }
        for (source, transport) in transfers {
            text += &files(source, transport, start);
        }
        check(&text, seed, &[threads]);
    }
}

/// Rows of flows that have ended come in the same order, and their places are taken by others, on any number of threads.
#[test]
fn flows_that_end_are_removed_alike() {
    let text = "[run]\nduration = \"6 s\"\nwarmup = \"1 s\"\n[topology]\nkind = \"ring\"\nrouters = 5\nhosts = 2\n\
                link = { rate = \"10 Mb/s\", delay = \"1 ms\", queue = { kind = \"fq-codel\", packets = 50 } }\n\
                access = { rate = \"100 Mb/s\", delay = \"10 us\" }\n"
        .to_owned()
        + &files(TRANSFERS[0], CARRIERS[0], "\"0 s\"");
    let taken = |threads: usize| {
        let checked = Arc::new(checked(&text, &[]));
        let mut run = match threads {
            1 => Run::new(checked, 4),
            _ => Run::divided(checked, 4, threads).expect("far links"),
        };
        let mut taken = Vec::new();
        loop {
            let over = run.advance(30_000).stop.is_some();
            let rows = run.take_ended_flows();
            for at in 0..rows.columns[0].values.len() {
                let row = rows.columns.iter().map(|column| text_of(&column.values, at));
                taken.push(row.collect::<Vec<_>>().join(","));
            }
            assert!(run.world().flow_places() < 400, "{} places", run.world().flow_places());
            if over {
                return (taken, run.finish().json["digest"].clone());
            }
        }
    };
    let one = taken(1);
    assert!(one.0.len() > 3_000, "{}", one.0.len());
    for threads in [2, 3, 5] {
        assert_eq!(taken(threads), one);
    }
}

/// A value of a table.
fn text_of(values: &Values, at: usize) -> String {
    match values {
        Values::F64(values) => values[at].to_string(),
        Values::U64(values) => values[at].to_string(),
        Values::Text(values) => values[at].clone(),
    }
}

/// Flows of a list, some of which begin at one instant, with losses and in queues of flows.
#[test]
fn listed_flows_are_the_same() {
    let flow = |at: u64| {
        let (from, to, size) = (at % 7, (at * 3 + 1) % 7, 1 + at * 37 % 40);
        let to = if from == to { (to + 1) % 7 } else { to };
        format!(
            "{{ start = \"{} ms\", from = \"h{from}-0\", to = \"h{to}-0\", size = \"{size} kB\" }}",
            at / 6 * 5
        )
    };
    let flows: Vec<String> = (0..240).map(flow).collect();
    for (carrier, queue) in [(CARRIERS[0], QUEUES[5]), (CARRIERS[5], QUEUES[0])] {
        let text = format!(
            "[run]\nduration = \"400 ms\"\n[topology]\nkind = \"ring\"\nrouters = 7\nhosts = 1\n\
             link = {{ rate = \"20 Mb/s\", delay = \"500 us\", queue = {{ {queue} }} }}\n\
             access = {{ rate = \"100 Mb/s\", delay = \"10 us\" }}\n\
             [[traffic]]\nfrom = \"h*\"\nto = \"h*\"\ntransport = {{ {carrier} }}\n\
             source = {{ kind = \"flows\", flows = [{}] }}\n",
            flows.join(", ")
        );
        check(&text, 1, &[2, 4, 7]);
    }
}

/// Links that change or lose packets are in a part; sources stop; flows go both ways over the same links.
#[test]
fn changes_losses_and_sources_that_stop_are_the_same() {
    let node = |name: &str, kind: &str| format!("{{ name = \"{name}\", kind = \"{kind}\" }}");
    let hosts: Vec<String> = (0..6).map(|at| node(&format!("h{at}"), "host")).collect();
    let routers: Vec<String> = (0..6).map(|at| node(&format!("r{at}"), "router")).collect();
    let access = |at: usize| {
        format!("{{ from = \"h{at}\", to = \"r{at}\", rate = \"50 Mb/s\", delay = \"20 us\" }}")
    };
    let trunk = |at: usize| {
        let loss = ["", ", loss = { kind = \"bernoulli\", p = 0.01 }"][usize::from(at == 2)];
        let next = (at + 1) % 6;
        format!(
            "{{ from = \"r{at}\", to = \"r{next}\", rate = \"10 Mb/s\", delay = \"{} ms\", \
             queue = {{ kind = \"drop-tail\", packets = 9 }}{loss} }}",
            at + 1
        )
    };
    let links: Vec<String> = (0..6).map(access).chain((0..6).map(trunk)).collect();
    let mut text = format!(
        "[run]\nduration = \"2 s\"\nwarmup = \"300 ms\"\n[topology]\nkind = \"explicit\"\n\
         nodes = [{}, {}]\nlinks = [{}]\n",
        hosts.join(", "),
        routers.join(", "),
        links.join(", ")
    );
    let udp = "kind = \"udp\"";
    text += &traffic("kind = \"tcp\"", "kind = \"bulk\"", "count = 3");
    text +=
        &traffic(udp, "kind = \"cbr\", rate = \"4 Mb/s\", packet = \"1000 B\"", "stop = \"1 s\"");
    for (at, kind) in [("700 ms", "down"), ("900 ms", "up")] {
        let set =
            ["[[changes]]\nlink = \"r4 -> r5\"\nat = \"", at, "\"\nset.kind = \"", kind, "\"\n"];
        text.extend(set);
    }
    for seed in 0..4 {
        check(&text, seed, &[2, 3, 5, 16]);
    }
}

/// Switches that are no routers are in one part, with the links that lead to them; what surrounds them is in others.
#[test]
fn cores_between_electronic_networks_are_the_same() {
    let text = r#"
[run]
duration = "200 ms"
warmup = "50 ms"
[topology]
kind = "explicit"
nodes = [
  { name = "h1", kind = "host" }, { name = "h2", kind = "host" }, { name = "h3", kind = "host" },
  { name = "r1", kind = "router" }, { name = "r2", kind = "router" }, { name = "r3", kind = "router" },
  { name = "c1", kind = "core" }, { name = "c2", kind = "core" }, { name = "r0", kind = "router" },
]
links = [
  { from = "h1", to = "r1", rate = "1 Gb/s", delay = "5 us" },
  { from = "h2", to = "r2", rate = "1 Gb/s", delay = "5 us" },
  { from = "h3", to = "r3", rate = "1 Gb/s", delay = "5 us" },
  { from = "r3", to = "r1", rate = "100 Mb/s", delay = "700 us" },
  { from = "r1", to = "r0", rate = "100 Mb/s", delay = "300 us" },
  { from = "r0", to = "c1", rate = "100 Mb/s", delay = "400 us" },
  { from = "c1", to = "c2", rate = "100 Mb/s", delay = "1 ms" },
  { from = "c2", to = "r2", rate = "100 Mb/s", delay = "600 us" },
]
"#;
    let traffic = traffic("kind = \"tcp\"", "kind = \"bulk\"", "count = 4")
        + &traffic("kind = \"udp\"", "kind = \"cbr\", rate = \"8 Mb/s\", packet = \"700 B\"", "");
    for core in ["output-queued", "cioq", "ideal"] {
        let text = format!("{text}[core]\nkind = \"{core}\"\n{traffic}");
        for seed in 0..4 {
            check(&text, seed, &[2, 3, 4]);
        }
    }
}

/// A program that fails in one part ends all, and the first failure is the one of one thread.
#[test]
fn the_first_failure_of_a_program_is_the_same() {
    let source = "n = 0\\ndef on_ack(acked):\\n    n += 1\\n    if n == 100:\\n        window.cwnd = 0 / 0\\n";
    let transport = "kind = \"tcp\", congestion = { kind = \"program\", source = \"".to_owned()
        + source
        + "\" }";
    let text = "[run]\nduration = \"2 s\"\n[topology]\nkind = \"ring\"\nrouters = 5\nhosts = 2\n\
                link = { rate = \"10 Mb/s\", delay = \"2 ms\" }\n\
                access = { rate = \"100 Mb/s\", delay = \"10 us\" }\n"
        .to_owned()
        + &traffic(
            &transport,
            "kind = \"bulk\"",
            "start = { kind = \"uniform\", to = \"90 ms\", from = \"0 s\" }",
        );
    let checked = Arc::new(checked(&text, &[]));
    let failure = |mut run: Run| {
        while run.advance(1000).stop.is_none() {}
        run.failure().expect("a failure")
    };
    let one = failure(Run::new(Arc::clone(&checked), 1));
    assert!(one.contains("line 5"), "{one}");
    for threads in [2, 3, 5] {
        let run = Run::divided(Arc::clone(&checked), 1, threads).expect("far links");
        assert_eq!(failure(run), one);
    }
}
