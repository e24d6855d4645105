//! Loss of bursts that come at random, against formulas.
//!
//! Bursts come to the link itself as a Poisson process, all with one offset and no fibre delay. With
//! full conversion this is M/G/W/W, whose loss is Erlang's B whatever the law of the lengths
//! (A. K. Erlang 1917; insensitivity: B. A. Sevastyanov 1957). Without conversion each wavelength is
//! an M/G/1/1 of its own.

use random::{Stream, bounded_pareto_mean};
use units::{Span, Time};

use super::{Node, mean_and_error, stream};
use crate::{BurstCoreSpec, Conversion, Request};

/// The mean length of a burst, in picoseconds.
const MEAN: f64 = 1e8;
const OFFSET: Span = Span::from_us(10);
/// Standard errors; exceeded once in 16,000 seeds by a right model.
const K: f64 = 4.0;
const BATCHES: usize = 40;

/// The law of the lengths.
#[derive(Debug, Clone, Copy)]
enum Law {
    Constant,
    Exponential,
    BoundedPareto,
}

impl Law {
    const ALL: [Self; 3] = [Self::Constant, Self::Exponential, Self::BoundedPareto];

    /// A length with the mean [`MEAN`].
    fn draw(self, draws: &mut Stream) -> Span {
        let (shape, min, max) = (1.5, 1.0, 100.0);
        let length = match self {
            Self::Constant => MEAN,
            Self::Exponential => draws.exponential(MEAN),
            Self::BoundedPareto => {
                let scale = MEAN / bounded_pareto_mean(shape, min, max);
                scale * draws.bounded_pareto(shape, min, max)
            }
        };
        Span::from_secs_f64(length * 1e-12)
    }
}

/// Erlang's B by its recursion: B(0) = 1, B(n) = a B(n−1) / (n + a B(n−1)).
fn erlang_b(servers: u32, load: f64) -> f64 {
    (1..=servers).fold(1.0, |b, n| load * b / (f64::from(n) + load * b))
}

/// Bursts on one wavelength that are offered as a Poisson process.
struct Arrivals {
    draws: Stream,
    law: Law,
    load: f64,
    channel: u16,
    now: f64,
}

impl Arrivals {
    fn new(name: &str, law: Law, load: f64) -> Self {
        Self { draws: stream(name), law, load, channel: 0, now: 0.0 }
    }

    /// The next burst, and when its header comes.
    fn next(&mut self) -> (Time, Request) {
        self.now += self.draws.exponential(MEAN / self.load);
        let now = Time::ZERO + Span::from_secs_f64(self.now * 1e-12);
        let length = self.law.draw(&mut self.draws);
        (now, Request { start: now + OFFSET, length, channel: self.channel })
    }
}

/// The share of lost bursts in each batch of `size`. The first batch, in which the link fills, is
/// left out.
fn loss_of_batches(node: &mut Node, arrivals: &mut Arrivals, size: usize) -> Vec<f64> {
    let mut batch = || {
        let lost = (0..size).filter(|_| {
            let (now, request) = arrivals.next();
            node.ask(now, request).is_none()
        });
        lost.count() as f64 / size as f64
    };
    batch();
    (0..BATCHES).map(|_| batch()).collect()
}

/// The measured loss lies within [`K`] standard errors of the formula's, and these are small enough
/// for that to say something.
fn assert_loss(batches: &[f64], expected: f64, what: &str) {
    let (loss, error) = mean_and_error(batches);
    let off = (loss - expected) / error;
    assert!(error < 0.1 * expected, "{what}: {loss} ± {error} is too rough");
    assert!(off.abs() < K, "{what}: {loss} ± {error}, not {expected}");
}

/// Loads from light to overloaded for a number of channels.
fn full_conversion_is_erlang_b(channels: u32, loads: [f64; 3]) {
    for law in Law::ALL {
        for load in loads {
            let expected = erlang_b(channels, load);
            assert!((1e-3..0.6).contains(&expected), "{expected}");
            let what = format!("{channels} channels, {load} erlang, {law:?}");
            let mut node = Node::new(&BurstCoreSpec::default(), channels);
            let mut arrivals = Arrivals::new(&what, law, load);
            let batches = loss_of_batches(&mut node, &mut arrivals, 4_000);
            assert_loss(&batches, expected, &what);
        }
    }
}

