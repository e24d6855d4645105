//! What is watched: the queue of a link, or the channels of a fibre.

use units::{LinkId, Span};

use super::super::World;

/// A link whose losses are rare.
#[derive(Debug, Clone, Copy)]
pub(super) enum Watch {
    /// An electronic one, with a queue.
    Link(LinkId),
    /// An optical one, by its number among the fibres, with the delay at the input of a node.
    Fibre(u32, Span),
}

/// What has been offered to it since the run began, in packets or bursts, and how many of these were lost there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Seen {
    pub offered: u64,
    pub lost: u64,
    /// Bursts released anywhere.
    pub released: u64,
}

impl Watch {
    /// Watches a link of a world.
    pub(super) fn new(world: &World, link: LinkId) -> Self {
        let delay = world.plan.facts().input_delay;
        let fibre = world.network.optical().fibre_of(link);
        fibre.map_or(Self::Link(link), |number| Self::Fibre(number, delay))
    }

    /// What has been offered and lost.
    #[inline]
    pub(super) fn seen(self, world: &World) -> Seen {
        match self {
            Self::Link(link) => {
                let (offered, lost) = world.network.link(link).offered_and_dropped();
                Seen { offered, lost, released: 0 }
            }
            Self::Fibre(number, _) => {
                let optical = world.network.optical();
                let fibre = &optical.fibres[number as usize];
                Seen {
                    offered: fibre.bursts_in,
                    lost: fibre.bursts_lost,
                    released: optical.released,
                }
            }
        }
    }

    /// How near a loss is: packets or bytes that wait, or the data channels that will be in use as far as it is known.
    #[inline]
    pub(super) fn level(self, world: &mut World) -> u64 {
        match self {
            Self::Link(link) => world.network.filling(link),
            Self::Fibre(number, input_delay) => {
                let now = world.network.now();
                let optical = world.network.optical();
                // More than there are is a loss.
                let all = optical.fibres[number as usize].data_channels() as u64;
                optical.most_in_use(number, now, input_delay).min(all)
            }
        }
    }
}
