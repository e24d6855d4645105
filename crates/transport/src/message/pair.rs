//! Two ends, a link each way and a script of what the network does: for tests.

use std::collections::BTreeMap;
use std::sync::Arc;

use random::Seed;
use units::{Rate, Span, Time};

use super::wire::Data;
use super::{MessageOptions, Path, Receiver, Sender};
use crate::segment::{Flags, Segment};

/// The rate of the link from the sender: a packet of 1000 B on the wire takes 1 us.
pub(super) const RATE: Rate = Rate(8_000_000_000);
/// The propagation delay, each way.
pub(super) const DELAY: Span = Span::from_us(4);

/// What the network does with a packet of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It comes, this long after it would.
    Late(Span),
    /// It comes marked.
    Marked,
    /// It comes without its data.
    Trimmed,
    /// It does not come.
    Lost,
}

/// It comes in time.
pub(super) const GOOD: Fate = Fate::Late(Span::ZERO);

type Script = Box<dyn FnMut(usize, &Data) -> Fate>;

/// Two ends and the links between them.
pub(super) struct Pair {
    pub(super) now: Time,
    pub(super) sender: Sender,
    pub(super) receiver: Receiver,
    /// The packets of data in the order of sending, with the instants at which they were given to the interface.
    pub(super) log: Vec<(Time, Data)>,
    /// Answers, in the order of sending.
    pub(super) answers: Vec<(Time, Segment)>,
    /// Whether credit is granted as soon as it is wanted.
    pub(super) grants: bool,
    script: Script,
    free_at: Time,
    on_the_way: BTreeMap<(Time, usize), (bool, Segment, bool)>,
    count: usize,
}

/// 936 B of data and 64 B of header; the path is idle, so that 9 us pass until an answer comes (1 us of
/// transmission and 4 us each way).
pub(super) fn options() -> MessageOptions {
    MessageOptions { packet: units::Bytes(936), ..MessageOptions::default() }
}

impl Pair {
    /// A path that delivers everything.
    pub(super) fn new(options: MessageOptions) -> Self {
        let options = Arc::new(options);
        let path = Path { rate: RATE, base_rtt: Span::from_us(9), queues: Span::ZERO };
        let stream = Seed(1).stream("pair");
        Self {
            now: Time::ZERO,
            sender: Sender::new(Arc::clone(&options), path, stream),
            receiver: Receiver::new(options),
            log: Vec::new(),
            answers: Vec::new(),
            grants: true,
            script: Box::new(|_, _| GOOD),
            free_at: Time::ZERO,
            on_the_way: BTreeMap::new(),
            count: 0,
        }
    }

    pub(super) fn with_script(
        mut self,
        script: impl FnMut(usize, &Data) -> Fate + 'static,
    ) -> Self {
        self.script = Box::new(script);
        self
    }

    /// Offers all messages of a connection.
    pub(super) fn send(&mut self, messages: &[u64]) {
        for &bytes in messages {
            self.sender.offer(bytes);
        }
        self.sender.close();
        self.poll();
    }

    /// Runs until `end`, or until nothing is left to happen.
    pub(super) fn run_to(&mut self, end: Time) {
        loop {
            let arrival = self.on_the_way.first_key_value().map_or(Time::NEVER, |(key, _)| key.0);
            let timeout = self.sender.next_timeout(self.now).unwrap_or(Time::NEVER);
            let next = arrival.min(timeout);
            if next > end || next == Time::NEVER {
                return;
            }
            assert!(next >= self.now, "a deadline lies in the past");
            self.now = next;
            if arrival == next {
                let (_, (back, segment, marked)) = self.on_the_way.pop_first().expect("it is due");
                if back {
                    self.sender.on_segment(next, &segment);
                } else {
                    self.receiver.on_segment(&segment, marked);
                }
            } else {
                self.sender.on_timeout(next);
            }
            self.poll();
        }
    }

    pub(super) fn run(&mut self) {
        self.run_to(Time(Time::NEVER.0 - 1));
    }

    fn launch(&mut self, arrives: Time, packet: (bool, Segment, bool)) {
        self.count += 1;
        self.on_the_way.insert((arrives, self.count), packet);
    }

    fn poll(&mut self) {
        let now = self.now;
        while let Some(segment) = self.sender.next_segment(now, || self.free_at.max(now)) {
            let data = Data::of(&segment);
            let start = self.free_at.max(now);
            assert_eq!(data.first_bit, start);
            self.free_at = start + self.sender.options().packet_time(RATE);
            let fate = (self.script)(self.log.len(), &data);
            self.log.push((now, data));
            let arrives = self.free_at + DELAY;
            match fate {
                Fate::Late(by) => self.launch(arrives + by, (false, segment, false)),
                Fate::Marked => self.launch(arrives, (false, segment, true)),
                Fate::Trimmed => {
                    let flags = segment.flags | Flags::TRIMMED;
                    self.launch(arrives, (false, Segment { len: 0, flags, ..segment }, false));
                }
                Fate::Lost => {}
            }
        }
        if self.grants && self.receiver.wants_credit() {
            self.receiver.grant();
        }
        while let Some(segment) = self.receiver.next_segment(now) {
            self.answers.push((now, segment));
            self.launch(now + DELAY, (true, segment, false));
        }
    }
}
