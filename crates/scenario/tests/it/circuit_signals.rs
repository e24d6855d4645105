//! Hosts that are told of circuits, and queues that grow before one opens: instants and counts worked by hand.

use crate::common::{run, values};

/// Two racks of so many hosts and a circuit switch, whose links have this rate.
fn network(hosts: u32, rate: &str, core: &str) -> String {
    format!(
        "[run]\nduration = \"4 ms\"\n[topology]\nkind = \"leaf-spine\"\nleaves = 2\nspines = 1\n\
         hosts = {hosts}\nlink = {{ rate = \"{rate}\", delay = \"500 ns\" }}\n\
         access = {{ rate = \"10 Gb/s\", delay = \"500 ns\" }}\n\
         [core]\nkind = \"circuit\"\nslot = \"100 us\"\nreconfiguration = \"10 us\"\n{core}\n"
    )
}

/// A file of one packet of 1000 B, acknowledged by one of 40 B.
fn file(to: &str, circuits: &str) -> String {
    format!(
        "[[traffic]]\nfrom = \"h0-0\"\nto = \"{to}\"\nsource = {{ kind = \"bulk\", size = \"960 B\" }}\n\
         transport = {{ kind = \"tcp\", segment = \"960 B\", header = \"40 B\", handshake = false, \
         release = false, ack-every = 1, {circuits} }}\n"
    )
}

/// How long the file takes.
fn takes(core: &str, to: &str, circuits: &str) -> String {
    took(&(network(2, "10 Gb/s", core) + &file(to, circuits)))
}

fn took(text: &str) -> String {
    let report = run(text, 1);
    let [start, end] = ["start", "end"].map(|name| values(&report, "flows", name)[0]);
    format!("{:.0} ns", (end - start) * 1e9)
}

/// Light that leaves the rack at 9.5 µs is at the switch when the circuit opens. Told so, the host knows at 10 µs; its
/// packet is at the rack at 11.3 µs, at the other at 13.1 µs and at the host at 14.4 µs. The acknowledgment takes 32 ns
/// on each of four links and 2 µs to travel.
#[test]
fn a_host_that_holds_its_data_by_hand() {
    let hold = "circuits = \"hold\"";
    assert_eq!(takes("tell-hosts = {}", "h1-0", hold), "16496 ns");
    assert_eq!(takes("tell-hosts = { delay = \"2 us\" }", "h1-0", hold), "17996 ns");
    // Told 1.8 µs before, its packet is at the rack when light may leave, as if it had waited there.
    assert_eq!(takes("tell-hosts = { ahead = \"1.8 us\" }", "h1-0", hold), "14696 ns");
    assert_eq!(takes("tell-hosts = {}", "h1-0", "circuits = \"retcp\""), "14696 ns");
    // The clock of the rack counts: a guard of 1 µs is one of what it tells.
    assert_eq!(takes("tell-hosts = {}\nguard = \"1 us\"", "h1-0", hold), "17496 ns");
    // In the same rack nothing is waited for.
    assert_eq!(takes("tell-hosts = {}", "h0-1", hold), "3664 ns");
}

/// The same file as a message.
fn message(circuits: &str) -> String {
    format!(
        "[[traffic]]\nfrom = \"h0-0\"\nto = \"h1-0\"\nsource = {{ kind = \"bulk\", size = \"960 B\" }}\n\
         transport = {{ kind = \"message\", packet = \"960 B\", header = \"40 B\", control = \"40 B\", \
         window = \"fixed\", min-rto = \"1 ms\"{circuits} }}\n"
    )
}

/// A message is held as the data of TCP are, and its answer takes as long as an acknowledgment.
#[test]
fn a_message_that_is_held_by_hand() {
    let takes = |core: &str, flow: &str| took(&(network(2, "10 Gb/s", core) + flow));
    let held = message(", circuits = \"hold\"");
    assert_eq!(takes("tell-hosts = {}", &held), "16496 ns");
    assert_eq!(takes("tell-hosts = { delay = \"2 us\" }", &held), "17996 ns");
    assert_eq!(takes("", &message("")), "14696 ns");
    let in_rack = held.replace("h1-0", "h0-1");
    assert_eq!(takes("tell-hosts = {}", &in_rack), "3664 ns");
}

