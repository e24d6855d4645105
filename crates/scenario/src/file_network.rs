//! Networks whose graph is in a file: their nodes and links one by one.

use plan::shapes::{FileNetwork, Topology};
use serde_json::{Value as Json, json};

use crate::files::{self, File};
use crate::mistake::{Flaw, Mistake, Mistakes};
use crate::schema::json_schema;
use crate::{check, tree, walk};

/// The explicit topology, as JSON, of a text that has only a section `[topology]` of the kind `file`, and
/// `notes` on it. How large a network may be is not checked.
pub fn explicit(text: &str, files: &[File]) -> Result<Json, Vec<Mistake>> {
    let mut mistakes = Mistakes::new("", &[]);
    let mut root = tree::parse(text, &mut mistakes);
    files::attach(&mut root, files, &mut mistakes);
    if let Some(node) = root.get("topology") {
        let schema = json_schema();
        let topology = &schema["properties"]["topology"];
        walk::walk_value(schema, &[topology], ("topology", node), &mut mistakes);
    }
    if mistakes.is_empty() {
        let node = root.get("topology").map(tree::Node::to_json).unwrap_or_default();
        let topology: Option<Topology> = serde_json::from_value(node).ok();
        if let Some(file) = topology.as_ref().and_then(|topology| topology.facts().file) {
            if let Some(network) = file.network(&mut check::findings(&root, &mut mistakes)) {
                let FileNetwork { nodes, links, notes, .. } = network;
                return Ok(json!({ "nodes": nodes, "links": links, "notes": notes }));
            }
        } else {
            mistakes.add(root.place_of("topology"), Flaw::new("topology", "not of a file"));
        }
    }
    Err(mistakes.into_list())
}
