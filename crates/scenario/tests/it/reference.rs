//! The generated reference and schema.

use scenario::{json_schema, reference_markdown};

#[test]
fn every_key_of_the_schema_is_in_the_reference() {
    let reference = reference_markdown();
    let mut keys = Vec::new();
    collect(json_schema(), &mut keys);
    assert!(keys.len() > 60, "{}", keys.len());
    for key in keys {
        assert!(reference.contains(&format!("| `{key}` |")), "{key} is absent");
    }
}

#[test]
fn every_key_has_a_meaning() {
    for line in reference_markdown().lines().filter(|line| line.starts_with("| `")) {
        assert!(!line.ends_with("|  |"), "{line}");
    }
}

#[test]
fn every_link_has_its_section() {
    let reference = reference_markdown();
    // The anchor of a heading as GitHub makes it.
    let anchor_of = |line: &str| -> String {
        let title = line.trim_start_matches('#').trim();
        let kept = title.chars().filter(|c| c.is_alphanumeric() || " -".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    let headings: Vec<String> =
        reference.lines().filter(|line| line.starts_with('#')).map(anchor_of).collect();
    for part in reference.split("](#").skip(1) {
        let anchor = part.split(')').next().unwrap();
        let sections = headings.iter().filter(|heading| *heading == anchor).count();
        assert_eq!(sections, 1, "{anchor}");
    }
}

/// The names of all keys but `kind`, which is in the headings.
fn collect(schema: &serde_json::Value, keys: &mut Vec<String>) {
    match schema {
        serde_json::Value::Object(map) => {
            if let Some(serde_json::Value::Object(properties)) = map.get("properties") {
                keys.extend(properties.keys().filter(|key| *key != "kind").cloned());
            }
            map.values().for_each(|below| collect(below, keys));
        }
        serde_json::Value::Array(list) => list.iter().for_each(|below| collect(below, keys)),
        _ => {}
    }
}
