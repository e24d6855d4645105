//! Values that must never change: a change shifts every result of every scenario.

use units::Span;

use crate::{Seed, bounded_pareto_mean, bounded_pareto_shape, normal_cdf, normal_quantile};

/// Computed with the reference implementation of XXH3 and a transcription of xoshiro256++ and
/// `SplitMix64` in Python.
#[test]
fn streams_give_the_same_bits_everywhere() {
    let known: [(u64, &str, [u64; 4]); 4] = [
        (
            1,
            "flow/17/arrivals",
            [
                0xcbd5_603b_d1dc_4b18,
                0xeaf6_19f0_10bc_4ae2,
                0xaf1f_b066_3c8e_a099,
                0x1e17_5b09_e3f7_d074,
            ],
        ),
        (
            2,
            "flow/17/arrivals",
            [
                0xd7c0_d26a_eb36_ef09,
                0x74bc_a298_1112_359c,
                0x150e_ccc3_770b_3a03,
                0x69d6_85f5_6d93_3ac3,
            ],
        ),
        (
            0,
            "",
            [
                0x1a15_ca93_6897_ca1f,
                0x6883_318a_a2bb_407a,
                0xa3a4_65a0_fa3d_4b9f,
                0x66da_7a72_d2cd_7dd4,
            ],
        ),
        (
            u64::MAX,
            "left -> right/loss",
            [
                0xe6d4_b8cf_389d_a152,
                0x95ec_3cd5_e7c7_d2e7,
                0xe6f6_9088_57a1_b90b,
                0x1e8e_2fed_326b_3eaa,
            ],
        ),
    ];
    for (seed, name, expected) in known {
        let mut stream = Seed(seed).stream(name);
        assert_eq!(expected.map(|_| stream.next_u64()), expected, "{name}");
    }
}

/// Within 10^-15 of values computed with thirty digits, and these bits on every machine.
#[test]
fn samplers_give_the_same_bits_everywhere() {
    let mut stream = Seed(1).stream("flow/17/arrivals");
    let drawn = [
        stream.uniform(),
        stream.open_uniform(),
        stream.exponential(1.0),
        stream.standard_normal(),
        stream.log_normal(8.0, 1.5),
        stream.pareto(1.2, 100.0),
        stream.bounded_pareto(0.5, 4e4, 1e8),
    ];
    let exact = [
        0.796_224_608_044_085_9,
        0.917_817_708_120_069_7,
        1.152_257_673_417_619_3,
        -1.187_354_657_923_212_4,
        478.802_157_174_650_4,
        191.254_161_402_667_62,
        43_566.080_404_771_45,
    ];
    for (drawn, exact) in drawn.iter().zip(exact) {
        assert!((drawn / exact - 1.0).abs() < 1e-15, "{drawn} {exact}");
    }
    let bits = [
        0x3fe9_7aac_077a_3b89,
        0x3fed_5ec3_3e02_1789,
        0x3ff2_6fa5_bdfe_4cb1,
        0xbff2_ff67_9908_8913,
        0x407d_ecd5_a2c2_f602,
        0x4067_e822_1718_0b9d,
        0x40e5_45c2_92ad_06fa,
    ];
    assert_eq!(drawn.map(f64::to_bits), bits);
}

#[test]
fn whole_numbers_are_the_same_everywhere() {
    let mut stream = Seed(1).stream("whole numbers");
    assert_eq!(
        [10, 1 << 40, 3, u64::MAX].map(|n| stream.below(n)),
        [8, 1_008_837_206_818, 1, 15_006_084_336_439_828_380]
    );
    assert_eq!(stream.exponential_span(Span::from_ms(1)), Span::from_ps(1_095_833_245));
    assert_eq!(stream.derangement(8), [4, 7, 6, 0, 5, 2, 3, 1]);
}

#[test]
fn normal_quantile_meets_its_paper() {
    // The three values of the paper, and a 97.5% point that everyone knows.
    let published = [
        (0.25, -0.674_489_750_196_081_7),
        (0.001, -3.090_232_306_167_814),
        (1e-20, -9.262_340_089_798_408),
        (0.975, 1.959_963_984_540_054),
    ];
    for (p, x) in published {
        assert!((normal_quantile(p) / x - 1.0).abs() < 1e-15, "{p}");
    }
    assert!(normal_quantile(0.5).abs() < f64::MIN_POSITIVE);
}

#[test]
fn normal_quantile_has_ends() {
    assert!(normal_quantile(0.0) < f64::MIN && normal_quantile(1.0) > f64::MAX);
    assert!([-0.1, 1.1, f64::NAN].iter().all(|&p| normal_quantile(p).is_nan()));
}

#[test]
fn normal_cdf_undoes_the_quantile() {
    // Steps over both seams of the approximation, at |p − ½| = 0.425 and r = 5.
    for step in 1..2000 {
        let p = f64::from(step) / 2000.0;
        assert!((normal_cdf(normal_quantile(p)) / p - 1.0).abs() < 1e-14, "{p}");
    }
    for power in 1..300 {
        let p = libm::exp10(-f64::from(power));
        assert!((normal_cdf(normal_quantile(p)) / p - 1.0).abs() < 1e-12, "{p}");
    }
}

#[test]
fn bounded_pareto_of_four_megabytes_has_its_shape() {
    // Files of at least 40 kB with a mean of 4 MB, bounded at 40, 100 and 400 MB.
    for (max, shape) in [(40e6, 0.139), (100e6, 0.331), (400e6, 0.500)] {
        let found = bounded_pareto_shape(4e6, 40e3, max).unwrap();
        assert!((found - shape).abs() < 0.0006, "{max}: {found}");
    }
}

#[test]
fn bounded_pareto_mean_has_no_gap_at_one() {
    // At a shape of 1 it is L · H · ln(H / L) / (H − L).
    let mean = bounded_pareto_mean(1.0, 1e3, 1e6);
    assert!((mean / (1e3 * libm::log(1e3) / (1.0 - 1e-3)) - 1.0).abs() < 1e-14);
    for shape in [1.0 - 1e-9, 1.0 + 1e-9] {
        assert!((bounded_pareto_mean(shape, 1e3, 1e6) / mean - 1.0).abs() < 1e-8);
    }
    // At a shape of 2 it is 2 L H / (L + H).
    let harmonic = 2.0 * 1e3 * 1e6 / (1e3 + 1e6);
    assert!((bounded_pareto_mean(2.0, 1e3, 1e6) / harmonic - 1.0).abs() < 1e-14);
}

#[test]
fn a_mean_that_no_shape_gives_is_refused() {
    assert_eq!(bounded_pareto_shape(4e4, 4e4, 1e8), None);
    assert_eq!(bounded_pareto_shape(2e7, 4e4, 1e8), None);
    assert_eq!(bounded_pareto_shape(5.0, 10.0, 1.0), None);
    assert_eq!(bounded_pareto_shape(f64::NAN, 1.0, 2.0), None);
    assert_eq!(bounded_pareto_shape(2.0, 0.0, 3.0), None);
    assert_eq!(bounded_pareto_shape(2.0, 1.0, f64::INFINITY), None);
    // One rounding step above the smallest value asks for more than a shape can say.
    assert!(bounded_pareto_shape(3e4_f64.next_up(), 3e4, 7e7).is_none_or(|shape| shape > 1e12));
}
