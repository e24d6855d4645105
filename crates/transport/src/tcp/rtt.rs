//! The retransmission timer's estimate of the round-trip time: RFC 6298, Linux's, or the average of
//! stop-and-wait.

use units::{Span, Time};

use crate::mean::toward;
use crate::stop_and_wait::rto::{Law, Rto};
use crate::tcp::config::{Config, RtoLaw};

/// The smoothed round-trip time, and the timer that follows from the measurements.
///
/// The mean here is exact, for pacing, window rules and reports; the timer has its own state.
#[derive(Clone, Debug)]
pub(crate) struct Rtt {
    exact: Option<Span>,
    timer: Timer,
}

#[derive(Clone, Debug)]
enum Timer {
    Estimated(Estimated),
    /// T, and what the timer is longer by.
    Average(Rto, Span),
}

/// An RTO that doubles with each expiry until there is a sample.
#[derive(Clone, Debug)]
struct Estimated {
    estimate: Estimate,
    /// The RTO before back-off.
    base: Span,
    backoffs: u32,
}

/// What an RTO follows from. The mean is 0 before the first sample.
#[derive(Clone, Debug)]
enum Estimate {
    Rfc6298(Rfc6298),
    Linux(Linux),
}

/// SRTT and RTTVAR (RFC 6298).
///
/// They are measured in ticks of the timer's clock, as RFC 6298's granularity G and BSD's coarse
/// timers have it: a sample is the number of ticks between sending and receipt, at least one.
#[derive(Clone, Debug, Default)]
struct Rfc6298 {
    srtt: u64,
    rttvar: u64,
}

/// Linux's estimate (`tcp_rtt_estimator`), for which each acknowledgment is a sample of the same
/// weight. The variation is the largest mean deviation of a round trip, so that many samples do not
/// forget what the one before had; it falls by a quarter of the difference each round trip. A round
/// trip that becomes shorter counts for an eighth. All in microseconds, with Linux's factors.
#[derive(Clone, Debug, Default)]
struct Linux {
    /// Eight times the mean.
    srtt: u32,
    /// Four times the mean deviation, and the largest since the round trip began.
    mdev: u32,
    mdev_max: u32,
    rttvar: u32,
    /// The round trip ends when an acknowledgment goes beyond this octet, as far as 32 bits count them.
    end: u32,
}

const MICROSECOND: u64 = 1_000_000;
/// The longest of Linux's round-trip times, nine minutes: eight times as many microseconds have a number.
const LONGEST: u32 = u32::MAX / 8;

/// A measurement of the round-trip time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    /// What was acknowledged was sent then, and the acknowledgment came now.
    pub(crate) sent: Time,
    pub(crate) now: Time,
    /// The binary logarithm of the samples expected in a round trip.
    pub(crate) in_round_log2: u32,
    /// The first octet that is not acknowledged, and the one after the last that was sent.
    pub(crate) una: u64,
    pub(crate) high: u64,
}

impl Rtt {
    pub(crate) fn new(config: &Config) -> Self {
        let timer = match config.rto_law {
            RtoLaw::Rfc6298 => {
                Timer::Estimated(Estimated::new(Estimate::Rfc6298(Rfc6298::default()), config))
            }
            RtoLaw::Linux => {
                Timer::Estimated(Estimated::new(Estimate::Linux(Linux::default()), config))
            }
            RtoLaw::Average => {
                Timer::Average(Rto::new(&law(config, Span::ZERO), config.initial_rto), Span::ZERO)
            }
        };
        Self { exact: None, timer }
    }

    /// A full packet takes so long on the sender's link: the unit of `rto-margin`.
    pub(crate) fn set_packet_time(&mut self, packet_time: Span, config: &Config) {
        if let Timer::Average(_, margin) = &mut self.timer {
            *margin = packet_time.scaled(config.rto_margin);
        }
    }

    /// The smoothed round-trip time, exact; none before the first sample.
    pub(crate) fn srtt(&self) -> Option<Span> {
        self.exact
    }

    /// The retransmission timeout with its back-off. By RFC 6298 doubled for each expiry since the
    /// last sample, up to the maximum (rules 5.5 and 5.7, Karn's second rule). The average is a
    /// picosecond longer than it says: what is acknowledged at its very end is in time.
    pub(crate) fn rto(&self, config: &Config) -> Span {
        match &self.timer {
            Timer::Estimated(timer) => timer.rto(config),
            Timer::Average(rto, margin) => {
                Span(rto.timer(&law(config, *margin)).0.saturating_add(1))
            }
        }
    }

