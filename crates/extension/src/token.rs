//! The source as tokens, with those for indentation.

use crate::mistake::{At, Mistake};

/// The longest source, in bytes.
const LONGEST: usize = 65_536;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Number(f64),
    /// A name or a keyword.
    Name(String),
    /// An operator or a bracket.
    Sign(&'static str),
    /// The end of a line that is not empty.
    Newline,
    /// A line is indented further than the one before.
    Indent,
    /// The end of lines that were.
    Dedent,
    End,
}

impl Kind {
    /// Its text in messages.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Name(name) => name.clone(),
            Self::Sign(sign) => (*sign).to_owned(),
            Self::Newline => "the end of the line".to_owned(),
            Self::Indent => "a line that is indented further".to_owned(),
            Self::Dedent => "a line that is indented less".to_owned(),
            Self::End => "the end".to_owned(),
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) at: At,
    pub(crate) kind: Kind,
}

/// The longer ones first.
const SIGNS: [&str; 27] = [
    "**", "//", "+=", "-=", "*=", "/=", "<=", ">=", "==", "!=", "+", "-", "*", "/", "%", "<", ">",
    "=", "(", ")", "[", "]", ",", ":", ".", ";", "@",
];

/// The source as tokens, of which the last is [`Kind::End`].
pub(crate) fn tokens(source: &str) -> Result<Vec<Token>, Mistake> {
    if source.len() > LONGEST {
        let mistake = Mistake::new(At { line: 1, column: 1 }, "the program is too long");
        let found = format!("{} bytes", source.len());
        return Err(mistake.found(found).accepted(format!("{LONGEST} bytes")));
    }
    let mut reader = Reader { found: Vec::new(), levels: vec![0], brackets: 0 };
    let mut last = 1;
    for (line, text) in (1..).zip(source.lines()) {
        reader.line(line, text)?;
        last = line;
    }
    let at = At { line: last, column: 1 };
    if reader.brackets > 0 {
        return Err(Mistake::new(at, "a bracket is not closed"));
    }
    for _ in 1..reader.levels.len() {
        reader.found.push(Token { at, kind: Kind::Dedent });
    }
    reader.found.push(Token { at, kind: Kind::End });
    Ok(reader.found)
}

struct Reader {
    found: Vec<Token>,
    /// How far the lines around are indented.
    levels: Vec<usize>,
    /// Open brackets, within which lines do not end.
    brackets: usize,
}

impl Reader {
    fn line(&mut self, line: u32, text: &str) -> Result<(), Mistake> {
        let text = text.trim_end();
        let mut rest = text.trim_start_matches(' ');
        let indented = text.len() - rest.len();
        if rest.is_empty() || rest.starts_with('#') {
            return Ok(());
        }
        let at = |rest: &str| {
            let read = &text[..text.len() - rest.len()];
            At { line, column: u32::try_from(read.chars().count() + 1).unwrap_or(u32::MAX) }
        };
        if self.brackets == 0 {
            self.indent(at(rest), indented)?;
        }
        while !rest.is_empty() && !rest.starts_with('#') {
            let (kind, length) = self.token(rest, at(rest))?;
            self.found.push(Token { at: at(rest), kind });
            rest = rest[length..].trim_start_matches(' ');
        }
        if self.brackets == 0 {
            self.found.push(Token { at: at(rest), kind: Kind::Newline });
        }
        Ok(())
    }

    fn indent(&mut self, at: At, indented: usize) -> Result<(), Mistake> {
        let level = self.levels.last().copied().unwrap_or(0);
        if indented > level {
            self.levels.push(indented);
            self.found.push(Token { at, kind: Kind::Indent });
        }
        while self.levels.last().is_some_and(|level| *level > indented) {
            self.levels.pop();
            self.found.push(Token { at, kind: Kind::Dedent });
        }
        if self.levels.last() != Some(&indented) {
            let problem = "is indented like no line above it";
            return Err(Mistake::new(at, problem).found(format!("{indented} spaces")));
        }
        Ok(())
    }

    fn token(&mut self, rest: &str, at: At) -> Result<(Kind, usize), Mistake> {
        let first = rest.chars().next().unwrap_or(' ');
        let fraction = first == '.' && rest[1..].starts_with(|sign: char| sign.is_ascii_digit());
        if first.is_ascii_digit() || fraction {
            return number(rest, at);
        }
        if first.is_ascii_alphabetic() || first == '_' {
            let inside = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
            let length = rest.find(|sign| !inside(sign)).unwrap_or(rest.len());
            return Ok((Kind::Name(rest[..length].to_owned()), length));
        }
        let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) else {
            let accepted = "names, numbers, operators, brackets and spaces";
            let found = first.escape_debug().to_string();
            return Err(Mistake::new(at, "unknown sign").found(found).accepted(accepted));
        };
        match sign {
            "(" | "[" => self.brackets += 1,
            ")" | "]" => self.brackets = self.brackets.saturating_sub(1),
            _ => {}
        }
        Ok((Kind::Sign(sign), sign.len()))
    }
}

fn number(rest: &str, at: At) -> Result<(Kind, usize), Mistake> {
    let mut length = 0;
    let mut before = ' ';
    for sign in rest.chars() {
        let exponent = matches!(before, 'e' | 'E') && matches!(sign, '+' | '-');
        if !(sign.is_ascii_alphanumeric() || matches!(sign, '.' | '_') || exponent) {
            break;
        }
        length += sign.len_utf8();
        before = sign;
    }
    let text = &rest[..length];
    let plain = text.replace('_', "");
    let digits = plain.starts_with(|sign: char| sign.is_ascii_digit() || sign == '.');
    match plain.parse::<f64>() {
        Ok(number) if digits && number.is_finite() => Ok((Kind::Number(number), length)),
        _ => Err(Mistake::new(at, "not a number").found(text).accepted("one such as 0.5 or 1e6")),
    }
}