/// What a host sends until it knows that the circuit has gone waits in the rack, and what it does not send waits in the host. A
/// faster circuit leaves nothing of it to the next one.
#[test]
fn messages_wait_in_hosts() {
    let bulk = |circuits: &str| {
        let flow = message(circuits).replace("960 B\" }", "8 MB\" }").replace("960 B", "1460 B");
        let core = "tell-hosts = {}\nrack-queue = \"1 MB\"";
        // A window of 20 round trips of 5 µs and a bit.
        let flow = flow.replace("\"fixed\"", "{ kind = \"fixed\", paths = 20 }");
        let report = run(&(network(1, "40 Gb/s", core) + &flow), 1);
        let value = |table: &str, name: &str| values(&report, table, name)[0];
        (value("racks", "queue-max"), value("flows", "goodput"), value("flows", "retransmissions"))
    };
    let (held, stored) = (bulk(", circuits = \"hold\""), bulk(""));
    // A packet that comes less than 0.3 µs before the light ends does not pass. The host knows 0.5 µs after that, and its last
    // packet, of 1.2 µs, is in the rack 1.7 µs later: in 2.5 µs three may come.
    assert!(held.0 <= 3.0 * 1_500.0, "{held:?}");
    // 10 µs in the dark.
    assert!(stored.0 > 10_000.0, "{stored:?}");
    assert!(held.1 > 0.75 * stored.1, "{held:?}, {stored:?}");
    assert!(held.2 < 0.5 && stored.2 < 0.5, "{held:?}, {stored:?}");
}

/// Three packets, of which the window permits one, until it doubles. Told by a message at 10 µs the second goes; the
/// acknowledgment of the first comes at 14.696 µs and lets the third go, which takes 6.496 µs. Told by that
/// acknowledgment, both go then, one 0.8 µs behind the other.
#[test]
fn messages_and_acknowledgments_by_hand() {
    let three = |by: &str| {
        let text = file("h1-0", "circuits = \"retcp\", initial-window = \"1 segments\"");
        let core = format!("tell-hosts = {{ by = \"{by}\" }}");
        took(
            &(network(2, "10 Gb/s", &core)
                + &text.replace("size = \"960 B\"", "size = \"2880 B\"")),
        )
    };
    assert_eq!(three("messages"), "21192 ns");
    assert_eq!(three("acknowledgments"), "21992 ns");
}

/// What a host that holds sends after the circuit has gone is what it sent before it knew: a queue of a rack holds the
/// rest, of at most two delays and the window.
#[test]
fn data_wait_in_hosts() {
    let bulk = |circuits: &str| {
        file("h1-0", circuits).replace(", size = \"960 B\"", "").replace("960 B", "1460 B")
    };
    let most = |circuits: &str| {
        let text = network(1, "10 Gb/s", "tell-hosts = {}\nrack-queue = \"1 MB\"");
        let report = run(&(text + &bulk(circuits)), 1);
        (values(&report, "racks", "queue-max")[0], values(&report, "flows", "goodput")[0])
    };
    let ((held, rate), (stored, other)) =
        (most("circuits = \"hold\""), most("circuits = \"retcp\""));
    // 1 µs at 10 Gb/s is 1250 B; a packet may be on its way.
    assert!(held <= 1_250.0 + 2.0 * 1_500.0, "{held}");
    assert!(stored > 100_000.0, "{stored}");
    assert!(rate > 0.75 * other, "{rate}, {other}");
}

