//! Cells that come at random, against formulas.
//!
//! Destinations are uniform, and slots are independent but for the queues.

use super::{
    ISLIP, MAXIMUM_SIZE, PIM, WAVEFRONT, all_pairs, arbiter, mean_and_error, requests, slot, stream,
};
use crate::{Arbiter, Mask, Requests, SchedulerSpec};

/// Standard errors; exceeded once in 16,000 seeds by a right model.
const K: f64 = 4.0;
const BATCHES: u32 = 40;

fn uniform(draws: &mut random::Stream, ports: u32) -> u32 {
    u32::try_from(draws.below(u64::from(ports))).unwrap()
}

/// The mean over batches is as expected, within a tolerance that is more than [`K`] standard errors.
fn assert_mean(values: &[f64], expected: f64, tolerance: f64) {
    let (mean, error) = mean_and_error(values);
    assert!(K * error < tolerance, "{error} is too coarse");
    assert!((mean - expected).abs() < tolerance, "{mean} ± {error} for {expected}");
}

/// The share of output slots that are used, of inputs that show their oldest cell alone and always
/// have one; outputs choose at random.
fn fifo_throughput(ports: u32, slots: u32) -> Vec<f64> {
    let mut draws = stream("destinations");
    let mut arbiter = arbiter::<1>(PIM, (ports, ports));
    let mut requests = Requests::<1>::new(ports, ports);
    let mut pairs = Vec::new();
    (0..ports).for_each(|input| requests.set(input, uniform(&mut draws, ports)));
    let mut batch = |_| {
        let mut served = 0;
        for _ in 0..slots {
            arbiter.slot(0, &requests, Mask::first_ports(ports), &mut pairs);
            for &(input, output) in &pairs {
                requests.clear(input, output);
                requests.set(input, uniform(&mut draws, ports));
            }
            served += pairs.len();
        }
        served as f64 / f64::from(slots * ports)
    };
    batch(0);
    (0..BATCHES).map(batch).collect()
}

/// Head-of-line blocking: M. Karol, M. Hluchyj and S. Morgan, "Input versus output queueing on a
/// space-division packet switch", IEEE Transactions on Communications 35(12), 1987, table I. 0.4
/// million slots of 4 ports, 0.1 million of 16.
#[test]
fn fifo_queues_at_inputs_saturate() {
    assert_mean(&fifo_throughput(4, 10_000), 0.655, 0.003);
    assert_mean(&fifo_throughput(16, 2_500), 0.602, 0.003);
}

/// With a cell in every queue and one iteration an input goes without if no output chooses it:
/// (1 − 1/N)^N. 0.4 million slots of 2, 4 and 16 ports.
#[test]
fn pim_with_one_iteration_leaves_out_whom_nobody_chooses() {
    for ports in [2, 4, 16] {
        let mut arbiter = arbiter::<1>(PIM, (ports, ports));
        let requests = requests::<1>((ports, ports), &all_pairs((ports, ports)));
        let mut pairs = Vec::new();
        let mut batch = |_| {
            let mut served = 0;
            for _ in 0..10_000 {
                arbiter.slot(0, &requests, Mask::first_ports(ports), &mut pairs);
                served += pairs.len();
            }
            served as f64 / f64::from(10_000 * ports)
        };
        let values: Vec<f64> = (0..BATCHES).map(&mut batch).collect();
        let n = f64::from(ports);
        assert_mean(&values, 1.0 - (1.0 - 1.0 / n).powf(n), 0.002);
    }
}

/// Each pair is served as often as any other: those of 160,000 slots of four ports, each within [`K`]
/// standard errors of a binomial count.
#[test]
fn pim_serves_every_pair_alike() {
    let ports = (4, 4);
    let mut arbiter = arbiter::<1>(PIM, ports);
    let requests = requests::<1>(ports, &all_pairs(ports));
    let (mut pairs, mut served) = (Vec::new(), [0_u32; 16]);
    for _ in 0..160_000 {
        arbiter.slot(0, &requests, Mask::first_ports(4), &mut pairs);
        for &(input, output) in &pairs {
            served[(4 * input + output) as usize] += 1;
        }
    }
    let share = (1.0 - 0.75_f64.powi(4)) / 4.0;
    let (mean, error) = (160_000.0 * share, (160_000.0 * share * (1.0 - share)).sqrt());
    for count in served {
        assert!((f64::from(count) - mean).abs() < K * error, "{count} for {mean} ± {error}");
    }
}

