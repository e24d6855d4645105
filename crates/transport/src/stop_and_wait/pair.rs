//! Two ends, a link each way and a script of what the network does: for tests.

use std::collections::BTreeMap;
use std::sync::Arc;

use units::{Bytes, Rate, Span, Time};

use super::{Receiver, Sender, StopAndWaitOptions};
use crate::segment::Segment;

/// The rate of both links: a packet of 9 kB takes 7.2 us, one of 64 B 51.2 ns.
pub(super) const RATE: Rate = Rate(10_000_000_000);
/// The propagation delay of both links.
pub(super) const DELAY: Span = Span::from_us(1);

/// From sender to receiver, or back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Forth,
    Back,
}

/// What the network does with a segment: when the copies arrive beyond the time that they need;
/// none is a loss.
pub(super) type Fate = Vec<Span>;

/// One segment that was sent.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    /// When the end released it.
    pub(super) at: Time,
    /// Its first bit on the wire.
    pub(super) first_bit: Time,
    pub(super) way: Way,
    pub(super) segment: Segment,
}

pub(super) type Script = Box<dyn FnMut(&Sent) -> Fate>;

/// Two ends and the links between them, whose interfaces hold what waits.
pub(super) struct Pair {
    pub(super) now: Time,
    pub(super) sender: Sender,
    pub(super) receiver: Receiver,
    /// Every segment sent, in order.
    pub(super) log: Vec<Sent>,
    /// When the wire becomes free, each way.
    pub(super) free_at: [Time; 2],
    options: Arc<StopAndWaitOptions>,
    script: Script,
    on_the_way: BTreeMap<(Time, usize), (Way, Segment)>,
    count: usize,
}

impl Pair {
    /// A path that delivers everything.
    pub(super) fn new(options: StopAndWaitOptions) -> Self {
        let options = Arc::new(options);
        Self {
            now: Time::ZERO,
            sender: Sender::new(Arc::clone(&options), options.packet_time(RATE)),
            receiver: Receiver::new(Arc::clone(&options)),
            log: Vec::new(),
            free_at: [Time::ZERO; 2],
            options,
            script: Box::new(|_| vec![Span::ZERO]),
            on_the_way: BTreeMap::new(),
            count: 0,
        }
    }

    pub(super) fn with_script(mut self, script: impl FnMut(&Sent) -> Fate + 'static) -> Self {
        self.script = Box::new(script);
        self
    }

    pub(super) fn offer(&mut self, bytes: u64) {
        self.sender.offer(bytes);
        self.poll();
    }

    /// Offers all data of a connection.
    pub(super) fn send(&mut self, bytes: u64) {
        self.sender.offer(bytes);
        self.sender.close();
        self.poll();
    }

    /// Runs until `end`, or until nothing is left to happen. What arrives comes before an alarm of
    /// the same instant.
    pub(super) fn run_to(&mut self, end: Time) {
        loop {
            let arrival = self.on_the_way.first_key_value().map_or(Time::NEVER, |(key, _)| key.0);
            let timeout = self.sender.next_timeout().unwrap_or(Time::NEVER);
            let timeout = timeout.min(self.receiver.next_timeout().unwrap_or(Time::NEVER));
            let next = arrival.min(timeout);
            if next > end || next == Time::NEVER {
                break;
            }
            assert!(next >= self.now, "a deadline lies in the past");
            self.now = next;
            if arrival <= timeout {
                let (_, (way, segment)) = self.on_the_way.pop_first().expect("something arrives");
                match way {
                    Way::Forth => self.receiver.on_segment(&segment),
                    Way::Back => self.sender.on_segment(next, &segment),
                }
            } else {
                self.sender.on_timeout(next);
                self.receiver.on_timeout(next);
            }
            self.poll();
        }
    }

    /// Runs until nothing is left to happen.
    pub(super) fn run(&mut self) {
        self.run_to(Time::NEVER);
    }

    fn poll(&mut self) {
        while let Some(segment) = self.sender.next_segment(self.now, self.free_at[0].max(self.now))
        {
            self.carry(Way::Forth, segment);
        }
        while let Some(segment) =
            self.receiver.next_segment(self.now, self.free_at[1].max(self.now))
        {
            self.carry(Way::Back, segment);
        }
    }

    /// Octets on the wire.
    fn bytes(&self, segment: &Segment) -> Bytes {
        Bytes(u64::from(self.options.wire_size(segment)))
    }

    fn carry(&mut self, way: Way, segment: Segment) {
        let free_at = &mut self.free_at[way as usize];
        let first_bit = (*free_at).max(self.now);
        let sent = Sent { at: self.now, first_bit, way, segment };
        let fate = (self.script)(&sent);
        let last_bit = first_bit + RATE.time_to_send(self.bytes(&segment));
        self.free_at[way as usize] = last_bit;
        self.log.push(sent);
        for extra in fate {
            self.count += 1;
            self.on_the_way.insert((last_bit + DELAY + extra, self.count), (way, segment));
        }
    }
}
