//! What a window rule as a program sees.

use extension::{Constant, Field, Hook, Interface, Method, Record, Type, Wanted};

use crate::tcp::congestion::Signal;

/// The methods of a window, by their numbers.
pub(super) struct Do;

impl Do {
    pub(super) const SET_CWND: u8 = 0;
    pub(super) const SET_SSTHRESH: u8 = 1;
    pub(super) const SLOW_START: u8 = 2;
    pub(super) const GROW: u8 = 3;
    pub(super) const SEGMENTS: u8 = 4;
    pub(super) const REDUCE: u8 = 5;
}

const WINDOW: Record = Record {
    name: "window",
    fields: &[
        Field { name: "cwnd", kind: Type::Number, assign: Some(Do::SET_CWND) },
        Field { name: "ssthresh", kind: Type::Number, assign: Some(Do::SET_SSTHRESH) },
        Field::read("segment", Type::Number),
    ],
    methods: &[
        Method {
            name: "slow_start",
            wants: &[Wanted::Record("acked")],
            gives: None,
            number: Do::SLOW_START,
        },
        Method {
            name: "grow",
            wants: &[Wanted::Record("acked"), Wanted::Value(Type::Number)],
            gives: None,
            number: Do::GROW,
        },
        Method {
            name: "segments",
            wants: &[Wanted::Record("acked")],
            gives: Some(Type::Number),
            number: Do::SEGMENTS,
        },
        Method {
            name: "reduce",
            wants: &[Wanted::Record("congested"), Wanted::Value(Type::Number)],
            gives: None,
            number: Do::REDUCE,
        },
    ],
};

static ACKED: Record = Record {
    name: "acked",
    fields: &[
        Field::read("now", Type::Time),
        Field::read("octets", Type::Number),
        Field::read("srtt", Type::Number),
        Field::read("after_timeout", Type::Truth),
        Field::read("may_grow", Type::Truth),
    ],
    methods: &[],
};

static CONGESTED: Record = Record {
    name: "congested",
    fields: &[
        Field::read("now", Type::Time),
        Field::read("signal", Type::Word),
        Field::read("basis", Type::Number),
    ],
    methods: &[],
};

static DELIVERED: Record = Record {
    name: "delivered",
    fields: &[
        Field::read("octets", Type::Number),
        Field::read("marked", Type::Truth),
        Field::read("ack", Type::Number),
        Field::read("next", Type::Number),
        Field::read("measured", Type::Truth),
        Field::read("rtt", Type::Number),
    ],
    methods: &[],
};

static BEFORE: Record = Record {
    name: "before",
    fields: &[Field::read("cwnd", Type::Number), Field::read("ssthresh", Type::Number)],
    methods: &[],
};

/// The registers of the first fields of records; those of the window are the first of all.
pub(super) struct Place;

impl Place {
    pub(super) const ACKED: usize = WINDOW.fields.len();
    pub(super) const CONGESTED: usize = Self::ACKED + ACKED.fields.len();
    pub(super) const DELIVERED: usize = Self::CONGESTED + CONGESTED.fields.len();
    pub(super) const BEFORE: usize = Self::DELIVERED + DELIVERED.fields.len();
}

/// What declares that the receiver must report every mark.
pub(super) const EVERY_MARK: &str = "needs_every_mark";

const SIGNALS: [(&str, Signal); 5] = [
    ("LOSS", Signal::Loss),
    ("LOSS_RESTART", Signal::LossRestart),
    ("TIMEOUT", Signal::Timeout),
    ("REPEATED_TIMEOUT", Signal::RepeatedTimeout),
    ("NOTIFICATION", Signal::Notification),
];

/// The bits of a signal's word.
pub(super) const fn word(signal: Signal) -> u64 {
    signal as u64
}

const WORDS: [Constant; SIGNALS.len()] = {
    let mut words = [Constant { name: "", kind: Type::Word, bits: 0 }; SIGNALS.len()];
    let mut at = 0;
    while at < SIGNALS.len() {
        words[at] = Constant { name: SIGNALS[at].0, kind: Type::Word, bits: word(SIGNALS[at].1) };
        at += 1;
    }
    words
};

const fn hook(name: &'static str, takes: Option<&'static Record>) -> Hook {
    Hook { name, takes, gives: None }
}

/// The interface of window rules.
pub(super) static INTERFACE: Interface = Interface {
    standing: &[WINDOW],
    hooks: &[
        hook("on_ack", Some(&ACKED)),
        hook("on_loss", Some(&CONGESTED)),
        hook("on_delivered", Some(&DELIVERED)),
        hook("on_undo", Some(&BEFORE)),
        hook("on_lost_syn", None),
        hook("on_restart", None),
        Hook { name: "pacing", takes: None, gives: Some(Type::Number) },
    ],
    constants: &WORDS,
    declarations: &[EVERY_MARK],
    earlier: Some("before"),
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_lie_where_the_rule_writes_them() {
        let places = [
            ("window", 0),
            ("acked", Place::ACKED),
            ("congested", Place::CONGESTED),
            ("delivered", Place::DELIVERED),
            ("before", Place::BEFORE),
        ];
        for (name, place) in places {
            assert_eq!(INTERFACE.place(name), place, "{name}");
        }
    }
}
