//! The errors of a scenario, reported so that its author can correct them.

use std::collections::BTreeMap;
use std::fmt;

pub(crate) use plan::check::Flaw;

/// Characters of a key that a message repeats.
const LONGEST_KEY: usize = 200;

/// The maximum number of reported errors of one scenario; the rest is counted.
const MOST: usize = 100;

/// The maximum number of reported errors of one kind; the rest is counted.
const MOST_ALIKE: usize = 10;

/// One error of a scenario: where it is, what is wrong, and what would be accepted.
///
/// Its text is `FILE:LINE: KEY: PROBLEM; found FOUND; accepted ACCEPTED`, without the parts that
/// are empty; that of a warning has `warning: ` before the key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// The file as it was named, or the override (`--set KEY=VALUE`) that brought the value.
    pub file: String,
    /// The line in the file, counted from 1.
    pub line: Option<usize>,
    /// The dotted key, `topology.bottleneck.rate`; empty if the text is not TOML.
    pub key: String,
    /// What is wrong.
    pub problem: String,
    /// What was found.
    pub found: String,
    /// What is accepted.
    pub accepted: String,
    /// Whether it is only a warning: the scenario can be run, and one of its keys has no effect.
    pub warning: bool,
}

impl Mistake {
    /// An error of a file as a whole.
    pub fn of_file(file: &str, problem: impl Into<String>) -> Self {
        Self {
            warning: false,
            file: file.to_owned(),
            line: None,
            key: String::new(),
            problem: problem.into(),
            found: String::new(),
            accepted: String::new(),
        }
    }

    /// What mistakes of one kind have in common: where they are and what is wrong, whatever the names and numbers.
    fn kind(&self) -> String {
        let above = self.key.rsplit_once('.').map_or("", |(above, _)| above);
        let mut kind = String::new();
        // A name is in quotes; an apostrophe within a word opens none.
        let mut quote = None;
        let mut before = ' ';
        for sign in above.chars().chain([' ']).chain(self.problem.chars()) {
            match quote {
                Some(open) if sign == open => quote = None,
                Some(_) => {}
                None if matches!(sign, '"' | '\'') && !before.is_alphanumeric() => {
                    quote = Some(sign);
                }
                None if sign.is_ascii_digit() => {
                    if !before.is_ascii_digit() {
                        kind.push('0');
                    }
                }
                None => kind.push(sign),
            }
            before = sign;
        }
        kind
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.line.map(|line| format!(":{line}")).unwrap_or_default();
        let key = match self.key.char_indices().nth(LONGEST_KEY) {
            Some((end, _)) => format!("{}…: ", &self.key[..end]),
            None if self.key.is_empty() => String::new(),
            None => format!("{}: ", self.key),
        };
        let word = if self.warning { "warning: " } else { "" };
        let mut text = format!("{}{line}: {word}{key}{}", self.file, self.problem);
        for (word, part) in [("found", &self.found), ("accepted", &self.accepted)] {
            if !part.is_empty() {
                text.extend(["; ", word, " ", part]);
            }
        }
        // A file name, a quoted key or a value may contain line breaks, and control characters that reverse
        // or hide the text around them; an error is one line, and all of it is visible.
        for sign in text.chars() {
            if sign.is_alphanumeric() || matches!(sign, '"' | '\'' | '\\') {
                write!(f, "{sign}")?;
            } else {
                write!(f, "{}", sign.escape_debug())?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Mistake {}

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// This line of the file, counted from 1.
    Line(usize),
    /// The override with this number.
    Override(usize),
    /// A line of the file with this number that the scenario refers to.
    File(u32, u32),
    /// No place.
    Nowhere,
}

/// The text that names a file, which says where a relative path starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Within {
    /// The scenario's: at the folder of its file.
    Scenario,
    /// That of a sweep: at the folder of its file.
    Sweep,
    /// A value from elsewhere, such as the command line: at the current directory.
    Override,
}

impl Within {
    const ALL: [(Self, &'static str); 3] =
        [(Self::Scenario, "scenario"), (Self::Sweep, "sweep"), (Self::Override, "override")];

    /// Its word.
    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|(one, _)| *one == self).map_or("", |(_, word)| word)
    }

    /// That of a word.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, one)| *one == word).map(|(one, _)| *one)
    }
}

/// The origin of a value that replaces one of the file.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) file: String,
    pub(crate) line: Option<usize>,
    /// The prefix of its key in that file, with a dot.
    pub(crate) prefix: &'static str,
}

