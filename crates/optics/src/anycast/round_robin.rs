//! One lightpath after the other, for each input and bundle.

use super::{Ask, Ports, degree};

/// The next lightpath, by input and bundle.
#[derive(Debug, Clone)]
pub(super) struct RoundRobin {
    next: Box<[u32]>,
    bundles: u32,
}

impl RoundRobin {
    pub(super) fn new(ports: Ports) -> Self {
        let pairs = ports.inputs as usize * ports.bundles as usize;
        Self { next: vec![0; pairs].into(), bundles: ports.bundles }
    }

    #[inline]
    pub(super) fn choose(&mut self, ask: &Ask<'_>) -> u32 {
        let at = ask.input as usize * self.bundles as usize + ask.bundle as usize;
        let chosen = self.next[at];
        self.next[at] = (chosen + 1) % degree(ask);
        chosen
    }
}
