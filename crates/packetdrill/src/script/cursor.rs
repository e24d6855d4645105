//! A place in the text of a script.

use super::SyntaxError;

/// A place in a text.
#[derive(Clone, Debug)]
pub(super) struct Cursor<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text, line: 1 }
    }

    pub(super) fn at_line(text: &'a str, line: usize) -> Self {
        Self { rest: text, line }
    }

    pub(super) fn line(&self) -> usize {
        self.line
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn error(&self, what: impl Into<String>) -> SyntaxError {
        SyntaxError { line: self.line, what: what.into() }
    }

    /// Moves over so many octets and returns them.
    fn take(&mut self, octets: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(octets);
        self.line += taken.matches('\n').count();
        self.rest = rest;
        taken
    }

    /// Moves over what satisfies a condition.
    pub(super) fn take_while(&mut self, is_part: impl Fn(char) -> bool) -> &'a str {
        self.take(self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len()))
    }

    /// Moves over white space.
    pub(super) fn skip_space(&mut self) {
        self.take_while(char::is_whitespace);
    }

    /// Moves over white space within a line.
    pub(super) fn skip_blanks(&mut self) {
        self.take_while(|c| c == ' ' || c == '\t');
    }

    /// Moves over a text if it comes next.
    pub(super) fn eat(&mut self, text: &str) -> bool {
        let comes = self.rest.starts_with(text);
        if comes {
            self.take(text.len());
        }
        comes
    }

    /// Moves over a text that must come next.
    pub(super) fn expect(&mut self, text: &str) -> Result<(), SyntaxError> {
        if self.eat(text) { Ok(()) } else { Err(self.error(format!("`{text}` must come here"))) }
    }

    /// Moves behind the next occurrence of `end` and returns what came before it.
    pub(super) fn take_until(&mut self, end: &str) -> Result<&'a str, SyntaxError> {
        let Some(at) = self.rest.find(end) else {
            return Err(self.error(format!("there is no `{end}`")));
        };
        let taken = self.take(at);
        self.take(end.len());
        Ok(taken)
    }

    /// An integer, in decimal or with `0x`.
    pub(super) fn integer(&mut self) -> Result<u64, SyntaxError> {
        let word = self.take_while(|c| c.is_ascii_alphanumeric());
        let parsed = match word.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16),
            None => word.parse(),
        };
        parsed.map_err(|_| self.error(format!("`{word}` is no number")))
    }

    /// A time in seconds, as microseconds.
    pub(super) fn time(&mut self) -> Result<u64, SyntaxError> {
        let digits = |c: char| c.is_ascii_digit();
        // `0...0.2` is a range.
        let mut len = self.rest.find(|c| !digits(c)).unwrap_or(self.rest.len());
        if self.rest[len..].starts_with('.') && !self.rest[len..].starts_with("...") {
            let part = &self.rest[len + 1..];
            len += 1 + part.find(|c| !digits(c)).unwrap_or(part.len());
        }
        let word = self.take(len);
        let (whole, part) = word.split_once('.').unwrap_or((word, ""));
        let digits = format!("{part:0<6}");
        let parsed = |text: &str| if text.is_empty() { Ok(0) } else { text.parse::<u64>() };
        match (word.is_empty() || word == ".", parsed(whole), digits.get(..6).map(parsed)) {
            (false, Ok(seconds), Some(Ok(micros))) => Ok(seconds * 1_000_000 + micros),
            _ => Err(self.error(format!("`{word}` is no time"))),
        }
    }
}
