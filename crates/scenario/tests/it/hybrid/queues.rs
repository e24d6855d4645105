//! The queues of a hybrid switch's buffer: their order, whatever comes.

use proptest::prelude::*;

use super::{delays_ns, star};
use crate::common::{run, values};

/// The propagation over two links of 10 m.
const WAY_NS: f64 = 100.0;

/// One packet from a host at a time in ns.
fn packet(host: usize, at: u32, bytes: u32) -> String {
    format!(
        "[[traffic]]\nfrom = \"h{host}\"\nto = \"h0\"\nstart = \"{at} ns\"\n\
         transport = {{ kind = \"udp\", header = \"0 B\" }}\n\
         source = {{ kind = \"cbr\", rate = \"1 b/s\", packet = \"{bytes} B\" }}\n"
    )
}

proptest! {
    #![proptest_config(trials::cases(200))]

    /// Packets of many sizes from a host each, all for one output. Those that were buffered leave in
    /// the order in which their first bits came, though a short one is stored before a long one that came
    /// first; light may pass them. No two leave at a time.
    #[test]
    fn within_an_azimuth_packets_leave_in_the_order_in_which_they_came(
        coming in prop::collection::vec((1..2_000u32, 64..9_000u32), 2..14),
        ports in 1..5u32,
        cut in any::<bool>(),
    ) {
        let buffering = if cut { "cut-through" } else { "store-and-forward" };
        let core = format!("electronic-ports = {ports}\nbuffering = \"{buffering}\"");
        let mut text = star(15, "200 us", &core);
        let mut now = 0;
        let mut came = Vec::new();
        for (host, &(gap, bytes)) in (1..).zip(&coming) {
            now += gap;
            came.push((now, bytes));
            text += &packet(host, now, bytes);
        }
        let report = run(&text, 1);
        let delays = delays_ns(&report);
        let lasts = |bytes: u32| f64::from(bytes) * 0.8;
        // (whether it was buffered, first bit out, last bit out) in the order in which they came.
        let mut out: Vec<(bool, f64, f64)> = Vec::new();
        for (&(at, bytes), &delay) in came.iter().zip(&delays).filter(|(_, d)| !d.is_nan()) {
            let end = f64::from(at) + delay - WAY_NS;
            let waited = delay - WAY_NS - lasts(bytes);
            prop_assert!(waited > -1e-6);
            if waited > 1e-6 && !cut {
                prop_assert!(waited > lasts(bytes) - 1e-6, "whole before it leaves");
            }
            out.push((waited > 1e-6, end - lasts(bytes), end));
        }
        let queued: Vec<f64> = out.iter().filter(|o| o.0).map(|o| o.1).collect();
        prop_assert!(queued.is_sorted(), "{:?}", out);
        let buffered = values(&report, "switches", "packets-buffered")[0];
        prop_assert!((queued.len() as f64 - buffered).abs() < 0.5);
        out.sort_by(|a, b| a.1.total_cmp(&b.1));
        prop_assert!(out.windows(2).all(|pair| pair[0].2 <= pair[1].1 + 1e-3), "{:?}", out);
    }
}
