//! The link whose rare losses are estimated, and the levels on the way there.

use plan::spec::{CoreSpec, NodeKind, SplittingSpec, Waiting};
use plan::topology::{Graph, LinksByName};

use super::Check;
use crate::mistake::Flaw;

impl Check<'_> {
    /// The link is one that can be watched, and the levels rise up to its limit.
    pub(super) fn splitting(
        &mut self,
        splitting: &SplittingSpec,
        core: Option<&CoreSpec>,
        graph: &Graph,
    ) {
        let key = "splitting.link";
        let wrong = |problem: &str, accepted: &str| {
            let flaw = Flaw::new(key, problem).found(format!("\"{}\"", splitting.link));
            flaw.accepted(accepted.to_owned())
        };
        let named = LinksByName::new(graph).named(&splitting.link);
        let &[link] = named.as_slice() else {
            let problem = if named.is_empty() { "no such link" } else { "more than one link" };
            let accepted = "one direction of a link, \"A -> B\", or of one lightpath of a bundle, \"A -> B:0\"";
            return self.say(wrong(problem, accepted), key);
        };
        let link = &graph.links[link.index()];
        let kinds = [link.from, link.to].map(|node| graph.nodes[node.index()].kind);
        let is_inner = |kind: NodeKind| kind == NodeKind::Core || kind == NodeKind::Rack;
        let is_core =
            kinds[0] == NodeKind::Core || (kinds[0] == NodeKind::Rack && is_inner(kinds[1]));
        let waiting = core.filter(|_| is_core).map(|core| core.facts().waiting);
        let limit = match (link.channels, link.queue.limits()) {
            (Some(channels), _) => u64::from(channels.data),
            (None, (Some(packets), _)) => u64::from(packets),
            (None, (None, Some(bytes))) => bytes.0,
            (None, (None, None)) => return,
        };
        let no_queue = match waiting {
            None | Some(Waiting::AtLinks) => None,
            Some(Waiting::BeforeLinks) => Some("leaves a switch, which has buffers of its own"),
            Some(Waiting::Nowhere) => Some("leaves a switch at which no packet waits"),
        };
        if let Some(problem) = no_queue {
            return self.say(wrong(problem, "a link that leaves a router or a host"), key);
        }
        for (at, pair) in splitting.levels.windows(2).enumerate() {
            if pair[0] >= pair[1] {
                let key = format!("splitting.levels.{}", at + 1);
                let flaw = Flaw::new(&key, "not above the level before");
                let flaw = flaw.found(pair[1].to_string()).accepted(format!("above {}", pair[0]));
                return self.say(flaw, &key);
            }
        }
        if let Some((at, level)) = (0..).zip(&splitting.levels).find(|(_, level)| **level > limit) {
            let key = format!("splitting.levels.{at}");
            let flaw = Flaw::new(&key, "never reached").found(level.to_string());
            self.say(flaw.accepted(format!("at most {limit}, all there is")), &key);
        }
    }
}
