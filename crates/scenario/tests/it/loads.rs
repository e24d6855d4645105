//! A load is offered as it is asked for, whatever the unit of the demands and the kind of the source.

use proptest::prelude::*;

use crate::common::checked;

/// Three hosts with two demands, which meet on a link.
fn text(kind: &str, demands: [f64; 2], load: f64, rate: u64) -> String {
    let source = match kind {
        "on-off" => "peak = \"1000 Tb/s\", components = 3, on = \"2 GB\", packet = \"1500 B\"",
        "transfers" => "size = \"20 kB\"",
        "poisson-writes" => "write = \"1 kB\"",
        _ => "packet = \"1000 B\"",
    };
    let transport = if kind == "transfers" { "tcp" } else { "udp" };
    let [first, second] = demands;
    format!(
        r#"
        [run]
        duration = "1 ms"
        [topology]
        kind = "star"
        hosts = 3
        link = {{ rate = "{rate} b/s", delay = "1 us" }}
        [[traffic]]
        from = "h*"
        to = "h*"
        matrix = {{ demands = [
          {{ from = "h0", to = "h2", demand = {first:?} }},
          {{ from = "h1", to = "h2", demand = {second:?} }},
        ] }}
        load = {load:?}
        transport = {{ kind = "{transport}" }}
        source = {{ kind = "{kind}", {source} }}
        "#
    )
}

/// The greatest load of a link by what its sources offer.
fn offered(text: &str) -> f64 {
    checked(text, &[]).show()["links"][0]["load"].as_f64().unwrap()
}

#[test]
fn a_unit_of_demand_may_have_less_than_a_bit_a_second() {
    for load in [0.01, 0.1, 0.5, 0.66, 1.0] {
        let found = offered(&text("poisson-packets", [3.3e9, 3.3e9], load, 10_000_000_000));
        assert!((found / load - 1.0).abs() < 1e-9, "{load}: {found}");
    }
}

proptest! {
    #![proptest_config(trials::cases(640))]
    #[test]
    fn what_is_offered_is_what_is_asked_for(
        kind in prop::sample::select(vec!["cbr", "poisson-packets", "poisson-writes", "on-off", "transfers"]),
        demands in prop::array::uniform2(0.0..13.0_f64),
        load in 0.001..1.0_f64,
        rate in 6.0..13.0_f64,
    ) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below 1e13")]
        let rate = 10f64.powf(rate) as u64;
        let text = text(kind, demands.map(|power| 10f64.powf(power)), load, rate);
        let found = offered(&text);
        prop_assert!((found / load - 1.0).abs() < 1e-6, "{} instead of {load}: {text}", found);
    }
}
