//! Bursts recorded one by one: what happened to each, and every reservation that it requested.

use units::{Bytes, NodeId, Span, Time};

use super::{Burst, Fec, Lost};

/// What happened to a burst.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BurstRow {
    /// Its number in the order of release.
    pub burst: u64,
    /// Where it was assembled.
    pub ingress: NodeId,
    /// Its destination edge.
    pub egress: NodeId,
    /// Packets in it.
    pub packets: u32,
    /// Their bytes.
    pub bytes: Bytes,
    /// When its first packet arrived.
    pub opened: Time,
    /// When it was released.
    pub released: Time,
    /// Whether it was full; otherwise its timer expired.
    pub full: bool,
    /// When its last bit arrived at the egress edge.
    pub delivered: Option<Time>,
    /// Why it was lost.
    pub lost: Option<Lost>,
}

/// A reservation that a header requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReservationRow {
    /// The burst's number.
    pub burst: u64,
    /// The fibre, by its number.
    pub fibre: u32,
    /// When the header made the request: released, or processed.
    pub asked: Time,
    /// When the header left on its control channel.
    pub header_sent: Option<Time>,
    /// The data channel, and from when to when, without the guard time.
    pub granted: Option<(u16, Time, Time)>,
    /// The delay of the fibre delay line that it takes first.
    pub fibre_delay: Span,
    /// Whether its wavelength is converted.
    pub converted: bool,
    /// Whether it is deflected: onto another fibre than that of its shortest path, or, with none
    /// granted, onto an abstract path.
    pub deflected: bool,
    /// Why it was not granted.
    pub lost: Option<Lost>,
}

/// Records a limited number of bursts, the first that are released once measuring has begun.
#[derive(Debug, Clone, Default)]
pub struct BurstLog {
    limit: usize,
    /// The release times from which bursts are recorded and no longer recorded, if the end of the
    /// warm-up does not decide.
    span: Option<(Time, Time)>,
    measuring: bool,
    /// The number of the first burst recorded.
    first: Option<u64>,
    /// The bursts, in the order of their numbers.
    pub bursts: Vec<BurstRow>,
    /// The reservations, in the order of their requests.
    pub reservations: Vec<ReservationRow>,
}

impl BurstLog {
    /// A log of at most this number of bursts.
    pub fn new(limit: u32) -> Self {
        Self { limit: limit as usize, ..Self::default() }
    }

    /// A log of at most this number of bursts, of those released from one instant on and before another.
    pub fn within(limit: usize, from: Time, to: Time) -> Self {
        Self { limit, span: Some((from, to)), ..Self::default() }
    }

    /// Measuring begins.
    pub fn begin(&mut self) {
        self.measuring = true;
    }

    /// Records a burst that is released.
    pub fn release(&mut self, burst: &Burst, fec: &Fec, times: (Time, Time), full: bool) {
        let (_, released) = times;
        let open = self.span.map_or(self.measuring, |(from, to)| from <= released && released < to);
        if !open || self.bursts.len() >= self.limit {
            return;
        }
        self.first.get_or_insert(burst.number);
        self.bursts.push(BurstRow {
            burst: burst.number,
            ingress: fec.ingress,
            egress: fec.egress,
            packets: burst.packets,
            bytes: Bytes(burst.bytes),
            opened: times.0,
            released: times.1,
            full,
            delivered: None,
            lost: None,
        });
    }

    /// Drops the first bursts of those that have ended before `now` and whose light has left the
    /// fibres, the longest of which takes `delay`.
    pub fn forget(&mut self, now: Time, delay: Span) {
        let mut last = vec![Time::ZERO; self.bursts.len()];
        for row in &self.reservations {
            let until = row.granted.map_or(row.asked, |(_, _, end)| end);
            let until = until.max(row.header_sent.unwrap_or(Time::ZERO)) + delay;
            if let Some(last) = self.place(row.burst).and_then(|at| last.get_mut(at)) {
                *last = until.max(*last);
            }
        }
        let ended = |(row, last): &(&BurstRow, Time)| {
            let delivered = row.delivered.is_some_and(|at| at < now);
            (delivered || row.lost.is_some()) && *last < now
        };
        let count = self.bursts.iter().zip(last).take_while(ended).count();
        self.bursts.drain(..count);
        let first = self.bursts.first().map(|row| row.burst);
        self.reservations.retain(|row| first.is_some_and(|first| first <= row.burst));
        self.first = first;
    }

    /// The row of a burst, if it is recorded.
    pub fn burst(&mut self, number: u64) -> Option<&mut BurstRow> {
        let at = self.place(number)?;
        self.bursts.get_mut(at)
    }

    /// The place of a burst among the rows, if it is recorded, or will be.
    fn place(&self, number: u64) -> Option<usize> {
        usize::try_from(number.checked_sub(self.first?)?).ok()
    }

    /// Records that a recorded burst requests a channel.
    pub fn ask(&mut self, number: u64, fibre: u32, asked: Time) {
        if self.burst(number).is_some() {
            self.reservations.push(ReservationRow {
                burst: number,
                fibre,
                asked,
                header_sent: None,
                granted: None,
                fibre_delay: Span::ZERO,
                converted: false,
                deflected: false,
                lost: None,
            });
        }
    }

    /// The latest reservation of a burst, if it is recorded.
    pub fn reservation(&mut self, number: u64) -> Option<&mut ReservationRow> {
        self.burst(number)?;
        self.reservations.iter_mut().rev().find(|row| row.burst == number)
    }
}