/// Values of the tables: B(1, 1) = 1/2, B(2, 1) = 1/5, B(5, 3) = 0.11005, B(10, 5) = 0.018385.
#[test]
fn erlang_b_has_the_values_of_the_tables() {
    for (servers, load, expected) in
        [(1, 1.0, 0.5), (2, 1.0, 0.2), (5, 3.0, 0.110_05), (10, 5.0, 0.018_385)]
    {
        assert!((erlang_b(servers, load) - expected).abs() < 5e-6, "B({servers}, {load})");
    }
}

#[test]
fn one_channel_loses_what_erlang_says() {
    full_conversion_is_erlang_b(1, [0.01, 0.2, 1.0]);
}

#[test]
fn four_channels_lose_what_erlang_says() {
    full_conversion_is_erlang_b(4, [0.7, 2.0, 6.0]);
}

#[test]
fn sixteen_channels_lose_what_erlang_says() {
    full_conversion_is_erlang_b(16, [9.0, 13.0, 24.0]);
}

#[test]
fn sixty_four_channels_lose_what_erlang_says() {
    full_conversion_is_erlang_b(64, [52.0, 60.0, 96.0]);
}

/// Rare losses, down to 10⁻⁵: some hundred bursts of millions. At such loads they come in clumps of a
/// few, so the batches tell the error.
#[test]
fn rare_losses_are_those_of_erlang() {
    for (channels, load, size) in
        [(4, 0.14, 40_000), (16, 5.5, 20_000), (64, 38.0, 40_000), (64, 42.0, 10_000)]
    {
        let expected = erlang_b(channels, load);
        assert!((1e-5..1e-3).contains(&expected), "{channels}, {load}: {expected}");
        let what = format!("rare, {channels} channels, {load} erlang");
        let mut node = Node::new(&BurstCoreSpec::default(), channels);
        let mut arrivals = Arrivals::new(&what, Law::Exponential, load);
        let batches = loss_of_batches(&mut node, &mut arrivals, size);
        let (loss, error) = mean_and_error(&batches);
        assert!(error < 0.4 * expected, "{what}: {loss} ± {error} is too rough");
        assert!((loss - expected).abs() < K * error, "{what}: {loss} ± {error}, not {expected}");
    }
}

/// With different loads, so that a burst on a wrong wavelength would be noticed. The streams are
/// merged in the order of time.
#[test]
fn without_conversion_each_wavelength_is_a_server_of_its_own() {
    let loads = [0.1, 0.3, 0.7, 1.5];
    let size = 1_000;
    for law in Law::ALL {
        let spec = BurstCoreSpec { conversion: Conversion::None, ..BurstCoreSpec::default() };
        let mut node = Node::new(&spec, 4);
        let mut sources: Vec<Arrivals> = (0_u16..)
            .zip(loads)
            .map(|(channel, load)| {
                let name = format!("wavelength/{channel}/{law:?}");
                Arrivals { channel, ..Arrivals::new(&name, law, load) }
            })
            .collect();
        let mut pending: Vec<(Time, Request)> = sources.iter_mut().map(Arrivals::next).collect();
        let mut lost: Vec<Vec<bool>> = vec![Vec::new(); 4];
        while lost.iter().any(|outcomes| outcomes.len() < size * BATCHES) {
            let next = (0..4).min_by_key(|&source| pending[source].0).unwrap();
            let (now, request) = pending[next];
            pending[next] = sources[next].next();
            let grant = node.ask(now, request);
            assert!(grant.is_none_or(|grant| !grant.converted && grant.channel == request.channel));
            lost[next].push(grant.is_none());
        }
        for (outcomes, load) in lost.iter().zip(loads) {
            let share = |batch: &[bool]| batch.iter().filter(|&&lost| lost).count() as f64;
            let batches: Vec<f64> =
                outcomes.chunks_exact(size).map(|batch| share(batch) / size as f64).collect();
            assert_loss(&batches, load / (1.0 + load), &format!("{load} erlang, {law:?}"));
        }
    }
}
