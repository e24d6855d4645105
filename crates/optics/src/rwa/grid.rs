//! The channels of all fibres: which are free, and which a lightpath gets.

use random::Stream;

use crate::spec::{LightConversion, WavelengthAssignment};

/// Channels in a word.
const WORD: usize = 64;

/// Which channels of which fibres are free. Channels with one number are one wavelength.
#[derive(Debug, Clone)]
pub struct Grid {
    assignment: WavelengthAssignment,
    conversion: LightConversion,
    /// The words of a fibre.
    width: usize,
    /// For each fibre its channels, a bit each: set while free.
    free: Box<[u64]>,
    /// For each wavelength: on how many fibres it is in use.
    used: Box<[u32]>,
    /// Of what is drawn.
    stream: Stream,
    /// The channels that are free all along a route.
    open: Box<[u64]>,
}

impl Grid {
    /// Fibres with so many channels, all of them free.
    pub fn new(
        channels: &[u32],
        (assignment, conversion): (WavelengthAssignment, LightConversion),
        stream: Stream,
    ) -> Self {
        let most = channels.iter().copied().max().unwrap_or(0) as usize;
        let width = most.div_ceil(WORD);
        let mut free = vec![0; width * channels.len()];
        for (at, &count) in channels.iter().enumerate() {
            for channel in 0..count as usize {
                free[at * width + channel / WORD] |= 1 << (channel % WORD);
            }
        }
        let (used, open) = (vec![0; most].into(), vec![0; width].into());
        Self { assignment, conversion, width, free: free.into(), used, stream, open }
    }

    /// Takes a channel of each fibre of a route, and puts their numbers into a list; false if there are none, or without
    /// conversion none that is free on all of them.
    pub fn assign(&mut self, route: &[u32], chosen: &mut Vec<u16>) -> bool {
        chosen.clear();
        match self.conversion {
            LightConversion::None => {
                let Some(channel) = self.choose(route) else { return false };
                chosen.resize(route.len(), channel);
            }
            LightConversion::Full => {
                for at in 0..route.len() {
                    let Some(channel) = self.choose(&route[at..=at]) else { return false };
                    chosen.push(channel);
                }
            }
        }
        for (&fibre, &channel) in route.iter().zip(&*chosen) {
            let (word, bit) = self.place(fibre, channel);
            self.free[word] &= !bit;
            self.used[usize::from(channel)] += 1;
        }
        true
    }

    /// Gives back what was [assigned](Self::assign).
    pub fn release(&mut self, route: &[u32], chosen: &[u16]) {
        for (&fibre, &channel) in route.iter().zip(chosen) {
            let (word, bit) = self.place(fibre, channel);
            debug_assert_eq!(self.free[word] & bit, 0, "what is given back was taken");
            self.free[word] |= bit;
            self.used[usize::from(channel)] -= 1;
        }
    }

    /// How many channels of a fibre are free.
    pub fn free(&self, fibre: u32) -> u32 {
        let first = fibre as usize * self.width;
        self.free[first..first + self.width].iter().map(|word| word.count_ones()).sum()
    }

    fn place(&self, fibre: u32, channel: u16) -> (usize, u64) {
        let channel = usize::from(channel);
        (fibre as usize * self.width + channel / WORD, 1 << (channel % WORD))
    }

    /// A channel that is free on all of these fibres.
    fn choose(&mut self, fibres: &[u32]) -> Option<u16> {
        let Self { open, free, width, .. } = self;
        open.fill(u64::MAX);
        for &fibre in fibres {
            let first = fibre as usize * *width;
            let here = &free[first..first + *width];
            open.iter_mut().zip(here).for_each(|(open, free)| *open &= free);
        }
        let count: u32 = open.iter().map(|word| word.count_ones()).sum();
        let nth = match self.assignment {
            _ if count == 0 => return None,
            WavelengthAssignment::FirstFit => 0,
            WavelengthAssignment::MostUsed => {
                let used = |channel: &usize| self.used[*channel];
                // The last of several maxima is the lowest channel.
                let found = members(&self.open).rev().max_by_key(used)?;
                return u16::try_from(found).ok();
            }
            WavelengthAssignment::Random => self.stream.below(u64::from(count)),
        };
        let nth = usize::try_from(nth).ok()?;
        members(&self.open).nth(nth).and_then(|channel| u16::try_from(channel).ok())
    }
}

/// The numbers of the bits that are set, ascending.
fn members(words: &[u64]) -> impl DoubleEndedIterator<Item = usize> {
    (0..words.len() * WORD).filter(|at| words[at / WORD] >> (at % WORD) & 1 == 1)
}
