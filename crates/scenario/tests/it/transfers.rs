//! Transfers that come and go: how many there are, between whom, and that they leave nothing behind.

use scenario::Values;

use crate::common::{assert_same_table, checked, column, run, texts, values};

/// Standard errors; exceeded once in 16,000 seeds.
const K: f64 = 4.0;

/// Hosts with 1 Mb/s each behind two routers that hold nothing up: no transfer loses anything, and
/// each goes on at the rate of its access link from its first segment on.
fn dumbbell(pairs: u32, seconds: u32, source: &str) -> String {
    format!(
        r#"
        [run]
        duration = "{seconds} s"
        [topology]
        kind = "dumbbell"
        pairs = {pairs}
        access = {{ rate = "1 Mb/s", delay = "100 us" }}
        bottleneck = {{ rate = "10 Gb/s", delay = "100 us" }}
        [[traffic]]
        from = "*"
        to = "*"
        pattern = "random"
        transport = {{ kind = "tcp", receive-window = "30 kB" }}
        source = {{ kind = "transfers", {source} }}
        "#
    )
}

#[test]
fn random_transfers_begin_at_their_rate_and_cross() {
    let report = run(&dumbbell(3, 40, r#"per-second = 50, size = "3 kB""#), 1);
    let (from, to) = (texts(&report, "flows", "from"), texts(&report, "flows", "to"));
    assert!((from.len() as f64 - 2000.0).abs() < K * 2000_f64.sqrt(), "{}", from.len());
    let side = |host: &String| host.split_once('-').unwrap().0.to_owned();
    assert!(from.iter().zip(to).all(|(from, to)| side(from) != side(to)));
    for host in ["left-0", "left-2", "right-1"] {
        // One of six, each as likely as any other.
        let (n, p) = (from.len() as f64, 1.0 / 6.0);
        for ends in [from, to] {
            let count = ends.iter().filter(|end| *end == host).count() as f64;
            assert!((count - n * p).abs() < K * (n * p * (1.0 - p)).sqrt(), "{host}: {count}");
        }
    }
}

/// 200 hosts, some 48 transfers: nobody sends or receives two at once while others are idle.
#[test]
fn transfers_have_their_hosts_to_themselves_while_hosts_suffice() {
    let size = r#"{ kind = "exponential", mean = "145 kB" }"#;
    let source = format!("per-second = 40, size = {size}, under-way = 48");
    let report = run(&dumbbell(100, 10, &source), 2);
    let (start, end) = (values(&report, "flows", "start"), values(&report, "flows", "end"));
    let (from, to) = (texts(&report, "flows", "from"), texts(&report, "flows", "to"));
    let mut together = 0;
    for at in 0..start.len() {
        let live = |other: &usize| end[*other].is_nan() || end[*other] > start[at];
        for other in (0..at).filter(live) {
            together += 1;
            assert!(from[at] != from[other] && to[at] != to[other], "{other} and {at}");
        }
    }
    assert!(together > 300 * 30, "{together}");
}

/// Transfers that hold up nobody are an M/G/∞ queue: with λ · E[duration] of them under way at the
/// start, as many are there at any time, on average, and with at most that variance. The sizes are
/// such that what is left of a transfer under way is more than two sizes on average: without it, or
/// with sizes from their own law, the number would be off by a third after some seconds.
#[test]
fn transfers_under_way_make_the_steady_state() {
    let (shape, min, max) = (1.2, 40e3_f64, 4e6);
    let ratio: f64 = min / max;
    let mean = shape / (shape - 1.0) * min * (1.0 - ratio.powf(0.2)) / (1.0 - ratio.powf(shape));
    // 40 B of headers and 12 B of time stamps on 1448 B of data.
    let seconds = mean * 8.0 / 1e6 * 1500.0 / 1448.0;
    let expected = 40.0 * seconds;
    let law = r#"{ kind = "bounded-pareto", shape = 1.2, min = "40 kB", max = "4 MB" }"#;
    let source = format!("per-second = 40, size = {law}, under-way = {}", expected.round());
    let text = dumbbell(200, 10, &source);
    let seeds = 20;
    let instants = [0.5, 1.0, 2.0, 5.0, 9.9];
    let mut sums = [0.0; 5];
    for seed in 0..seeds {
        let report = run(&text, seed);
        assert!(values(&report, "flows", "packets-lost").iter().all(|&lost| lost < 0.5));
        let (start, end) = (values(&report, "flows", "start"), values(&report, "flows", "end"));
        for (sum, now) in sums.iter_mut().zip(instants) {
            let active = |(start, end): (&f64, &f64)| *start <= now && (*end > now || end.is_nan());
            *sum += start.iter().zip(&end).filter(|pair| active(*pair)).count() as f64;
        }
    }
    for (sum, now) in sums.iter().zip(instants) {
        let errors = (sum / seeds as f64 - expected) / (expected / seeds as f64).sqrt();
        assert!(errors.abs() < K, "at {now} s {} in place of {expected}", sum / seeds as f64);
    }
}

#[test]
fn transfers_under_way_start_as_they_are_told_and_shift_no_others() {
    let entry = r#"
        [run]
        duration = "10 s"
        [topology]
        kind = "line"
        routers = 1
        link = { rate = "100 Mb/s", delay = "1 ms" }
        [[traffic]]
        from = "a"
        to = "b"
        start = { kind = "uniform", from = "1 s", to = "2 s" }
        transport = { kind = "tcp" }
        [traffic.source]
        kind = "transfers"
        per-second = 5
        size = { kind = "exponential", mean = "9 kB" }
    "#;
    let without = run(entry, 3);
    let with = run(&format!("{entry}\nunder-way = 40"), 3);
    let (starts, sizes) = (values(&with, "flows", "start"), values(&with, "flows", "size"));
    assert_eq!(starts[40..], values(&without, "flows", "start"));
    assert_eq!(sizes[40..], values(&without, "flows", "size"));
    assert!(starts[..40].iter().all(|start| (1.0..2.0).contains(start)));
    let mean = starts[..40].iter().sum::<f64>() / 40.0;
    assert!((mean - 1.5).abs() < K * (1.0 / (12.0 * 40.0_f64)).sqrt());
    let again = run(&format!("{entry}\nunder-way = 40"), 3);
    assert_eq!(with.json, again.json);
}

/// All pairs of so many hosts would be too many to list.
#[test]
fn random_partners_are_drawn_from_thousands_of_hosts() {
    let source = r#"per-second = 100, size = "1 kB", under-way = 3000"#;
    let report = run(&dumbbell(1600, 1, source), 4);
    let mut from = texts(&report, "flows", "from")[..3000].to_vec();
    from.sort_unstable();
    from.dedup();
    assert_eq!(from.len(), 3000);
}

/// Sixty thousand transfers, of which a few are there at a time: whoever takes the rows of ended
/// flows out as they come has them all, holds a few at a time, and finds the same run.
#[test]
fn rows_of_ended_flows_can_be_taken_while_the_run_goes_on() {
    let text = r#"
        [run]
        duration = "13 s"
        warmup = "1 s"
        [topology]
        kind = "line"
        routers = 1
        link = { rate = "1 Gb/s", delay = "100 us", loss = { kind = "bernoulli", p = 0.001 } }
        [[traffic]]
        from = "a"
        to = "b"
        transport = { kind = "tcp" }
        source = { kind = "transfers", per-second = 5000, size = { kind = "exponential", mean = "2 kB" } }
    "#;
    let whole = run(text, 5);
    let checked = checked(text, &[]);
    let mut streamed = checked.start(5);
    let (mut taken, mut most, mut times) = (Vec::new(), 0, 0);
    loop {
        let over = streamed.advance(20_000).stop.is_some();
        most = most.max(streamed.ended_flows());
        let ended = [streamed.take_ended_flows()];
        let Values::U64(flows) = column(&ended, "flows", "flow") else { panic!("no counts") };
        taken.extend(flows.iter().map(|&flow| flow as f64));
        times += 1;
        assert_eq!(streamed.ended_flows(), 0);
        assert!(streamed.world().flow_places() < 2000);
        if over {
            break;
        }
    }
    assert!(taken.len() > 50_000 && times > 10 && most < 10_000, "{} {most}", taken.len());
    let rest = streamed.finish();
    assert_eq!(rest.json, whole.json);
    taken.extend(values(&rest, "flows", "flow"));
    taken.sort_by(f64::total_cmp);
    assert_eq!(taken, values(&whole, "flows", "flow"));
    assert_eq!(rest.tables.len(), whole.tables.len());
    for (rest, whole) in
        rest.tables.iter().zip(&whole.tables).filter(|(one, _)| one.name != "flows")
    {
        assert_same_table(rest, whole, "what is taken with flows");
    }
}

/// Flows that begin during the run over far links have other results than at the time of the results revision: the digest
/// of such a scenario is another one, and that of others the hash of their text, whatever the number of threads.
#[test]
fn no_run_is_taken_that_was_kept_before_results_changed() {
    let text = |delay: &str, pattern: &str| {
        format!(
            "[run]\nduration = \"1 s\"\n[topology]\nkind = \"dumbbell\"\npairs = 2\n\
             access = {{ rate = \"1 Gb/s\", delay = \"1 ms\" }}\n\
             bottleneck = {{ rate = \"1 Gb/s\", delay = \"{delay}\" }}\n[[traffic]]\nfrom = \"left-*\"\nto = \"right-*\"\n\
             pattern = \"{pattern}\"\ntransport = {{ kind = \"tcp\" }}\n\
             source = {{ kind = \"transfers\", per-second = 1, size = \"1 kB\" }}\n"
        )
    };
    let is_hash = |text: &str, settings: &[(&str, &str)]| {
        let [set, one] = [settings, &[]].map(|settings| checked(text, settings));
        assert_eq!(set.digest(), one.digest());
        one.digest() == xxhash_rust::xxh3::xxh3_64(one.canonical().as_bytes())
    };
    let threads = [("run.threads", "4")];
    for settings in [&[][..], &threads[..]] {
        assert!(is_hash(&text("9 us", "uniform"), settings));
        assert!(is_hash(&text("10 us", "random"), settings));
        assert!(!is_hash(&text("10 us", "uniform"), settings));
    }
}
