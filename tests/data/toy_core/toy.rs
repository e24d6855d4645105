//! The toy core of the recipe in CONTRIBUTING.md, from the TOML to the report.

use crate::common::values;
use scenario::load;

/// Two routers between two hosts, and a thousand packets from one to the other, within a second.
fn line(core: &str) -> String {
    format!(
        "[run]\nduration = \"2 s\"\n[topology]\nkind = \"line\"\nrouters = 2\n\
         link = {{ rate = \"100 Mb/s\", delay = \"1 ms\" }}\n\
         [core]\n{core}\n\
         [[traffic]]\nfrom = \"a\"\nto = \"b\"\nstop = \"1 s\"\n\
         transport = {{ kind = \"udp\" }}\n\
         source = {{ kind = \"cbr\", rate = \"8 Mb/s\", packet = \"1000 B\" }}\n"
    )
}

/// Conservation is checked within the run, which fails if a packet is lost without a trace.
#[test]
fn toy_switches_send_every_packet_on() {
    let checked = load("toy", &line("kind = \"toy\"\nports = 2"), &[]).unwrap();
    let report = checked.run(1);
    let sent = values(&report, "flows", "packets-sent");
    assert!(sent[0] > 900.0, "{sent:?}");
    assert_eq!(values(&report, "flows", "packets-delivered"), sent);
    assert_eq!(values(&report, "toy-switches", "packets"), [sent[0]; 2]);
    assert_eq!(report.json["toy-switches"]["packets"].as_f64(), Some(2.0 * sent[0]));
    let shown = checked.show();
    assert_eq!(shown["toy-switches"], 2);
}

/// The same packets take the same time through routers, which also act on the last bit.
#[test]
fn toy_switches_delay_a_packet_as_routers_do() {
    let delays = |text: &str| {
        let report = load("toy", text, &[]).unwrap().run(1);
        values(&report, "flows", "delay-mean")
    };
    let core = "[core]\nkind = \"toy\"\nports = 2\n";
    let toy = line("kind = \"toy\"\nports = 2");
    assert_eq!(delays(&toy), delays(&toy.replace(core, "")));
}

#[test]
fn toy_switches_say_what_is_wrong_with_a_scenario() {
    let said = |core: &str| {
        let mistakes = load("toy", &line(core), &[]).map(|_| ()).unwrap_err();
        mistakes.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(
        said("kind = \"toy\"\nports = 1"),
        [
            "toy:9: core.ports: too few for the switch \"r0\"; found 1; accepted at least 2",
            "toy:9: core.ports: too few for the switch \"r1\"; found 1; accepted at least 2",
        ]
    );
    let missing = "toy:7: core.ports: missing key; accepted a whole number from 1 to 1024";
    assert_eq!(said("kind = \"toy\""), [missing]);
}
