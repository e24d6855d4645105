//! The control channels of one link.

use units::{Span, Time};

use crate::WhenBusy;

/// The control channels of one link: which of them sends a header, and when.
///
/// Plain LAUC: among the channels that are idle, the one that has been idle for the shortest time,
/// on a tie the lowest number. A channel that has sent nothing counts as idle since the start.
#[derive(Debug, Clone)]
pub struct ControlChannels {
    free_at: Vec<Time>,
    when_busy: WhenBusy,
}

impl ControlChannels {
    /// `channels` idle channels, up to 1024; without any, nothing is ever sent.
    pub fn new(channels: u32, when_busy: WhenBusy) -> Self {
        assert!(channels <= 1024, "a link has at most 1024 control channels");
        Self { free_at: vec![Time::ZERO; channels as usize], when_busy }
    }

    /// Sends what takes `length` on the wire: the channel and the instant of its first bit, `now`
    /// unless it has to wait. Nothing where it does not wait and none is idle.
    ///
    /// Calls come in the order of `now`.
    pub fn send(&mut self, now: Time, length: Span) -> Option<(u16, Time)> {
        let (channel, start) = match (self.shortest_idle(now), self.when_busy) {
            (Some(channel), _) => (channel, now),
            (None, WhenBusy::Drop) => return None,
            (None, WhenBusy::Wait) => self.first_free()?,
        };
        self.free_at[usize::from(channel)] = start + length;
        Some((channel, start))
    }

    /// When [`Self::send`] would send: `now` where a channel is idle, else when one becomes free;
    /// nothing where it does not wait.
    pub fn ready(&self, now: Time) -> Option<Time> {
        match (self.shortest_idle(now), self.when_busy) {
            (Some(_), _) => Some(now),
            (None, WhenBusy::Drop) => None,
            (None, WhenBusy::Wait) => self.first_free().map(|(_, free)| free),
        }
    }

    /// The idle channel that became free last.
    fn shortest_idle(&self, now: Time) -> Option<u16> {
        let mut best: Option<(u16, Time)> = None;
        for (channel, &free) in (0_u16..).zip(&self.free_at) {
            if free <= now && best.is_none_or(|(_, latest)| free > latest) {
                best = Some((channel, free));
            }
        }
        best.map(|(channel, _)| channel)
    }

    /// The channel that becomes free first, and when.
    fn first_free(&self) -> Option<(u16, Time)> {
        (0_u16..).zip(self.free_at.iter().copied()).min_by_key(|&(_, free)| free)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: Span = Span(5);

    fn send_all(channels: &mut ControlChannels, nows: &[u64]) -> Vec<Option<(u16, u64)>> {
        let sent = nows.iter().map(|&now| channels.send(Time(now), HEADER));
        sent.map(|sent| sent.map(|(channel, start)| (channel, start.0))).collect()
    }

    /// Two channels, headers of 5.
    ///
    /// - 0: both are idle since the start, the lowest goes: channel 0, [0, 5).
    /// - 2: only channel 1 is idle: [2, 7).
    /// - 4: none.
    /// - 5: channel 0 is idle again at this instant: [5, 10).
    /// - 20: idle since 10 and since 7: channel 0, [20, 25).
    /// - 26: idle since 25 and since 7: channel 0 again.
    /// - 28: channel 1.
    #[test]
    fn the_channel_that_became_idle_last_sends() {
        let mut channels = ControlChannels::new(2, WhenBusy::Drop);
        let sent = send_all(&mut channels, &[0, 2, 4, 5, 20, 26, 28]);
        let expected = [
            Some((0, 0)),
            Some((1, 2)),
            None,
            Some((0, 5)),
            Some((0, 20)),
            Some((0, 26)),
            Some((1, 28)),
        ];
        assert_eq!(sent, expected);
    }

    /// As above, but at 4 and at 5 the header waits for the channel that is idle first: channel 0
    /// at 5, then channel 1 at 7; and at 6 again channel 0 at 10.
    #[test]
    fn a_header_that_waits_takes_the_channel_that_is_idle_first() {
        let mut channels = ControlChannels::new(2, WhenBusy::Wait);
        let sent = send_all(&mut channels, &[0, 2, 4, 5, 6]);
        let expected = [Some((0, 0)), Some((1, 2)), Some((0, 5)), Some((1, 7)), Some((0, 10))];
        assert_eq!(sent, expected);
    }

    #[test]
    fn on_a_tie_the_lowest_channel_sends() {
        let mut channels = ControlChannels::new(3, WhenBusy::Wait);
        let sent = send_all(&mut channels, &[0, 0, 0, 1, 20]);
        let expected = [Some((0, 0)), Some((1, 0)), Some((2, 0)), Some((0, 5)), Some((0, 20))];
        assert_eq!(sent, expected);
    }
}
