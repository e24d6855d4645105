//! The table of verdicts on a folder of scripts.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use crate::run::{Verdict, run};

/// What stands in a row behind the name of the script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// `agrees`, `differs` or `not modelled`.
    pub verdict: String,
    /// What differs, with the line, or what is not modelled.
    pub what: String,
    /// Why, by hand.
    pub cause: String,
}

/// Rows by the paths of scripts.
pub type Rows = BTreeMap<String, Row>;

/// The heading of the table: what is above it in a page is kept.
const HEADING: &str = "| script | verdict | what | cause |\n| --- | --- | --- | --- |\n";

/// Runs all scripts below a folder.
pub fn run_all(folder: &Path) -> io::Result<Rows> {
    let mut rows = Rows::new();
    visit(folder, "", &mut rows)?;
    Ok(rows)
}

fn visit(folder: &Path, prefix: &str, rows: &mut Rows) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            visit(&entry.path(), &format!("{name}/"), rows)?;
        } else if let Some(script) = name.strip_suffix(".pkt") {
            let text = fs::read(entry.path())?;
            rows.insert(script.to_string(), row(&run(&String::from_utf8_lossy(&text))));
        }
    }
    Ok(())
}

fn row(verdict: &Verdict) -> Row {
    let what = match verdict {
        Verdict::Agrees(left) if left.is_empty() => String::new(),
        Verdict::Agrees(left) => format!("without the assertions on {}", left.join(" and ")),
        Verdict::Differs { line, what } => format!("line {line}: {what}"),
        Verdict::NotModelled(what) => what.clone(),
    };
    let what = what.replace('|', "\\|").replace('\n', " ");
    Row { verdict: verdict.to_string(), what, cause: String::new() }
}

/// The rows of a page.
pub fn read(page: &str) -> Rows {
    let Some((_, rows)) = page.split_once(HEADING) else { return Rows::new() };
    let lines = rows.lines().take_while(|line| line.starts_with('|'));
    let cells = lines.map(|line| {
        let line = line.replace("\\|", "\u{1}");
        let cells =
            line.trim_matches('|').split('|').map(|cell| cell.trim().replace('\u{1}', "\\|"));
        cells.collect::<Vec<_>>()
    });
    let rows = cells.filter_map(|cells| match cells.as_slice() {
        [script, verdict, what, cause] => Some((
            script.trim_matches('`').to_string(),
            Row { verdict: verdict.clone(), what: what.clone(), cause: cause.clone() },
        )),
        _ => None,
    });
    rows.collect()
}

/// The page with these rows, which keep the causes that it has for them, and their counts by folder.
pub fn write(page: &str, rows: &Rows) -> String {
    let old = read(page);
    let mut text = page.split_once(HEADING).map_or(page, |(above, _)| above).to_string();
    text.push_str(HEADING);
    for (script, row) in rows {
        let kept =
            old.get(script).filter(|old| old.verdict == row.verdict && row.verdict != "agrees");
        let cause = kept.map_or("", |old| &old.cause);
        let cells = [&format!("`{script}`"), &row.verdict, &row.what, cause];
        let cells: Vec<String> = cells.iter().map(|cell| format!(" {cell} ")).collect();
        let cells: Vec<&str> =
            cells.iter().map(|cell| if cell.trim().is_empty() { " " } else { cell }).collect();
        writeln!(text, "|{}|", cells.join("|")).expect("a text takes all");
    }
    text.push_str(
        "\n## By folder\n\n| folder | agree | differ | not modelled |\n| --- | --- | --- | --- |\n",
    );
    for (folder, [agree, differ, others]) in counts(rows) {
        writeln!(text, "| `{folder}` | {agree} | {differ} | {others} |").expect("a text takes all");
    }
    text
}

/// How many scripts of each folder have each verdict: the folder, those that agree, that differ, and that
/// concern what is not modelled.
pub fn counts(rows: &Rows) -> BTreeMap<String, [usize; 3]> {
    let mut counts = BTreeMap::<String, [usize; 3]>::new();
    for (script, row) in rows {
        let folder = script.split_once('/').map_or("", |(folder, _)| folder);
        let place = match row.verdict.as_str() {
            "agrees" => 0,
            "differs" => 1,
            _ => 2,
        };
        counts.entry(folder.into()).or_default()[place] += 1;
    }
    counts
}

/// What has changed since the rows of a page were written, a line each.
pub fn changes(old: &Rows, new: &Rows) -> Vec<String> {
    let mut changes = Vec::new();
    for (script, row) in new {
        match old.get(script) {
            None => changes.push(format!("{script}: is not in the table, {}", row.verdict)),
            Some(old) if old.verdict != row.verdict || old.what != row.what => {
                let (before, now) = ((&old.verdict, &old.what), (&row.verdict, &row.what));
                let (table, ours) =
                    (format!("{} ({})", before.0, before.1), format!("{} ({})", now.0, now.1));
                changes.push(format!("{script}: {table} in the table, now {ours}"));
            }
            Some(_) => {}
        }
    }
    let gone = old.keys().filter(|script| !new.contains_key(*script));
    changes.extend(gone.map(|script| format!("{script}: is in the table alone")));
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(verdict: &str, what: &str) -> Rows {
        let row = Row { verdict: verdict.into(), what: what.into(), cause: String::new() };
        Rows::from([("sack/one".to_string(), row)])
    }

    #[test]
    fn a_page_keeps_its_head_and_its_causes() {
        let rows = rows("differs", "line 3: a \\| b");
        let page = write("Head.\n\n", &rows);
        assert_eq!(read(&page), rows);
        let with_cause = page.replace("b | |", "b | known |");
        assert_eq!(write(&with_cause, &rows), with_cause);
        assert!(with_cause.starts_with("Head.\n\n| script |"));
    }

    #[test]
    fn changes_are_told() {
        let (old, new) = (rows("agrees", ""), rows("differs", "line 3"));
        assert!(changes(&old, &old).is_empty());
        assert_eq!(changes(&old, &new), ["sack/one: agrees () in the table, now differs (line 3)"]);
        assert_eq!(changes(&Rows::new(), &new).len(), 1);
        assert_eq!(changes(&old, &Rows::new()), ["sack/one: is in the table alone"]);
        assert_eq!(counts(&new)["sack"], [0, 1, 0]);
    }
}
