//! A script runs: its events one after the other, and what the host sends is compared.

use std::fmt;

use units::{Span, Time};

use crate::machine::{Machine, Sent};
use crate::scan::{left_out, not_modelled, unknown};
use crate::script::{Action, Event, Packet, Script, When, parse};
use crate::settings::Settings;

/// What comes out of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The host did everything as expected, assertions on these variables left out.
    Agrees(Vec<&'static str>),
    /// It did not, first in this line.
    Differs {
        /// The line.
        line: usize,
        /// What is expected and what came.
        what: String,
    },
    /// The script concerns something that is not modelled.
    NotModelled(String),
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Agrees(_) => "agrees",
            Self::Differs { .. } => "differs",
            Self::NotModelled(_) => "not modelled",
        })
    }
}

/// Runs the text of a script.
pub fn run(text: &str) -> Verdict {
    let script = match parse(text) {
        Ok(script) => script,
        Err(error) => {
            return Verdict::NotModelled(format!("line {}: {}", error.line, error.what));
        }
    };
    if let Some((line, what)) = not_modelled(&script) {
        return Verdict::NotModelled(format!("{what} (line {line})"));
    }
    match Settings::of(&script) {
        Ok(settings) => perform(&script, settings),
        Err(what) => Verdict::NotModelled(what),
    }
}

/// A script that runs.
struct Run {
    machine: Machine,
    tolerance: u64,
    /// The time of the last event as the script has it, in microseconds.
    last: u64,
}

/// Why a run ends.
enum End {
    Differs(String),
    NotModelled(String),
}

fn perform(script: &Script, settings: Settings) -> Verdict {
    let answer = script.events.iter().find_map(|event| match &event.action {
        Action::Inject(packet) if packet.has('S') && packet.has('.') => Some(packet.clone()),
        _ => None,
    });
    let tolerance = settings.tolerance;
    let mut run = Run { machine: Machine::new(settings, answer), tolerance, last: 0 };
    for event in &script.events {
        match run.event(event) {
            Ok(()) => {}
            Err(End::Differs(what)) => return Verdict::Differs { line: event.line, what },
            Err(End::NotModelled(what)) => {
                return Verdict::NotModelled(format!("{what} (line {})", event.line));
            }
        }
    }
    Verdict::Agrees(left_out(script))
}

/// The instants between which a packet is expected, and the tolerance beside them, in microseconds.
struct Due {
    from: u64,
    to: u64,
    slack: u64,
}

impl Due {
    fn last(&self) -> Time {
        Time::ZERO + Span::from_us(self.to.saturating_add(self.slack).min(u64::MAX / 2_000_000))
    }

    fn contains(&self, at: Time) -> bool {
        let first = Span::from_us(self.from.saturating_sub(self.slack));
        at >= Time::ZERO + first && at <= self.last()
    }
}

impl Run {
    fn event(&mut self, event: &Event) -> Result<(), End> {
        let (from, to) = match event.when {
            When::Any => (self.last, u64::MAX / 2_000_000),
            When::After(from, to) => (self.last + from, self.last + to.unwrap_or(from)),
            When::At(from, to) => (from, to.unwrap_or(from)),
        };
        if let Action::Expect(packet) = &event.action {
            // Packetdrill's `--tolerance_percent` is 12.5, of the time since the event before.
            let slack = self.tolerance.max(from.saturating_sub(self.last) / 8);
            let due = Due { from: if event.when == When::Any { 0 } else { from }, to, slack };
            let at = self.expect(packet, &due)?;
            self.last = if event.when == When::Any { at.0 / 1_000_000 } else { from };
            return Ok(());
        }
        let at = if event.when == When::Any { self.last } else { from };
        self.last = at;
        self.advance(Time::ZERO + Span::from_us(at));
        match &event.action {
            Action::Inject(packet) => self.machine.inject(packet).map_err(End::NotModelled),
            Action::Call(call) => self.machine.call(call).map_err(End::NotModelled),
            Action::Assert(all) => all.iter().try_for_each(|assertion| {
                if unknown(&assertion.expression).is_some() {
                    return Ok(());
                }
                let value = assertion.expression.value(&|name| self.machine.value(name));
                match value {
                    Ok(0) => Err(End::Differs(self.falsified(&assertion.text))),
                    Ok(_) => Ok(()),
                    Err(name) => Err(End::NotModelled(format!("`{name}` is not known here"))),
                }
            }),
            Action::Command(_) | Action::Expect(_) => Ok(()),
        }
    }

    /// An assertion that does not hold, with the values of its variables.
    fn falsified(&self, text: &str) -> String {
        let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let values = words
            .filter(|word| word.starts_with("tcpi_"))
            .filter_map(|name| self.machine.value(name).map(|value| format!("{name} is {value}")));
        format!("`{text}`: {}", values.collect::<Vec<_>>().join(", "))
    }

