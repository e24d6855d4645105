//! The scheduler of an input-queued switch: which inputs its fabric connects with which outputs in
//! a slot.
//!
//! Each scheduler has a file. The caller keeps cells and their queues, and reports for which
//! outputs each input has a cell.

mod islip;
mod mask;
mod maximum_size;
mod pim;
mod requests;
mod rounds;
mod wavefront;

use random::Stream;

pub use islip::Islip;
pub use mask::{Mask, Members};
pub use maximum_size::MaximumSize;
pub use pim::Pim;
pub(crate) use requests::PerPort;
pub use requests::Requests;
pub use wavefront::Wavefront;

use crate::SchedulerSpec;

/// A scheduler with its state from slot to slot.
///
/// The matches of an input depend only on the requests of its connected component of the request
/// graph, the inputs and outputs to which a chain of requests leads from it: the other components
/// may be served at other times. (With PIM this holds for the distribution of the matches; the
/// numbers drawn depend on the order of the draws.)
#[derive(Debug, Clone)]
pub enum Arbiter<const W: usize> {
    /// Round-robin with desynchronized pointers.
    Islip(Islip<W>),
    /// At random.
    Pim(Pim<W>),
    /// The largest possible matching.
    MaximumSize(MaximumSize<W>),
    /// Diagonal by diagonal.
    Wavefront(Wavefront),
}

impl<const W: usize> Arbiter<W> {
    /// A scheduler of so many ports, at most 64 `W` each way. Random schedulers draw from the
    /// stream.
    pub fn new(spec: &SchedulerSpec, inputs: u32, outputs: u32, stream: Stream) -> Self {
        requests::check::<W>(inputs, outputs);
        match *spec {
            SchedulerSpec::Islip { iterations } => Self::Islip(Islip::new(iterations)),
            SchedulerSpec::Pim { iterations } => Self::Pim(Pim::new(iterations, stream)),
            SchedulerSpec::MaximumSize {} => Self::MaximumSize(MaximumSize::new()),
            SchedulerSpec::Wavefront {} => Self::Wavefront(Wavefront::new(inputs, outputs)),
        }
    }

    /// One slot: `pairs` become the matches (input, output) between the inputs `among` and the
    /// outputs for which they ask. What other inputs ask for plays no part. The `number` is that of
    /// the slot: schedulers see only slots in which inputs compete, and so cannot count them.
    #[inline]
    pub fn slot(
        &mut self,
        number: u64,
        requests: &Requests<W>,
        among: Mask<W>,
        pairs: &mut Vec<(u32, u32)>,
    ) {
        pairs.clear();
        match self {
            Self::Islip(islip) => islip.slot(requests, among, pairs),
            Self::Pim(pim) => pim.slot(requests, among, pairs),
            Self::MaximumSize(maximum) => maximum.slot(requests, among, pairs),
            Self::Wavefront(wavefront) => wavefront.slot(number, requests, among, pairs),
        }
    }

    /// The same for one input, which requests some outputs: the one that it is matched with. All of them grant it.
    #[inline]
    pub fn slot_of_one(&mut self, number: u64, input: u32, requested: Mask<W>) -> u32 {
        match self {
            Self::Islip(islip) => islip.slot_of_one(input, requested),
            Self::Pim(pim) => pim.slot_of_one(requested),
            Self::MaximumSize(_) => requested.first().expect("a request"),
            Self::Wavefront(wavefront) => wavefront.slot_of_one(number, input, requested),
        }
    }

    /// Whether inputs that request only one output are served round-robin.
    #[inline]
    pub fn takes_turns(&self) -> bool {
        match self {
            Self::Islip(_) => true,
            Self::Pim(_) | Self::MaximumSize(_) | Self::Wavefront(_) => false,
        }
    }

    /// The inputs of a round, which request only this output, in the order in which
    /// [`slot`](Self::slot) would serve them, again and again. It is one input, or the scheduler
    /// [takes turns](Self::takes_turns).
    #[inline]
    pub fn turns(&self, output: u32, round: Mask<W>) -> impl Iterator<Item = u32> + use<W> {
        let before = match self {
            Self::Islip(islip) => islip.before(output),
            Self::Pim(_) | Self::MaximumSize(_) | Self::Wavefront(_) => Mask::<W>::LAST,
        };
        let next = move |&input: &u32| round.next_after(input);
        std::iter::successors(round.next_after(before), next)
    }

    /// A round was served for so many slots: what [`slot`](Self::slot) would have left behind.
    #[inline]
    pub fn took_turns(&mut self, output: u32, round: Mask<W>, slots: u64) {
        match self {
            Self::Islip(islip) => islip.took_turns(output, round, slots),
            // There is no choice, and so no draw.
            Self::Pim(_) | Self::MaximumSize(_) | Self::Wavefront(_) => {}
        }
    }
}
