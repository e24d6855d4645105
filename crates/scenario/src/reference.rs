//! The reference of every key, generated from the schema: a section for each kind of table.

use std::fmt::Write as _;

use kinds::Kinds;
use serde_json::Value as Json;
use transport::tcp::congestion::{self, slow_start};
use transport::tcp::recovery;
use transport::{Profile, TcpOptions, WindowSize, resolve};
use units::{Bytes, EnergyPerBit, Length, Rate, Span, text};

use crate::describe;
use crate::paper::paper_json_schema;
use crate::parameters;
use crate::schema::json_schema;
use crate::shape::{self, Leaf};
use crate::sweep::sweep_json_schema;

/// The reference of every key of a scenario as Markdown: for each table the meaning, the accepted
/// values and the default of each key.
pub fn reference_markdown() -> String {
    let root = json_schema();
    let mut reference = Reference::new("# The scenario, key by key\n\n", root);
    reference.section("scenario", root);
    reference.text.push_str(&forms());
    reference.sections();
    reference.text.push_str(&profiles());
    reference.text
}

/// The reference of every key of a sweep as Markdown.
pub fn sweep_reference_markdown() -> String {
    whole("sweep", sweep_json_schema())
}

/// The reference of every key of a paper's files as Markdown.
pub fn paper_reference_markdown() -> String {
    whole("paper", paper_json_schema())
}

fn whole(what: &str, root: &Json) -> String {
    let mut reference = Reference::new(&format!("# The {what}, key by key\n\n"), root);
    reference.section(what, root);
    reference.sections();
    reference.text.trim_end().to_owned() + "\n"
}

/// A table with its own section: a definition of the schema, titled by its first key.
#[derive(Clone)]
struct Section<'a> {
    /// The name of the definition.
    name: &'a str,
    title: String,
    schema: &'a Json,
}

struct Reference<'a> {
    root: &'a Json,
    sections: Vec<Section<'a>>,
    text: String,
}

impl<'a> Reference<'a> {
    fn new(head: &str, root: &'a Json) -> Self {
        Self { root, sections: Vec::new(), text: head.to_owned() }
    }

    /// The sections referenced so far, and those that these reference.
    fn sections(&mut self) {
        let mut at = 0;
        while at < self.sections.len() {
            let Section { title, schema, .. } = self.sections[at].clone();
            let _ = write!(self.text, "\n## {title}\n\n");
            self.section(&title, schema);
            at += 1;
        }
    }

    /// The text below a heading: the meaning, then a table of keys for each kind.
    fn section(&mut self, title: &str, schema: &'a Json) {
        if let Some(text) = schema["description"].as_str() {
            let _ = write!(self.text, "{}\n\n", plain(text));
        }
        let leaves = shape::leaves(self.root, schema);
        let kinds: Vec<&str> = leaves.iter().filter_map(|leaf| leaf.tag()).collect();
        for &leaf in &leaves {
            // A word that represents the table of its kind has the meaning of the table.
            if leaf.words().any(|word| kinds.contains(&word)) {
                continue;
            }
            if !leaf.is("object") {
                if let Some(text) = leaf.0["description"].as_str() {
                    let _ = write!(self.text, "{} Written as {}.\n\n", plain(text), one(leaf));
                }
                continue;
            }
            if let Some(kind) = leaf.tag() {
                let _ = write!(self.text, "### {title}: kind = \"{kind}\"\n\n");
                if let Some(text) = leaf.0["description"].as_str() {
                    let _ = write!(self.text, "{}\n\n", plain(text));
                }
            }
            self.keys(leaf);
        }
    }