/// Anderson et al. (1993), section 3.2: all requests are settled after log₂ N + 4/3 iterations on
/// average, at most.
#[test]
fn pim_settles_all_requests_in_a_logarithmic_number_of_iterations() {
    const SLOTS: u32 = 4_000;
    for ports in [4, 16, 64] {
        for density in [0.1, 0.5, 1.0] {
            let mut draws = stream("asked");
            let unsettled = |iterations: u32| -> f64 {
                let spec = SchedulerSpec::Pim { iterations };
                let mut arbiter = arbiter::<1>(spec, (ports, ports));
                let mut open = || {
                    let mut asked = Requests::<1>::new(ports, ports);
                    for (input, output) in all_pairs((ports, ports)) {
                        if draws.chance(density) {
                            asked.set(input, output);
                        }
                    }
                    let mut pairs = Vec::new();
                    arbiter.slot(0, &asked, Mask::first_ports(ports), &mut pairs);
                    let outputs: Mask<1> = pairs.iter().map(|pair| pair.1).collect();
                    let inputs: Mask<1> = pairs.iter().map(|pair| pair.0).collect();
                    let mut left = Mask::first_ports(ports).without(inputs).iter();
                    left.any(|input| !asked.row(input).without(outputs).is_empty())
                };
                (0..SLOTS / ports).filter(|_| open()).count() as f64 / f64::from(SLOTS / ports)
            };
            // The mean of a number is the sum of the probabilities that it is greater than 0, 1, ….
            let mean: f64 = 1.0 + (1..ports).map(unsettled).sum::<f64>();
            let bound = f64::from(ports).log2() + 4.0 / 3.0;
            assert!(mean < bound, "{mean} with {ports} ports, at most {bound}");
        }
    }
}

/// McKeown 1999, section III: with a cell in every queue the pointers of the outputs fall out of step,
/// and every pair is served once in N slots from then on.
#[test]
fn islip_serves_every_pair_of_a_backlog_once_in_n_slots() {
    for ports in [1, 2, 3, 4, 7, 8, 16, 33, 64] {
        let mut draws = stream("warm-up");
        let (size, all) = ((ports, ports), all_pairs((ports, ports)));
        for warm_up in [0, 1, 10, 100] {
            let mut arbiter = arbiter::<1>(ISLIP, size);
            for _ in 0..warm_up {
                let mut asked = all.clone();
                asked.retain(|_| draws.chance(0.2));
                slot(&mut arbiter, size, &asked);
            }
            let mut transient = 0;
            while slot(&mut arbiter, size, &all).len() < ports as usize {
                transient += 1;
                assert!(transient < 2 * ports, "{ports} ports after {warm_up} slots");
            }
            for _ in 0..3 {
                let mut served: Vec<_> =
                    (0..ports).flat_map(|_| slot(&mut arbiter, size, &all)).collect();
                served.sort_unstable();
                assert_eq!(served, all, "{ports} ports after {warm_up} slots");
            }
        }
    }
}

/// Queues at inputs and at outputs, and a fabric with some slots in that of a cell on the links.
struct Switch {
    arbiter: Arbiter<1>,
    requests: Requests<1>,
    voqs: Vec<u32>,
    outputs: Vec<u32>,
    ports: u32,
    slots: u64,
}

impl Switch {
    fn new(spec: SchedulerSpec, ports: u32) -> Self {
        Self {
            arbiter: arbiter(spec, (ports, ports)),
            requests: Requests::new(ports, ports),
            voqs: vec![0; (ports * ports) as usize],
            outputs: vec![0; ports as usize],
            ports,
            slots: 0,
        }
    }

    fn arrive(&mut self, input: u32, output: u32) {
        self.voqs[(input * self.ports + output) as usize] += 1;
        self.requests.set(input, output);
    }