    /// Lets time pass up to `to`.
    fn advance(&mut self, to: Time) {
        while let Some(deadline) = self.machine.deadline().filter(|deadline| *deadline < to) {
            self.machine.expire(deadline);
        }
        self.machine.now = self.machine.now.max(to);
    }

    /// The next packet that the host sends until then.
    fn next(&mut self, until: Time) -> Option<Sent> {
        while self.machine.sent.is_empty() {
            let deadline = self.machine.deadline().filter(|deadline| *deadline <= until)?;
            self.machine.expire(deadline);
        }
        self.machine.sent.pop_front()
    }

    /// Compares a packet with those that the host sends; says when the last of them left.
    fn expect(&mut self, packet: &Packet, due: &Due) -> Result<Time, End> {
        let wanted = described(&packet.flags, packet.seq, packet.len, packet.ack);
        let (mut from, end) = (packet.seq, packet.seq + packet.len);
        loop {
            let Some(mut sent) = self.next(due.last()) else {
                let seconds = due.last().as_secs_f64();
                return Err(End::Differs(format!(
                    "expects {wanted}; nothing more comes until {seconds:.3} s"
                )));
            };
            let ours = described(&sent.flags, sent.seq.unwrap_or(from), sent.len, sent.ack);
            let differs =
                |what: &str| Err(End::Differs(format!("expects {wanted}; ours is {ours}{what}")));
            if sent.seq.is_some_and(|seq| seq != from) || (sent.len == 0) != (packet.len == 0) {
                return differs("");
            }
            if !due.contains(sent.at) {
                let (at, due) = (sent.at.as_secs_f64(), due.from as f64 * 1e-6);
                return differs(&format!(" at {at:.4} s instead of {due:.4} s"));
            }
            let is_first = from == packet.seq;
            let takes = sent.len.min(end - from);
            if takes < sent.len {
                // The rest belongs to the next packet of the script.
                let rest = Sent { seq: Some(from + takes), len: sent.len - takes, ..sent.clone() };
                sent.flags = sent.flags.replace('F', "");
                self.machine.sent.push_front(rest);
            }
            from += takes;
            if let Some(what) = self.header(packet, &sent, is_first, from == end) {
                return differs(&format!(": {what}"));
            }
            if from == end {
                return Ok(sent.at);
            }
        }
    }

    /// What differs in the header of a packet, of which `sent` is the first part, or the last.
    fn header(&mut self, packet: &Packet, sent: &Sent, first: bool, last: bool) -> Option<String> {
        for (letter, counts) in [('S', true), ('F', last), ('E', true), ('W', first), ('.', true)] {
            if counts && packet.has(letter) != sent.flags.contains(letter) {
                return Some(format!("the flag {letter} differs"));
            }
        }
        if packet.has('.') && packet.ack != sent.ack {
            return Some("the acknowledgment differs".into());
        }
        let capable = match packet.ecn.as_deref() {
            Some("ect0" | "ect01") => Some(true),
            Some("noecn") => Some(false),
            Some("ect1" | "ce") => return Some("no data leave with this codepoint".into()),
            _ => None,
        };
        if capable.is_some_and(|capable| capable != sent.capable) {
            return Some("the codepoint of ECN differs".into());
        }
        if packet.options.is_none() || packet.has('S') {
            if let (Some((value, _)), Some((at, _))) = (packet.timestamps(), sent.stamps) {
                self.machine.note_stamp(at, value);
            }
            return None;
        }
        if packet.sack() != sent.sack {
            return Some(format!("the blocks of ours are {:?}", sent.sack));
        }
        self.stamps(packet, sent)
    }

    /// What differs in the timestamps.
    fn stamps(&mut self, packet: &Packet, sent: &Sent) -> Option<String> {
        let ((value, echo), (at, echoed)) = match (packet.timestamps(), sent.stamps) {
            (Some(told), Some(stamps)) => (told, stamps),
            (None, None) => return None,
            _ => return Some("timestamps are in one of them alone".into()),
        };
        self.machine.note_stamp(at, value);
        let ours = self.machine.stamp_of(at).unwrap_or(value);
        let slack = self.tolerance.div_ceil(1000) + 1;
        if ours.abs_diff(value) > slack {
            return Some(format!("our timestamp is {ours}"));
        }
        let ours = self.machine.echo_of(echoed);
        (ours != echo).then(|| format!("we echo {ours}"))
    }
}

/// A packet as a script has it.
fn described(flags: &str, seq: u64, len: u64, ack: Option<u64>) -> String {
    let ack = ack.map_or(String::new(), |ack| format!(" ack {ack}"));
    format!("`{flags} {seq}:{}({len}){ack}`", seq + len)
}
