//! What fibres and their nodes require of a scenario, for every kind of burst-switching core.

use optics::FibreLoopSpec;
use plan::check::{Findings, Flaw};
use units::Span;

/// Fibre delay lines ascend, and are a set or a loop.
pub fn delay_lines(delays: &[Span], looped: Option<FibreLoopSpec>, to: &mut dyn Findings) {
    for (at, pair) in delays.windows(2).enumerate() {
        if pair[1] <= pair[0] {
            let key = format!("core.fibre-delays.{}", at + 1);
            let flaw = Flaw::new(&key, "not in ascending order").found(pair[1].to_string());
            to.mistake(flaw.accepted(format!("more than {}", pair[0])), &key);
        }
    }
    if delays.first() == Some(&Span::ZERO) {
        to.note("core.fibre-delays.0", "no delay at all is tried anyway");
    }
    if !delays.is_empty() && looped.is_some() {
        to.note("core.fibre-loop", "fibre-delays is also given: only one of them is allowed");
    }
}