    fn keys(&mut self, leaf: Leaf<'a>) {
        let names: Vec<&str> = leaf.properties().filter(|name| *name != "kind").collect();
        let has_kind = leaf.property("kind").is_some() && leaf.tag().is_none();
        if names.is_empty() && !has_kind {
            self.text.push_str("No further keys.\n\n");
            return;
        }
        self.text
            .push_str("| key | accepted | without it | meaning |\n| --- | --- | --- | --- |\n");
        for name in leaf.properties().filter(|name| has_kind || *name != "kind") {
            let Some(schema) = leaf.property(name) else { continue };
            let required = leaf.required().any(|needed| needed == name);
            let absent = match &schema["default"] {
                _ if required => "required".to_owned(),
                Json::Null => "—".to_owned(),
                Json::Object(_) => "its defaults".to_owned(),
                value => format!("`{value}`"),
            };
            let meaning = self.meaning(schema);
            let accepted = self.accepted(name, schema);
            let _ = writeln!(
                self.text,
                "| `{name}` | {} | {} | {} |",
                cell(&accepted),
                cell(&absent),
                cell(&meaning)
            );
        }
        if let Some(schema) = self.others(leaf) {
            let accepted = self.accepted("name", schema);
            let _ = writeln!(self.text, "| any other name | {} | — | |", cell(&accepted));
        }
        self.text.push('\n');
    }

    /// The schema of keys that are names, if these are tables or lists.
    fn others(&self, leaf: Leaf<'a>) -> Option<&'a Json> {
        let each = &leaf.0["additionalProperties"];
        let below = |leaf: &Leaf<'_>| leaf.is("object") || leaf.is("array");
        shape::leaves(self.root, each).iter().any(below).then_some(each)
    }

    /// What a key means, and what each of its words does.
    fn meaning(&self, schema: &'a Json) -> String {
        let mut text = schema["description"].as_str().map(plain).unwrap_or_default();
        let leaves = shape::leaves(self.root, schema);
        if leaves.len() < 2 {
            return text;
        }
        for leaf in leaves.iter().filter(|leaf| !leaf.is("object")) {
            let Some(meaning) = leaf.0["description"].as_str() else { continue };
            match leaf.words().next() {
                Some(word) => text.extend([" `", word, "`: ", &plain(meaning)]),
                None => text.extend([" ", &plain(meaning)]),
            }
        }
        text
    }

    /// What a key accepts, in a cell: a link for tables, the words, or the form of the value.
    fn accepted(&mut self, name: &str, schema: &'a Json) -> String {
        let leaves = shape::leaves(self.root, schema);
        let mut parts = Vec::new();
        if let Some(list) = leaves.iter().find(|leaf| leaf.items().is_some()) {
            let item = self.accepted(name, list.items().unwrap_or(&Json::Null));
            let limits = match list.limits("minItems", "maxItems").to_string() {
                none if none.is_empty() => none,
                limits => format!(" ({limits})"),
            };
            parts.push(format!("a list{limits}: {item}"));
        }
        let words: Vec<&str> = leaves.iter().flat_map(|leaf| leaf.words()).collect();
        if !words.is_empty() {
            parts.push(format!("`{}`", words.join("`, `")));
        }
        if let Some(table) = leaves.iter().find(|leaf| leaf.is("object")) {
            let tables = self.others(*table).filter(|_| table.properties().next().is_none());
            parts.push(match tables {
                Some(each) => format!("a table, of each name {}", self.accepted(name, each)),
                None => self.link(name, schema),
            });
        }
        let simple = leaves.iter().filter(|leaf| {
            !leaf.is("object") && !leaf.is("array") && leaf.words().next().is_none()
        });
        parts.extend(simple.map(|leaf| one(*leaf)));
        parts.join(" or ")
    }

    /// The section of a table, created at its first use.
    fn link(&mut self, key: &str, schema: &'a Json) -> String {
        let Some((name, target)) = definition(self.root, schema) else {
            return "a table".to_owned();
        };
        // A kind of another table has the same keys.
        if let Some(section) = target["x-section"].as_str() {
            let kept = |c: &char| c.is_alphanumeric() || " -".contains(*c);
            let anchor: String = section.chars().filter(kept).collect();
            return format!("a table with the keys of [{section}](#{})", anchor.replace(' ', "-"));
        }
        let known = self.sections.iter().find(|section| section.name == name);
        let known = known.map(|section| section.title.clone());
        let title = known.unwrap_or_else(|| {
            let title = kebab(name.strip_suffix("Spec").unwrap_or(name));
            let taken = self.sections.iter().any(|section| section.title == title);
            let title = if taken { key.to_owned() } else { title };
            self.sections.push(Section { name, title: title.clone(), schema: target });
            title
        });
        format!("[{title}](#{title})")
    }
}

/// The definition that a schema refers to, itself or as its only alternative beside `null`.
fn definition<'a>(root: &'a Json, schema: &'a Json) -> Option<(&'a str, &'a Json)> {
    let reference = schema["$ref"].as_str().or_else(|| {
        let mut branches = schema["anyOf"].as_array().into_iter().flatten();
        branches.find_map(|branch| branch["$ref"].as_str())
    })?;
    let name = reference.rsplit('/').next()?;
    Some((name, root.pointer(reference.strip_prefix('#')?)?))
}

