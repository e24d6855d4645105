//! Stop-and-wait over hybrid switches: cycles, set-up and release, timers to the picosecond, losses.

use proptest::prelude::*;

use scenario::Report;

use super::{same, star};
use crate::common::{count, run, values};

/// A full packet of 9000 B and an acknowledgment of 64 B at 10 Gb/s, and a link of 10 m, in ps.
const DATA: u64 = 7_200_000;
const CONTROL: u64 = 51_200;
const LINK: u64 = 50_000;
/// From the first bit of a packet to its acknowledgment, two links apart.
const GAMMA: u64 = 4 * LINK + DATA + CONTROL;

/// A file from a host to another.
fn file(from: &str, to: &str, bytes: u64, options: &str) -> String {
    format!(
        "[[traffic]]\nfrom = \"{from}\"\nto = \"{to}\"\n\
         transport = {{ kind = \"stop-and-wait\"{options} }}\n\
         source = {{ kind = \"bulk\", size = \"{bytes} B\" }}\n"
    )
}

/// Neither set-up nor release: what goes is data and acknowledgments.
const BARE: &str = ", handshake = false, release = false";

/// A link goes down at an instant, and up at another, in ps.
fn down(link: &str, from: u64, to: u64) -> String {
    [(from, "down"), (to, "up")]
        .map(|(at, what)| {
            format!(
                "[[changes]]\nat = \"{at} ps\"\nlink = \"{link}\"\nset = {{ kind = \"{what}\" }}\n"
            )
        })
        .concat()
}

/// When each flow ends, in ps.
fn ends(report: &Report) -> Vec<u64> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the run")]
    let ps = |end: f64| (end * 1e12).round() as u64;
    values(report, "flows", "end").into_iter().map(ps).collect()
}

/// A fat tree whose hosts send files of these sizes to each other.
fn tree(k: u32, link: &str, core: &str, transfers: &str, transport: &str) -> String {
    format!(
        "[run]\nduration = \"2400 h\"\n[topology]\nkind = \"fat-tree\"\nk = {k}\n\
         link = {{ rate = \"10 Gb/s\", length = \"10 m\"{link} }}\n\
         [routing]\nspread = \"packet\"\n[core]\nkind = \"hybrid\"\n{core}\n\
         [[traffic]]\nfrom = \"*\"\nto = \"*\"\npattern = \"uniform\"\n\
         transport = {{ kind = \"stop-and-wait\"{transport} }}\n\
         source = {{ kind = \"transfers\", {transfers} }}\n"
    )
}

/// 12 links there and back, the data and the acknowledgment: the rates of the paper's four lengths. By
/// how much longer twice as many packets take there is no set-up in it.
#[test]
fn a_lone_connection_goes_at_the_rate_of_its_cycle() {
    for (length, gigabits) in [(10, 9.17), (100, 5.43), (1_000, 1.071), (10_000, 0.1186)] {
        for options in ["", BARE, ", rto-margin = 4", ", rto-margin = 4, feedback = true"] {
            let end = |packets: u64| {
                let text = format!(
                    "[run]\nduration = \"10 s\"\n[topology]\nkind = \"fat-tree\"\nk = 8\n\
                     link = {{ rate = \"10 Gb/s\", length = \"{length} m\" }}\n\
                     [routing]\nspread = \"packet\"\n[core]\nkind = \"hybrid\"\n\
                     electronic-ports = 0\n{}",
                    file("h0", "h127", packets * 9_000, options)
                );
                let report = run(&text, 1);
                assert_eq!(count(&report, "flows", "retransmissions"), 0);
                ends(&report)[0]
            };
            let cycles = end(1_500) - end(500);
            assert_eq!(cycles, 1_000 * (12 * length * 5_000 + DATA + CONTROL));
            let rate = 72_000.0 * 1_000.0 / (cycles as f64 * 1e-12) / 1e9;
            assert!((rate / gigabits - 1.0).abs() < 1e-3, "{length} m: {rate}");
        }
    }
}

/// SYN and SYN-ACK; ACK, data, ACK; FIN and FIN-ACK; and a last ACK when the sender is through.
#[test]
fn a_connection_is_opened_and_closed_by_three_packets_each() {
    let text = star(2, "10 ms", "electronic-ports = 0") + &file("h0", "h1", 9_000, "");
    let report = run(&text, 1);
    let short = 4 * LINK + 2 * CONTROL;
    assert_eq!(ends(&report), [short + CONTROL + GAMMA + short]);
    assert_eq!(count(&report, "flows", "packets-sent"), 5);
    assert_eq!(count(&report, "flows", "acks-sent"), 3);
    assert_eq!(count(&report, "switches", "packets-through"), 8);
}

