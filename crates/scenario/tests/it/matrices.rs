//! A matrix by hand: who sends to whom, and how much.

use scenario::load;
use serde_json::json;

use crate::common::{checked, texts, values};

/// Places A with two hosts and B and C with one each.
fn text(demands: &str) -> String {
    let nodes = [("A", "router"), ("B", "router"), ("C", "router"), ("b", "host"), ("c", "host")];
    let nodes = nodes.map(|(name, kind)| format!("{{ name = \"{name}\", kind = \"{kind}\" }}"));
    let links = [("A", "B"), ("B", "C"), ("a", "A"), ("b", "B"), ("c", "C")];
    let links = links.map(|(from, to)| {
        format!("{{ from = \"{from}\", to = \"{to}\", rate = \"100 Mb/s\", delay = \"1 us\" }}")
    });
    format!(
        r#"
        [run]
        duration = "2 s"
        [topology]
        kind = "explicit"
        nodes = [{}, {{ name = "a", kind = "host", count = 2 }}]
        links = [{}]
        [[traffic]]
        from = ["a-0", "a-1", "b", "c"]
        to = ["a-0", "a-1", "b", "c"]
        matrix = {{ demands = [{demands}] }}
        transport = {{ kind = "udp", header = "0 B" }}
        source = {{ kind = "cbr", rate = "1 Mb/s", packet = "125 B" }}
        "#,
        nodes.join(", "),
        links.join(", ")
    )
}

fn demand(from: &str, to: &str, demand: f64) -> String {
    format!("{{ from = \"{from}\", to = \"{to}\", demand = {demand:?} }}")
}

fn messages(demands: &[String]) -> Vec<String> {
    let found = load("a.toml", &text(&demands.join(", ")), &[]).unwrap_err();
    found.iter().map(|one| format!("{}: {}", one.key, one.problem)).collect()
}

/// From A to C 8 units over the pairs a-0–c and a-1–c, from c itself to B 3, from B to A 2 over two pairs.
#[test]
fn a_demand_is_divided_among_the_hosts_at_its_places() {
    let demands = [
        demand("A", "C", 8.0),
        demand("c", "B", 3.0),
        demand("B", "A", 2.0),
        demand("C", "C", 0.0),
    ];
    let checked = checked(&text(&demands.join(", ")), &[]);
    let report = checked.run(1);
    let found: Vec<_> = texts(&report, "flows", "from")
        .iter()
        .zip(texts(&report, "flows", "to"))
        .zip(values(&report, "flows", "goodput"))
        .map(|((from, to), rate)| format!("{from} {to} {:.1}", rate / 1e6))
        .collect();
    assert_eq!(found, ["a-0 c 4.0", "a-1 c 4.0", "c b 3.0", "b a-0 1.0", "b a-1 1.0"]);
    let shown = checked.show();
    assert_eq!(shown["traffic"][0]["offered"], json!(13e6));
    // Over A -> B go 8 of 13 units.
    let link = &shown["links"][0];
    assert_eq!((&link["link"], &link["load"]), (&json!("A -> B"), &json!(0.08)));
}

/// Of 13 units 8 are on A -> B, the most loaded link: for a load of a half 50 Mb/s there, 6.25 Mb/s a unit.
#[test]
fn a_load_scales_the_matrix_as_a_whole() {
    let demands = [demand("A", "C", 8.0), demand("C", "B", 3.0), demand("B", "A", 2.0)].join(", ");
    let loaded = text(&demands).replace("rate = \"1 Mb/s\", packet", "packet") + "load = 0.5\n";
    let checked = checked(&loaded, &[]);
    let rate = checked.parameters.iter().find(|one| one.key == "traffic.0.source.rate").unwrap();
    assert_eq!(rate.value, json!("6.25 Mb/s"));
    assert_eq!(checked.show()["links"][0]["load"], json!(0.5));
}

#[test]
fn a_demand_from_a_place_to_itself_is_left_out_with_a_warning() {
    let demands = [demand("A", "C", 1.0), demand("B", "B", 1.0), demand("C", "C", 0.0)];
    let checked = checked(&text(&demands.join(", ")), &[]);
    let [warning] = &checked.warnings[..] else { panic!("{:?}", checked.warnings) };
    assert_eq!(warning.key, "traffic.0.matrix.demands.1");
    assert_eq!(warning.problem, "left out: a demand from a place to itself");
}

#[test]
fn what_is_no_matrix_of_the_network_is_told_by_its_key() {
    let key = "traffic.0.matrix.demands";
    assert_eq!(
        messages(&[
            demand("A", "C", 1.0),
            demand("A", "D", 1.0),
            demand("B", "B", 1.0),
            demand("A", "C", 2.0),
        ]),
        [
            format!("{key}.1.to: no place has this name"),
            format!("{key}.3: a second demand between these places"),
        ]
    );
    assert_eq!(messages(&[]), ["traffic.0.matrix.file: missing key"]);
    assert_eq!(messages(&[demand("A", "C", 0.0)]), [format!("{key}: no demand above 0")]);
    assert_eq!(messages(&[demand("A", "C", -1.0)]), [format!("{key}.0.demand: below zero")]);
    let one = demand("A", "C", 1.0);
    let found = |from: &str, to: &str| -> Vec<String> {
        let text = text(&one).replace(from, to);
        let found = load("a.toml", &text, &[]).unwrap_err();
        found.iter().map(|one| format!("{}: {}", one.key, one.problem)).collect()
    };
    assert_eq!(
        found("to = [\"a-0\", \"a-1\", \"b\", \"c\"]", "to = \"b\""),
        [format!("{key}.0.to: no host of the entry's to is at this place")]
    );
    assert_eq!(
        found("matrix =", "pattern = \"all\"\nmatrix ="),
        ["traffic.0.pattern: does not apply: the matrix says who sends to whom"]
    );
    assert_eq!(
        found(&one, &demand("A", "C", 1e10)),
        ["traffic.0.matrix: a demand beyond every rate"]
    );
    assert_eq!(
        found("kind = \"cbr\", rate = \"1 Mb/s\", packet = \"125 B\"", "kind = \"bulk\"").len(),
        2
    );
}
