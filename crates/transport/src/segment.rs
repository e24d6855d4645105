//! What travels between the two ends.

use std::fmt;
use std::ops::{BitOr, BitOrAssign};

use units::{Bytes, Time};

/// The window field of an end that sets no limit.
pub const UNLIMITED_WINDOW: u32 = u32::MAX;

/// Control bits of a segment (RFC 9293 section 3.1, RFC 3168 section 6.1).
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Flags(u8);

impl Flags {
    /// No bit.
    pub const NONE: Self = Self(0);
    /// Opens the connection.
    pub const SYN: Self = Self(1);
    /// The acknowledgment field counts.
    pub const ACK: Self = Self(2);
    /// No more data.
    pub const FIN: Self = Self(4);
    /// Congestion was experienced on the way here (RFC 3168).
    pub const ECE: Self = Self(8);
    /// The window has been reduced (RFC 3168).
    pub const CWR: Self = Self(16);
    /// The third bit of the counter of marks (RFC 9768, AE).
    pub const AE: Self = Self(32);
    /// In a message transport: an answer to this packet is wanted at once.
    pub const ASKS: Self = Self(32);
    /// In a message transport: the receiver grants credit.
    pub const CREDIT: Self = Self(16);
    /// In a message transport: a switch has cut off the data (packet trimming).
    pub const TRIMMED: Self = Self(64);
    /// In a message transport: the packet has to be sent again.
    pub const NACK: Self = Self(128);

    /// The bits AE, CWR and ECE as a counter of packets that arrived marked, modulo 8 (RFC 9768, ACE).
    pub const fn of_ace(count: u8) -> Self {
        let mut bits = 0;
        if count & 1 != 0 {
            bits |= Self::ECE.0;
        }
        if count & 2 != 0 {
            bits |= Self::CWR.0;
        }
        if count & 4 != 0 {
            bits |= Self::AE.0;
        }
        Self(bits)
    }

    /// That counter.
    pub const fn ace(self) -> u8 {
        self.has(Self::ECE) as u8
            | (self.has(Self::CWR) as u8) << 1
            | (self.has(Self::AE) as u8) << 2
    }

    /// Whether all bits of `other` are set.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

impl BitOr for Flags {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Flags {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl fmt::Debug for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = [
            (Self::SYN, "SYN"),
            (Self::ACK, "ACK"),
            (Self::FIN, "FIN"),
            (Self::ECE, "ECE"),
            (Self::CWR, "CWR"),
            (Self::AE, "AE"),
            (Self::TRIMMED, "TRIMMED"),
            (Self::NACK, "NACK"),
        ];
        let set: Vec<&str> =
            names.iter().filter(|(flag, _)| self.has(*flag)).map(|(_, name)| *name).collect();
        f.write_str(if set.is_empty() { "-" } else { "" })?;
        f.write_str(&set.join("|"))
    }
}

/// Up to four blocks of data that arrived out of order (RFC 2018), as offsets from the
/// acknowledgment of the segment that carries them: octets `ack + start .. ack + end`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SackBlocks {
    blocks: [(u32, u32); Self::MAX],
    len: u8,
}

impl SackBlocks {
    /// The most blocks that fit into the options of one segment (RFC 2018 section 3).
    pub const MAX: usize = 4;
    /// No block.
    pub const NONE: Self = Self { blocks: [(0, 0); Self::MAX], len: 0 };

