//! Configurations: text and back, mistakes, schema.

use serde::{Deserialize, Serialize};
use serde_json::json;
use units::{Bytes, Rate, Span};

use super::{bounded, exponential, listed, redrawn, table, trimodal};
use crate::{
    Bernoulli, Beyond, Bulk, Cbr, Flows, Incast, Mmpp, OnOff, PoissonPackets, PoissonWrites,
    Shuffle, Size, SizeLaw, Source, Start, StartLaw, Transfers,
};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Entry {
    source: Source,
    start: Start,
}

fn parse(source: &str) -> Result<Source, toml::de::Error> {
    toml::from_str::<Entry>(&format!("source = {source}\nstart = \"0 s\""))
        .map(|entry| entry.source)
}

fn problems(source: &str) -> Vec<(String, String)> {
    parse(source).unwrap().check()
}

fn keys(source: &str) -> Vec<String> {
    problems(source).into_iter().map(|(key, _)| key).collect()
}

fn are_written(known: &[(&str, Source)]) {
    for (text, source) in known {
        assert_eq!(&parse(text).unwrap(), source, "{text}");
        assert_eq!(source.check(), [], "{text}");
    }
}

#[test]
fn sources_of_packets_are_written_as_in_the_language() {
    let rate = Rate(10_000_000);
    are_written(&[
        (
            r#"{ kind = "cbr", rate = "10 Mb/s", packet = "1500 B" }"#,
            Source::Cbr(Cbr { rate: rate.into(), packet: Size::Plain(Bytes(1500)) }),
        ),
        (
            r#"{ kind = "poisson-packets", rate = "10 Mb/s", packet = { kind = "exponential", mean = "1 kB" } }"#,
            Source::PoissonPackets(PoissonPackets {
                rate: rate.into(),
                packet: exponential(Bytes(1000)).into(),
            }),
        ),
        (
            r#"{ kind = "mmpp", rate = "10 Mb/s", low-rate = 0.1, high = "2 ms", low = "8 ms", packet = "1500 B" }"#,
            Source::Mmpp(Mmpp {
                rate: rate.into(),
                low_rate: 0.1,
                high: Span::from_ms(2),
                low: Span::from_ms(8),
                packet: Size::Plain(Bytes(1500)),
            }),
        ),
        (
            r#"{ kind = "on-off", rate = "10 Mb/s", peak = "2.5 Gb/s", components = 100, on = { kind = "pareto", shape = 1.8, min = "444444 B" }, packet = { kind = "mix", sizes = ["40 B", "576 B", "1500 B"], shares = [0.58, 0.33, 0.09] } }"#,
            Source::OnOff(OnOff {
                rate: rate.into(),
                peak: Rate(2_500_000_000),
                components: 100,
                on: SizeLaw::Pareto { shape: 1.8, min: Bytes(444_444) }.into(),
                packet: trimodal(),
            }),
        ),
        (
            r#"{ kind = "bernoulli", slot = "51.2 ns", probability = 0.8, packet = "64 B" }"#,
            Source::Bernoulli(Bernoulli {
                slot: Span::from_ps(51_200),
                probability: 0.8,
                packet: Size::Plain(Bytes(64)),
            }),
        ),
        (
            r#"{ kind = "poisson-writes", rate = "10 Mb/s" }"#,
            Source::PoissonWrites(PoissonWrites { rate: rate.into(), write: None }),
        ),
    ]);
}

