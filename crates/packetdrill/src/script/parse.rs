//! The text of a script is read.

use super::cursor::Cursor;
use super::expression::{Named, assertions};
use super::packet::packet;
use super::{Action, Call, Event, Script, SyntaxError, When};

/// Reads a script.
pub fn parse(text: &str) -> Result<Script, SyntaxError> {
    let text = without_comments(text);
    let mut at = Cursor::new(&text);
    let mut script = Script::default();
    let mut named = Vec::new();
    at.skip_space();
    while at.eat("--") {
        let name = at.take_while(|c| c.is_ascii_alphanumeric() || c == '_');
        let value = if at.eat("=") { at.take_while(|c| c != '\n').trim() } else { "" };
        script.options.push((name.into(), value.into()));
        at.skip_space();
    }
    while !at.is_at_end() {
        script.events.push(event(&mut at, &mut named)?);
        at.skip_space();
    }
    Ok(script)
}

/// The text with blanks in the place of comments; line breaks stay.
fn without_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    let mut quote = None;
    while let Some(c) = rest.chars().next() {
        let mut octets = c.len_utf8();
        if quote.is_none() && rest.starts_with("//") {
            octets = rest.find('\n').unwrap_or(rest.len());
        } else if quote.is_none() && rest.starts_with("/*") {
            octets = rest.find("*/").map_or(rest.len(), |end| end + 2);
            kept.extend(rest[..octets].chars().filter(|c| *c == '\n'));
        } else if quote.is_none() && c == '#' && kept.trim_end_matches([' ', '\t']).ends_with('\n')
        {
            octets = rest.find('\n').unwrap_or(rest.len());
        } else {
            if quote == Some(c) {
                quote = None;
            } else if quote.is_none() && (c == '`' || c == '"') {
                quote = Some(c);
            }
            kept.push(c);
        }
        rest = &rest[octets..];
    }
    kept
}

fn event(at: &mut Cursor<'_>, named: &mut Named) -> Result<Event, SyntaxError> {
    let line = at.line();
    let when = when(at)?;
    at.skip_space();
    let action = match at.peek() {
        Some('<') => {
            at.expect("<")?;
            Action::Inject(packet(at)?)
        }
        Some('>') => {
            at.expect(">")?;
            Action::Expect(packet(at)?)
        }
        Some('`') => {
            at.expect("`")?;
            Action::Command(at.take_until("`")?.into())
        }
        Some('%') => {
            at.expect("%{")?;
            let first = at.line();
            Action::Assert(assertions(at.take_until("}%")?, first, named)?)
        }
        _ => Action::Call(call(at)?),
    };
    Ok(Event { line, when, action })
}

fn when(at: &mut Cursor<'_>) -> Result<When, SyntaxError> {
    match at.peek() {
        Some('*') => {
            at.expect("*")?;
            Ok(When::Any)
        }
        Some('+') => {
            at.expect("+")?;
            at.skip_blanks();
            let from = at.time()?;
            Ok(When::After(from, until(at)?))
        }
        Some(c) if c.is_ascii_digit() || c == '.' => {
            let from = at.time()?;
            Ok(When::At(from, until(at)?))
        }
        _ => Ok(When::After(0, None)),
    }
}

/// The end of a range of times, or of a call that blocks, which needs none here.
fn until(at: &mut Cursor<'_>) -> Result<Option<u64>, SyntaxError> {
    at.skip_blanks();
    if at.eat("~") {
        at.skip_blanks();
        at.eat("+");
        return Ok(Some(at.time()?));
    }
    if at.eat("...") {
        at.skip_blanks();
        at.eat("+");
        at.time()?;
    }
    Ok(None)
}

fn call(at: &mut Cursor<'_>) -> Result<Call, SyntaxError> {
    let name = at.take_while(|c| c.is_ascii_alphanumeric() || c == '_');
    if name.is_empty() {
        return Err(at.error("no event begins like this"));
    }
    at.skip_blanks();
    at.expect("(")?;
    let (mut depth, mut arguments, mut argument) = (0, Vec::new(), String::new());
    loop {
        let Some(c) = at.peek() else { return Err(at.error("the call does not end")) };
        at.eat(c.encode_utf8(&mut [0; 4]));
        match c {
            ')' if depth == 0 => break,
            ',' if depth == 0 => arguments.push(std::mem::take(&mut argument)),
            _ => {
                depth += i32::from("([{".contains(c)) - i32::from(")]}".contains(c));
                argument.push(c);
            }
        }
    }
    arguments.push(argument);
    at.skip_blanks();
    at.expect("=")?;
    let returns = at.take_while(|c| c != '\n').trim().into();
    let arguments = arguments.iter().map(|text| text.trim().to_string()).collect();
    Ok(Call { name: name.into(), arguments, returns })
}

#[cfg(test)]
mod tests {
    use super::super::Choice;
    use super::*;

    #[test]
    fn every_kind_of_event_is_read() {
        let text = "--tolerance_usecs=10000\n// said\n`sysctl -q net.ipv4.tcp_sack=1`\n\
            0.1 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3 /* a\n b */\n\
            +.01~+0.02 > [ect0] PW. 1:2001(2000) ack 1 win 5 <sack 3:5 7:9,nop,TS val 4 ecr 5>\n\
            * < . 1:1(0) ack 2001 win 257\n+0 %{ assert tcpi_snd_cwnd == 10, 'x' }%\n";
        let script = parse(text).unwrap();
        assert_eq!(script.options, [("tolerance_usecs".into(), "10000".into())]);
        let times: Vec<When> = script.events.iter().map(|event| event.when).collect();
        assert_eq!(
            times[1..],
            [
                When::At(100_000, None),
                When::After(10_000, Some(20_000)),
                When::Any,
                When::After(0, None),
            ]
        );
        let lines: Vec<usize> = script.events.iter().map(|event| event.line).collect();
        assert_eq!(lines, [3, 4, 6, 7, 8]);
        let Action::Expect(packet) = &script.events[2].action else { panic!("a packet") };
        assert_eq!(
            (packet.seq, packet.len, packet.ack, packet.window),
            (1, 2000, Some(1), Some(5))
        );
        assert_eq!(packet.sack(), [(3, 5), (7, 9)]);
        assert_eq!(packet.timestamps(), Some((4, 5)));
        assert_eq!(packet.ecn.as_deref(), Some("ect0"));
        let Action::Call(call) = &script.events[1].action else { panic!("a call") };
        assert_eq!((call.name.as_str(), call.returns.as_str()), ("socket", "3"));
    }

    #[test]
    fn any_options_will_do_where_three_dots_stand() {
        let script = parse("+0 > S. 0:0(0) ack 1 <...>\n+0 > . 1:1(0) ack 1\n").unwrap();
        let options: Vec<Option<Vec<Choice>>> = script
            .events
            .iter()
            .map(|event| match &event.action {
                Action::Expect(packet) => packet.options.clone(),
                _ => panic!("packets alone"),
            })
            .collect();
        assert_eq!(options, [None, Some(Vec::new())]);
    }

    #[test]
    fn a_mistake_is_told_with_its_line() {
        let error = parse("+0 < . 1:1(0) ack 1\n+0 > . 1:1(0 ack 1\n").unwrap_err();
        assert_eq!(error.line, 2);
        assert_eq!(parse("+0 write(4, ...\n").unwrap_err().what, "the call does not end");
    }
}