    /// As many slots of the fabric as it has speedup. Whether it is empty then.
    fn transfer(&mut self, speedup: u32) -> bool {
        let mut pairs = Vec::new();
        for _ in 0..speedup {
            self.arbiter.slot(
                self.slots,
                &self.requests,
                Mask::first_ports(self.ports),
                &mut pairs,
            );
            self.slots += 1;
            for &(input, output) in &pairs {
                let voq = &mut self.voqs[(input * self.ports + output) as usize];
                *voq -= 1;
                if *voq == 0 {
                    self.requests.clear(input, output);
                }
                self.outputs[output as usize] += 1;
            }
        }
        self.voqs.iter().all(|&cells| cells == 0)
    }

    /// Each output sends a cell: for each whether it had one.
    fn send(&mut self) -> Vec<bool> {
        let sent = |cells: &mut u32| {
            let had = *cells > 0;
            *cells -= u32::from(had);
            had
        };
        self.outputs.iter_mut().map(sent).collect()
    }

    fn cells(&self) -> u32 {
        self.voqs.iter().sum::<u32>() + self.outputs.iter().sum::<u32>()
    }
}

/// With N slots in that of a cell and a matching that cannot be added to in each of them, no cell is
/// left at the inputs: at most one comes to an input, and at most N for an output. So the switch is an
/// output-queued one, whose cells wait (N − 1)/N · ρ/(2(1 − ρ)) slots in the mean (Karol et al. 1987,
/// equation 4): those that are left after each slot, by those that came (Little's law). 160,000 slots
/// of 4 ports at a load of 0.5, 320,000 at 0.8, 80,000 of 16 ports.
#[test]
fn with_n_slots_a_switch_is_output_queued() {
    for (ports, load, slots) in [(4, 0.5, 4_000), (4, 0.8, 8_000), (16, 0.8, 2_000)] {
        let specs = [SchedulerSpec::Islip { iterations: ports }, MAXIMUM_SIZE, WAVEFRONT];
        for spec in specs {
            let mut draws = stream("arrivals");
            let mut switch = Switch::new(spec, ports);
            let mut queued = vec![0_u32; ports as usize];
            let mut batch = |_| {
                let (mut came, mut waiting) = (0, 0);
                for _ in 0..slots {
                    for input in 0..ports {
                        if draws.chance(load) {
                            let output = uniform(&mut draws, ports);
                            switch.arrive(input, output);
                            queued[output as usize] += 1;
                            came += 1;
                        }
                    }
                    assert!(switch.transfer(ports), "a cell is left at an input");
                    let busy: Vec<bool> = queued.iter().map(|&cells| cells > 0).collect();
                    for cells in &mut queued {
                        *cells = cells.saturating_sub(1);
                    }
                    assert_eq!(switch.send(), busy);
                    waiting += switch.cells();
                }
                f64::from(waiting) / f64::from(came)
            };
            batch(0);
            let values: Vec<f64> = (0..BATCHES).map(batch).collect();
            let n = f64::from(ports);
            let expected = (n - 1.0) / n * load / (2.0 * (1.0 - load));
            assert_mean(&values, expected, 0.04 * expected);
        }
    }
}

/// McKeown 1999, section III: under uniform traffic of any load below 1 all cells are served, with
/// one iteration and no speedup. What waits at the end of 100,000 slots is a queue's length and not a
/// share of what came (which would be a third with one iteration of PIM).
#[test]
fn islip_carries_uniform_traffic_near_saturation() {
    const SLOTS: u32 = 100_000;
    for ports in [4, 16] {
        let mut draws = stream("arrivals");
        let mut switch = Switch::new(ISLIP, ports);
        let mut came = 0;
        for _ in 0..SLOTS {
            for input in (0..ports).filter(|_| draws.chance(0.95)).collect::<Vec<_>>() {
                switch.arrive(input, uniform(&mut draws, ports));
                came += 1;
            }
            switch.transfer(1);
            switch.send();
        }
        let left = f64::from(switch.cells()) / f64::from(came);
        assert!(left < 0.005, "{left} of the cells are left with {ports} ports");
    }
}
