//! The outputs of a switch, and which of them a packet takes.

use optics::AnycastRule;
use optics::anycast::{Anycast, Ask, Ports};
use plan::topology::Bundles;
use random::Stream;
use transport::Fault;
use units::{LinkId, Time};
use wire::packet::{Marks, Transit};

use super::count;

/// The outputs of a switch, in bundles.
#[derive(Debug, Clone)]
pub struct Outlets {
    /// By output: its link.
    links: Box<[LinkId]>,
    /// By output: its bundle, and its place there.
    bundle_of: Box<[(u32, u32)]>,
    /// By bundle: its outputs, in the order of the lightpaths.
    bundles: Box<[Box<[u32]>]>,
    anycast: Anycast,
}

/// The information about a packet when its output is chosen.
#[derive(Debug, Clone, Copy)]
pub struct Picked {
    /// When.
    pub now: Time,
    /// The input at which it arrived.
    pub input: u32,
    /// The output that routing picked, by the packet's hash; the choice is in its bundle.
    pub output: u32,
    /// The rank of its destination, for the policy `destination`.
    pub rank: u32,
}

impl Outlets {
    /// The outputs of a switch with this number of inputs, which chooses by a rule and draws from
    /// `stream`.
    pub(super) fn new(
        rule: AnycastRule<'_>,
        inputs: usize,
        links: Vec<LinkId>,
        all: &Bundles,
        stream: Stream,
    ) -> Self {
        let mut bundles: Vec<Box<[u32]>> = Vec::new();
        let mut bundle_of = vec![(0, 0); links.len()];
        for (output, &link) in links.iter().enumerate() {
            if all.place(link) > 0 {
                continue;
            }
            // Links are in the order of their ids, here and in their bundle.
            let number = |of: &LinkId| links.binary_search(of).expect("parallel");
            let outputs: Vec<usize> = all.links(all.of(link)).iter().map(number).collect();
            let bundle = count(bundles.len());
            (0..).zip(&outputs).for_each(|(place, &output)| bundle_of[output] = (bundle, place));
            debug_assert_eq!(bundle_of[output].1, 0, "the first of its bundle");
            bundles.push(outputs.iter().map(|&output| count(output)).collect());
        }
        let ports = Ports {
            inputs: count(inputs),
            outputs: count(links.len()),
            bundles: count(bundles.len()),
        };
        let anycast = Anycast::new(rule, ports, stream);
        Self {
            links: links.into_boxed_slice(),
            bundle_of: bundle_of.into_boxed_slice(),
            bundles: bundles.into_boxed_slice(),
            anycast,
        }
    }

    /// By output: the queue in which its packets wait at an input, one per bundle if the policy
    /// requires it.
    pub fn queues(&self) -> Box<[u32]> {
        let first = |&(bundle, _): &(u32, u32)| self.bundles[bundle as usize][0];
        let shared = self.anycast.shares_queue();
        let own = 0..count(self.links.len());
        if shared { self.bundle_of.iter().map(first).collect() } else { own.collect() }
    }

    /// The number of bundles, including single links.
    pub fn bundles(&self) -> usize {
        self.bundles.len()
    }

    /// The bundle of an output.
    #[inline]
    pub fn bundle_of(&self, output: u32) -> u32 {
        self.bundle_of[output as usize].0
    }

    /// The link of an output.
    #[inline]
    pub fn link(&self, output: u32) -> LinkId {
        self.links[output as usize]
    }

    /// Whether the policy reads the queues of an input.
    #[inline]
    pub fn looks_at_queues(&self) -> bool {
        self.anycast.looks_at_queues()
    }

    /// Why the policy, a program, cannot go on, if so.
    #[inline]
    pub fn fault(&self) -> Option<&Fault> {
        self.anycast.fault()
    }

    /// The output that a packet takes; `pending` is what the policy compares outputs by.
    #[inline]
    pub fn choose(
        &mut self,
        picked: Picked,
        transit: &Transit,
        pending: impl Fn(u32, LinkId) -> u64,
    ) -> u32 {
        let Picked { now, input, output, rank } = picked;
        let (bundle, hashed) = self.bundle_of[output as usize];
        let ports = &self.bundles[bundle as usize];
        if ports.len() == 1 {
            return output;
        }
        let way = u32::from(transit.marks.0 & Marks::BACKWARD) << 16;
        let flow = way | u32::from(transit.hash);
        let ask = Ask { now, input, bundle, ports, bytes: transit.bytes, hashed, rank, flow };
        let links = &self.links;
        let place = self.anycast.choose(&ask, |port| pending(port, links[port as usize]));
        ports[place as usize]
    }
}
