//! Turns at being granted credit: the receivers of a host take turns at the rate of its link.

use std::collections::VecDeque;

use units::{FlowId, NodeId, Span, Time};
use wire::event::Life;

/// The receivers of a host that want credit.
#[derive(Debug, Clone, Default)]
struct Host {
    waiting: VecDeque<(FlowId, Life)>,
    /// When the packet for which credit was granted last will have come.
    free_at: Time,
    /// Whether an event for the next turn is entered, or one is taken.
    is_armed: bool,
}

/// The turns at all hosts.
#[derive(Debug, Clone, Default)]
pub struct Turns {
    hosts: Vec<Host>,
}

impl Turns {
    /// The receiver of a flow at a host wants credit, and waits behind those that do; when the next turn is, if no event
    /// for it is entered yet.
    pub fn enter(&mut self, at: NodeId, flow: (FlowId, Life)) -> Option<Time> {
        if self.hosts.len() <= at.index() {
            self.hosts.resize_with(at.index() + 1, Host::default);
        }
        let host = &mut self.hosts[at.index()];
        host.waiting.push_back(flow);
        let is_new = !host.is_armed;
        host.is_armed = true;
        is_new.then_some(host.free_at)
    }

    /// Whose turn it is, until it is [ended](Self::end).
    pub fn take(&mut self, at: NodeId) -> Option<(FlowId, Life)> {
        self.hosts[at.index()].waiting.pop_front()
    }

    /// The turn has taken so long; when the next one is, if somebody waits.
    pub fn end(&mut self, at: NodeId, now: Time, took: Span) -> Option<Time> {
        let host = &mut self.hosts[at.index()];
        host.free_at = now.saturating_add(took);
        host.is_armed = !host.waiting.is_empty();
        host.is_armed.then_some(host.free_at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn receivers_of_a_host_take_turns_that_do_not_overlap() {
        let mut turns = Turns::default();
        let (host, life) = (NodeId(3), Life::default());
        let (one, other) = ((FlowId(1), life), (FlowId(2), life));
        assert_eq!(turns.enter(host, one), Some(Time::ZERO));
        assert_eq!(turns.enter(host, other), None);
        assert_eq!(turns.take(host), Some(one));
        // It wants more, and stands behind the other.
        let end = |turns: &mut Turns, now| turns.end(host, Time(now), Span(10));
        assert_eq!(turns.enter(host, one), None);
        assert_eq!(end(&mut turns, 5), Some(Time(15)));
        assert_eq!((turns.take(host), end(&mut turns, 15)), (Some(other), Some(Time(25))));
        assert_eq!((turns.take(host), end(&mut turns, 25)), (Some(one), None));
        // Who comes later waits until the last packet has come.
        assert_eq!(turns.enter(host, other), Some(Time(35)));
        assert_eq!(turns.enter(NodeId(0), other), Some(Time::ZERO));
    }
}
