//! Surpluses: their expectation is 0, and they are what their words say.

use scenario::Report;
use serde_json::Value as Json;

use crate::common::{checked, finished, run, values};

/// Two hosts with a link of 10 Mb/s, and what is put in.
fn pair(run: &str, link: &str, traffic: &str) -> String {
    format!(
        "[run]\n{run}\n[topology]\nkind = \"explicit\"\n\
         nodes = [{{ name = \"A\", kind = \"host\" }}, {{ name = \"B\", kind = \"host\" }}]\n\
         links = [{{ from = \"A\", to = \"B\", rate = \"10 Mb/s\", delay = \"1 ms\"{link} }}]\n\
         [[traffic]]\nfrom = \"A\"\nto = \"B\"\n{traffic}\n"
    )
}

const UDP: &str = "transport = { kind = \"udp\", header = \"0 B\" }\n";
const POISSON: &str =
    "source = { kind = \"poisson-packets\", rate = \"5 Mb/s\", packet = \"500 B\" }";

fn offered(report: &Report) -> f64 {
    values(report, "traffic", "offered-surplus")[0]
}

/// The mean over 200 seeds lies within 4.5 standard errors of 0, and not all are equal.
fn has_mean_0(text: &str, of: impl Fn(&Report) -> f64) {
    let checked = checked(text, &[]);
    let found: Vec<f64> = (1..=200).map(|seed| of(&finished(&checked, seed))).collect();
    let n = found.len() as f64;
    let mean = found.iter().sum::<f64>() / n;
    let variance = found.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
    assert!(variance > 0.0, "all are {mean}: {text}");
    assert!(mean.abs() < 4.5 * (variance / n).sqrt(), "{mean} of ± {}: {text}", variance.sqrt());
}

#[test]
fn of_packets_it_is_those_sent_less_those_expected() {
    let text = pair("duration = \"3 s\"\nwarmup = \"1 s\"", "", &format!("{UDP}{POISSON}"));
    let report = run(&text, 1);
    let sent = values(&report, "traffic", "packets-sent")[0];
    // 5 Mb/s for 2 s.
    assert!((offered(&report) - (sent * 500.0 - 1.25e6)).abs() < 1e-6);
}

/// Each flow of a matrix offers a whole number of bits per second.
#[test]
fn of_a_matrix_it_is_what_the_weights_make_of_the_rate() {
    let demands = "{ from = \"A\", to = \"B\", demand = 0.0001234 }, { from = \"B\", to = \"A\", demand = 0.1 }";
    let traffic = format!("matrix = {{ demands = [{demands}] }}\n{UDP}{POISSON}");
    let text = pair("duration = \"2 s\"", "", &traffic)
        .replace("from = \"A\"\nto = \"B\"\n", "from = [\"A\", \"B\"]\nto = [\"A\", \"B\"]\n");
    let report = run(&text, 1);
    let sent: f64 = values(&report, "traffic", "packets-sent").iter().sum();
    // 617 b/s and 0.5 Mb/s for 2 s.
    assert!((offered(&report) - (sent * 500.0 - 2.0 * 500_617.0 / 8.0)).abs() < 1e-6);
}

#[test]
fn data_of_every_random_source_have_mean_0() {
    let tcp = "transport = { kind = \"tcp\", preset = \"newreno\" }\n";
    let after_warm_up = "duration = \"1500 ms\"\nwarmup = \"500 ms\"";
    let on_off = "source = { kind = \"on-off\", rate = \"4 Mb/s\", peak = \"10 Mb/s\", components = 3, \
                  on = { kind = \"exponential\", mean = \"20 kB\" }, packet = \"1000 B\" }";
    let transfers = "source = { kind = \"transfers\", per-second = 20, \
                     size = { kind = \"exponential\", mean = \"20 kB\" } }";
    let limited = transfers.replace("per-second = 20", "per-second = 20, limit = 15");
    let writes = "source = { kind = \"poisson-writes\", rate = \"3 Mb/s\" }";
    let starts = "start = { kind = \"uniform\", from = \"0 s\", to = \"400 ms\" }\ncount = 3\n";
    for (run, traffic) in [
        (after_warm_up, format!("{UDP}{POISSON}")),
        ("duration = \"1 s\"", format!("{UDP}start = \"300 ms\"\nstop = \"700 ms\"\n{POISSON}")),
        (after_warm_up, format!("{UDP}{starts}{POISSON}")),
        (after_warm_up, format!("{UDP}{on_off}")),
        (after_warm_up, format!("{tcp}{writes}")),
        (after_warm_up, format!("{tcp}{transfers}")),
        ("duration = \"1 s\"", format!("{tcp}{limited}")),
        // It ends when the first of the files has come: an instant that depends on its course.
        (
            "duration = \"3 s\"\nuntil = \"first-file\"",
            format!(
                "{tcp}{writes}\n[[traffic]]\nfrom = \"A\"\nto = \"B\"\n{tcp}\
                 source = {{ kind = \"bulk\", size = \"300 kB\" }}"
            ),
        ),
    ] {
        has_mean_0(&pair(run, "", &traffic), offered);
    }
}

