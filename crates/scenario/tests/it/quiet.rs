//! Links that the agenda knows nothing of, and events that stand for two, change nothing that can be seen.
//!
//! A run in which links change has neither: a change that changes nothing, of a link that nothing uses,
//! turns them off.

use scenario::{Report, TraceRequest, Traced};

use crate::common::{assert_same_tables, checked, run, sum, values};

/// Two routers in a row with two hosts each, a source before them and a host that nothing uses.
fn row([between, last]: [&str; 2], queue: &str, traffic: &str) -> String {
    let host = |name: &str| format!("{{ name = \"{name}\", kind = \"host\" }}");
    let router = |name: &str| format!("{{ name = \"{name}\", kind = \"router\" }}");
    let nodes = ["a", "b", "s0", "s1", "t0", "t1", "x"].map(host).join(", ");
    let routers = ["r0", "r1", "r2"].map(router).join(", ");
    let link = |from: &str, to: &str, more: &str| {
        format!(
            "{{ from = \"{from}\", to = \"{to}\", rate = \"100 Mb/s\", delay = \"3 us\", \
             queue = {{ kind = \"drop-tail\", {queue} }}{more} }}"
        )
    };
    let links = [
        link("a", "r0", ""),
        link("b", "r0", ""),
        link("x", "r0", ""),
        link("r0", "r1", between),
        link("r1", "r2", between),
        link("r1", "s0", ""),
        link("r1", "s1", ""),
        link("r2", "t0", last),
        link("r2", "t1", ""),
    ]
    .join(", ");
    format!(
        "[run]\nduration = \"20 ms\"\nwarmup = \"5 ms\"\n[topology]\nkind = \"explicit\"\n\
         nodes = [{nodes}, {routers}]\nlinks = [{links}]\n{traffic}"
    )
}

fn datagrams(from: &str, to: &str, source: &str) -> String {
    format!(
        "[[traffic]]\nfrom = \"{from}\"\nto = \"{to}\"\ntransport = {{ kind = \"udp\", header = \"0 B\" }}\n\
         source = {{ {source} }}\n"
    )
}

const CHANGE: &str = "[[changes]]\nat = \"19999 us\"\nlink = \"x -> r0\"\n\
                      set = { kind = \"rate\", rate = \"100 Mb/s\" }\n";

/// All tables of both, and the run with what is quiet.
fn check(text: &str) -> Report {
    let (quiet, loud) = (run(text, 3), run(&(text.to_owned() + CHANGE), 3));
    assert_same_tables(&quiet.tables, &loud.tables, text);
    // The change is one.
    let [quietly, loudly] = [&quiet, &loud].map(|report| report.json["events"].as_u64().unwrap());
    assert_eq!(quietly + 1, loudly, "events of {text}");
    quiet
}

const POISSON: &str = "kind = \"poisson-packets\", rate = \"45 Mb/s\", packet = \"700 B\"";
/// Back to back at the rate of the link, and apart.
const CBR: &str = "kind = \"cbr\", rate = \"100 Mb/s\", packet = \"500 B\"";
const SLOW: &str = "kind = \"cbr\", rate = \"30 Mb/s\", packet = \"500 B\"";

#[test]
fn who_goes_on_from_a_router_is_not_held_there() {
    for between in ["", ", one-way = true"] {
        for last in ["", ", loss = { kind = \"bernoulli\", p = 0.1 }"] {
            for to in ["t0", "s1"] {
                let traffic = datagrams("a", "s0", POISSON) + &datagrams("b", to, POISSON);
                let report = check(&row([between, last], "packets = 50", &traffic));
                assert!(report.json["events"].as_u64().unwrap() > 1_000);
            }
        }
    }
}

#[test]
fn hosts_of_a_quiet_router_may_send() {
    let local = datagrams("t1", "t0", POISSON);
    let back = datagrams("t1", "s0", SLOW);
    for more in [&local, &back, &(local.clone() + &back)] {
        check(&row(["", ""], "bytes = \"20 kB\"", &(datagrams("a", "t0", SLOW) + more)));
    }
}

#[test]
fn a_source_shares_its_link_with_others_of_its_host() {
    for (one, other) in [(CBR, CBR), (CBR, SLOW), (POISSON, CBR)] {
        let traffic = datagrams("a", "t0", one) + &datagrams("a", "s0", other);
        let report = check(&row(["", ""], "packets = 9", &traffic));
        let dropped = sum(&report, "links", "dropped-queue");
        assert!(dropped > 0.0, "more comes than the link carries");
    }
}

#[test]
fn a_transfer_at_a_quiet_router_is_heard() {
    let tcp = "[[traffic]]\nfrom = \"b\"\nto = \"t1\"\ntransport = { kind = \"tcp\" }\n\
               source = { kind = \"bulk\" }\n";
    let report = check(&row(["", ""], "packets = 20", &(datagrams("a", "t0", SLOW) + tcp)));
    assert!(values(&report, "traffic", "goodput")[1] > 0.0);
}

/// All tables of a trace with so many rows at most.
fn traced(text: &str, limit: u64) -> Traced {
    let checked = checked(text, &[]);
    let (from, to, flows, nodes) = (None, None, Vec::new(), Vec::new());
    let request = TraceRequest { from, to, flows, nodes, limit, counters: false };
    let mut tracing = checked.start_trace(3, &request).unwrap();
    while tracing.advance(1_000_000).0.stop.is_none() {}
    tracing.finish().unwrap()
}

#[test]
fn a_trace_has_the_rows_that_it_has_room_for() {
    let traffic = datagrams("a", "t0", POISSON) + &datagrams("b", "t1", SLOW);
    let text = row(["", ""], "packets = 20", &traffic);
    for limit in [10, 300, 100_000] {
        let (quiet, loud) = (traced(&text, limit), traced(&(text.clone() + CHANGE), limit));
        assert_eq!(quiet.cut, loud.cut);
        assert_eq!(quiet.cut.is_some(), limit < 100_000);
        assert_same_tables(&quiet.tables, &loud.tables, &format!("{limit} rows"));
    }
}
