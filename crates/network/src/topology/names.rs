//! Names of links.

use units::{LinkId, NodeId};

use super::{Graph, OneWayLink};

impl Graph {
    /// The name of a one-way link, `"A -> B"`, of one in a bundle `"A -> B:0"`.
    pub fn link_name(&self, link: LinkId) -> String {
        let link = &self.links[link.index()];
        let name = |id: NodeId| &self.nodes[id.index()].name;
        let (from, to) = (name(link.from), name(link.to));
        match link.lightpath {
            Some(lightpath) => format!("{from} -> {to}:{lightpath}"),
            None => format!("{from} -> {to}"),
        }
    }

    /// The links that a name means: `"A -> B"` one way, `"A - B"` both ways of it; all of a bundle,
    /// or with a number behind, `"A -> B:2"`, that lightpath of it.
    pub fn links_named(&self, name: &str) -> Vec<LinkId> {
        let Some(name) = LinkName::read(name) else { return Vec::new() };
        let is = |id: NodeId, name: &str| self.nodes[id.index()].name == name;
        let matches = |link: &OneWayLink| {
            let one = is(link.from, name.from) && is(link.to, name.to);
            let other = name.both && is(link.from, name.to) && is(link.to, name.from);
            (one || other) && name.lightpath.is_none_or(|wanted| link.lightpath == Some(wanted))
        };
        let found = self.links.iter().enumerate().filter(|(_, link)| matches(link));
        found.map(|(at, _)| LinkId::at(at)).collect()
    }
}

/// The name of a link, taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkName<'a> {
    /// The node that it leaves.
    pub from: &'a str,
    /// The node that it leads to.
    pub to: &'a str,
    /// Whether it means the way back too.
    pub both: bool,
    /// Which of parallel links it means, if not all of them.
    pub lightpath: Option<u32>,
}

impl<'a> LinkName<'a> {
    /// Takes a name apart; a text of another form is none.
    pub fn read(text: &'a str) -> Option<Self> {
        let (from, to, both) = match (text.split_once(" -> "), text.split_once(" - ")) {
            (Some((from, to)), _) => (from, to, false),
            (None, Some((from, to))) => (from, to, true),
            (None, None) => return None,
        };
        // A colon is in no name of a node.
        let (to, lightpath) = match to.rsplit_once(':') {
            Some((to, number)) => (to, Some(number.trim().parse().ok()?)),
            None => (to, None),
        };
        Some(Self { from: from.trim(), to: to.trim(), both, lightpath })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_taken_apart() {
        let name = |from, to, both, lightpath| Some(LinkName { from, to, both, lightpath });
        for (text, expected) in [
            ("A -> B", name("A", "B", false, None)),
            ("A - B", name("A", "B", true, None)),
            ("r-1 -> r-2:13", name("r-1", "r-2", false, Some(13))),
            ("A - B:0", name("A", "B", true, Some(0))),
            ("A", None),
            ("A->B", None),
            ("A -> B:", None),
            ("A -> B:-1", None),
            ("A -> B:x", None),
        ] {
            assert_eq!(LinkName::read(text), expected, "{text}");
        }
    }
}