#[test]
fn where_the_mean_is_not_known_there_is_none() {
    let cbr = POISSON.replace("poisson-packets", "cbr");
    let late = "start = { kind = \"uniform\", from = \"0 s\", to = \"1 s\" }\n";
    let on_off = "source = { kind = \"on-off\", rate = \"4 Mb/s\", peak = \"10 Mb/s\", components = 3, \
                  on = { kind = \"exponential\", mean = \"20 kB\" }, packet = \"1000 B\" }\n\
                  [[traffic]]\nfrom = \"A\"\nto = \"B\"\ntransport = { kind = \"tcp\", preset = \"newreno\" }\n\
                  source = { kind = \"bulk\", size = \"10 kB\" }";
    for (end, traffic) in [
        ("", format!("{UDP}{cbr}")),
        ("", format!("{UDP}{late}{POISSON}")),
        ("\nuntil = \"first-file\"", format!("{UDP}{on_off}")),
    ] {
        let report = run(&pair(&format!("duration = \"2 s\"{end}"), "", &traffic), 1);
        assert!(offered(&report).is_nan(), "{traffic}");
    }
}

#[test]
fn losses_on_wires_have_mean_0() {
    let loss = ", loss = { kind = \"bernoulli\", p = 0.02 }";
    let tcp = "transport = { kind = \"tcp\", preset = \"newreno\" }\nsource = { kind = \"bulk\" }";
    let of = |report: &Report| report.json["links"]["lost-wire-surplus"].as_f64().unwrap();
    has_mean_0(&pair("duration = \"1500 ms\"\nwarmup = \"200 ms\"", loss, tcp), of);
    let without = run(&pair("duration = \"1 s\"", "", tcp), 1);
    assert_eq!(without.json["links"], Json::Null);
}

/// The same over an optical network: hosts, edges and a core between.
fn optical(assembly: &str, core: &str) -> String {
    let access = "rate = \"100 Mb/s\", delay = \"0 s\"";
    let fibre = "rate = \"100 Mb/s\", delay = \"1 ms\", channels = 1";
    format!(
        "[run]\nduration = \"600 ms\"\nwarmup = \"100 ms\"\n[topology]\nkind = \"explicit\"\n\
         nodes = [{{ name = \"A\", kind = \"host\" }}, {{ name = \"C\", kind = \"host\" }}, \
         {{ name = \"E\", kind = \"edge\" }}, {{ name = \"G\", kind = \"edge\" }}, \
         {{ name = \"X\", kind = \"core\" }}, {{ name = \"F\", kind = \"edge\" }}, \
         {{ name = \"B\", kind = \"host\" }}]\n\
         links = [{{ from = \"A\", to = \"E\", {access} }}, {{ from = \"C\", to = \"G\", {access} }}, \
         {{ from = \"E\", to = \"X\", {fibre} }}, {{ from = \"G\", to = \"X\", {fibre} }}, \
         {{ from = \"X\", to = \"F\", {fibre} }}, {{ from = \"F\", to = \"B\", {access} }}]\n\
         [assembly]\n{assembly}\n[core]\n{core}\n\
         [[traffic]]\nfrom = [\"A\", \"C\"]\nto = [\"B\", \"B\"]\ncount = 2\n\
         transport = {{ kind = \"tcp\", preset = \"newreno\" }}\nsource = {{ kind = \"bulk\" }}\n"
    )
}

#[test]
fn losses_of_bursts_have_mean_0() {
    let of =
        |name: &'static str| move |report: &Report| report.json["bursts"][name].as_f64().unwrap();
    let burst =
        optical("policy = \"mixed-flow\"\ntimeout = \"1 ms\"\nloss = 0.05", "kind = \"burst\"");
    has_mean_0(&burst, of("lost-random-surplus"));
    let beside = "kind = \"packet\"\nremedies = [\"deflect\"]\n\
                  deflection = { kind = \"abstract\", mean = \"1 ms\", deviation = \"0.3 ms\", \
                  hold = { from = \"50 ms\", to = \"100 ms\" }, congestion = 0.3 }";
    let packet =
        optical("policy = \"mixed-flow\"\ntimeout = \"1 ms\"\nmax-size = \"10 kB\"", beside);
    has_mean_0(&packet, of("lost-deflected-surplus"));
}