    /// Expiries since the last sample; the average does not count them.
    pub(crate) fn backoffs(&self) -> u32 {
        match &self.timer {
            Timer::Estimated(timer) => timer.backoffs,
            Timer::Average(..) => 0,
        }
    }

    /// The timer expired.
    pub(crate) fn back_off(&mut self, config: &Config) {
        match &mut self.timer {
            Timer::Estimated(timer) => timer.backoffs += 1,
            Timer::Average(rto, margin) => rto.expired(&law(config, *margin)),
        }
    }

    /// The SYN was lost: RFC 6298 rule 5.7 begins the data with an RTO of 3 s, unless the initial
    /// one is longer. The average is not reset.
    pub(crate) fn after_lost_syn(&mut self, config: &Config) {
        if let Timer::Estimated(timer) = &mut self.timer {
            timer.base = config.initial_rto.max(Span::from_secs(3)).min(config.max_rto);
            timer.backoffs = 0;
        }
    }

    /// A segment was acknowledged. The gains shrink with the number of samples in a round trip, so
    /// that the history that counts stays as long as with one sample (RFC 7323 appendix G). Linux
    /// and the average of stop-and-wait give each sample the same weight.
    ///
    /// `Deviation:` RFC 7323 divides the gains by the expected number itself; here it is rounded
    /// to a power of two.
    pub(crate) fn sample(&mut self, sample: &Sample, config: &Config) {
        let measured = sample.now.since(sample.sent);
        match &mut self.timer {
            Timer::Estimated(timer) => timer.sample(sample, config),
            Timer::Average(rto, margin) => rto.acknowledged(&law(config, *margin), measured),
        }
        self.exact = Some(match self.exact {
            Some(mean) => Span(toward(mean.0, measured.0, 3 + sample.in_round_log2)),
            None => measured,
        });
    }
}

/// The rule of the average.
fn law(config: &Config, margin: Span) -> Law {
    Law {
        backoff: config.rto_backoff,
        weight: config.rto_weight,
        max: config.max_rto,
        margin,
        feedback: false,
    }
}

impl Estimated {
    fn new(estimate: Estimate, config: &Config) -> Self {
        Self { estimate, base: config.initial_rto, backoffs: 0 }
    }

    fn rto(&self, config: &Config) -> Span {
        if self.backoffs == 0 {
            return self.base;
        }
        let doubled = u128::from(self.base.0) << self.backoffs.min(63);
        Span(u64::try_from(doubled).unwrap_or(u64::MAX)).min(config.max_rto)
    }

    fn sample(&mut self, sample: &Sample, config: &Config) {
        let rto = match &mut self.estimate {
            Estimate::Rfc6298(before) => before.rto(sample, config),
            Estimate::Linux(before) => before.rto(sample, config),
        };
        self.base = Span(rto).max(config.min_rto).min(config.max_rto);
        self.backoffs = 0;
    }
}

impl Rfc6298 {
    /// The RTO after a sample (rules 2.2 and 2.3).
    fn rto(&mut self, sample: &Sample, config: &Config) -> u64 {
        let tick = config.granularity.0;
        let measured = ((sample.now.0 / tick - sample.sent.0 / tick) * tick).max(tick);
        if self.srtt == 0 {
            *self = Self { srtt: measured, rttvar: measured / 2 };
        } else {
            let (error, log2) = (self.srtt.abs_diff(measured), sample.in_round_log2);
            self.rttvar = toward(self.rttvar, error, 2 + log2);
            self.srtt = toward(self.srtt, measured, 3 + log2);
        }
        self.srtt + (4 * self.rttvar).max(tick)
    }
}

impl Linux {
    /// The RTO after a sample, in whole ticks of the timer.
    fn rto(&mut self, sample: &Sample, config: &Config) -> u64 {
        let micros =
            |span: Span| u32::try_from(span.0 / MICROSECOND).unwrap_or(LONGEST).min(LONGEST);
        let (measured, least) = (micros(sample.now.since(sample.sent)), micros(config.min_rto));
        if self.srtt == 0 {
            let (mdev, end) = (2 * measured, sequence_number(sample.high));
            let rttvar = mdev.max(least);
            *self = Self { srtt: (8 * measured).max(1), mdev, mdev_max: rttvar, rttvar, end };
        } else {
            self.take(measured, least, sample);
        }
        let rto = u64::from(self.srtt / 8) + u64::from(self.rttvar);
        (rto * MICROSECOND).next_multiple_of(config.granularity.0)
    }

