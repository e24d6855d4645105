//! Runs a folder of packetdrill scripts: `packetdrill FOLDER [PAGE [--check]]`.
//!
//! Prints the verdicts. With a page it writes them into the table of that page, or with `--check` says what
//! differs from the table (exit code 1 then).

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

use packetdrill::table;

fn main() -> io::Result<ExitCode> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut out = io::stdout().lock();
    let (folder, page, checks) = match words.as_slice() {
        [folder] => (folder, None, false),
        [folder, page] => (folder, Some(*page), false),
        [folder, page, "--check"] => (folder, Some(*page), true),
        _ => {
            writeln!(out, "packetdrill FOLDER [PAGE [--check]]")?;
            return Ok(ExitCode::from(2));
        }
    };
    let rows = table::run_all(Path::new(folder))?;
    let Some(page) = page else {
        for (script, row) in &rows {
            writeln!(out, "{script}: {} {}", row.verdict, row.what)?;
        }
        for (folder, [agree, differ, others]) in table::counts(&rows) {
            writeln!(out, "{folder}: {agree} agree, {differ} differ, {others} not modelled")?;
        }
        return Ok(ExitCode::SUCCESS);
    };
    let text = fs::read_to_string(page)?;
    if !checks {
        fs::write(page, table::write(&text, &rows))?;
        return Ok(ExitCode::SUCCESS);
    }
    let changes = table::changes(&table::read(&text), &rows);
    for change in &changes {
        writeln!(out, "{change}")?;
    }
    writeln!(out, "{} scripts, {} differ from the table", rows.len(), changes.len())?;
    Ok(ExitCode::from(u8::from(!changes.is_empty())))
}
