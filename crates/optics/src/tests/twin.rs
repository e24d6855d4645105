//! A twin of the channels that keeps every reservation for ever and looks at all of them.

use units::{Span, Time};

use crate::{Candidates, Scheduling};

/// A reservation [start, end).
type Reserved = (Time, Time);

/// The channels of a link: for each the reservations in the order in which they were made.
pub(super) struct Twin {
    scheduling: Scheduling,
    channels: Vec<Vec<Reserved>>,
}

impl Twin {
    pub(super) fn new(scheduling: Scheduling, channels: u32) -> Self {
        Self { scheduling, channels: vec![Vec::new(); channels as usize] }
    }

    pub(super) fn book(&mut self, channel: u16, start: Time, length: Span) {
        self.channels[usize::from(channel)].push((start, start + length));
    }

    pub(super) fn find(&self, candidates: Candidates, start: Time, length: Span) -> Option<u16> {
        let end = start + length;
        let mut best: Option<(Time, u16)> = None;
        for (channel, reserved) in (0_u16..).zip(&self.channels) {
            let meant = candidates == Candidates::Any || candidates == Candidates::Only(channel);
            let Some(previous) = self.previous(reserved, start, end).filter(|_| meant) else {
                continue;
            };
            let better = match self.scheduling {
                Scheduling::FirstFit => best.is_none(),
                _ => best.is_none_or(|(latest, _)| previous > latest),
            };
            if better {
                best = Some((previous, channel));
            }
        }
        best.map(|(_, channel)| channel)
    }

    /// The end of the reservation before [start, end), if the policy lets the channel take it.
    fn previous(&self, reserved: &[Reserved], start: Time, end: Time) -> Option<Time> {
        let horizon = latest_end(reserved);
        match self.scheduling {
            Scheduling::LaucVf | Scheduling::FirstFit => {
                let free = reserved.iter().all(|&(from, to)| to <= start || end <= from);
                let earlier: Vec<Reserved> =
                    reserved.iter().copied().filter(|&(_, to)| to <= start).collect();
                free.then(|| latest_end(&earlier))
            }
            Scheduling::Lauc => (horizon <= start).then_some(horizon),
            Scheduling::LaucVfOneVoid => {
                let (from, to) = latest_void(reserved);
                let fits = from <= start && end <= to;
                if horizon <= start { Some(horizon) } else { fits.then_some(from) }
            }
        }
    }

    /// The first instant at which something is found: `start`, or where a reservation ends.
    pub(super) fn earliest(&self, start: Time, length: Span) -> Time {
        let ends = self.channels.iter().flatten().map(|&(_, to)| to).filter(|&to| to > start);
        let mut instants: Vec<Time> = ends.chain([start]).collect();
        instants.sort();
        let found = |&at: &Time| self.find(Candidates::Any, at, length).is_some();
        instants.into_iter().find(found).expect("behind all reservations")
    }

    pub(super) fn busy(&self, at: Time) -> u32 {
        let covers = |&(from, to): &Reserved| from <= at && at < to;
        self.channels.iter().map(|reserved| u32::from(reserved.iter().any(covers))).sum()
    }

    /// Whether no two reservations of a channel share an instant.
    pub(super) fn is_sound(&self) -> bool {
        self.channels.iter().all(|reserved| {
            let mut sorted = reserved.clone();
            sorted.sort();
            sorted.windows(2).all(|pair| pair[0].1 <= pair[1].0)
        })
    }
}

fn latest_end(reserved: &[Reserved]) -> Time {
    reserved.iter().map(|&(_, to)| to).max().unwrap_or(Time::ZERO)
}

/// The one void that is remembered: the last that was opened between the end of all reservations
/// before and a later start, less the reservations that were put into it since, each with what lies
/// before it.
fn latest_void(reserved: &[Reserved]) -> Reserved {
    let opens = |&at: &usize| reserved[at].0 > latest_end(&reserved[..at]);
    let Some(opened) = (0..reserved.len()).rev().find(opens) else {
        return (Time::ZERO, Time::ZERO);
    };
    let (before, since) = (&reserved[..opened], &reserved[opened + 1..]);
    let until = reserved[opened].0;
    let inside: Vec<Reserved> = since.iter().copied().filter(|&(from, _)| from < until).collect();
    (latest_end(before).max(latest_end(&inside)), until)
}
