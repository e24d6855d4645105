//! What of a script is not modelled, found before it runs.

use crate::machine::KNOWN;
use crate::script::expression::Expression;
use crate::script::{Action, Call, Choice, Packet, Script};

/// Calls that have an effect here, or need none.
const CALLS: [&str; 17] = [
    "socket",
    "bind",
    "listen",
    "accept",
    "connect",
    "fcntl",
    "write",
    "send",
    "sendto",
    "read",
    "recv",
    "recvfrom",
    "close",
    "shutdown",
    "setsockopt",
    "getsockopt",
    "poll",
];

/// Socket options that have an effect here, or need none.
const SOCKET_OPTIONS: [&str; 11] = [
    "IP_MTU_DISCOVER",
    "IP_TOS",
    "SO_REUSEADDR",
    "SO_SNDBUF",
    "SO_RCVBUF",
    "SO_ERROR",
    "TCP_NODELAY",
    "TCP_CONGESTION",
    "TCP_MAXSEG",
    "TCP_QUICKACK",
    "SO_LINGER",
];

/// Variables of `tcp_info` whose assertions are left out, so that the rest of the script counts: RACK counts
/// no segments of reordering (RFC 8985).
pub const LEFT_OUT: [&str; 2] = ["tcpi_reordering", "tcpi_reord_seen"];

/// The variables of [`LEFT_OUT`] that a script asserts.
pub fn left_out(script: &Script) -> Vec<&'static str> {
    let mut found = Vec::new();
    for event in &script.events {
        let Action::Assert(all) = &event.action else { continue };
        let names = all.iter().filter_map(|assertion| unknown(&assertion.expression));
        found.extend(names.filter_map(|name| LEFT_OUT.into_iter().find(|left| *left == name)));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The first thing in a script that is not modelled, with its line.
pub fn not_modelled(script: &Script) -> Option<(usize, String)> {
    script.events.iter().find_map(|event| {
        let found = match &event.action {
            Action::Inject(packet) | Action::Expect(packet) => of_packet(packet),
            Action::Call(call) => of_call(call),
            Action::Command(_) => None,
            Action::Assert(all) => all
                .iter()
                .filter_map(|assertion| unknown(&assertion.expression))
                .find(|name| !LEFT_OUT.contains(name))
                .map(|name| format!("`{name}` of `tcp_info`")),
        };
        found.map(|what| (event.line, what))
    })
}

fn of_packet(packet: &Packet) -> Option<String> {
    if packet.foreign.is_some() {
        return packet.foreign.clone();
    }
    if packet.has('R') {
        return Some("a reset".into());
    }
    if packet.has('U') {
        return Some("urgent data".into());
    }
    if packet.window == Some(0) && !packet.has('S') {
        return Some("a window of zero (the persist timer)".into());
    }
    if packet.has('S') && packet.len > 0 {
        return Some("data in a SYN (Fast Open)".into());
    }
    packet.options().find_map(|option| match option {
        Choice::Other(name) if name.starts_with("FO") => Some("Fast Open".into()),
        Choice::Other(name) => Some(format!("the TCP option `{name}`")),
        _ => None,
    })
}

fn of_call(call: &Call) -> Option<String> {
    let name = call.name.as_str();
    if !CALLS.contains(&name) {
        return Some(format!("the call `{name}`"));
    }
    let argument = |n: usize| call.arguments.get(n).map_or("", String::as_str);
    match name {
        "setsockopt" | "getsockopt" if !SOCKET_OPTIONS.contains(&argument(2)) => {
            Some(format!("the socket option `{}`", argument(2)))
        }
        "send" | "sendto" | "recv" | "recvfrom" => {
            let flags = argument(3).split('|').map(str::trim);
            let known = ["0", "MSG_DONTWAIT", "MSG_NOSIGNAL"];
            flags
                .into_iter()
                .find(|flag| !known.contains(flag))
                .map(|flag| format!("the flag `{flag}` of `{name}`"))
        }
        "socket" if argument(1) != "SOCK_STREAM" => Some("a socket that is no TCP".into()),
        _ => None,
    }
}

/// The first variable in an expression that is not known.
pub(crate) fn unknown(expression: &Expression) -> Option<&str> {
    match expression {
        Expression::Number(_) => None,
        Expression::Name(name) => (!KNOWN.contains(&name.as_str())).then_some(name),
        Expression::Not(inner) => unknown(inner),
        Expression::Binary(left, _, right) => unknown(left).or_else(|| unknown(right)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::parse;

    fn found(text: &str) -> Option<(usize, String)> {
        not_modelled(&parse(text).unwrap())
    }

    #[test]
    fn what_is_not_modelled_is_named_with_its_line() {
        assert_eq!(found("+0 write(4, ..., 10) = 10\n+0 > P. 1:11(10) ack 1"), None);
        let text = "+0 close(3) = 0\n+0 > R. 1:1(0) ack 1";
        assert_eq!(found(text), Some((2, "a reset".into())));
        let text = "+0 send(4, ..., 10, MSG_MORE) = 10";
        assert_eq!(found(text), Some((1, "the flag `MSG_MORE` of `send`".into())));
        let text = "+0 < S 0:0(0) win 5 <mss 5,FO 1234>";
        assert_eq!(found(text), Some((1, "Fast Open".into())));
        let text = "+0 setsockopt(4, SOL_TCP, TCP_CORK, [1], 4) = 0";
        assert_eq!(found(text), Some((1, "the socket option `TCP_CORK`".into())));
        let text = "+0 < . 1:1(0) ack 1 win 0";
        assert_eq!(found(text), Some((1, "a window of zero (the persist timer)".into())));
        let text = "+0 %{ assert tcpi_busy_time == 0 }%";
        assert_eq!(found(text), Some((1, "`tcpi_busy_time` of `tcp_info`".into())));
    }
}