#[test]
fn sources_of_files_are_written_as_in_the_language() {
    let size = Some(Bytes(1_000_000));
    are_written(&[
        (r#"{ kind = "bulk" }"#, Source::Bulk(Bulk { size: None })),
        (r#"{ kind = "bulk", size = "1 MB" }"#, Source::Bulk(Bulk { size })),
        (
            r#"{ kind = "transfers", per-second = 50, size = { kind = "bounded-pareto", shape = 0.331, min = "40 kB", max = "100 MB" }, limit = 9 }"#,
            Source::Transfers(Transfers {
                per_second: 50.0,
                size: SizeLaw::BoundedPareto {
                    shape: 0.331,
                    min: Bytes(40_000),
                    max: Bytes(100_000_000),
                }
                .into(),
                limit: Some(9),
                under_way: None,
            }),
        ),
        (
            r#"{ kind = "flows", flows = [{ start = "1 ms", from = "a", to = "b", size = "2 kB" }] }"#,
            Source::Flows(Flows { file: None, flows: [listed(1_000, 2_000)].into() }),
        ),
        (
            r#"{ kind = "shuffle", block = "1 MB" }"#,
            Source::Shuffle(Shuffle { block: Bytes(1_000_000), parallel: 1 }),
        ),
        (
            r#"{ kind = "incast", block = "256 kB", rounds = 10, senders = 32 }"#,
            Source::Incast(Incast { block: Bytes(256_000), rounds: 10, senders: Some(32) }),
        ),
    ]);
}

#[test]
fn text_and_back_is_the_identity() {
    let (shape, min, max) = (1.25, Bytes(40_000), Bytes(123_456_789));
    let sizes: [Size; 12] = [
        Bytes(1500).into(),
        SizeLaw::Fixed { size: min }.into(),
        exponential(min).into(),
        bounded(40_000, 123_456_789, Beyond::Redraw).into(),
        SizeLaw::LogNormal { mu: 8.5, sigma: 1.0, max: None, beyond: None }.into(),
        SizeLaw::LogNormal { mu: 8.5, sigma: 1.0, max: Some(max), beyond: None }.into(),
        redrawn(8.5, 1.0, max).into(),
        SizeLaw::Pareto { shape, min }.into(),
        SizeLaw::BoundedPareto { shape, min, max }.into(),
        trimodal(),
        SizeLaw::Hadoop.into(),
        table(&[(0, 0.0), (40_000, 0.2), (123_456_789, 1.0)]).into(),
    ];
    let starts =
        [Start::At(Span::from_us(5)), StartLaw::Uniform { from: Span(7), to: Span(9) }.into()];
    let rate = Rate(622_000_001);
    let mut sources = vec![
        Source::Bulk(Bulk { size: None }),
        Source::Bulk(Bulk { size: Some(max) }),
        Source::PoissonWrites(PoissonWrites { rate: rate.into(), write: None }),
        Source::PoissonWrites(PoissonWrites { rate: rate.into(), write: Some(min) }),
        Source::Flows(Flows { file: None, flows: [listed(7, 1), listed(2, 40_000)].into() }),
        Source::Shuffle(Shuffle { block: min, parallel: 4 }),
        Source::Incast(Incast { block: min, rounds: 10, senders: None }),
        Source::Incast(Incast { block: min, rounds: 10, senders: Some(3) }),
    ];
    for size in sizes {
        let of = || size.clone();
        sources.push(Source::Cbr(Cbr { rate: rate.into(), packet: of() }));
        sources.push(Source::PoissonPackets(PoissonPackets { rate: rate.into(), packet: of() }));
        let (slot, probability) = (Span::from_ps(51_200), 0.1);
        sources.push(Source::Bernoulli(Bernoulli { slot, probability, packet: of() }));
        let (limit, under_way) = (None, None);
        sources.push(Source::Transfers(Transfers {
            per_second: 0.1,
            size: of(),
            limit,
            under_way,
        }));
        let (limit, under_way) = (Some(7), Some(2000));
        sources.push(Source::Transfers(Transfers {
            per_second: 3.0,
            size: of(),
            limit,
            under_way,
        }));
        let (peak, components) = (Rate(10_000_000_000), 100);
        sources.push(Source::OnOff(OnOff {
            rate: rate.into(),
            peak,
            components,
            on: of(),
            packet: of(),
        }));
    }
    for source in sources {
        for start in starts {
            let entry = Entry { source: source.clone(), start };
            let text = toml::to_string(&entry).unwrap();
            assert_eq!(toml::from_str::<Entry>(&text).unwrap(), entry, "{text}");
            let text = serde_json::to_string(&entry).unwrap();
            assert_eq!(serde_json::from_str::<Entry>(&text).unwrap(), entry, "{text}");
        }
    }
}

#[test]
fn bad_text_is_refused() {
    let bad = [
        r#"{ kind = "blk" }"#,
        r#"{ kind = "bulk", sise = "1 MB" }"#,
        r#"{ kind = "bulk", size = 1000 }"#,
        r#"{ kind = "cbr", rate = "10 Mb/s" }"#,
        r#"{ kind = "cbr", rate = "-10 Mb/s", packet = "1500 B" }"#,
        r#"{ kind = "cbr", rate = "10 Mb/s", packet = 1500 }"#,
        r#"{ kind = "cbr", rate = "10 Mb/s", packet = { kind = "pareto", shape = 1.5 } }"#,
        r#"{ kind = "cbr", rate = "10 Mb/s", packet = { kind = "fixed", size = "1 B", x = 1 } }"#,
        r#"{ kind = "cbr", rate = "10 Mb/s", packet = { kind = "mix", sizes = ["1 kB"] } }"#,
        r#"{ kind = "cbr", rate = "10 Mb/s", packet = { kind = "mix", sizes = [40], shares = [1] } }"#,
        r#"{ kind = "transfers", per_second = 5, size = "1 MB" }"#,
        r#"{ kind = "transfers", per-second = 5, size = "1 MB", limit = -1 }"#,
    ];
    for text in bad {
        assert!(parse(text).is_err(), "{text}");
    }
}

#[test]
fn mistakes_come_with_their_keys() {
    let packets = r#"{ kind = "poisson-packets", rate = "1 Mb/s", packet = "#;
    let pareto = format!(r#"{packets}{{ kind = "pareto", shape = 1, min = "40 kB" }} }}"#);
    assert_eq!(keys(&pareto), ["packet"]);
    let crossed = format!(
        r#"{packets}{{ kind = "bounded-pareto", shape = nan, min = "2 kB", max = "1 kB" }} }}"#
    );
    assert_eq!(
        problems(&crossed),
        [
            ("packet.shape".into(), "must be a finite number above 0".into()),
            ("packet.max".into(), "lies below min, 2 kB".into()),
        ]
    );
    let normal =
        format!(r#"{packets}{{ kind = "log-normal", mu = inf, sigma = -1, max = "0 B" }} }}"#);
    assert_eq!(keys(&normal), ["packet.mu", "packet.sigma", "packet.max"]);
    let law = |rest: &str| format!(r#"{packets}{{ kind = "log-normal", mu = 9, {rest} }} }}"#);
    assert_eq!(keys(&law(r#"sigma = 1, beyond = "clip""#)), ["packet.beyond"]);
    // e⁹ is 8.1 kB; 70 B lie 4.753 standard deviations below: a share of 1.0 · 10⁻⁶.
    let redraw = |rest: &str| keys(&law(&format!(r#"beyond = "redraw", {rest}"#)));
    assert_eq!(redraw(r#"sigma = 1, max = "69 B""#), ["packet.max"]);
    assert_eq!(redraw(r#"sigma = 1, max = "71 B""#), [""; 0]);
    assert_eq!(redraw(r#"sigma = 0, max = "8 kB""#), ["packet.max"]);
    assert_eq!(redraw(r#"sigma = 0, max = "9 kB""#), [""; 0]);
    assert_eq!(redraw(r#"sigma = 0.1, max = "1 B""#), ["packet.max"]);
    let law = |rest: &str| {
        keys(&format!(r#"{packets}{{ kind = "exponential", mean = "2 MB", {rest} }} }}"#))
    };
    assert_eq!(law(r#"beyond = "clip""#), ["packet.beyond"]);
    assert_eq!(law(r#"max = "0 B""#), ["packet.max"]);
    assert_eq!(law(r#"max = "1 B", beyond = "redraw""#), ["packet.max"]);
    assert_eq!(law(r#"max = "2 B", beyond = "redraw""#), ["packet.max"]);
    assert_eq!(law(r#"max = "3 B", beyond = "redraw""#), [""; 0]);
    assert_eq!(keys(&format!(r#"{packets}"0 B" }}"#)), ["packet"]);
    assert_eq!(keys(r#"{ kind = "bulk", size = "2 TB" }"#), ["size"]);
    assert_eq!(keys(r#"{ kind = "cbr", rate = "0 b/s", packet = "1 B" }"#), ["rate"]);
    assert_eq!(
        keys(r#"{ kind = "poisson-writes", rate = "0 b/s", write = "0 B" }"#),
        ["rate", "write"]
    );
    let transfers = r#"{ kind = "transfers", per-second = 0, size = { kind = "exponential", mean = "0 B" }, limit = 0 }"#;
    assert_eq!(keys(transfers), ["per-second", "size.mean", "limit"]);
    let heavy = r#"{ kind = "transfers", per-second = 1, size = { kind = "pareto", shape = 1, min = "1 kB" }, under-way = "#;
    assert_eq!(keys(&format!("{heavy} 9 }}")), ["under-way"]);
    assert_eq!(keys(&format!("{heavy} 0 }}")), [""; 0]);
    let shuffle = r#"{ kind = "shuffle", block = "0 B", parallel = 0 }"#;
    assert_eq!(keys(shuffle), ["block", "parallel"]);
    let incast = r#"{ kind = "incast", block = "0 B", rounds = 0, senders = 0 }"#;
    assert_eq!(keys(incast), ["block", "rounds", "senders"]);
}

#[test]
fn the_parts_of_a_mix_are_one_together() {
    let mix = |sizes: &str, shares: &str| {
        let mix = format!(r#"{{ kind = "mix", sizes = {sizes}, shares = {shares} }}"#);
        problems(&format!(r#"{{ kind = "cbr", rate = "1 Mb/s", packet = {mix} }}"#))
    };
    let found = |problem: &str| [("packet.shares".to_owned(), problem.to_owned())];
    let two = r#"["40 B", "1 kB"]"#;
    assert_eq!(mix(two, "[0.25, 0.75]"), []);
    assert_eq!(mix(two, "[0.0, 1.0]"), []);
    assert_eq!(mix(two, "[0.3333333333, 0.6666666667]"), []);
    let together = "together they must be 1, and are ";
    assert_eq!(mix(two, "[0.25, 0.5]"), found(&format!("{together}0.75")));
    assert_eq!(mix(two, "[0.5, 0.50000000125]"), found(&format!("{together}1.00000000125")));
    assert_eq!(mix(two, "[1.0]"), found("1 shares for 2 sizes"));
    let keys = |sizes, shares| -> Vec<String> {
        mix(sizes, shares).into_iter().map(|(key, _)| key).collect()
    };
    assert_eq!(keys(two, "[-0.5, 1.5]"), ["packet.shares.0", "packet.shares.1"]);
    assert_eq!(keys(two, "[nan, 1.0]"), ["packet.shares.0"]);
    assert_eq!(keys(r#"["0 B", "2 TB"]"#, "[0.5, 0.5]"), ["packet.sizes.0", "packet.sizes.1"]);
    assert_eq!(keys("[]", "[]"), ["packet.sizes"]);
}

#[test]
fn components_leave_room_for_off_periods() {
    let on_off = |rate: &str, on: &str| {
        keys(&format!(
            r#"{{ kind = "on-off", rate = "{rate}", peak = "10 Gb/s", components = 10, on = {on}, packet = "1 kB" }}"#
        ))
    };
    assert_eq!(on_off("99.99 Gb/s", r#""1 MB""#), [""; 0]);
    assert_eq!(on_off("100 Gb/s", r#""1 MB""#), ["rate"]);
    assert_eq!(on_off("101 Gb/s", r#""1 MB""#), ["rate"]);
    // An ON period of 800 µs leaves 1 ns at a millionth and a quarter below.
    assert_eq!(on_off("99.9998 Gb/s", r#""1 MB""#), [""; 0]);
    assert_eq!(on_off("99.9999 Gb/s", r#""1 MB""#), ["rate"]);
    assert_eq!(on_off("1 Gb/s", r#""1 B""#), ["on"]);
    assert_eq!(on_off("1 Gb/s", r#""0 B""#), ["on"]);
    let pareto = |shape| format!(r#"{{ kind = "pareto", shape = {shape}, min = "1 kB" }}"#);
    assert_eq!(on_off("1 Gb/s", &pareto("1.0")), ["on"]);
    assert_eq!(on_off("1 Gb/s", &pareto("1.1")), [""; 0]);
    let nothing = r#"{ kind = "on-off", rate = "0 b/s", peak = "0 b/s", components = 0, on = "1 MB", packet = { kind = "pareto", shape = 1, min = "0 B" } }"#;
    assert_eq!(keys(nothing), ["rate", "peak", "components", "packet.min"]);
}

#[test]
fn a_size_and_a_start_know_their_own_mistakes() {
    assert_eq!(Size::Plain(Bytes(0)).check()[0].0, "");
    assert_eq!(Size::from(SizeLaw::Pareto { shape: 0.0, min: Bytes(1) }).check()[0].0, "shape");
    let (from, to) = (Span::from_ms(2), Span::from_ms(1));
    let start = Start::from(StartLaw::Uniform { from, to });
    assert_eq!(start.check(), [("to".into(), "lies before from, 2 ms".into())]);
    assert_eq!(Start::from(StartLaw::Uniform { from: to, to: from }).check(), []);
}

#[test]
fn the_schema_offers_text_or_a_table() {
    let schema = serde_json::to_value(schemars::schema_for!(Source)).unwrap();
    let size = &schema["$defs"]["Size"]["anyOf"];
    assert_eq!(size[0]["x-quantity"], json!("size"));
    assert_eq!(size[0]["x-min"], json!("1 B"));
    assert_eq!(size[1]["$ref"], json!("#/$defs/SizeLaw"));
    let laws = schema["$defs"]["SizeLaw"]["oneOf"].as_array().unwrap();
    let kinds: Vec<&str> =
        laws.iter().map(|law| law["properties"]["kind"]["const"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        [
            "fixed",
            "exponential",
            "log-normal",
            "pareto",
            "bounded-pareto",
            "mix",
            "websearch",
            "datamining",
            "hadoop",
            "table"
        ]
    );
    let mut sources = schema["oneOf"].as_array().unwrap().iter().map(|each| &each["properties"]);
    let transfers = sources.find(|source| source["kind"]["const"] == "transfers").unwrap();
    assert_eq!(transfers["limit"]["maximum"], json!(1_000_000_000));
    assert_eq!(transfers["per-second"]["minimum"], json!(0));
}
