//! The matrix case × language: what every shared case came to, for people and for programs.

use std::collections::{BTreeMap, HashMap};
use std::fs;

use serde::{Deserialize, Serialize};
use tenspan_codegen::cases;

use crate::language::{self, cpp, node, python, rust};
use crate::table::{self, say};
use crate::{Project, Result};

/// One line of a language's log.
#[derive(Deserialize)]
struct Line {
    concept: String,
    case: String,
    result: String,
}

/// One row of the matrix.
#[derive(Serialize)]
struct Row {
    concept: String,
    case: String,
    /// By language; a case that left no line is `not run`.
    results: BTreeMap<&'static str, String>,
}

/// What a case that is as it should be came to.
const GOOD: &[&str] = &["passed", "failed as expected"];

/// How a language runs its cases.
type Cases = fn(&Project) -> Result<()>;

/// Runs the cases in every language, building what they need, then reports.
///
/// # Errors
/// The first language that cannot be built, or a case that is not as it should be.
pub fn run(project: &Project) -> Result<()> {
    let mut failures = Vec::new();
    python::build(project)?;
    node::build(project)?;
    let runs: [(&str, Cases); 4] = [
        ("rust", rust::cases),
        ("python", python::cases),
        ("node", node::cases),
        ("cpp", cpp::cases),
    ];
    for (name, cases) in runs {
        say(&format!("\n=== cases in {name}"));
        // The table says more than the first failure would.
        failures.extend(cases(project).err());
    }
    report(project)?;
    failures.into_iter().next().map_or(Ok(()), Err)
}

/// Prints the matrix of the last run and writes it to `target/conformance.json` and `.md`.
///
/// # Errors
/// When a case did not run, failed, or passed though it was known to fail.
pub fn report(project: &Project) -> Result<()> {
    let rows = rows(project)?;
    let write = |name: &str, text: String| {
        let path = project.target.join(name);
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
    };
    write(
        "conformance.json",
        serde_json::to_string_pretty(&rows).map_err(|error| error.to_string())? + "\n",
    )?;
    write("conformance.md", markdown(&rows))?;
    say(&table::columns(&summary(&rows)));
    let bad: Vec<String> = rows.iter().flat_map(faults).collect();
    say(&format!(
        "{} cases in {} languages: target/conformance.md has all of them",
        rows.len(),
        language::ALL.len()
    ));
    if bad.is_empty() {
        return Ok(());
    }
    let shown: Vec<&str> = bad.iter().take(40).map(String::as_str).collect();
    Err(format!(
        "{} results are not as they should be:\n{}",
        bad.len(),
        shown.join("\n")
    ))
}

fn rows(project: &Project) -> Result<Vec<Row>> {
    let api =
        tenspan_codegen::load(&project.path("codegen/spec")).map_err(|error| error.to_string())?;
    let mut logs = HashMap::new();
    for name in language::ALL.iter().copied() {
        logs.insert(name, log(project, name)?);
    }
    let mut rows = Vec::new();
    for suite in cases::load(&project.root, &api)? {
        for case in suite.cases {
            let key = (suite.concept.clone(), case.name.to_string());
            let result = |name: &'static str| {
                let found = logs.get(name).and_then(|log| log.get(&key)).cloned();
                (name, found.unwrap_or_else(|| "not run".to_owned()))
            };
            let results = language::ALL.iter().copied().map(result).collect();
            rows.push(Row {
                concept: key.0.clone(),
                case: key.1.clone(),
                results,
            });
        }
    }
    Ok(rows)
}

fn log(project: &Project, name: &str) -> Result<HashMap<(String, String), String>> {
    let path = language::log(project, name)?;
    let Ok(text) = fs::read_to_string(&path) else {
        return Ok(HashMap::new());
    };
    let read = |line: &str| -> Result<((String, String), String)> {
        let line: Line = serde_json::from_str(line)
            .map_err(|error| format!("{}: {error}: {line}", path.display()))?;
        Ok(((line.concept, line.case), line.result))
    };
    text.lines().map(read).collect()
}

fn faults(row: &Row) -> Vec<String> {
    let bad = row
        .results
        .iter()
        .filter(|(_, result)| !GOOD.contains(&result.as_str()));
    bad.map(|(name, result)| format!("  {name}: {result}: {}: {}", row.concept, row.case))
        .collect()
}

/// A row per concept: how many cases are good in each language.
fn summary(rows: &[Row]) -> Vec<Vec<String>> {
    let mut heading = vec!["concept".to_owned(), "cases".to_owned()];
    heading.extend(language::ALL.iter().map(|name| (*name).to_owned()));
    let mut table = vec![heading];
    let mut concepts: Vec<&str> = rows.iter().map(|row| row.concept.as_str()).collect();
    concepts.dedup();
    for concept in concepts.into_iter().map(Some).chain([None]) {
        let of: Vec<&Row> = rows
            .iter()
            .filter(|row| concept.is_none_or(|concept| row.concept == concept))
            .collect();
        let mut line = vec![concept.unwrap_or("all").to_owned(), of.len().to_string()];
        line.extend(language::ALL.iter().map(|name| {
            let count = |wanted: &str| {
                of.iter()
                    .filter(|row| row.results.get(name).is_some_and(|found| found == wanted))
                    .count()
            };
            match (count("passed"), count("failed as expected")) {
                (passed, 0) => passed.to_string(),
                (passed, known) => format!("{passed} + {known} known to fail"),
            }
        }));
        table.push(line);
    }
    table
}

fn markdown(rows: &[Row]) -> String {
    let mut text =
        String::from("# Shared cases\n\nWhat each case came to in the last run, by language.\n\n");
    text.push_str(&format!(
        "| concept | case | {} |\n",
        language::ALL.join(" | ")
    ));
    text.push_str(&format!(
        "| --- | --- |{}\n",
        " --- |".repeat(language::ALL.len())
    ));
    for row in rows {
        let results: Vec<&str> = language::ALL
            .iter()
            .filter_map(|name| row.results.get(name).map(String::as_str))
            .collect();
        text.push_str(&format!(
            "| {} | {} | {} |\n",
            row.concept,
            row.case,
            results.join(" | ")
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(results: [(&'static str, &str); 2]) -> Row {
        let results = results
            .into_iter()
            .map(|(name, result)| (name, result.to_owned()))
            .collect();
        Row {
            concept: "tensor".to_owned(),
            case: "zeros".to_owned(),
            results,
        }
    }

    #[test]
    fn a_case_that_did_not_run_is_a_fault() {
        assert_eq!(
            faults(&row([("rust", "passed"), ("node", "not run")])),
            ["  node: not run: tensor: zeros"]
        );
    }

    #[test]
    fn an_expected_failure_that_passes_is_a_fault() {
        assert!(faults(&row([("rust", "passed"), ("cpp", "failed as expected")])).is_empty());
        assert_eq!(
            faults(&row([("rust", "passed"), ("cpp", "passed unexpectedly")])).len(),
            1
        );
    }
}