impl Source {
    /// The command line's `--set KEY=VALUE`.
    pub(crate) fn set((key, value): &(String, String)) -> Self {
        let file = format!("--set {}", shorten(&format!("{key}={value}")));
        Self { file, line: None, prefix: "" }
    }
}

/// The errors of one scenario as they are found.
#[derive(Debug)]
pub(crate) struct Mistakes {
    file: String,
    /// Where each override comes from.
    sources: Vec<Source>,
    /// The names of the files that the scenario refers to.
    files: Vec<String>,
    found: Found,
    /// Keys without effect, which are only warned of.
    warnings: Found,
    /// If the text is not TOML: missing keys may only be lost, and lines from the first broken
    /// table header on are in the wrong table.
    broken: Option<Broken>,
}

/// Errors, or warnings, as they are found.
#[derive(Debug, Default)]
struct Found {
    list: Vec<(Place, Mistake)>,
    /// How many more there are of each kind.
    more: BTreeMap<String, usize>,
}

impl Found {
    /// Ten times as many are kept as are shown, because the first ones in the file are shown.
    fn is_full(&self) -> bool {
        self.list.len() >= 10 * MOST
    }

    fn push(&mut self, place: Place, mistake: Mistake) {
        if self.is_full() {
            *self.more.entry(mistake.kind()).or_default() += 1;
        } else {
            self.list.push((place, mistake));
        }
    }

    /// Those that are shown, in the order of the list: of each kind the first ones, then a line with the number of the
    /// others, in the place of the first of these. And how many are not even counted there.
    fn shown(mut self) -> (Vec<Mistake>, usize) {
        let least = if self.is_full() { "at least " } else { "" };
        // By its kind: how many there are, and which line counts those that are not shown.
        let mut alike: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        let mut lines: Vec<(Mistake, usize)> = Vec::new();
        for (_, mistake) in self.list {
            let (count, line) = alike.entry(mistake.kind()).or_default();
            *count += 1;
            if *count <= MOST_ALIKE {
                lines.push((mistake, 1));
            } else if *count == MOST_ALIKE + 1 {
                *line = lines.len();
                let (found, accepted) = (String::new(), String::new());
                lines.push((Mistake { found, accepted, ..mistake }, 0));
            }
        }
        for (kind, (count, line)) in alike {
            if count > MOST_ALIKE {
                let (mistake, hidden) = &mut lines[line];
                *hidden = count - MOST_ALIKE + self.more.remove(&kind).unwrap_or_default();
                mistake.problem = format!("… and {least}{hidden} more of this kind");
            }
        }
        let rest = lines.iter().skip(MOST).map(|(_, count)| count).sum::<usize>();
        let shown = lines.into_iter().take(MOST).map(|(mistake, _)| mistake).collect();
        (shown, rest + self.more.values().sum::<usize>())
    }
}

#[derive(Debug, Default)]
struct Broken {
    lines: Vec<usize>,
    header: Option<usize>,
}

impl Mistakes {
    pub(crate) fn new(file: &str, overrides: &[(String, String)]) -> Self {
        Self::with_sources(file, overrides.iter().map(Source::set).collect())
    }

