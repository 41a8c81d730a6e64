//! All tests, as a list of steps: each ends in a line of its own, the first failure ends the run.

use std::time::{Duration, Instant};

use crate::language::{cpp, node, python, rust};
use crate::run::Run;
use crate::table::{self, say};
use crate::tools::{self, NODE};
use crate::{Project, Result, matrix, setup};

/// What a step came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It passed.
    Passed,
    /// It could not run here, and why.
    NotRun(String),
}

struct Step {
    name: &'static str,
    what: &'static str,
    run: fn(&Project) -> Result<Outcome>,
}

/// In the order they run: quick judges first, so that a slip is told within a minute.
const STEPS: &[Step] = &[
    Step {
        name: "fmt",
        what: "the form of all Rust files",
        run: fmt,
    },
    Step {
        name: "clippy",
        what: "lints of the workspace, warnings are errors",
        run: clippy,
    },
    Step {
        name: "codegen",
        what: "printed files are up to date",
        run: codegen,
    },
    Step {
        name: "webidl2",
        what: "another parser accepts the spec",
        run: webidl2,
    },
    Step {
        name: "workflow",
        what: "actionlint reads the workflow",
        run: workflow,
    },
    Step {
        name: "rust",
        what: "tests of core, codegen and this driver; the Rust cases",
        run: rust::test,
    },
    Step {
        name: "python",
        what: "the Python package, its tests and cases",
        run: python::test,
    },
    Step {
        name: "node",
        what: "the Node package, its tests, types and cases",
        run: node::test,
    },
    Step {
        name: "cpp",
        what: "the C++ headers under each compiler, tests and cases",
        run: cpp::test,
    },
    Step {
        name: "asan",
        what: "core's tests, and those of memory in Python, under AddressSanitizer",
        run: rust::asan,
    },
    Step {
        name: "conformance",
        what: "every shared case in every language",
        run: conformance,
    },
];

/// Runs all steps, or those named.
///
/// # Errors
/// The failure of the first step that fails, or a name that no step has.
pub fn verify(project: &Project, only: &[String]) -> Result<()> {
    if let Some(unknown) = only
        .iter()
        .find(|name| !STEPS.iter().any(|step| step.name == name.as_str()))
    {
        let names: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
        return Err(format!(
            "no step is named `{unknown}`; there are {}",
            names.join(", ")
        ));
    }
    let begun = Instant::now();
    let mut rows = vec![
        ["step", "result", "time", "what"]
            .map(str::to_owned)
            .to_vec(),
    ];
    for step in STEPS
        .iter()
        .filter(|step| only.is_empty() || only.iter().any(|name| name == step.name))
    {
        say(&format!("\n=== {}: {}", step.name, step.what));
        let started = Instant::now();
        let outcome = (step.run)(project);
        let (result, closing) = match &outcome {
            Ok(Outcome::Passed) => ("passed", String::new()),
            Ok(Outcome::NotRun(why)) => ("not run", format!(": {why}")),
            Err(why) => ("FAILED", format!(": {why}")),
        };
        say(&format!(
            "=== {} {result} in {}{closing}",
            step.name,
            table::time(started.elapsed())
        ));
        rows.push(row(step, result, started.elapsed()));
        if outcome.is_err() {
            say(&format!("\n{}", table::columns(&rows)));
            return Err(format!(
                "verify stopped at step `{}`; `cargo verify --only {}` runs it alone",
                step.name, step.name
            ));
        }
    }
    say(&format!("\n{}", table::columns(&rows)));
    say(&format!(
        "verify passed in {}",
        table::time(begun.elapsed())
    ));
    Ok(())
}

fn row(step: &Step, result: &str, taken: Duration) -> Vec<String> {
    vec![
        step.name.to_owned(),
        result.to_owned(),
        table::time(taken),
        step.what.to_owned(),
    ]
}

fn fmt(project: &Project) -> Result<Outcome> {
    Run::new("cargo")
        .args(["fmt", "--all", "--check"])
        .dir(&project.root)
        .stream()?;
    Ok(Outcome::Passed)
}

fn clippy(project: &Project) -> Result<Outcome> {
    let arguments = [
        "clippy",
        "--quiet",
        "--workspace",
        "--all-targets",
        "--",
        "-D",
        "warnings",
    ];
    Run::new("cargo")
        .args(arguments)
        .dir(&project.root)
        .stream()?;
    Ok(Outcome::Passed)
}

fn codegen(project: &Project) -> Result<Outcome> {
    Run::new("cargo")
        .args(["codegen", "--check"])
        .dir(&project.root)
        .stream()?;
    Ok(Outcome::Passed)
}

fn webidl2(project: &Project) -> Result<Outcome> {
    let folder = setup::node_packages(project, "codegen/tests/webidl2")?;
    Run::new(NODE.find()?)
        .arg("judge.mjs")
        .dir(&folder)
        .stream()?;
    Ok(Outcome::Passed)
}

fn workflow(project: &Project) -> Result<Outcome> {
    let folder = setup::node_packages(project, "tests/workflow")?;
    Run::new(NODE.find()?)
        .args(["lint.mjs", "../../.github/workflows"])
        .dir(&folder)
        .stream()?;
    Ok(Outcome::Passed)
}

fn conformance(project: &Project) -> Result<Outcome> {
    matrix::report(project)?;
    Ok(Outcome::Passed)
}

/// The outcome of a step that needs a nightly toolchain where there is none.
pub fn without_nightly() -> Option<Outcome> {
    let why = "no nightly toolchain; `rustup toolchain install nightly` brings it";
    (!tools::has_nightly()).then(|| Outcome::NotRun(why.to_owned()))
}