    fn take(&mut self, measured: u32, least: u32, sample: &Sample) {
        let mean = self.srtt / 8;
        let (error, deviation) = (measured.abs_diff(mean), self.mdev / 4);
        self.srtt = (self.srtt - mean + measured).max(1);
        if error <= deviation {
            self.mdev -= deviation - error;
        } else if measured < mean {
            self.mdev += (error - deviation) / 8;
        } else {
            self.mdev += error - deviation;
        }
        self.mdev_max = self.mdev_max.max(self.mdev);
        self.rttvar = self.rttvar.max(self.mdev_max);
        if sequence_number(sample.una).wrapping_sub(self.end).cast_signed() > 0 {
            self.rttvar -= (self.rttvar - self.mdev_max) / 4;
            self.mdev_max = least;
            self.end = sequence_number(sample.high);
        }
    }
}

/// What a segment has of an octet's number.
#[expect(clippy::cast_possible_truncation, reason = "sequence numbers wrap")]
fn sequence_number(octet: u64) -> u32 {
    octet as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profile;
    use crate::tcp::config::{TcpOptions, resolve};

    fn config(min_rto: Span) -> Config {
        let options = TcpOptions {
            rto_law: Some(RtoLaw::Rfc6298),
            min_rto: Some(min_rto),
            initial_rto: Some(Span::from_secs(1)),
            granularity: Some(Span::from_ms(1)),
            max_rto: Some(Span::from_secs(60)),
            ..TcpOptions::default()
        };
        resolve(Profile::Modern, &options).unwrap()
    }

    fn feed(rtt: &mut Rtt, millis: u64, config: &Config) {
        let sent = Time::ZERO + Span::from_secs(5);
        rtt.sample(&sample(sent, Span::from_ms(millis), 0), config);
    }

    fn sample(sent: Time, measured: Span, in_round_log2: u32) -> Sample {
        Sample { sent, now: sent + measured, in_round_log2, una: 0, high: 0 }
    }

    #[test]
    fn the_rto_follows_rfc_6298_step_by_step() {
        let config = config(Span::ZERO);
        let mut rtt = Rtt::new(&config);
        assert_eq!(rtt.rto(&config), Span::from_secs(1), "rule 2.1");
        // Rule 2.2: SRTT = 100, RTTVAR = 50, RTO = 100 + 4 · 50.
        feed(&mut rtt, 100, &config);
        assert_eq!(rtt.rto(&config), Span::from_ms(300));
        // Rule 2.3 with 140: RTTVAR = 3/4 · 50 + 1/4 · 40 = 47.5, SRTT = 7/8 · 100 + 1/8 · 140.
        feed(&mut rtt, 140, &config);
        assert_eq!(rtt.srtt(), Some(Span::from_ms(105)));
        assert_eq!(rtt.rto(&config), Span::from_ms(105 + 190));
        // With 65: RTTVAR = 3/4 · 47.5 + 1/4 · 40 = 45.625, SRTT = 7/8 · 105 + 1/8 · 65 = 100.
        feed(&mut rtt, 65, &config);
        assert_eq!(rtt.rto(&config), Span::from_us(100_000 + 182_500));
    }

    /// By a transcription of `tcp_rtt_estimator` and `__tcp_set_rto`, in microseconds, run apart.
    #[test]
    fn the_rto_of_linux_is_that_of_its_estimator() {
        let samples = [
            (100, 1, 10),
            (140, 2, 11),
            (65, 11, 20),
            (65, 12, 21),
            (65, 21, 30),
            (300, 22, 31),
            (300, 23, 32),
            (80, 32, 40),
            (80, 41, 50),
            (80, 51, 60),
            (80, 61, 70),
        ];
        let rtos = |min_rto| {
            let options =
                TcpOptions { min_rto: Some(Span::from_ms(min_rto)), ..TcpOptions::default() };
            let config = resolve(Profile::Linux, &options).unwrap();
            let mut rtt = Rtt::new(&config);
            let after = |&(millis, una, high): &(u64, u64, u64)| {
                let of = sample(Time::ZERO, Span::from_ms(millis), 4);
                rtt.sample(&Sample { una, high, ..of }, &config);
                rtt.rto(&config).0 / 1_000_000_000
            };
            samples.iter().map(after).collect::<Vec<_>>()
        };
        assert_eq!(rtos(20), [300, 305, 300, 296, 285, 446, 569, 562, 533, 501, 467]);
        assert_eq!(rtos(200), [300, 305, 300, 296, 292, 446, 569, 562, 533, 501, 467]);
    }

    #[test]
    fn the_granularity_is_the_least_that_the_variance_adds() {
        let config = config(Span::ZERO);
        let mut rtt = Rtt::new(&config);
        for _ in 0..100 {
            feed(&mut rtt, 10, &config);
        }
        assert_eq!(rtt.rto(&config), Span::from_ms(11), "SRTT + G, rule 2.3");
    }

    #[test]
    fn a_round_trip_shorter_than_a_tick_counts_as_one_tick() {
        let config = config(Span::ZERO);
        let mut rtt = Rtt::new(&config);
        rtt.sample(&sample(Time::ZERO, Span::from_us(20), 0), &config);
        assert_eq!(rtt.srtt(), Some(Span::from_us(20)), "the exact mean");
        assert_eq!(rtt.rto(&config), Span::from_ms(1 + 2), "SRTT = 1 ms, RTTVAR = 0.5 ms");
    }

    #[test]
    fn the_back_off_doubles_from_the_minimum_to_the_maximum_until_a_sample() {
        let config = config(Span::from_secs(1));
        let mut rtt = Rtt::new(&config);
        feed(&mut rtt, 100, &config);
        let mut seconds = Vec::new();
        for _ in 0..8 {
            seconds.push(rtt.rto(&config).0 / 1_000_000_000_000);
            rtt.back_off(&config);
        }
        assert_eq!(seconds, [1, 2, 4, 8, 16, 32, 60, 60]);
        feed(&mut rtt, 100, &config);
        assert_eq!(rtt.rto(&config), Span::from_secs(1));
    }

    #[test]
    fn the_average_is_that_of_stop_and_wait_with_a_margin_and_a_picosecond() {
        let options = TcpOptions {
            rto_law: Some(RtoLaw::Average),
            // No bound to the average.
            min_rto: Some(Span::from_secs(1)),
            ..TcpOptions::default()
        };
        let config = resolve(Profile::Modern, &options).unwrap();
        let mut rtt = Rtt::new(&config);
        let tick = Span::from_ps(1);
        assert_eq!(rtt.rto(&config), Span::from_ms(1) + tick);
        rtt.set_packet_time(Span::from_us(7), &config);
        assert_eq!(rtt.rto(&config), Span::from_us(1028) + tick);
        let sent = Time::ZERO + Span::from_secs(1);
        rtt.sample(&sample(sent, Span::from_us(200), 3), &config);
        assert_eq!(rtt.rto(&config), Span::from_us(628) + tick, "(1000 + 200)/2 + 4 · 7");
        rtt.back_off(&config);
        assert_eq!(rtt.rto(&config), Span::from_us(688) + tick, "1.1 · 600 + 28");
        rtt.sample(&sample(sent, Span::from_us(100), 3), &config);
        assert_eq!(rtt.rto(&config), Span::from_us(408) + tick, "(660 + 100)/2 + 28");
        assert_eq!(rtt.srtt(), Some(Span::from_ps(198_437_500)), "200 - 100/64");
    }

    #[test]
    fn no_number_of_back_offs_overflows() {
        let config = config(Span::from_secs(1));
        let mut rtt = Rtt::new(&config);
        for _ in 0..1000 {
            rtt.back_off(&config);
        }
        assert_eq!(rtt.rto(&config), config.max_rto);
    }

    #[test]
    fn many_samples_in_a_round_trip_weigh_as_much_as_one() {
        let config = config(Span::ZERO);
        let (mut one, mut many) = (Rtt::new(&config), Rtt::new(&config));
        feed(&mut one, 100, &config);
        feed(&mut many, 100, &config);
        feed(&mut one, 180, &config);
        for _ in 0..16 {
            many.sample(&sample(Time::ZERO, Span::from_ms(180), 4), &config);
        }
        let (one, many) = (one.srtt().unwrap().as_secs_f64(), many.srtt().unwrap().as_secs_f64());
        // 100 + 80/8 = 110 ms against 100 + 80 (1 − (1 − 1/128)^16) = 109.4 ms.
        assert!((one - many).abs() < 0.001, "{one} {many}");
    }
}
