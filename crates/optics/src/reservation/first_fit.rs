//! First fit.

use units::Time;

use super::timeline::Timeline;

/// First fit with void filling: the lowest number among the channels that are free for the whole of
/// [start, end).
pub(super) fn find(channels: &[Timeline], start: Time, end: Time) -> Option<u16> {
    let mut numbered = (0_u16..).zip(channels);
    numbered.find(|(_, timeline)| timeline.gap(start, end).is_some()).map(|(channel, _)| channel)
}