    /// Adds `start .. end` (octets from `ack` on) if there is room and the offsets fit.
    pub fn push(&mut self, start: u64, end: u64) {
        let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(end)) else { return };
        if let Some(slot) = self.blocks.get_mut(usize::from(self.len)) {
            *slot = (start, end);
            self.len += 1;
        }
    }

    /// Adds a duplicate that has arrived, to stand before all blocks (D-SACK, RFC 2883 section 4): `start ..
    /// end`, octets from `ack` on, below it where they are negative. It is left out where the offsets do not
    /// fit.
    pub fn push_duplicate(&mut self, start: i64, end: i64) {
        debug_assert!(self.is_empty(), "the duplicate comes first");
        if let (Ok(start), Ok(end)) = (i32::try_from(start), i32::try_from(end)) {
            self.blocks[0] = (start.cast_unsigned(), end.cast_unsigned());
            self.len = 1;
        }
    }

    /// The duplicate that is reported, as offsets from the acknowledgment: the first block is one where it
    /// lies below the acknowledgment, or within the second block (RFC 2883 section 4).
    pub fn duplicate(&self) -> Option<(i64, i64)> {
        let (&(start, end), others) = self.as_slice().split_first()?;
        let is_within = |other: &(u32, u32)| other.0 <= start && end <= other.1;
        let is_duplicate = start.cast_signed() < 0 || others.first().is_some_and(is_within);
        is_duplicate.then(|| (i64::from(start.cast_signed()), i64::from(end.cast_signed())))
    }

    /// The blocks of what arrived out of order, without the duplicate, if one is reported.
    pub fn ahead(&self) -> &[(u32, u32)] {
        &self.as_slice()[usize::from(self.duplicate().is_some())..]
    }

    /// The octet at an edge of a block.
    pub fn octet(ack: u64, edge: u32) -> u64 {
        ack.saturating_add_signed(i64::from(edge.cast_signed()))
    }

    /// The blocks, the most recently changed one first; before them a duplicate, if one is reported.
    pub fn as_slice(&self) -> &[(u32, u32)] {
        &self.blocks[..usize::from(self.len)]
    }

    /// Whether there is no block.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl Default for SackBlocks {
    fn default() -> Self {
        Self::NONE
    }
}

impl fmt::Debug for SackBlocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.as_slice()).finish()
    }
}

/// One TCP segment. Sequence numbers are 64 bits wide and count octets from 0: a run never wraps.
/// The SYN is not numbered; the FIN takes one number after the last octet.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    /// The first data octet.
    pub seq: u64,
    /// The next octet expected from the other end, where [`Flags::ACK`] is set.
    pub ack: u64,
    /// The instant of sending, whether or not the connection uses timestamps.
    pub ts_val: Time,
    /// The instant echoed from the other end (RFC 7323); [`Time::NEVER`] when there is none.
    pub ts_ecr: Time,
    /// Data octets.
    pub len: u32,
    /// The receive window in octets, already unscaled; [`UNLIMITED_WINDOW`] sets no limit.
    pub window: u32,
    /// Selective acknowledgments.
    pub sack: SackBlocks,
    /// Control bits.
    pub flags: Flags,
    /// Whether its first octet was sent before: for the record (and for the network, which marks
    /// no retransmission as ECN-capable, RFC 3168 section 6.1.5). The other end does not read it.
    pub resent: bool,
}

const _: () = assert!(size_of::<Segment>() <= 96, "a segment is copied from hand to hand");

impl Segment {
    /// An empty segment sent at `now`.
    pub const fn empty(now: Time, flags: Flags) -> Self {
        Self {
            seq: 0,
            ack: 0,
            ts_val: now,
            ts_ecr: Time::NEVER,
            len: 0,
            window: UNLIMITED_WINDOW,
            sack: SackBlocks::NONE,
            flags,
            resent: false,
        }
    }

    /// Its size on the wire with `header` added to its data.
    pub fn wire_size(&self, header: Bytes) -> Bytes {
        header + Bytes(u64::from(self.len))
    }

    /// Its octets on the wire with `header` added to its data, or `control` without data.
    ///
    /// # Panics
    ///
    /// Where it is larger than the options of any transport allow.
    pub fn wire_size_or(&self, header: Bytes, control: Bytes) -> u32 {
        let octets = if self.len == 0 { control } else { self.wire_size(header) };
        u32::try_from(octets.0).expect("checked with the options")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sack_blocks_hold_four_and_drop_the_fifth() {
        let mut blocks = SackBlocks::NONE;
        for i in 1..=5 {
            blocks.push(i * 10, i * 10 + 5);
        }
        assert_eq!(blocks.as_slice(), &[(10, 15), (20, 25), (30, 35), (40, 45)]);
    }

    #[test]
    fn a_block_too_far_from_the_acknowledgment_is_left_out() {
        let mut blocks = SackBlocks::NONE;
        blocks.push(5, 1 << 33);
        assert!(blocks.is_empty());
    }

    #[test]
    fn three_bits_hold_a_counter() {
        for count in 0..16 {
            assert_eq!((Flags::of_ace(count) | Flags::ACK).ace(), count % 8);
        }
    }

    #[test]
    fn flags_print_their_names() {
        assert_eq!(format!("{:?}", Flags::SYN | Flags::ACK), "SYN|ACK");
        assert_eq!(format!("{:?}", Flags::NONE), "-");
    }
}
