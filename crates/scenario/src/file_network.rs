//! Networks whose graph is in a file: what is wrong with them, and their nodes and links one by one.

use plan::spec::{FileTopology, GraphPart, NodeKind, Topology};
use plan::topology::FileNetwork;
use serde_json::{Value as Json, json};

use crate::files::{self, File};
use crate::mistake::{Flaw, Mistake, Mistakes, nearest};
use crate::schema::json_schema;
use crate::{tree, walk};

/// The names that a wrong one is compared with.
const MOST_COMPARED: usize = 200;

/// The nodes and links of a network, whose places are routers if it is electronic; or its flaws, with the
/// names that may have been meant.
pub(crate) fn network(file: &FileTopology) -> Result<FileNetwork, Vec<Flaw>> {
    FileNetwork::new(file, NodeKind::Router).map_err(|flaws| {
        let hinted = |flaw: Flaw| match meant(file, &flaw) {
            Some(name) => {
                Flaw { problem: format!("{} (did you mean \"{name}\"?)", flaw.problem), ..flaw }
            }
            None => flaw,
        };
        flaws.into_iter().map(hinted).collect()
    })
}

/// The place that a name in `edges` may mean.
fn meant<'a>(file: &'a FileTopology, flaw: &Flaw) -> Option<&'a str> {
    let at: usize = flaw.key.strip_prefix("topology.edges.")?.parse().ok()?;
    let wrong = file.edges.as_ref()?.get(at)?;
    let names = file.graph.iter().flat_map(|part| match part {
        GraphPart::Place { name, label, .. } => [label.as_deref(), Some(&**name)],
        GraphPart::Link { .. } | GraphPart::Unused { .. } => [None; 2],
    });
    nearest(wrong, names.flatten().take(MOST_COMPARED)).filter(|name| name != wrong)
}

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
        match serde_json::from_value(node) {
            Ok(Topology::File(file)) => match network(&file) {
                Ok(FileNetwork { nodes, links, notes, .. }) => {
                    return Ok(json!({ "nodes": nodes, "links": links, "notes": notes }));
                }
                Err(flaws) => {
                    for flaw in flaws {
                        mistakes.add(root.place_of(&flaw.key), flaw);
                    }
                }
            },
            _ => mistakes.add(root.place_of("topology"), Flaw::new("topology", "not of a file")),
        }
    }
    Err(mistakes.into_list())
}
