//! How the fields of the message transport stand in a [`Segment`], which has those of TCP.
//!
//! | field | data | feedback | NACK | credit |
//! | --- | --- | --- | --- | --- |
//! | `seq` | place of the first octet | 64 bits: packets that have come | number of the packet | |
//! | `ack` | number of the packet | first number that has not come | the same | packets granted so far |
//! | `window` | entropy, packets wanted | entropy, block of the bits | entropy | |
//! | `ts_ecr` | its first bit on the wire | that of the packet answered | the same | |
//! | `ECE` | | the packet was marked | the same | |

use units::Time;

use crate::segment::{Flags, Segment};

/// Packets of which a feedback tells.
pub const BITS: u64 = 64;

/// A packet of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data {
    /// Its number.
    pub number: u64,
    /// The place of its first octet.
    pub offset: u64,
    /// Its octets.
    pub len: u32,
    /// What chooses its path.
    pub entropy: u16,
    /// The packets for which credit is wanted in all, modulo 2¹⁶.
    pub wanted: u16,
    /// Whether an answer is wanted at once.
    pub asks: bool,
    /// Whether it was sent before.
    pub resent: bool,
    /// Its first bit on the wire.
    pub first_bit: Time,
}

impl Data {
    /// As a segment that is sent at `now`.
    pub fn segment(&self, now: Time) -> Segment {
        let asks = if self.asks { Flags::ASKS } else { Flags::NONE };
        Segment {
            seq: self.offset,
            ack: self.number,
            ts_ecr: self.first_bit,
            len: self.len,
            window: u32::from(self.wanted) << 16 | u32::from(self.entropy),
            resent: self.resent,
            ..Segment::empty(now, Flags::ACK | asks)
        }
    }

    /// That of a segment.
    pub fn of(segment: &Segment) -> Self {
        let [wanted, entropy] = halves(segment.window);
        Self {
            number: segment.ack,
            offset: segment.seq,
            len: segment.len,
            entropy,
            wanted,
            asks: segment.flags.has(Flags::ASKS),
            resent: segment.resent,
            first_bit: segment.ts_ecr,
        }
    }
}

/// What a receiver says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// What has come.
    Feedback(Feedback),
    /// The data of a packet were cut off, so that it has to be sent again.
    Nack {
        /// Its number.
        number: u64,
        /// The packet and what came before it.
        about: About,
    },
    /// Packets may be sent.
    Credit {
        /// So many in all, beyond those that may be sent unasked.
        granted: u64,
    },
}

/// What every answer to a packet says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    /// The first number that has not come.
    pub next: u64,
    /// The entropy of the packet.
    pub entropy: u16,
    /// Whether a queue marked it.
    pub marked: bool,
    /// Its first bit on the wire.
    pub first_bit: Time,
}

/// Which packets have come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feedback {
    /// The packet that is answered.
    pub about: About,
    /// Which 64 packets the bits tell of: they begin so many times 64 after [`About::next`].
    pub block: u16,
    /// The packet at each place has come.
    pub bits: u64,
}

impl Feedback {
    /// The numbers that have come, beyond those below [`About::next`].
    pub fn come(&self) -> impl Iterator<Item = u64> {
        let (mut bits, first) = (self.bits, self.about.next + u64::from(self.block) * BITS);
        std::iter::from_fn(move || {
            let place = bits.trailing_zeros();
            bits &= bits.wrapping_sub(1);
            (u64::from(place) < BITS).then(|| first + u64::from(place))
        })
    }
}

impl Answer {
    /// As a segment that is sent at `now`.
    pub fn segment(&self, now: Time) -> Segment {
        let to_packet = |about: &About, flags: Flags| {
            let mark = if about.marked { Flags::ECE } else { Flags::NONE };
            Segment {
                ack: about.next,
                window: u32::from(about.entropy),
                ts_ecr: about.first_bit,
                ..Segment::empty(now, Flags::ACK | flags | mark)
            }
        };
        match self {
            Self::Feedback(Feedback { about, block, bits }) => {
                let window = u32::from(*block) << 16 | u32::from(about.entropy);
                Segment { seq: *bits, window, ..to_packet(about, Flags::NONE) }
            }
            Self::Nack { number, about } => {
                Segment { seq: *number, ..to_packet(about, Flags::NACK) }
            }
            Self::Credit { granted } => {
                Segment { ack: *granted, ..Segment::empty(now, Flags::ACK | Flags::CREDIT) }
            }
        }
    }

    /// That of a segment.
    pub fn of(segment: &Segment) -> Self {
        if segment.flags.has(Flags::CREDIT) {
            return Self::Credit { granted: segment.ack };
        }
        let [block, entropy] = halves(segment.window);
        let about = About {
            next: segment.ack,
            entropy,
            marked: segment.flags.has(Flags::ECE),
            first_bit: segment.ts_ecr,
        };
        if segment.flags.has(Flags::NACK) {
            return Self::Nack { number: segment.seq, about };
        }
        Self::Feedback(Feedback { about, block, bits: segment.seq })
    }
}

/// What chooses the path of a segment: its own entropy, or that of the packet that it answers.
pub const fn entropy(segment: &Segment) -> u16 {
    halves(segment.window)[1]
}

#[expect(clippy::cast_possible_truncation, reason = "the two halves")]
const fn halves(word: u32) -> [u16; 2] {
    [(word >> 16) as u16, word as u16]
}

#[cfg(test)]
mod tests {
    use super::*;

    const ABOUT: About = About { next: 70, entropy: 0xbeef, marked: true, first_bit: Time(5_000) };

    #[test]
    fn answers_come_back_as_they_went() {
        let feedback = Feedback { about: ABOUT, block: 3, bits: 1 | 1 << 63 };
        for answer in [
            Answer::Feedback(feedback),
            Answer::Nack { number: 1 << 40, about: ABOUT },
            Answer::Credit { granted: 12 },
        ] {
            assert_eq!(Answer::of(&answer.segment(Time(9))), answer);
        }
        assert_eq!(feedback.come().collect::<Vec<_>>(), [70 + 192, 70 + 255]);
    }

    #[test]
    fn data_come_as_they_went() {
        let data = Data {
            number: 3,
            offset: 1 << 40,
            len: 4096,
            entropy: 0xffff,
            wanted: 0x8001,
            asks: true,
            resent: true,
            first_bit: Time(7),
        };
        assert_eq!(Data::of(&data.segment(Time(5))), data);
    }
}
