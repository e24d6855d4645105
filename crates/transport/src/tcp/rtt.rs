//! The retransmission timer's estimate of the round-trip time: RFC 6298, or the average of
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
    Rfc6298(Rfc6298),
    /// T, and what the timer is longer by.
    Average(Rto, Span),
}

/// SRTT, RTTVAR and the RTO that follows from them (RFC 6298).
///
/// They are measured in ticks of the timer's clock, as RFC 6298's granularity G and BSD's coarse
/// timers have it: a sample is the number of ticks between sending and receipt, at least one.
#[derive(Clone, Debug)]
struct Rfc6298 {
    /// Whether there was a sample.
    measured: bool,
    srtt: u64,
    rttvar: u64,
    /// The RTO before back-off.
    base: Span,
    backoffs: u32,
}

impl Rtt {
    pub(crate) fn new(config: &Config) -> Self {
        let timer = match config.rto_law {
            RtoLaw::Rfc6298 | RtoLaw::Linux => Timer::Rfc6298(Rfc6298 {
                measured: false,
                srtt: 0,
                rttvar: 0,
                base: config.initial_rto,
                backoffs: 0,
            }),
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
            Timer::Rfc6298(timer) => timer.rto(config),
            Timer::Average(rto, margin) => {
                Span(rto.timer(&law(config, *margin)).0.saturating_add(1))
            }
        }
    }

    /// Expiries since the last sample; the average does not count them.
    pub(crate) fn backoffs(&self) -> u32 {
        match &self.timer {
            Timer::Rfc6298(timer) => timer.backoffs,
            Timer::Average(..) => 0,
        }
    }

    /// The timer expired.
    pub(crate) fn back_off(&mut self, config: &Config) {
        match &mut self.timer {
            Timer::Rfc6298(timer) => timer.backoffs += 1,
            Timer::Average(rto, margin) => rto.expired(&law(config, *margin)),
        }
    }

    /// The SYN was lost: RFC 6298 rule 5.7 begins the data with an RTO of 3 s, unless the initial
    /// one is longer. The average is not reset.
    pub(crate) fn after_lost_syn(&mut self, config: &Config) {
        if let Timer::Rfc6298(timer) = &mut self.timer {
            timer.base = config.initial_rto.max(Span::from_secs(3)).min(config.max_rto);
            timer.backoffs = 0;
        }
    }

    /// A segment sent at `sent` was acknowledged at `now`. `samples_log2` is the binary logarithm
    /// of the samples expected in a round trip: the gains shrink with it, so that the history that
    /// counts stays as long as with one sample (RFC 7323 appendix G). The average of stop-and-wait
    /// gives each sample the same weight.
    ///
    /// `Deviation:` RFC 7323 divides the gains by the expected number itself; here it is rounded
    /// to a power of two.
    pub(crate) fn sample(&mut self, sent: Time, now: Time, samples_log2: u32, config: &Config) {
        match &mut self.timer {
            Timer::Rfc6298(timer) => timer.sample(sent, now, samples_log2, config),
            Timer::Average(rto, margin) => {
                rto.acknowledged(&law(config, *margin), now.since(sent));
            }
        }
        let measured = now.since(sent);
        self.exact = Some(match self.exact {
            Some(mean) => Span(toward(mean.0, measured.0, 3 + samples_log2)),
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

impl Rfc6298 {
    fn rto(&self, config: &Config) -> Span {
        if self.backoffs == 0 {
            return self.base;
        }
        let doubled = u128::from(self.base.0) << self.backoffs.min(63);
        Span(u64::try_from(doubled).unwrap_or(u64::MAX)).min(config.max_rto)
    }

    fn sample(&mut self, sent: Time, now: Time, samples_log2: u32, config: &Config) {
        let tick = config.granularity.0;
        let measured = ((now.0 / tick - sent.0 / tick) * tick).max(tick);
        if self.measured {
            self.rttvar = toward(self.rttvar, self.srtt.abs_diff(measured), 2 + samples_log2);
            self.srtt = toward(self.srtt, measured, 3 + samples_log2);
        } else {
            self.measured = true;
            self.srtt = measured;
            self.rttvar = measured / 2;
        }
        let least = if config.rto_law == RtoLaw::Linux { config.min_rto.0 } else { 0 };
        let rto = self.srtt + (4 * self.rttvar).max(tick).max(least);
        self.base = Span(rto).max(config.min_rto).min(config.max_rto);
        self.backoffs = 0;
    }
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
        rtt.sample(sent, sent + Span::from_ms(millis), 0, config);
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
        rtt.sample(Time::ZERO, Time::ZERO + Span::from_us(20), 0, &config);
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
        rtt.sample(sent, sent + Span::from_us(200), 3, &config);
        assert_eq!(rtt.rto(&config), Span::from_us(628) + tick, "(1000 + 200)/2 + 4 · 7");
        rtt.back_off(&config);
        assert_eq!(rtt.rto(&config), Span::from_us(688) + tick, "1.1 · 600 + 28");
        rtt.sample(sent, sent + Span::from_us(100), 3, &config);
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
            many.sample(Time::ZERO, Time::ZERO + Span::from_ms(180), 4, &config);
        }
        let (one, many) = (one.srtt().unwrap().as_secs_f64(), many.srtt().unwrap().as_secs_f64());
        // 100 + 80/8 = 110 ms against 100 + 80 (1 − (1 − 1/128)^16) = 109.4 ms.
        assert!((one - many).abs() < 0.001, "{one} {many}");
    }
}
