//! Any text: it is accepted or its mistakes are told, and what is accepted is read back from its print.

#![no_main]

use libfuzzer_sys::fuzz_target;
use scenario::load;

fuzz_target!(|text: &str| {
    let checked = match load("a.toml", text, &[]) {
        Ok(checked) => checked,
        Err(mistakes) => {
            assert!(!mistakes.is_empty(), "refused without a mistake");
            for mistake in &mistakes {
                let line = mistake.to_string();
                assert!(line.starts_with("a.toml"), "without its place: {line:?}");
                assert!(!line.chars().any(char::is_control), "no plain line: {line:?}");
            }
            return;
        }
    };
    let printed = toml::to_string(&checked.scenario).expect("a scenario is plain data");
    let again = load("a.toml", &printed, &[]).expect("what was accepted is accepted again");
    assert_eq!(again.canonical(), checked.canonical(), "its print is another scenario");
    assert_eq!(again.digest(), checked.digest());
    checked.show();
});
