//! What is published of BBR, over one bottleneck: it fills a path with random losses and a shallow buffer, shares
//! it, and keeps the queue short.

use units::{Rate, Span, Time};

use crate::WindowSize;
use crate::profile::Profile;
use crate::tcp::config::{Config, TcpOptions, resolve};
use crate::tcp::congestion::{self, bbr1, bbr3, cubic};
use crate::tcp::path::{Fate, Path};

const DATA: f64 = 1448.0 / 1488.0;

fn config(congestion: congestion::Options) -> Config {
    let unlimited = Some(WindowSize::Unlimited);
    let options = TcpOptions {
        congestion: Some(congestion),
        max_window: unlimited,
        receive_window: unlimited,
        ..TcpOptions::default()
    };
    resolve(Profile::Linux, &options).unwrap()
}

fn versions() -> [Config; 2] {
    [
        config(congestion::Options::Bbr3(bbr3::Options::default())),
        config(congestion::Options::Bbr1(bbr1::Options::default())),
    ]
}

fn cubic() -> Config {
    config(congestion::Options::Cubic(cubic::Options::default()))
}

/// The share of the path that each flow has between two instants.
fn shares(path: &mut Path, warm_up: Span, span: Span) -> Vec<f64> {
    path.run_for(warm_up);
    let acked = |path: &Path| path.flows.iter().map(|flow| flow.0.acked()).collect::<Vec<_>>();
    let before = acked(path);
    (path.longest_wait, path.waits) = (Span::ZERO, (0.0, 0));
    path.run_for(span);
    let all = path.rate.0 as f64 / 8.0 * DATA * span.as_secs_f64();
    acked(path).iter().zip(before).map(|(now, then)| (now - then) as f64 / all).collect()
}

/// One in a hundred, drawn.
fn lose_one_percent(path: &mut Path) {
    let mut stream = random::Seed(1).stream("loss");
    path.fate =
        Box::new(move |_, _| if stream.chance(0.01) { Fate::Lost } else { Fate::Late(Span::ZERO) });
}

/// 1 Gb/s, 100 ms, a buffer of a tenth of what the path holds.
///
/// Version 3 lowers its short-term bandwidth to what was delivered in each round with a loss (section 5.5.10.3 of
/// the draft), which is 1% of losses and 1% of margin less than the round before at most; only the next probe, 2 s
/// to 3 s later, takes it back. So it has about four fifths of such a path on average, version 1 all but losses.
#[test]
fn a_path_with_random_losses_and_a_shallow_buffer_is_filled() {
    let [three, one] = versions();
    let share = |config: Config| {
        let mut path = Path::new(Rate(1_000_000_000), Span::from_ms(100), 1_250_000, &[config]);
        lose_one_percent(&mut path);
        path.offer(0, u64::MAX);
        shares(&mut path, Span::from_secs(3), Span::from_secs(15))[0]
    };
    let (three, one, cubic) = (share(three), share(one), share(cubic()));
    assert!(one > 0.9, "version 1: {one}");
    assert!((0.75..0.9).contains(&three), "version 3: {three}");
    assert!(cubic < 0.01, "CUBIC: {cubic}");
}

#[test]
fn one_flow_keeps_the_queue_of_a_deep_buffer_below_what_the_path_holds() {
    for config in versions() {
        let name = format!("{:?}", config.congestion);
        let mut path = Path::new(Rate(100_000_000), Span::from_ms(40), 5_000_000, &[config]);
        path.offer(0, u64::MAX);
        let share = shares(&mut path, Span::from_secs(3), Span::from_secs(20))[0];
        assert!(share > 0.93, "{name}: {share}");
        assert!(path.longest_wait < Span::from_ms(60), "{name}: {:?}", path.longest_wait);
    }
}

#[test]
fn two_flows_share_fairly_and_the_queue_stays_short() {
    for config in versions() {
        let name = format!("{:?}", config.congestion);
        let both = [config.clone(), config];
        let mut path = Path::new(Rate(100_000_000), Span::from_ms(40), 5_000_000, &both);
        path.offer(0, u64::MAX);
        path.run_for(Span::from_secs(3));
        path.offer(1, u64::MAX);
        let shares = shares(&mut path, Span::from_secs(27), Span::from_secs(30));
        let (sum, squares) = (shares[0] + shares[1], shares[0].powi(2) + shares[1].powi(2));
        assert!(sum * sum / (2.0 * squares) > 0.9, "{name}: {shares:?}");
        assert!(sum > 0.93, "{name}: {shares:?}");
        assert!(path.mean_wait() < 0.060, "{name}: {}", path.mean_wait());
    }
}

/// Against CUBIC: version 1 takes most of a path with a shallow buffer, whatever CUBIC does; with a deep one CUBIC
/// takes more (Hock, Bless and Zitterbart, ICNP 2017; Ware and others, IMC 2019).
#[test]
fn against_cubic_a_shallow_buffer_favours_version_1_and_a_deep_one_cubic() {
    let share = |version: Config, buffer: u64| {
        let both = [version, cubic()];
        let mut path = Path::new(Rate(50_000_000), Span::from_ms(40), buffer, &both);
        (0..2).for_each(|flow| path.offer(flow, u64::MAX));
        let shares = shares(&mut path, Span::from_secs(20), Span::from_secs(60));
        shares[0] / (shares[0] + shares[1])
    };
    let bdp = 250_000;
    let [three, one] = versions();
    let table = [&one, &three].map(|v| [bdp / 2, 16 * bdp].map(|b| share(v.clone(), b)));
    let [[shallow, deep], [shallow_3, deep_3]] = table;
    assert!(shallow > 0.8 && deep < 0.5, "{table:?}");
    // Version 3 leaves CUBIC more where the buffer is shallow.
    assert!(shallow_3 < shallow && deep_3 < 0.6, "{table:?}");
}

#[test]
fn a_run_is_the_same_whenever_it_is_repeated() {
    for config in versions() {
        let run = || {
            let mut path = Path::new(
                Rate(100_000_000),
                Span::from_ms(20),
                100_000,
                std::slice::from_ref(&config),
            );
            lose_one_percent(&mut path);
            path.offer(0, u64::MAX);
            path.run_until(Time::ZERO + Span::from_secs(3), |_| false);
            (path.sender().acked(), path.sender().counters().retransmissions)
        };
        assert_eq!(run(), run());
    }
}
