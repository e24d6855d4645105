//! Our own scripts: each says in its first lines which rule of which RFC it derives its packets from.

use std::path::Path;
use std::{fs, io};

use packetdrill::{Verdict, run, table};

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/scripts"))
}

#[test]
fn every_script_agrees_and_names_its_rfc() -> io::Result<()> {
    let mut count = 0;
    for entry in fs::read_dir(folder())? {
        let path = entry?.path();
        let text = fs::read_to_string(&path)?;
        assert!(text.starts_with("// RFC "), "{}: names no RFC", path.display());
        assert_eq!(run(&text), Verdict::Agrees(Vec::new()), "{}", path.display());
        count += 1;
    }
    assert!(count >= 10, "{count} scripts");
    Ok(())
}

#[test]
fn a_script_that_expects_something_else_differs() -> io::Result<()> {
    let text = fs::read_to_string(folder().join("rfc6675-pipe.pkt"))?;
    let verdict = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        run(&text.replacen(from, to, 1)).to_string()
    };
    assert_eq!(verdict("12001:13001(1000)", "12001:14001(2000)"), "differs", "the octets");
    assert_eq!(verdict("> . 1:1001", "> F. 1:1001"), "differs", "a flag");
    assert_eq!(verdict("(1000) ack 1\n", "(1000) ack 2\n"), "differs", "the acknowledgment");
    assert_eq!(verdict("tcpi_lost == 1", "tcpi_lost == 2"), "differs", "an assertion");
    assert_eq!(verdict("+0 > . 10001", "+.02 > . 10001"), "differs", "the time");
    assert_eq!(verdict("+0 > . 10001", "+.003 > . 10001"), "agrees", "the tolerance is 4 ms");
    Ok(())
}

#[test]
fn every_row_of_the_table_has_a_verdict_and_a_reason() -> io::Result<()> {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/packetdrill.md");
    let rows = table::read(&fs::read_to_string(page)?);
    assert!(rows.len() > 150, "Google's scripts alone are more than {}", rows.len());
    for (script, row) in &rows {
        match row.verdict.as_str() {
            "agrees" => {}
            "differs" => {
                assert!(row.what.starts_with("line "), "{script} does not say where");
                assert!(!row.cause.is_empty(), "{script} does not say why");
            }
            "not modelled" => assert!(!row.what.is_empty(), "{script} does not say what"),
            other => panic!("{script}: `{other}` is no verdict"),
        }
    }
    Ok(())
}
