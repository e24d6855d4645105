//! Aggregation in a whole network: what equals no aggregation, and when bursts leave.

use scenario::Report;

use crate::common::{assert_same_tables, checked, counts, texts, values};

/// Four pairs of hosts with TCP, and two with Poisson packets, over one channel of 50 Mb/s.
fn report(assembly: &str) -> Report {
    let ends = |name: &str| {
        let node = |at: u32| format!("{{ name = \"{name}{at}\", kind = \"host\" }}");
        (1..=4).map(node).collect::<Vec<_>>().join(", ")
    };
    let access = |edge: &str, name: &str| {
        let link = |at: u32| {
            let delay = 2 * at;
            format!(
                "{{ from = \"{name}{at}\", to = \"{edge}\", rate = \"20 Mb/s\", delay = \"{delay} ms\" }}"
            )
        };
        (1..=4).map(link).collect::<Vec<_>>().join(", ")
    };
    let text = format!(
        "profile = \"ns2-2003\"\n[run]\nduration = \"3 s\"\n[topology]\nkind = \"explicit\"\n\
         nodes = [{}, {}, {{ name = \"E0\", kind = \"edge\" }}, {{ name = \"E1\", kind = \"edge\" }}]\n\
         links = [{}, {}, {{ from = \"E0\", to = \"E1\", rate = \"50 Mb/s\", delay = \"10 ms\", \
         channels = 1 }}]\n[assembly]\nwhen-busy = \"drop\"\n{assembly}\n\
         [core]\nkind = \"burst\"\n[record]\nbursts = 100000\n\
         [[traffic]]\nfrom = [\"s1\", \"s2\", \"s3\", \"s4\"]\nto = [\"d1\", \"d2\", \"d3\", \"d4\"]\n\
         pattern = \"pairs\"\ntransport = {{ kind = \"tcp\" }}\nsource = {{ kind = \"bulk\" }}\n\
         [[traffic]]\nfrom = [\"s1\", \"s2\"]\nto = [\"d3\", \"d4\"]\npattern = \"pairs\"\n\
         transport = {{ kind = \"udp\" }}\nsource = {{ kind = \"poisson-packets\", rate = \"2 Mb/s\", \
         packet = \"1500 B\" }}\n",
        ends("s"),
        ends("d"),
        access("E0", "s"),
        access("E1", "d"),
    );
    let written = checked(&text, &[]);
    // What is printed is read back: defaults without use are in it.
    let printed = toml::to_string(&written.scenario).unwrap();
    assert_eq!(checked(&printed, &[]).scenario, written.scenario);
    written.run(7)
}

/// Acknowledgments have 40 B, the smallest packets here.
#[test]
fn a_limit_of_a_packet_is_no_aggregation() {
    let none = report("policy = \"none\"");
    let bursts = counts(&none, "fecs", "bursts");
    assert!(bursts.iter().all(|&bursts| bursts > 300), "{bursts:?}");
    assert_eq!(bursts, counts(&none, "fecs", "by-size"));
    assert!(counts(&none, "bursts", "packets").iter().all(|&packets| packets == 1));
    for policy in ["mixed-flow", "per-flow"] {
        for timer in ["first-packet", "interval"] {
            let other = report(&format!(
                "policy = \"{policy}\"\ntimer = \"{timer}\"\ntimeout = \"1 ms\"\n\
                 max-size = \"40 B\"\noverflow = \"this-burst\""
            ));
            assert_same_tables(&other.tables, &none.tables, &format!("{policy} {timer}"));
        }
    }
}

/// When the bursts of one class left, in milliseconds modulo the timeout: each phase once.
fn phases(report: &Report, milliseconds: f64) -> Vec<f64> {
    let ingress = texts(report, "bursts", "ingress");
    let released = values(report, "bursts", "released").into_iter().zip(ingress);
    let phase = |released: f64| (released * 1e3).rem_euclid(milliseconds);
    let mut phases: Vec<f64> = released
        .filter(|(_, ingress)| *ingress == "E0")
        .map(|(released, _)| phase(released))
        .collect();
    phases.sort_by(f64::total_cmp);
    phases.dedup_by(|a, b| (*a - *b).abs() < 1e-6);
    phases
}

/// Of the six flows from E0, each has its own phase, and all together have one.
#[test]
fn timers_that_run_on_keep_their_phase() {
    let with = |policy: &str, timer: &str| {
        let text = format!("policy = \"{policy}\"\ntimer = \"{timer}\"\ntimeout = \"5 ms\"");
        let report = report(&text);
        assert!(counts(&report, "fecs", "by-timer").iter().all(|&bursts| bursts > 100));
        phases(&report, 5.0).len()
    };
    assert_eq!(with("mixed-flow", "interval"), 1);
    assert_eq!(with("per-flow", "interval"), 6);
    assert!(with("mixed-flow", "first-packet") > 100);
    assert!(with("per-flow", "first-packet") > 100);
}