/// The name of a Rust type as keys are spelt.
fn kebab(name: &str) -> String {
    let mut text = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !text.is_empty() {
            text.push('-');
        }
        text.extend(c.to_lowercase());
    }
    text
}

/// How quantities are written.
fn forms() -> String {
    let forms = [
        text::accepted::<Span>(),
        text::accepted::<Bytes>(),
        text::accepted::<Rate>(),
        text::accepted::<Length>(),
        text::accepted::<EnergyPerBit>(),
        WindowSize::ACCEPTED.to_owned(),
    ];
    let mut text = "A quantity is a number and its unit, in quotation marks:\n\n".to_owned();
    for form in forms {
        let _ = writeln!(text, "- {form}");
    }
    text
}

/// The values of the transport's keys in each profile.
fn profiles() -> String {
    let mut text =
        "\n## profiles\n\nWhat each profile gives for the keys that are left out.\n\n".to_owned();
    let names: Vec<&str> = Profile::ALL.iter().map(|profile| profile.name()).collect();
    let _ = writeln!(text, "| key | {} |", names.join(" | "));
    let _ = writeln!(text, "| --- |{}", " --- |".repeat(names.len()));
    let mut row = |key: &str, values: [String; Profile::ALL.len()]| {
        let _ = writeln!(text, "| `{key}` | {} |", values.join(" | "));
    };
    let settings = |options: &TcpOptions| {
        Profile::ALL.map(|profile| {
            parameters::table(resolve(profile, options).expect("profiles are whole"))
        })
    };
    let value = |of: &Json| of.as_str().map_or_else(|| of.to_string(), str::to_owned);
    let plain = settings(&TcpOptions::default());
    for key in plain[0].keys().filter(|key| !key.contains('.')) {
        row(&format!("transport.{key} (tcp)"), plain.each_ref().map(|all| value(&all[key])));
    }
    let mut told = |kind: &str, word: &str, options: &TcpOptions| {
        let with = settings(options);
        let below = |key: &&String| key.split_once('.').is_some_and(|(above, _)| above == kind);
        for key in with[0].keys().filter(below) {
            let values = with.each_ref().map(|all| value(&all[key]));
            row(&format!("transport.{key} ({word})"), values);
        }
    };
    for rule in recovery::Options::all() {
        let word = rule.word();
        let options = TcpOptions { recovery: Some(rule), ..TcpOptions::default() };
        told("recovery", word, &options);
    }
    for slow_start in slow_start::Options::all() {
        let word = slow_start.word();
        let options = TcpOptions { slow_start: Some(slow_start), ..TcpOptions::default() };
        told("slow-start", word, &options);
    }
    // No profile says what is in a program.
    for rule in congestion::Options::all().into_iter().filter(|rule| !rule.is_empty_program()) {
        let word = rule.word();
        let options = TcpOptions { congestion: Some(rule), ..TcpOptions::default() };
        told("congestion", word, &options);
    }
    row(
        "transport.header (udp)",
        Profile::ALL.map(|profile| profile.defaults().udp_header().to_string()),
    );
    let packets = |profile: Profile| profile.defaults().interface_queue_packets().to_string();
    row("queue.packets (drop-tail)", Profile::ALL.map(packets));
    text
}

fn one(leaf: Leaf<'_>) -> String {
    let text = describe::leaves(&[leaf]);
    // The list of units is given once, not in every row.
    match (leaf.quantity(), text.split_once(" such as ")) {
        (Some("time" | "size" | "rate" | "length" | "energy"), Some((what, _))) => {
            match describe::quantity_limits(leaf) {
                limits if limits.is_empty() => what.to_owned(),
                limits => format!("{what}, {limits}"),
            }
        }
        _ => text,
    }
}

/// A doc comment in one paragraph, without the marks of Rust's links.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace("[`", "`").replace("`]", "`")
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
