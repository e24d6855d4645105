//! Traffic over regular shapes: what closed forms say of their links.

use scenario::load;

use crate::common::{links, run, values};

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
    let report = run(&format!("{LOT}{}{}", cbr("a", "b", 3), cbr("source-*", "sink-*", 4)), 1);
    let used = |name: &str| links(&report, name, "utilization")[0];
    for at in 0..3 {
        let found = used(&format!("r{at} -> r{}", at + 1));
        // A packet more or less in 40 s.
        assert!((found - 0.7).abs() < 1e-4, "{found}");
        assert!(used(&format!("r{} -> r{at}", at + 1)).abs() < 1e-12);
    }
    assert!(values(&report, "links", "dropped-queue").iter().all(|drops| *drops < 0.5));
    let goodput = values(&report, "traffic", "goodput");
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
    let report = run(&format!("{LOT}{}{}", bulk("a", "b"), bulk("source-*", "sink-*")), 1);
    let goodput = values(&report, "flows", "goodput");
    let (long, cross) = (goodput[0], &goodput[1..]);
    assert_eq!(cross.len(), 3);
    assert!(long > 0.2e6 && long < 5e6, "{goodput:?}");
    let used = |name: &str| links(&report, name, "utilization")[0];
    for (at, cross) in cross.iter().enumerate() {
        assert!(*cross > 5e6 && long + cross < 10e6, "{goodput:?}");
        assert!(used(&format!("r{at} -> r{}", at + 1)) > 0.9, "r{at}");
    }
}

/// Packets between two leaves are spread over the spines, each with the same probability.
#[test]
fn a_leaf_has_as_many_equal_paths_as_spines() {
    let report = run(
        r#"
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
        "#,
        1,
    );
    let sent = |name: &str| links(&report, name, "packets-out")[0];
    let up: Vec<f64> = (0..4).map(|at| sent(&format!("leaf-0 -> spine-{at}"))).collect();
    let all: f64 = up.iter().sum();
    assert!(all > 15_000.0, "{all}");
    for (at, &found) in up.iter().enumerate() {
        assert!((found - all / 4.0).abs() < 4.0 * f64::sqrt(all * 3.0 / 16.0), "{up:?}");
        let down = sent(&format!("spine-{at} -> leaf-2"));
        assert!((found - down).abs() < 20.0, "{found}, {down}");
        assert!(sent(&format!("spine-{at} -> leaf-1")).abs() < 0.5);
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
