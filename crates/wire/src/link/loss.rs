//! Random loss on the wire.

use plan::spec::LossSpec;
use random::Stream;

/// A loss process with its own random numbers, one step per packet.
#[derive(Debug, Clone)]
pub struct Loss {
    model: Model,
    stream: Stream,
}

#[derive(Debug, Clone, Copy)]
enum Model {
    Bernoulli {
        p: f64,
    },
    /// Gilbert 1960, Elliott 1963: the state steps first, then the packet is judged in it.
    GilbertElliott {
        step: [f64; 2],
        loss: [f64; 2],
        bad: bool,
    },
}

impl Loss {
    /// The process of a link; it starts in the good state.
    pub fn new(spec: &LossSpec, stream: Stream) -> Self {
        let model = match *spec {
            LossSpec::Bernoulli { p, .. } => Model::Bernoulli { p },
            LossSpec::GilbertElliott { good_to_bad, bad_to_good, loss_good, loss_bad, .. } => {
                let (step, loss) = ([good_to_bad, bad_to_good], [loss_good, loss_bad]);
                Model::GilbertElliott { step, loss, bad: false }
            }
        };
        Self { model, stream }
    }

    /// From now on other losses are drawn.
    pub fn branch(&mut self, key: u64) {
        self.stream.branch(key);
    }

    /// Whether the next packet is lost.
    #[inline]
    pub fn strikes(&mut self) -> bool {
        match &mut self.model {
            Model::Bernoulli { p } => self.stream.chance(*p),
            Model::GilbertElliott { step, loss, bad } => {
                *bad ^= self.stream.chance(step[usize::from(*bad)]);
                self.stream.chance(loss[usize::from(*bad)])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use plan::spec::Direction;
    use random::Seed;

    use super::*;

    fn losses(spec: &LossSpec, n: usize) -> Vec<bool> {
        let mut loss = Loss::new(spec, Seed(1).stream("loss"));
        (0..n).map(|_| loss.strikes()).collect()
    }

    #[test]
    fn bernoulli_loses_its_share() {
        let spec = LossSpec::Bernoulli { p: 0.02, direction: Direction::Both };
        let lost = losses(&spec, 1_000_000).iter().filter(|&&lost| lost).count() as f64;
        // Standard error √(n p (1 − p)) = 140.
        assert!((lost - 20_000.0).abs() < 4.0 * 140.0, "{lost}");
    }

    /// Gilbert's model: the share of time in the bad state is g/(g + b) and bursts of loss last 1/b
    /// packets on average.
    #[test]
    fn gilbert_elliott_has_its_stationary_share_and_burst_length() {
        let (g, b) = (0.01, 0.25);
        let spec = LossSpec::GilbertElliott {
            good_to_bad: g,
            bad_to_good: b,
            loss_good: 0.0,
            loss_bad: 1.0,
            direction: Direction::Both,
        };
        let lost = losses(&spec, 1_000_000);
        let count = lost.iter().filter(|&&lost| lost).count() as f64;
        let bursts = lost.windows(2).filter(|pair| !pair[0] && pair[1]).count() as f64;
        // About 9600 bursts of geometric length: relative standard errors near 1.4% and 0.9%.
        assert!((count / 1e6 / (g / (g + b)) - 1.0).abs() < 0.05, "{count}");
        assert!((count / bursts * b - 1.0).abs() < 0.04, "{}", count / bursts);
    }
}
