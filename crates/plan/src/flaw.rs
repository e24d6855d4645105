//! An error of a scenario, as reported by the part that finds it.

/// An error without its place in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// The dotted key.
    pub key: String,
    /// What is wrong.
    pub problem: String,
    /// What was found; empty if that gives no information.
    pub found: String,
    /// What is accepted; empty if it is not to be reported.
    pub accepted: String,
    /// Whether it is a missing key.
    pub missing: bool,
}

impl Flaw {
    /// An error at a key.
    pub fn new(key: impl Into<String>, problem: impl Into<String>) -> Self {
        let (key, problem) = (key.into(), problem.into());
        Self { key, problem, found: String::new(), accepted: String::new(), missing: false }
    }

    /// A missing key.
    pub fn missing(key: impl Into<String>, accepted: impl Into<String>) -> Self {
        Self { missing: true, ..Self::new(key, "missing key").accepted(accepted) }
    }

    /// The same below another key.
    #[must_use]
    pub fn below(self, key: &str) -> Self {
        Self { key: format!("{key}.{}", self.key), ..self }
    }

    /// With the value found.
    #[must_use]
    pub fn found(self, found: impl Into<String>) -> Self {
        Self { found: found.into(), ..self }
    }

    /// With the values accepted.
    #[must_use]
    pub fn accepted(self, accepted: impl Into<String>) -> Self {
        Self { accepted: accepted.into(), ..self }
    }
}
