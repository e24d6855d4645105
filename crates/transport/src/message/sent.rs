//! The packets that were sent and have not all come: what each is, and how it stands.

use std::collections::VecDeque;

use units::Time;

/// How a packet stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stand {
    /// On its way.
    InFlight,
    /// To be sent again.
    Missing,
    /// It has come.
    Came,
}

/// A packet that was sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    /// The place of its first octet.
    pub(super) offset: u64,
    /// The first bit of its latest copy.
    pub(super) first_bit: Time,
    /// Octets on the wire that were sent up to and including its latest copy.
    pub(super) place: u64,
    /// Its data octets.
    pub(super) len: u32,
    /// That of its latest copy.
    pub(super) entropy: u16,
    pub(super) stand: Stand,
}

/// A copy, in the order of sending; it is void when the packet has another one, or has come.
#[derive(Clone, Copy, Debug)]
struct Copy {
    number: u64,
    place: u64,
}

/// The packets from the first one that has not come.
#[derive(Clone, Debug, Default)]
pub(super) struct Packets {
    /// Each of them.
    all: VecDeque<Sent>,
    /// The number of the first one.
    first: u64,
    copies: VecDeque<Copy>,
    missing: VecDeque<u64>,
}

impl Packets {
    /// The number of the next new packet.
    pub(super) fn next_number(&self) -> u64 {
        self.first + self.all.len() as u64
    }

    /// The packet with a number, if it is not known to have come with all before it.
    pub(super) fn get(&self, number: u64) -> Option<&Sent> {
        let at = usize::try_from(number.checked_sub(self.first)?).ok()?;
        self.all.get(at)
    }

    fn get_mut(&mut self, number: u64) -> Option<&mut Sent> {
        let at = usize::try_from(number.checked_sub(self.first)?).ok()?;
        self.all.get_mut(at)
    }

    /// A new packet is sent.
    pub(super) fn add(&mut self, packet: Sent) {
        self.copies.push_back(Copy { number: self.next_number(), place: packet.place });
        self.all.push_back(packet);
    }

    /// A packet is sent again.
    pub(super) fn resend(&mut self, number: u64, entropy: u16, first_bit: Time, place: u64) {
        self.copies.push_back(Copy { number, place });
        let packet = self.get_mut(number).expect("what is missing has not come");
        (packet.entropy, packet.first_bit, packet.place) = (entropy, first_bit, place);
        packet.stand = Stand::InFlight;
    }

    /// The next packet that has to be sent again.
    pub(super) fn take_missing(&mut self) -> Option<u64> {
        let number = self.next_missing()?;
        self.missing.pop_front();
        Some(number)
    }

    /// The same, left where it is.
    pub(super) fn next_missing(&mut self) -> Option<u64> {
        while let Some(&number) = self.missing.front() {
            if self.get(number).is_some_and(|packet| packet.stand == Stand::Missing) {
                return Some(number);
            }
            self.missing.pop_front();
        }
        None
    }

    /// A packet has come; what it was, unless that was known.
    pub(super) fn came(&mut self, number: u64) -> Option<Sent> {
        let packet = self.get_mut(number)?;
        let before = *packet;
        packet.stand = Stand::Came;
        while self.all.front().is_some_and(|packet| packet.stand == Stand::Came) {
            self.all.pop_front();
            self.first += 1;
        }
        (before.stand != Stand::Came).then_some(before)
    }

    /// A packet that is in flight has to be sent again; what it was.
    pub(super) fn give_up(&mut self, number: u64) -> Option<Sent> {
        let packet = self.get_mut(number).filter(|packet| packet.stand == Stand::InFlight)?;
        packet.stand = Stand::Missing;
        let packet = *packet;
        self.missing.push_back(number);
        Some(packet)
    }

    /// The packet in flight whose latest copy was sent first, with its number.
    pub(super) fn oldest(&mut self) -> Option<(u64, Sent)> {
        while let Some(&Copy { number, place }) = self.copies.front() {
            let packet = self.get(number);
            if let Some(packet) =
                packet.filter(|packet| packet.place == place && packet.stand == Stand::InFlight)
            {
                return Some((number, *packet));
            }
            self.copies.pop_front();
        }
        None
    }

    /// About how many have to be sent again: at most a few too many.
    pub(super) fn missing(&self) -> u64 {
        self.missing.len() as u64
    }

    /// The first number that has not come.
    pub(super) fn first(&self) -> u64 {
        self.first
    }
}
