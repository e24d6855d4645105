//! Output-queued switches by hand, and beside plain routers.

use super::{MIX, delays, packet, poisson};
use crate::common::{assert_same_table, run, sum, table};

/// 3.2 ns a byte.
const BYTE: f64 = 3_200.0;

/// Hosts around one switch, 1 µs of light each way.
fn star(core: &str, traffic: &str) -> String {
    format!(
        "[run]\nduration = \"100 us\"\n[topology]\nkind = \"star\"\nhosts = 4\n\
         link = {{ rate = \"2.5 Gb/s\", delay = \"1 us\" }}\n\
         [core]\nkind = \"output-queued\"\n{core}\n{traffic}"
    )
}

/// What is through first does not wait for the last bit; what finds the output busy waits for it.
#[test]
fn cut_through_costs_no_more_than_light_and_one_transmission() {
    for bytes in [40u32, 576, 1_500] {
        let size = f64::from(bytes);
        let lone = packet("h0", "h1", 0, u64::from(bytes));
        let found = delays(&run(&star("switching = \"cut-through\"", &lone), 1));
        assert_eq!(found, [2e6 + size * BYTE]);
        let found = delays(&run(&star("", &lone), 1));
        assert_eq!(found, [2e6 + 2.0 * size * BYTE]);
    }
    // First bits at the switch after 1 µs, 1.2 µs and 1.2 µs + 1 ps: each waits for those before.
    let three = packet("h0", "h3", 0, 1_500)
        + &packet("h1", "h3", 200_000, 40)
        + &packet("h2", "h3", 200_001, 576);
    let found = delays(&run(&star("switching = \"cut-through\"", &three), 1));
    let ends = [1_500.0, 1_540.0, 2_116.0].map(|bytes| 2e6 + bytes * BYTE);
    assert_eq!(found, [ends[0], ends[1] - 200_000.0, ends[2] - 200_001.0]);
    // Last bits: the short ones are in long before.
    let found = delays(&run(&star("", &three), 1));
    let second = 200_000.0 + 40.0 * BYTE + 1e6 + 40.0 * BYTE + 1e6;
    let third = 200_001.0 + 576.0 * BYTE + 1e6 + 576.0 * BYTE + 1e6;
    let first = (1_500.0 * BYTE + 1e6).max(third - 1e6) + 1_500.0 * BYTE + 1e6;
    assert_eq!(found, [first, second - 200_000.0, third - 200_001.0]);
    // Back to back: the output is free at the instant at which the second first bit is there.
    let two = packet("h0", "h3", 0, 1_500) + &packet("h0", "h3", 0, 40);
    let found = delays(&run(&star("switching = \"cut-through\"", &two), 1));
    assert_eq!(found, [2e6 + 1_500.0 * BYTE, 2e6 + 1_540.0 * BYTE]);
}

/// Where the hash decides and last bits count, it is a router.
#[test]
fn a_store_and_forward_switch_with_hashing_is_a_router() {
    let traffic = poisson("h-*", "g-*", 400e6, MIX)
        + &poisson("g-*", "h-*", 300e6, MIX)
        + "[[traffic]]\nfrom = \"a\"\nto = \"b\"\ntransport = { kind = \"tcp\" }\n\
           source = { kind = \"bulk\" }\n";
    let text = |kind: &str, core: &str| {
        format!(
            r#"
            [run]
            duration = "20 ms"
            [topology]
            kind = "explicit"
            nodes = [
              {{ name = "h", kind = "host", count = 8 }}, {{ name = "g", kind = "host", count = 8 }},
              {{ name = "a", kind = "host" }}, {{ name = "b", kind = "host" }},
              {{ name = "x", kind = "{kind}" }}, {{ name = "y", kind = "{kind}" }},
            ]
            links = [
              {{ from = "h", to = "x", rate = "2.5 Gb/s", delay = "3 us" }},
              {{ from = "g", to = "y", rate = "2.5 Gb/s", delay = "2 us" }},
              {{ from = "a", to = "x", rate = "1 Gb/s", delay = "30 us" }},
              {{ from = "b", to = "y", rate = "1 Gb/s", delay = "30 us" }},
              {{ from = "x", to = "y", rate = "1.3 Gb/s", delay = "10 us", lightpaths = 3,
                 queue = {{ kind = "drop-tail", bytes = "40 kB" }} }},
            ]
            {core}
            {traffic}
            "#
        )
    };
    for seed in [1, 2] {
        let router = run(&text("router", ""), seed);
        let switch = run(&text("core", "[core]\nkind = \"output-queued\""), seed);
        for name in ["flows", "links", "traffic"] {
            assert_same_table(table(&router.tables, name), table(&switch.tables, name), name);
        }
        assert!(sum(&router, "links", "dropped-queue") > 0.0, "queues are full at times");
    }
}
