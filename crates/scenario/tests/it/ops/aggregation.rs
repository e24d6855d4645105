//! Aggregation in the whole network: where it holds one packet it is none.

use scenario::Report;

use super::switching;
use crate::common::{run, values};

/// The paper's network with five pairs of hosts, overloaded, and deflection; these lines of
/// `[assembly]`.
fn pairs(assembly: &str, traffic: &str) -> String {
    let mut nodes = vec![
        "{ name = \"r0\", kind = \"edge\" }".to_owned(),
        "{ name = \"r1\", kind = \"edge\" }".to_owned(),
    ];
    let mut links = vec![
        "{ from = \"r0\", to = \"r1\", rate = \"622 Mb/s\", delay = \"10 ms\", channels = 1 }"
            .to_owned(),
    ];
    for pair in 1..=5 {
        for (host, edge) in [("s", "r0"), ("d", "r1")] {
            nodes.push(format!("{{ name = \"{host}{pair}\", kind = \"host\" }}"));
            links.push(format!(
                "{{ from = \"{host}{pair}\", to = \"{edge}\", rate = \"155 Mb/s\", \
                 delay = \"{} ms\" }}",
                2 * pair
            ));
        }
    }
    let core = "remedies = [\"deflect\"]\ndeflection = { kind = \"abstract\", mean = \"5 ms\", \
                deviation = \"4 ms\", congestion = 0.2 }";
    format!(
        "[topology]\nkind = \"explicit\"\nnodes = [{}]\nlinks = [{}]\n",
        nodes.join(", "),
        links.join(",\n")
    ) + &switching("400 ms", core).replace("policy = \"none\"", assembly)
        + traffic
}

const UDP: &str = "[[traffic]]\nfrom = \"s*\"\nto = \"d*\"\ncount = 4\n\
    transport = { kind = \"udp\", header = \"0 B\" }\n\
    source = { kind = \"poisson-packets\", rate = \"36 Mb/s\", packet = \"1500 B\" }\n";

const TCP: &str = "[[traffic]]\nfrom = \"s*\"\nto = \"d*\"\ncount = 4\n\
    transport = { kind = \"tcp\", preset = \"reno\" }\nsource = { kind = \"bulk\" }\n";

/// The columns of a report that tell what became of each packet, as texts: floats bit for bit.
fn outcome(report: &Report) -> Vec<String> {
    let columns = [
        "packets-sent",
        "packets-delivered",
        "packets-lost",
        "acks-sent",
        "acks-lost",
        "reordered",
        "delivered",
        "delay-mean",
        "delay-std",
    ];
    let flows =
        columns.iter().map(|column| format!("{column} {:?}", values(report, "flows", column)));
    let classes = ["bursts", "delivered", "lost-deflected", "deflected", "bytes-delivered"];
    let classes =
        classes.iter().map(|column| format!("{column} {:?}", values(report, "fecs", column)));
    flows.chain(classes).collect()
}

/// A limit of one packet or less, that packet included: each is an optical packet at once, whatever
/// the policy and the timer. The acknowledgments of TCP have 40 B.
#[test]
fn a_limit_of_one_packet_is_no_aggregation() {
    for (traffic, limits) in [(UDP, &["1500 B", "700 B", "1 B"][..]), (TCP, &["40 B", "1 B"][..])] {
        let none = run(&pairs("policy = \"none\"", traffic), 1);
        assert!(values(&none, "fecs", "lost-deflected")[0] > 50.0);
        assert!((values(&none, "fecs", "packets-mean")[0] - 1.0).abs() < 1e-12);
        for policy in ["mixed-flow", "per-flow"] {
            for timer in ["first-packet", "interval"] {
                for limit in limits {
                    let assembly = format!(
                        "policy = \"{policy}\"\ntimeout = \"1 ms\"\ntimer = \"{timer}\"\n\
                         max-size = \"{limit}\"\noverflow = \"this-burst\""
                    );
                    let report = run(&pairs(&assembly, traffic), 1);
                    assert_eq!(outcome(&report), outcome(&none), "{policy}, {timer}, {limit}");
                }
            }
        }
        // A limit of two packets is another thing.
        let two = "policy = \"mixed-flow\"\ntimeout = \"1 ms\"\n\
                   max-size = \"3000 B\"\noverflow = \"this-burst\"";
        assert_ne!(outcome(&run(&pairs(two, traffic), 1)), outcome(&none));
    }
}

/// Without a limit the throughput tends to that of no aggregation as the interval shrinks. Packets
/// of a link of 155 Mb/s are 77 µs apart at least: with intervals well below that a queue of a flow
/// never holds two of them, and one of all flows hardly ever.
#[test]
fn without_a_limit_a_short_interval_is_no_aggregation() {
    let goodput = |assembly: &str| {
        let goodputs: Vec<f64> = (1..=2)
            .map(|seed| values(&run(&pairs(assembly, UDP), seed), "traffic", "goodput")[0])
            .collect();
        goodputs.iter().sum::<f64>() / 2.0
    };
    let none = goodput("policy = \"none\"");
    for policy in ["mixed-flow", "per-flow"] {
        for timer in ["first-packet", "interval"] {
            let off = |timeout: &str| {
                let assembly =
                    format!("policy = \"{policy}\"\ntimeout = \"{timeout}\"\ntimer = \"{timer}\"");
                (goodput(&assembly) / none - 1.0).abs()
            };
            let (long, short, shortest) = (off("1 ms"), off("1 us"), off("10 ns"));
            let what = format!("{policy}, {timer}: {long}, {short}, {shortest}");
            assert!(shortest < 0.001 && short < 0.02, "{what}");
            assert!(policy == "per-flow" || long > 2.0 * short, "{what}");
        }
    }
}