/// What is sent while its link is down is lost. The timer is T0, α T0, α² T0, … up to the maximum, and
/// each alarm rings a picosecond late.
#[test]
fn a_packet_is_sent_again_after_t_alpha_t_alpha_squared_t_up_to_the_maximum() {
    for (max, timers) in [
        ("60 s", [1_000_000, 1_100_000, 1_210_000, 1_331_000, 1_464_100, 1_610_510]),
        ("1.25 ms", [1_000_000, 1_100_000, 1_210_000, 1_250_000, 1_250_000, 1_250_000]),
    ] {
        let mut again = 0;
        for (resends, timer) in (0u64..).zip(timers) {
            let options = format!("{BARE}, max-rto = \"{max}\"");
            let mut text = star(2, "100 ms", "electronic-ports = 0")
                + &file("h0", "h1", 9_000, &options)
                + "start = \"1 us\"\n";
            if resends > 0 {
                text += &down("h0 -> hub", 0, 1_000_000 + again - 1);
            }
            let report = run(&text, 1);
            assert_eq!(count(&report, "flows", "retransmissions"), resends);
            assert_eq!(ends(&report), [1_000_000 + again + GAMMA], "{max} {resends}");
            again += timer * 1_000 + 1;
        }
    }
}

/// The deadline is the first bit and the round-trip time; a picosecond less, and the packet goes again.
#[test]
fn an_acknowledgment_at_the_instant_of_the_timeout_is_in_time() {
    for (rto, resends) in [(GAMMA, 0), (GAMMA - 1, 1)] {
        let options = format!("{BARE}, initial-rto = \"{rto} ps\"");
        let text = star(2, "10 ms", "electronic-ports = 0") + &file("h0", "h1", 9_000, &options);
        let report = run(&text, 1);
        assert_eq!(count(&report, "flows", "retransmissions"), resends, "{rto}");
        assert_eq!(ends(&report), [GAMMA]);
    }
}

/// 200 packets on an empty path, the last of which is lost on the last link: its timer is what the end
/// is later by. T has come down to γ, at most a picosecond above.
#[test]
fn both_readings_of_the_margin_come_to_rest_at_their_fixed_points() {
    const PACKETS: u64 = 200;
    for (margin, weight) in [(0, "0.5"), (1, "0.5"), (4, "0.5"), (4, "0.25")] {
        for feedback in [false, true] {
            let options = format!(
                "{BARE}, rto-margin = {margin}, feedback = {feedback}, rto-weight = {weight}"
            );
            let last = (PACKETS - 1) * GAMMA;
            let text = star(2, "10 ms", "electronic-ports = 0")
                + &file("h0", "h1", PACKETS * 9_000, &options)
                + &down("hub -> h1", last + 1_000_000, last + 2_000_000);
            let report = run(&text, 1);
            assert_eq!(count(&report, "flows", "retransmissions"), 1);
            let timer = ends(&report)[0] - last - GAMMA - 1;
            let over = if !feedback {
                1
            } else if weight == "0.5" {
                2
            } else {
                4
            };
            let rest = GAMMA + over * margin * DATA;
            assert!((rest..=rest + 4).contains(&timer), "{options}: {timer}, not {rest}");
        }
    }
}

/// Buffering at p = 0 means a resend, even where nothing is lost: at p = 1 it does not.
#[test]
fn a_packet_that_was_buffered_once_is_in_time_with_a_margin_of_one() {
    // A packet for h1 holds the output from 50 ns before the 100th packet is at the switch.
    let cross = format!(
        "[[traffic]]\nfrom = \"h2\"\nto = \"h1\"\nstart = \"{} ps\"\n\
         transport = {{ kind = \"udp\", header = \"0 B\" }}\n\
         source = {{ kind = \"cbr\", rate = \"1 b/s\", packet = \"9 kB\" }}\n",
        99 * GAMMA - 50_000
    );
    for (margin, resends) in [(0, 1), (1, 0)] {
        let options = format!("{BARE}, rto-margin = {margin}");
        let text = star(3, "10 ms", "electronic-ports = 1")
            + &file("h0", "h1", 100 * 9_000, &options)
            + &cross;
        let report = run(&text, 1);
        assert_eq!(count(&report, "switches", "packets-buffered"), 1 + resends, "the copy, too");
        assert_eq!(count(&report, "links", "dropped-contention"), 0);
        assert_eq!(count(&report, "flows", "retransmissions"), resends, "{margin}");
        assert_eq!(ends(&report)[0], 100 * GAMMA + DATA, "whole before it is sent again");
    }
}

