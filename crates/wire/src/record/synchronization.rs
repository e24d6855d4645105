//! What the flows of a class share: the bursts that they are in, and the losses.
//!
//! The measures of synchronization in González de Dios et al. (Photonic Network Communications,
//! 2009) are made of these counts. A flow counts for the class in which its first data went, and
//! only with its data: a lost acknowledgment does not reduce the congestion window.

use units::{FlowId, Span, Time};

use crate::packet::{PacketId, Packets, data_of};

/// No class yet.
const NONE: u32 = u32::MAX;
/// The flow has ended: its packets in flight no longer count.
const ENDED: u32 = NONE - 1;

/// Observes the flows of all classes.
#[derive(Debug, Clone)]
pub struct Synchronization {
    interval: Span,
    next: Time,
    flows: Vec<Membership>,
    classes: Vec<Shared>,
    /// The number of samples taken.
    samples: u32,
    /// One row per sample and class.
    pub rows: Vec<SynchronizationRow>,
}

/// A class at a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SynchronizationRow {
    /// When.
    pub time: Time,
    /// The class, by its number.
    pub class: u32,
    /// Its active flows: those whose first data it has sent and that have not ended.
    pub flows: u32,
    /// Different flows that have lost data since the previous sample.
    pub flows_lost: u32,
    /// Bursts with data lost since the previous sample.
    pub bursts_lost: u32,
    /// The sum of the congestion windows of the active flows, each limited to its maximum; octets.
    pub cwnd: f64,
    /// The sum of their maximum windows; octets.
    pub cwnd_max: f64,
}

/// The state of a flow.
#[derive(Debug, Clone, Copy)]
struct Membership {
    class: u32,
    /// The sample, counted from 1, in which it last lost data.
    lost_in: u32,
    /// The burst, counted from 1, in which it was last seen.
    seen_in: u64,
    /// The lost burst, counted from 1, in which it was last seen.
    lost_with: u64,
}

impl Membership {
    const NEW: Self = Self { class: NONE, lost_in: 0, seen_in: 0, lost_with: 0 };
}

/// What the flows of a class have shared since measuring began.
#[derive(Debug, Clone, Default)]
pub struct Shared {
    /// For each number of different flows with data in a burst: how many bursts.
    pub bursts: Vec<u64>,
    /// Different flows with data in lost bursts, sum.
    pub lost_flows: u64,
    /// Active flows when a burst with data was lost, sum.
    pub lost_active: u64,
    active: u32,
    flows_lost: u32,
    bursts_lost: u32,
}

impl Shared {
    /// Different flows in a burst with data, mean; NaN without such bursts.
    pub fn flows_mean(&self) -> f64 {
        let with_data = || (0u64..).zip(&self.bursts).skip(1);
        let flows: u64 = with_data().map(|(flows, bursts)| flows * bursts).sum();
        flows as f64 / with_data().map(|(_, bursts)| bursts).sum::<u64>() as f64
    }

    fn forget(&mut self) {
        self.bursts.clear();
        (self.lost_flows, self.lost_active) = (0, 0);
    }
}

impl Synchronization {
    /// Takes a sample every `interval`, the first one interval after the start.
    pub fn new(interval: Span) -> Self {
        Self {
            interval,
            next: Time::ZERO + interval,
            flows: Vec::new(),
            classes: Vec::new(),
            samples: 0,
            rows: Vec::new(),
        }
    }

    /// When the next sample is due.
    pub fn next(&self) -> Time {
        self.next
    }

    /// A flow takes this id.
    pub fn begin(&mut self, id: FlowId) {
        if self.flows.len() <= id.index() {
            self.flows.resize(id.index() + 1, Membership::NEW);
        }
        self.flows[id.index()] = Membership::NEW;
    }

    /// A flow has ended.
    pub fn end(&mut self, id: FlowId) {
        let class = std::mem::replace(&mut self.flows[id.index()].class, ENDED);
        if class < ENDED {
            self.classes[class as usize].active -= 1;
        }
    }

    /// What the flows of a class have shared.
    pub fn shared(&self, class: usize) -> Option<&Shared> {
        self.classes.get(class)
    }

    fn class(&mut self, class: u32) -> &mut Shared {
        let at = class as usize;
        if self.classes.len() <= at {
            self.classes.resize_with(at + 1, Shared::default);
        }
        &mut self.classes[at]
    }

    /// A burst is released, `number` in the order of release.
    pub fn released(&mut self, class: u32, number: u64, packets: &Packets, first: PacketId) {
        let mut count = 0;
        for id in data_of(packets, first) {
            let flow = &mut self.flows[id.index()];
            if flow.seen_in == number + 1 {
                continue;
            }
            flow.seen_in = number + 1;
            count += 1;
            if flow.class == NONE {
                flow.class = class;
                self.class(class).active += 1;
            }
        }
        let bursts = &mut self.class(class).bursts;
        if bursts.len() <= count {
            bursts.resize(count + 1, 0);
        }
        bursts[count] += 1;
    }

    /// A burst is lost.
    pub fn lost(&mut self, class: u32, number: u64, packets: &Packets, first: PacketId) {
        let sample = self.samples + 1;
        let (mut flows, mut anew) = (0, 0);
        for id in data_of(packets, first) {
            let flow = &mut self.flows[id.index()];
            if flow.lost_with == number + 1 {
                continue;
            }
            flow.lost_with = number + 1;
            // Losses of a flow that has ended do not reduce a window. A flow whose data travel in bursts
            // of several classes, one after another, is active in the first of them.
            if flow.class != class {
                continue;
            }
            flows += 1;
            anew += u32::from(flow.lost_in != sample);
            flow.lost_in = sample;
        }
        if flows > 0 {
            let shared = self.class(class);
            shared.bursts_lost += 1;
            shared.flows_lost += anew;
            shared.lost_flows += flows;
            shared.lost_active += u64::from(shared.active);
        }
    }

    /// The measured counters start here.
    pub fn begin_measuring(&mut self) {
        self.classes.iter_mut().for_each(Shared::forget);
    }

    /// Takes a sample; `flows` gives the congestion window of each flow and its maximum, in octets, by id,
    /// if its transport has one.
    pub fn sample(&mut self, time: Time, flows: impl Iterator<Item = Option<(u64, u64)>>) {
        self.next = time.saturating_add(self.interval);
        self.samples += 1;
        let mut windows = vec![(0.0, 0.0); self.classes.len()];
        for (window, member) in flows.zip(&self.flows) {
            let Some((window, largest)) = window else { continue };
            if let Some((cwnd, most)) = windows.get_mut(member.class as usize) {
                *cwnd += window.min(largest) as f64;
                *most += match largest {
                    u64::MAX => f64::INFINITY,
                    octets => octets as f64,
                };
            }
        }
        for ((class, shared), (cwnd, cwnd_max)) in (0..).zip(&mut self.classes).zip(windows) {
            let flows_lost = std::mem::take(&mut shared.flows_lost);
            let bursts_lost = std::mem::take(&mut shared.bursts_lost);
            let flows = shared.active;
            if flows > 0 || flows_lost > 0 {
                let row = SynchronizationRow {
                    time,
                    class,
                    flows,
                    flows_lost,
                    bursts_lost,
                    cwnd,
                    cwnd_max,
                };
                self.rows.push(row);
            }
        }
    }
}
