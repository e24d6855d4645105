//! Effective join the shortest queue: the lightpath to which this input has sent the fewest bytes,
//! with a single queue for each bundle (Izquierdo-Zaragoza and Pavón-Mariño 2013, section III).

use ::random::Stream;

use super::ties::least;
use super::{Ask, Ports};

/// The bytes that each input has sent to each output, by the size of packets on arrival: without
/// the cells' overhead. Never reset.
#[derive(Debug, Clone)]
pub(super) struct EJsq {
    sent: Box<[u64]>,
    outputs: u32,
}

impl EJsq {
    pub(super) fn new(ports: Ports) -> Self {
        let pairs = ports.inputs as usize * ports.outputs as usize;
        Self { sent: vec![0; pairs].into(), outputs: ports.outputs }
    }

    #[inline]
    pub(super) fn choose(&mut self, ask: &Ask<'_>, draws: &mut Stream) -> u32 {
        let outputs = self.outputs as usize;
        let sent = &mut self.sent[ask.input as usize * outputs..][..outputs];
        let chosen = least(ask.ports, |port| sent[port as usize], draws);
        sent[ask.ports[chosen as usize] as usize] += u64::from(ask.bytes);
        chosen
    }
}