    /// As [`Mistakes::new`], for overrides from anywhere.
    pub(crate) fn with_sources(file: &str, sources: Vec<Source>) -> Self {
        let (found, warnings) = (Found::default(), Found::default());
        let (file, files) = (file.to_owned(), Vec::new());
        Self { file, sources, files, found, warnings, broken: None }
    }

    /// The number by which places name a file that the scenario refers to.
    pub(crate) fn number_of_file(&mut self, path: &str) -> u32 {
        let known = self.files.iter().position(|file| file == path);
        let at = known.unwrap_or_else(|| {
            self.files.push(path.to_owned());
            self.files.len() - 1
        });
        u32::try_from(at).unwrap_or(u32::MAX)
    }

    /// The text that a value is written in.
    pub(crate) fn within(&self, place: Place) -> Within {
        match place {
            Place::Override(at) => match self.sources.get(at).and_then(|source| source.line) {
                Some(_) => Within::Sweep,
                None => Within::Override,
            },
            Place::Line(_) | Place::File(..) | Place::Nowhere => Within::Scenario,
        }
    }

    /// A place where the text is not TOML.
    pub(crate) fn syntax(&mut self, line: Option<usize>, in_header: bool, flaw: Flaw) {
        let place = line.map_or(Place::Nowhere, Place::Line);
        self.push(place, flaw);
        let broken = self.broken.get_or_insert_default();
        broken.lines.extend(line);
        if in_header {
            broken.header = broken.header.or(line);
        }
    }

    /// The lines on which the text is not TOML, each once.
    pub(crate) fn broken_lines(&self) -> Vec<usize> {
        let mut lines = self.broken.as_ref().map_or_else(Vec::new, |broken| broken.lines.clone());
        lines.sort_unstable();
        lines.dedup();
        lines
    }

    /// Whether the text is not TOML.
    pub(crate) fn is_broken(&self) -> bool {
        self.broken.is_some()
    }

    /// An error in the meaning; omitted if a syntax error may have caused it.
    pub(crate) fn add(&mut self, place: Place, flaw: Flaw) {
        if let Some(broken) = &self.broken {
            let caused = match place {
                Place::Line(line) => {
                    broken.lines.contains(&line) || broken.header.is_some_and(|first| line >= first)
                }
                Place::Override(_) | Place::File(..) | Place::Nowhere => false,
            };
            if caused || flaw.missing {
                return;
            }
        }
        self.push(place, flaw);
    }

    fn push(&mut self, place: Place, flaw: Flaw) {
        let mistake = self.placed(place, flaw, false);
        self.found.push(place, mistake);
    }

    /// A key without effect; the scenario can be run with it.
    pub(crate) fn warn(&mut self, place: Place, flaw: Flaw) {
        let warning = self.placed(place, flaw, true);
        self.warnings.push(place, warning);
    }

    fn placed(&self, place: Place, flaw: Flaw, warning: bool) -> Mistake {
        let (file, line) = match place {
            Place::Line(line) => (self.file.clone(), Some(line)),
            // There are no sources if only the existence of errors is checked.
            Place::Override(at) => match self.sources.get(at) {
                Some(source) => (source.file.clone(), source.line),
                None => (self.file.clone(), None),
            },
            Place::File(at, line) => {
                let file = self.files.get(at as usize).unwrap_or(&self.file);
                (file.clone(), Some(line as usize))
            }
            Place::Nowhere => (self.file.clone(), None),
        };
        let Flaw { key, problem, found, accepted, .. } = flaw;
        Mistake { file, line, key, problem, found, accepted, warning }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.found.list.is_empty()
    }

    /// Says of the errors of `key`, which nobody wrote, that they are those of the one that it follows from.
    pub(crate) fn follow(&mut self, key: &str, from: &str) {
        for (_, mistake) in self.found.list.iter_mut().filter(|(_, mistake)| mistake.key == key) {
            mistake.problem = format!("{}, as {key}", mistake.problem);
            from.clone_into(&mut mistake.key);
        }
    }

