//! A reader of JSON Schemas, limited to what this crate's schema uses: references, alternatives,
//! tables, lists, words, quantities and numbers.

use serde_json::Value as Json;

/// A schema without alternatives: one type of value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Leaf<'a>(pub(crate) &'a Json);

/// The maximum depth of references; this schema has two.
const DEEPEST: usize = 16;

/// The alternatives of a schema, references followed, `null` left out: in TOML the key is absent
/// instead.
pub(crate) fn leaves<'a>(root: &'a Json, schema: &'a Json) -> Vec<Leaf<'a>> {
    let mut found = Vec::new();
    collect(root, schema, DEEPEST, &mut found);
    found
}

fn collect<'a>(root: &'a Json, schema: &'a Json, depth: usize, found: &mut Vec<Leaf<'a>>) {
    if depth == 0 {
        return;
    }
    if let Some(target) = schema["$ref"].as_str().and_then(|path| path.strip_prefix('#')) {
        if let Some(schema) = root.pointer(target) {
            collect(root, schema, depth - 1, found);
        }
        return;
    }
    let branches = schema["oneOf"].as_array().or_else(|| schema["anyOf"].as_array());
    match branches {
        Some(branches) => {
            for branch in branches {
                collect(root, branch, depth - 1, found);
            }
        }
        None if schema["type"] == "null" => {}
        None => found.push(Leaf(schema)),
    }
}

impl<'a> Leaf<'a> {
    /// Whether values of this type (a name of JSON Schema) fit.
    pub(crate) fn is(self, name: &str) -> bool {
        match &self.0["type"] {
            Json::String(only) => only == name,
            Json::Array(several) => several.iter().any(|one| one == name),
            _ => false,
        }
    }

    /// The `kind` that a table must have.
    pub(crate) fn tag(self) -> Option<&'a str> {
        self.0["properties"]["kind"]["const"].as_str()
    }

    /// The schema of a key: its own, or that of any other.
    pub(crate) fn property(self, name: &str) -> Option<&'a Json> {
        let any = Some(&self.0["additionalProperties"]).filter(|schema| schema.is_object());
        self.0["properties"].get(name).or(any)
    }

    /// The keys that a table may have.
    pub(crate) fn properties(self) -> impl Iterator<Item = &'a str> {
        self.0["properties"].as_object().into_iter().flat_map(|map| map.keys().map(String::as_str))
    }

    /// Whether a table may also have any other key.
    pub(crate) fn is_open(self) -> bool {
        self.0["additionalProperties"] == true
    }

    /// The keys that a table must have.
    pub(crate) fn required(self) -> impl Iterator<Item = &'a str> {
        self.0["required"].as_array().into_iter().flatten().filter_map(Json::as_str)
    }

    /// The replacement of a key of an earlier language in a table: the key above it, the kind whose option
    /// it is now, and the option.
    pub(crate) fn moved(self, name: &str) -> Option<[&'a str; 3]> {
        let place = &self.0["x-moved"][name];
        Some([place[0].as_str()?, place[1].as_str()?, place[2].as_str()?])
    }

    /// The schema of a list's items.
    pub(crate) fn items(self) -> Option<&'a Json> {
        self.0.get("items")
    }

    /// The words that are accepted; none if any text is.
    pub(crate) fn words(self) -> impl Iterator<Item = &'a str> {
        let several = self.0["enum"].as_array().into_iter().flatten();
        several.chain(self.0.get("const")).filter_map(Json::as_str)
    }

    /// The quantity of a text: "time", "size", "rate", "length" or "energy".
    pub(crate) fn quantity(self) -> Option<&'a str> {
        self.0["x-quantity"].as_str()
    }

    /// The limits under these two names.
    pub(crate) fn limits(self, least: &str, most: &str) -> Limits {
        Limits { least: self.0[least].as_f64(), most: self.0[most].as_f64() }
    }
}

/// A range, either end of which may be open.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Limits {
    pub(crate) least: Option<f64>,
    pub(crate) most: Option<f64>,
}

impl Limits {
    /// The range of a number: the stated one, within that of its machine type.
    pub(crate) fn of_number(leaf: Leaf<'_>) -> Self {
        let stated = leaf.limits("minimum", "maximum");
        let (least, most) = match leaf.0["format"].as_str() {
            Some("uint8") => (Some(0.0), Some(f64::from(u8::MAX))),
            Some("uint16") => (Some(0.0), Some(f64::from(u16::MAX))),
            Some("uint32") => (Some(0.0), Some(f64::from(u32::MAX))),
            Some("uint64" | "uint") => (Some(0.0), None),
            _ => (None, None),
        };
        Self { least: stated.least.or(least), most: stated.most.or(most) }
    }
}
