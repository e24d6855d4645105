//! What hybrid switches require of a scenario.

use plan::check::{Around, Findings};
use plan::spec::{QueueSpec, Topology};

/// The links that leave a hybrid switch have no queue: its buffer is shared.
pub fn effects(around: &Around<'_>, to: &mut dyn Findings) {
    let alone = "hybrid switches have a shared buffer, and no queues on their links";
    let shared = "hybrid switches mark nothing: only the links' ends at hosts do";
    for (key, queue) in around.queues {
        let ends = match (around.topology, key.as_str()) {
            (Some(Topology::Explicit { .. }), _) => {
                let Some(link) = around.link_of(key) else { continue };
                [around.is_core(&link.from), link.one_way || around.is_core(&link.to)]
            }
            (Some(Topology::Dumbbell { .. }), "topology.bottleneck.queue")
            | (
                Some(Topology::Line { access: Some(_), .. } | Topology::File(_)),
                "topology.link.queue",
            ) => [true, true],
            (Some(shape), "topology.link.queue") if shape.regular().is_some() => [true, true],
            _ => [true, false],
        };
        match (ends, queue) {
            // It acts on packets that leave the buffer, too.
            (_, QueueSpec::Policer { .. }) => {}
            ([true, true], _) => to.no_effect(key, alone),
            ([true, false] | [false, true], QueueSpec::EcnThreshold { .. }) => {
                to.no_effect(&format!("{key}.mark-above"), shared);
            }
            ([true, false] | [false, true], QueueSpec::Red { .. }) => {
                to.no_effect(&format!("{key}.kind"), shared);
            }
            // Those that decide when a packet leaves are mistakes already.
            ([true | false, false] | [false, true], _) => {}
        }
    }
}
