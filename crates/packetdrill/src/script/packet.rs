//! Packets in a script.

use super::SyntaxError;
use super::cursor::Cursor;

/// A TCP packet as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packet {
    /// Its flags by their letters, `.` for an acknowledgment.
    pub flags: String,
    /// Its first number.
    pub seq: u64,
    /// Its octets.
    pub len: u64,
    /// What it acknowledges.
    pub ack: Option<u64>,
    /// Its window, as in the header.
    pub window: Option<u64>,
    /// The codepoint of explicit congestion notification: `noecn`, `ect0`, `ect1`, `ect01` or `ce`.
    pub ecn: Option<String>,
    /// Its options; none where any will do.
    pub options: Option<Vec<Choice>>,
    /// What of it is not TCP as it is modelled.
    pub foreign: Option<String>,
}

/// An option of a TCP packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The maximum segment size.
    Mss(u64),
    /// Selective acknowledgments are permitted.
    SackPermitted,
    /// The shift of the window.
    WindowScale(u64),
    /// Timestamps: one's own and the echo.
    Timestamps(u64, u64),
    /// Selective acknowledgments.
    Sack(Vec<(u64, u64)>),
    /// Another one, by its name.
    Other(String),
}

impl Packet {
    /// Whether a flag is set.
    pub fn has(&self, flag: char) -> bool {
        self.flags.contains(flag)
    }

    /// Its maximum segment size, if it has that option.
    pub fn mss(&self) -> Option<u64> {
        self.options().find_map(|option| match option {
            Choice::Mss(octets) => Some(*octets),
            _ => None,
        })
    }

    /// The shift of the window, if it has that option.
    pub fn window_scale(&self) -> Option<u64> {
        self.options().find_map(|option| match option {
            Choice::WindowScale(shift) => Some(*shift),
            _ => None,
        })
    }

    /// Its timestamps.
    pub fn timestamps(&self) -> Option<(u64, u64)> {
        self.options().find_map(|option| match option {
            Choice::Timestamps(value, echo) => Some((*value, *echo)),
            _ => None,
        })
    }

    /// Its blocks of selective acknowledgments.
    pub fn sack(&self) -> &[(u64, u64)] {
        let blocks = self.options().find_map(|option| match option {
            Choice::Sack(blocks) => Some(blocks.as_slice()),
            _ => None,
        });
        blocks.unwrap_or_default()
    }

    /// Whether it permits selective acknowledgments.
    pub fn permits_sack(&self) -> bool {
        self.options().any(|option| *option == Choice::SackPermitted)
    }

    /// Its options.
    pub fn options(&self) -> impl Iterator<Item = &Choice> {
        self.options.iter().flatten()
    }
}

/// Reads the packet behind `<` or `>`.
pub(super) fn packet(at: &mut Cursor<'_>) -> Result<Packet, SyntaxError> {
    let mut packet = Packet::default();
    at.skip_blanks();
    while at.eat("[") {
        for part in at.take_until("]")?.split(',') {
            match part.trim() {
                ecn @ ("noecn" | "ect0" | "ect1" | "ect01" | "ce") => packet.ecn = Some(ecn.into()),
                other => packet.foreign = Some(format!("the field `{other}` of IP")),
            }
        }
        at.skip_blanks();
    }
    let word = at.take_while(|c| c.is_ascii_alphanumeric() || c == '.' || c == '-');
    let is_flags = !word.is_empty() && word.chars().all(|c| "SFRPUEWA.-".contains(c));
    if !is_flags {
        let what = if word.chars().all(|c| c.is_ascii_digit()) { "ports" } else { word };
        packet.foreign = Some(format!("a packet with {what}"));
        at.take_while(|c| c != '\n');
        return Ok(packet);
    }
    packet.flags = word.into();
    at.skip_blanks();
    packet.seq = at.integer()?;
    at.expect(":")?;
    at.integer()?;
    at.expect("(")?;
    packet.len = at.integer()?;
    at.expect(")")?;
    loop {
        at.skip_blanks();
        if at.eat("ack") {
            at.skip_blanks();
            packet.ack = Some(at.integer()?);
        } else if at.eat("win") {
            at.skip_blanks();
            packet.window = Some(at.integer()?);
        } else if at.eat("urg") {
            packet.foreign = Some("urgent data".into());
            at.skip_blanks();
            at.integer()?;
        } else {
            break;
        }
    }
    if at.eat("<") {
        let text = at.take_until(">")?;
        let reads_any = text.trim() == "...";
        packet.options = if reads_any { None } else { Some(options(text, at.line())?) };
    } else {
        packet.options = Some(Vec::new());
    }
    Ok(packet)
}

/// Reads the options between `<` and `>`.
fn options(text: &str, line: usize) -> Result<Vec<Choice>, SyntaxError> {
    let mut found = Vec::new();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let mut at = Cursor::at_line(part, line);
        let name = at.take_while(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
        at.skip_blanks();
        found.push(match name {
            "nop" | "eol" => continue,
            "mss" => Choice::Mss(at.integer()?),
            "sackOK" => Choice::SackPermitted,
            "wscale" => Choice::WindowScale(at.integer()?),
            "TS" => {
                at.expect("val")?;
                at.skip_blanks();
                let value = at.integer()?;
                at.skip_blanks();
                at.expect("ecr")?;
                at.skip_blanks();
                Choice::Timestamps(value, at.integer()?)
            }
            "sack" => Choice::Sack(blocks(&mut at)?),
            other => Choice::Other(other.into()),
        });
    }
    Ok(found)
}

fn blocks(at: &mut Cursor<'_>) -> Result<Vec<(u64, u64)>, SyntaxError> {
    let mut blocks = Vec::new();
    at.skip_blanks();
    while !at.is_at_end() {
        let start = at.integer()?;
        at.expect(":")?;
        blocks.push((start, at.integer()?));
        at.skip_blanks();
    }
    Ok(blocks)
}