/// A datagram a microsecond comes, and for 110 of 200 µs there is no circuit; a hundred packets would go in 10 µs. A
/// queue has room for 16 of them, and for 64 from some time before the circuit on.
#[test]
fn a_queue_that_grows_before_a_circuit_by_hand() {
    let udp = "[[traffic]]\nfrom = \"h0-0\"\nto = \"h1-0\"\ntransport = { kind = \"udp\", header = \"0 B\" }\n\
               source = { kind = \"cbr\", rate = \"8 Gb/s\", packet = \"1000 B\" }\n";
    let lost = |prebuffer: &str| {
        let core = format!(
            "schedule = \"explicit\"\nmatchings = [[[1, 0], [0, 1]]]\nrack-queue = \"16 kB\"\n{prebuffer}"
        );
        let report = run(&(network(1, "100 Gb/s", &core) + udp), 1);
        // Twenty rounds, of which the first is dark for 10 µs at its beginning, and the last in its second half.
        values(&report, "racks", "lost-full")[0] / 20.0
    };
    for (prebuffer, expected) in [
        ("", 94.0),
        ("prebuffer = { queue = \"64 kB\", ahead = \"0 s\" }", 94.0),
        ("prebuffer = { queue = \"64 kB\", ahead = \"30 us\" }", 64.0),
        ("prebuffer = { queue = \"64 kB\", ahead = \"60 us\" }", 46.0),
        ("prebuffer = { queue = \"64 kB\", ahead = \"250 us\" }", 46.0),
    ] {
        let found = lost(prebuffer);
        assert!((found - expected).abs() < 3.0, "{prebuffer}: {found}, expected {expected}");
    }
}

/// Circuits on demand, whose queues are read 30 µs before each slot.
const ON_DEMAND: &str = "schedule = \"demand\"\n\
                         demand = { rule = { kind = \"maximum-weight\" }, report = \"30 us\" }";

/// Two packets, of which the window permits one, until it doubles. The first is in the rack at 1.3 µs. At 70 µs it is decided
/// that a circuit opens in the slot that begins at 100 µs: light that leaves the rack at 109.5 µs, after 108.2 µs of waiting, passes
/// the switch when it is lit. The host is told half a microsecond after the rack says so, and 1.3 µs later the second packet is
/// there: it waits until the first has left, at 110.3 µs, if at all.
#[test]
fn circuits_on_demand_are_told_by_hand() {
    let two = |told: &str| {
        let flow = file("h1-0", "circuits = \"retcp\", initial-window = \"1 segments\"");
        let core = format!("{ON_DEMAND}\ntell-hosts = {told}");
        let text =
            network(2, "10 Gb/s", &core) + &flow.replace("size = \"960 B\"", "size = \"1920 B\"");
        let report = run(&text.replace("duration = \"4 ms\"", "duration = \"150 us\""), 1);
        assert_eq!(values(&report, "racks", "sent-on")[..1], [2.0], "{told}");
        let waits = 2.0 * values(&report, "racks", "wait-mean")[0];
        format!("{:.0} ns", 1e9 * waits - 108_200.0)
    };
    // Told at 110 µs, at 92 µs and at 96.5 µs.
    assert_eq!(two("{}"), "0 ns");
    assert_eq!(two("{ ahead = \"18 us\" }"), "17000 ns");
    assert_eq!(two("{ ahead = \"18 us\", delay = \"5 us\" }"), "12500 ns");
    // Not before it is decided: told at 70.5 µs, or at 70 µs and a moment.
    assert_eq!(two("{ ahead = \"60 us\" }"), "38500 ns");
    assert_eq!(two("{ ahead = \"60 us\", delay = \"0 s\" }"), "39000 ns");
}

