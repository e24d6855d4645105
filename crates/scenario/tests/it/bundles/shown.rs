//! What is shown of bundles, and what a check refuses.

use scenario::load;
use serde_json::json;

use super::{datagrams, network};
use crate::common::checked;

#[test]
fn what_is_shown_of_a_bundle() {
    let there = datagrams("left-source-*", "right-sink-*", "156.25 Mb/s");
    let back = datagrams("right-source-3", "left-sink-3", "50 Mb/s");
    let tcp = r#"
        [[traffic]]
        from = "left-tcp-source"
        to = "right-tcp-sink"
        transport = { kind = "tcp" }
        source = { kind = "bulk" }
        "#;
    let text = network(&(there.clone() + &back + tcp));
    let shown = checked(&text, &[]).show();
    assert_eq!(shown["sub-networks-a-side"], 4);
    let bundle = |from: &str, to: &str, offered: f64, load: f64| {
        json!({
            "from": from,
            "to": to,
            "lightpaths": 2,
            "rate": "2.5 Gb/s",
            "offered": offered,
            "load": load,
        })
    };
    let expected = [
        bundle("left-core", "right-core", 2.5e9, 0.5),
        bundle("right-core", "left-core", 50e6, 0.01),
    ];
    assert_eq!(shown["bundles"], json!(expected));
    let range = |from: &str, to: &str| {
        json!({
            "from": from,
            "to": to,
            "min": "15 ms",
            "max": "25 ms",
        })
    };
    let ranges =
        [range("left-tcp-source", "right-tcp-sink"), range("right-tcp-source", "left-tcp-sink")];
    assert_eq!(shown["drawn-rtts"], json!(ranges));
    let path = &shown["traffic"][2]["paths"][0];
    assert_eq!((&path["propagation-rtt"], &path["links"]), (&json!("20 ms"), &json!(5)));
    assert_eq!(path["narrowest-link"], "100 Mb/s");
    // Partners that are drawn leave the load of a bundle open.
    let drawn = r#"
        [[traffic]]
        from = "left-source-*"
        to = "right-sink-*"
        pattern = "uniform"
        transport = { kind = "tcp" }
        source = { kind = "transfers", per-second = 1, size = "1 MB" }
        "#;
    let shown = checked(&network(&(there + drawn)), &[]).show();
    assert_eq!(shown["bundles"][0]["load"], json!(null));
    assert_eq!(shown["bundles"][0]["lightpaths"], 2);
}

#[test]
fn networks_without_bundles_show_none() {
    let text = r#"
        [run]
        duration = "1 s"
        [topology]
        kind = "star"
        hosts = 2
        link = { rate = "1 Gb/s", delay = "0 s" }
        [[traffic]]
        from = "h0"
        to = "h1"
        transport = { kind = "tcp" }
        source = { kind = "bulk" }
        "#;
    let shown = checked(text, &[]).show();
    for key in ["bundles", "sub-networks-a-side", "drawn-rtts"] {
        assert!(shown.get(key).is_none(), "{key}");
    }
}

/// 81 routers, all joined to each other: 3240 links.
#[test]
fn lightpaths_of_an_explicit_network_are_limited_together() {
    let text = |lightpaths: u32| {
        let router = |at: u32| format!(r#"{{ name = "r{at}", kind = "router" }}"#);
        let host = |name: &str| format!(r#"{{ name = "{name}", kind = "host" }}"#);
        let link = |from: &str, to: &str, lightpaths: u32| {
            let ends = format!(r#"from = "{from}", to = "{to}", lightpaths = {lightpaths}"#);
            format!(r#"{{ {ends}, rate = "1 Gb/s", delay = "0 s" }}"#)
        };
        let name = |at: u32| format!("r{at}");
        let pairs = (0..81).flat_map(|to| (0..to).map(move |from| (from, to)));
        let links = pairs.map(|(from, to)| link(&name(from), &name(to), lightpaths));
        let links = links.chain([link("a", "r0", 1), link("b", "r80", 1)]);
        let nodes = (0..81).map(router).chain(["a", "b"].map(host));
        let (nodes, links) =
            (nodes.collect::<Vec<_>>().join(","), links.collect::<Vec<_>>().join(","));
        format!(
            r#"
            [run]
            duration = "1 s"
            [topology]
            kind = "explicit"
            nodes = [ {nodes} ]
            links = [ {links} ]
            [[traffic]]
            from = "a"
            to = "b"
            transport = {{ kind = "tcp" }}
            source = {{ kind = "bulk" }}
            "#
        )
    };
    assert!(load("mesh", &text(61), &[]).is_ok());
    let mistakes = load("mesh", &text(62), &[]).unwrap_err();
    assert_eq!(mistakes.len(), 1);
    let message = mistakes[0].to_string();
    assert!(
        message.ends_with("found 200882 with all lightpaths; accepted at most 200000 in all"),
        "{message}"
    );
}