/// The wait in the interface belongs to no timer: both files' timers are γ, though each of their packets
/// waits for one of the other at times.
#[test]
fn the_wait_in_the_interface_means_no_resend() {
    let options = format!("{BARE}, initial-rto = \"{GAMMA} ps\"");
    let text = star(3, "10 ms", "electronic-ports = 0")
        + &file("h0", "h1", 100 * 9_000, &options)
        + &file("h0", "h2", 100 * 9_000, &options);
    let report = run(&text, 1);
    assert_eq!(count(&report, "flows", "retransmissions"), 0);
    // The wire of h0 is never idle: 200 packets, and the rest of the last one's way.
    assert_eq!(ends(&report)[1], 199 * DATA + GAMMA);
}

/// As many electronic ports as azimuths and room for everything: nothing is lost, so what is sent again
/// was sent in vain, and arrives.
#[test]
fn with_a_port_for_each_azimuth_nothing_is_lost_and_every_resend_is_spurious() {
    for (k, margin, buffering) in [
        (4, 0, "store-and-forward"),
        (4, 0, "cut-through"),
        (4, 4, "store-and-forward"),
        (8, 0, "store-and-forward"),
        (8, 0, "cut-through"),
    ] {
        let core = format!("electronic-ports = {k}\nbuffering = \"{buffering}\"");
        let sizes = "size = { kind = \"log-normal\", mu = 9.48, sigma = 2.46, max = \"5 MB\", \
                     beyond = \"redraw\" }";
        let transfers = format!("per-second = 1e9, limit = 200, {sizes}");
        let report = run(&tree(k, "", &core, &transfers, &format!(", rto-margin = {margin}")), 1);
        for lost in ["lost-ports", "lost-full", "lost-down"] {
            assert_eq!(count(&report, "switches", lost), 0);
        }
        assert!(count(&report, "switches", "packets-buffered") > 5_000, "an overload");
        assert!(count(&report, "flows", "retransmissions") > 0);
        let sent = count(&report, "flows", "packets-sent");
        assert_eq!(count(&report, "flows", "packets-delivered"), sent);
        assert_eq!(count(&report, "flows", "acks-lost"), 0);
        let delivered = values(&report, "flows", "delivered");
        assert!(same(&delivered, &values(&report, "flows", "size")));
    }
}

proptest! {
    #![proptest_config(trials::cases(48))]

    /// Half of the packets are lost each way, the last acknowledgment too: each of six links loses
    /// 1 − 2^(−1/6). Contention comes on top.
    #[test]
    fn every_transfer_ends_whatever_is_lost(
        seed in 0..1_000_000u64,
        ports in 0..3u32,
        margin in prop_oneof![Just(0u32), Just(1), Just(4)],
        copy in prop_oneof![Just("latest"), Just("answered"), Just("only")],
        [feedback, handshake, release] in any::<[bool; 3]>(),
        bytes in 1..40_000u64,
    ) {
        let options = format!(
            ", rto-margin = {margin}, feedback = {feedback}, timed-copy = \"{copy}\", \
             handshake = {handshake}, release = {release}"
        );
        let transfers = format!("per-second = 1e7, limit = 30, size = \"{bytes} B\"");
        let loss = ", loss = { kind = \"bernoulli\", p = 0.109101 }";
        let core = format!("electronic-ports = {ports}");
        let report = run(&tree(4, loss, &core, &transfers, &options), seed);
        let ends = values(&report, "flows", "end");
        prop_assert_eq!(ends.len(), 30);
        prop_assert!(ends.iter().all(|end| end.is_finite()), "{:?}", ends);
        let delivered = values(&report, "flows", "delivered");
        prop_assert!(same(&delivered, &values(&report, "flows", "size")));
        prop_assert!(values(&report, "traffic", "makespan")[0].is_finite());
        // Nothing is on its way.
        let ways = ["packets-delivered", "packets-lost"];
        let ways = ways.map(|column| count(&report, "flows", column)).iter().sum::<u64>();
        prop_assert_eq!(count(&report, "flows", "packets-sent"), ways);
    }
}