/// The file of one packet is acknowledged by a circuit of the slot that begins at 200 µs: that in which its data come is decided
/// before. The acknowledgment, which takes 32 ns, leaves the other rack at 209.5 µs, and the sender has it at 211.064 µs. When the
/// first circuit closes, at 199.5 µs, the host is told at 200 µs, and its window is that of before.
#[test]
fn a_circuit_on_demand_closes_by_hand() {
    let bulk = file("h1-0", "circuits = \"retcp\", initial-window = \"2 segments\"");
    let core = format!("{ON_DEMAND}\ntell-hosts = {{}}");
    assert_eq!(took(&(network(2, "10 Gb/s", &core) + &bulk)), "211064 ns");
    let found = windows(("10 Gb/s", &core), "2 segments", "1 us", &[109.0, 111.0, 199.0, 201.0]);
    assert_eq!(found, [2.0, 4.0, 4.0, 2.0]);
}

/// The window in segments at some instants in microseconds, read so often, of a sender without an end.
fn windows((rate, core): (&str, &str), initial: &str, interval: &str, at: &[f64]) -> Vec<f64> {
    let options = format!("circuits = \"retcp\", initial-window = \"{initial}\"");
    let bulk = file("h1-0", &options).replace(", size = \"960 B\"", "");
    let series = format!("[record]\nseries = [\"cwnd\"]\ninterval = \"{interval}\"\n[topology]");
    let text = (network(2, rate, core) + &bulk)
        .replace("duration = \"4 ms\"", "duration = \"205 us\"")
        .replace("[topology]", &series);
    let report = run(&text, 1);
    let column = |name| values(&report, "series", name);
    let rows: Vec<(f64, f64)> = column("time").into_iter().zip(column("value")).collect();
    let window = |micros: &f64| {
        let before = rows.iter().rev().find(|(time, _)| *time <= micros * 1e-6 + 1e-12);
        before.unwrap().1 / 960.0
    };
    at.iter().map(window).collect()
}

/// Queues are read 0.3 µs before each slot. Of 68 packets, as many as a window of 65,535 B permits, 56 go by the first circuit. That
/// closes at 199.5 µs, which the host knows at 200 µs: what is decided at 199.7 µs, that there is one in the next slot, too, it does
/// not know before 200.2 µs, although that circuit is near.
#[test]
fn nothing_is_told_that_is_not_decided() {
    let core = ON_DEMAND.replace("30 us", "300 ns") + "\ntell-hosts = { ahead = \"11 us\" }";
    let at = [100.1, 100.3, 199.9, 200.1, 200.3];
    let found = windows(("5 Gb/s", &core), "200 segments", "100 ns", &at);
    assert_eq!(found, [200.0, 400.0, 400.0, 200.0, 400.0]);
}

/// A datagram a microsecond comes to the rack, from 1.3 to 100.3 µs; a circuit opens at 109.5 µs, which is decided at 70 µs. The
/// queue has room for 16 of them, and for 64 from some time before it opens on, but not before it is decided.
#[test]
fn a_queue_that_grows_on_demand_by_hand() {
    let udp = "[[traffic]]\nfrom = \"h0-0\"\nto = \"h1-0\"\ntransport = { kind = \"udp\", header = \"0 B\" }\n\
               source = { kind = \"cbr\", rate = \"8 Gb/s\", packet = \"1000 B\" }\nstop = \"99.5 us\"\n";
    for (prebuffer, stored) in [
        ("", 16.0),
        ("prebuffer = { queue = \"64 kB\", ahead = \"0 s\" }", 16.0),
        ("prebuffer = { queue = \"64 kB\", ahead = \"20 us\" }", 16.0 + 11.0),
        ("prebuffer = { queue = \"64 kB\", ahead = \"39.5 us\" }", 16.0 + 31.0),
        ("prebuffer = { queue = \"64 kB\", ahead = \"1 ms\" }", 16.0 + 31.0),
    ] {
        let core = format!("{ON_DEMAND}\nrack-queue = \"16 kB\"\n{prebuffer}");
        let report = run(&(network(1, "100 Gb/s", &core) + udp), 1);
        assert_eq!(values(&report, "racks", "lost-full")[..1], [100.0 - stored], "{prebuffer}");
    }
}