    /// Their number.
    pub(crate) fn count(&self) -> usize {
        self.found.list.len() + self.found.more.values().sum::<usize>()
    }

    /// Whether so many are found that the search can stop.
    pub(crate) fn is_full(&self) -> bool {
        self.found.is_full()
    }

    /// Whether the value at this key, or something below it, has an error.
    pub(crate) fn touch(&self, key: &str) -> bool {
        self.found.list.iter().any(|(_, mistake)| {
            let rest = mistake.key.strip_prefix(key);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
    }

    /// The warnings in the order of the file, overrides last.
    pub(crate) fn take_warnings(&mut self) -> Vec<Mistake> {
        let mut warnings = std::mem::take(&mut self.warnings);
        self.in_order(&mut warnings.list);
        let (mut shown, hidden) = warnings.shown();
        if hidden > 0 {
            let problem = format!("{hidden} more warnings");
            shown.push(Mistake { warning: true, ..Mistake::of_file(&self.file, problem) });
        }
        shown
    }

    fn in_order(&self, list: &mut [(Place, Mistake)]) {
        list.sort_by_key(|(place, _)| *place);
        for (place, mistake) in list {
            if let Place::Override(at) = *place {
                mistake.key.insert_str(0, self.sources[at].prefix);
            }
        }
    }

    /// All of them in the order of the file, overrides last; then the warnings.
    pub(crate) fn into_list(mut self) -> Vec<Mistake> {
        let warnings = self.take_warnings();
        let mut found = std::mem::take(&mut self.found);
        self.in_order(&mut found.list);
        let least = if found.is_full() { "at least " } else { "" };
        let (mut list, hidden) = found.shown();
        if hidden > 0 {
            list.push(Mistake::of_file(&self.file, format!("{least}{hidden} more errors")));
        }
        list.extend(warnings);
        list
    }
}

/// A text cut to a length that fits in a message.
pub(crate) fn shorten(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut short: String =
        text.chars().take(LONGEST).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(LONGEST).is_some() {
        short.push('…');
    }
    short
}

/// Other words of the field for keys and values: what somebody may write, and what it may be called here.
const SYNONYMS: [(&str, &[&str]); 20] = [
    ("bandwidth", &["rate", "narrowest-link"]),
    ("capacity", &["rate", "packets"]),
    ("speed", &["rate"]),
    ("bitrate", &["rate"]),
    ("latency", &["delay"]),
    ("propagation", &["delay"]),
    ("rtt", &["delay"]),
    ("buffer", &["queue", "packets", "buffer-size"]),
    ("time", &["duration"]),
    ("length", &["duration"]),
    ("warm-up", &["warmup"]),
    ("mss", &["segment"]),
    ("cc", &["congestion", "preset"]),
    ("congestion-control", &["congestion", "preset"]),
    ("algorithm", &["congestion", "preset"]),
    ("variant", &["preset", "profile"]),
    ("wavelengths", &["channels"]),
    ("lambdas", &["channels"]),
    ("per", &["p", "loss"]),
    ("flows", &["count", "traffic"]),
];

/// The name that is most similar to `wrong`, if any is similar, or another word for it.
pub(crate) fn nearest<'a>(wrong: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if wrong.len() > 64 {
        return None;
    }
    let names: Vec<&str> = names.collect();
    let meant = SYNONYMS.iter().find(|(word, _)| word.eq_ignore_ascii_case(wrong));
    let mut meant = meant.into_iter().flat_map(|(_, meant)| *meant);
    if let Some(name) = meant.find_map(|word| names.iter().find(|name| *name == word)) {
        return Some(name);
    }
    let names = names.into_iter();
    let close = names.map(|name| (strsim::damerau_levenshtein(wrong, name), name));
    let (distance, name) = close.min_by_key(|(distance, _)| *distance)?;
    (distance <= name.chars().count().max(wrong.chars().count()) / 3).then_some(name)
}
