//! Traffic over regular shapes: what closed forms say of their links.

use scenario::{Report, Values, load};

fn run(text: &str) -> Report {
    let checked = load("regular.toml", text, &[]);
    checked.unwrap_or_else(|mistakes| panic!("{mistakes:#?}")).run(1)
}

fn numbers(report: &Report, table: &str, column: &str) -> Vec<f64> {
    let table = report.tables.iter().find(|candidate| candidate.name == table).unwrap();
    match &table.columns.iter().find(|c| c.name == column).unwrap().values {
        Values::F64(values) => values.clone(),
        Values::U64(values) => values.iter().map(|&n| n as f64).collect(),
        Values::Text(_) => panic!("a text"),
    }
}

/// A column of the links, with their names.
fn links(report: &Report, column: &str) -> Vec<(String, f64)> {
    let table = report.tables.iter().find(|candidate| candidate.name == "links").unwrap();
    let Values::Text(names) = &table.columns.iter().find(|c| c.name == "link").unwrap().values
    else {
        panic!("no names")
    };
    names.iter().cloned().zip(numbers(report, "links", column)).collect()
}

fn of(list: &[(String, f64)], name: &str) -> f64 {
    list.iter().find(|(link, _)| link == name).unwrap_or_else(|| panic!("no link {name}")).1
}

const LOT: &str = r#"
    [run]
    duration = "41 s"
    warmup = "1 s"
    [topology]
    kind = "parking-lot"
    bottlenecks = 3
    link = { rate = "10 Mb/s", delay = "5 ms", queue = { kind = "drop-tail", packets = 25 } }
    access = { rate = "100 Mb/s", delay = "1 ms" }
"#;

/// 3 Mb/s over all links and 4 Mb/s over each of them: 7 of 10 Mb/s, without a loss.
#[test]
fn constant_rates_add_up_in_a_parking_lot() {
    let cbr = |from: &str, to: &str, rate: u32| {
        format!(
            r#"
            [[traffic]]
            from = "{from}"
            to = "{to}"
            transport = {{ kind = "udp", header = "0 B" }}
            source = {{ kind = "cbr", rate = "{rate} Mb/s", packet = "1250 B" }}
            "#
        )
    };
    let report = run(&format!("{LOT}{}{}", cbr("a", "b", 3), cbr("source-*", "sink-*", 4)));
    let used = links(&report, "utilization");
    for at in 0..3 {
        let found = of(&used, &format!("r{at} -> r{}", at + 1));
        // A packet more or less in 40 s.
        assert!((found - 0.7).abs() < 1e-4, "{found}");
        assert!(of(&used, &format!("r{} -> r{at}", at + 1)).abs() < 1e-12);
    }
    assert!(numbers(&report, "links", "dropped-queue").iter().all(|drops| *drops < 0.5));
    let goodput = numbers(&report, "traffic", "goodput");
    assert!((goodput[0] / 3e6 - 1.0).abs() < 1e-3, "{goodput:?}");
    assert!((goodput[1] / 12e6 - 1.0).abs() < 1e-3, "{goodput:?}");
}

/// The max-min fair share of the long flow is half a bottleneck. TCP gives it less, since it loses
/// on every link and has the longer round trip; no flow starves.
#[test]
fn tcp_gives_the_long_flow_less_than_its_max_min_share() {
    let bulk = |from: &str, to: &str| {
        format!(
            r#"
            [[traffic]]
            from = "{from}"
            to = "{to}"
            transport = {{ kind = "tcp", preset = "sack" }}
            source = {{ kind = "bulk" }}
            "#
        )
    };
    let report = run(&format!("{LOT}{}{}", bulk("a", "b"), bulk("source-*", "sink-*")));
    let goodput = numbers(&report, "flows", "goodput");
    let (long, cross) = (goodput[0], &goodput[1..]);
    assert_eq!(cross.len(), 3);
    assert!(long > 0.2e6 && long < 5e6, "{goodput:?}");
    let used = links(&report, "utilization");
    for (at, cross) in cross.iter().enumerate() {
        assert!(*cross > 5e6 && long + cross < 10e6, "{goodput:?}");
        assert!(of(&used, &format!("r{at} -> r{}", at + 1)) > 0.9, "{used:?}");
    }
}

/// Packets between two leaves are spread over the spines, each with the same probability.
#[test]
fn a_leaf_has_as_many_equal_paths_as_spines() {
    let report = run(r#"
        [run]
        duration = "1 s"
        [topology]
        kind = "leaf-spine"
        leaves = 3
        spines = 4
        hosts = 2
        link = { rate = "40 Mb/s", delay = "10 us" }
        access = { rate = "100 Mb/s", delay = "10 us" }
        [routing]
        spread = "packet"
        [[traffic]]
        from = "h0-*"
        to = "h2-*"
        transport = { kind = "udp", header = "0 B" }
        source = { kind = "poisson-packets", rate = "40 Mb/s", packet = "500 B" }
        "#);
    let sent = links(&report, "packets-out");
    let up: Vec<f64> = (0..4).map(|at| of(&sent, &format!("leaf-0 -> spine-{at}"))).collect();
    let all: f64 = up.iter().sum();
    assert!(all > 15_000.0, "{all}");
    for (at, &found) in up.iter().enumerate() {
        assert!((found - all / 4.0).abs() < 4.0 * f64::sqrt(all * 3.0 / 16.0), "{up:?}");
        let down = of(&sent, &format!("spine-{at} -> leaf-2"));
        assert!((found - down).abs() < 20.0, "{found}, {down}");
        assert!(of(&sent, &format!("spine-{at} -> leaf-1")).abs() < 0.5);
    }
}

#[test]
fn shapes_that_are_too_large_are_refused() {
    let network = |shape: &str| {
        format!(
            r#"
            [run]
            duration = "1 s"
            [topology]
            {shape}
            link = {{ rate = "1 Gb/s", delay = "1 us" }}
            access = {{ rate = "1 Gb/s", delay = "1 us" }}
            [[traffic]]
            from = "h0*"
            to = "h1*"
            transport = {{ kind = "udp" }}
            source = {{ kind = "cbr", rate = "1 Mb/s", packet = "500 B" }}
            "#
        )
    };
    for (shape, error) in [
        (
            "kind = \"torus\"\ndimensions = [60, 60]\nhosts = 1",
            "too many routers; found 3600; accepted at most 3000",
        ),
        ("kind = \"ring\"\nrouters = 2000\nhosts = 1000", "too many nodes"),
        ("kind = \"leaf-spine\"\nleaves = 2000\nspines = 900\nhosts = 1", "too many links"),
        (
            "kind = \"leaf-spine\"\nleaves = 300\nspines = 300\nhosts = 1",
            "too many routers and links",
        ),
    ] {
        let found = load("big.toml", &network(shape), &[]).unwrap_err();
        assert!(found[0].to_string().contains(error), "{}", found[0]);
    }
}
