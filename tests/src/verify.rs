//! All tests, as groups of steps: each step ends in a line of its own, the first failure ends the run.
//!
//! Two steps of a group run at a time, because most of them have long parts that keep one core busy; what a step writes is kept and
//! shown when it ends. A step that runs alone shows it at once.

use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use crate::language::{cpp, node, python, rust};
use crate::output;
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

/// One group after another: quick judges first, so that a slip is told within a minute. In a group those that take longest come
/// first, so that the last ones end together.
const GROUPS: &[&[Step]] = &[
    &[
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
    ],
    &[
        Step {
            name: "asan",
            what: "core's tests, and those of memory in Python and Node.js, under AddressSanitizer",
            run: rust::asan,
        },
        Step {
            name: "rust",
            what: "tests of core, codegen and this driver; the Rust cases",
            run: rust::test,
        },
        Step {
            name: "cpp",
            what: "the C++ headers under each compiler, tests and cases",
            run: cpp::test,
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
    ],
    &[Step {
        name: "conformance",
        what: "every shared case in every language",
        run: conformance,
    }],
];

/// How many steps run at a time.
const LANES: usize = 2;

/// Runs all steps, or those named.
///
/// # Errors
/// The failure of the first step that fails, or a name that no step has.
pub fn verify(project: &Project, only: &[String]) -> Result<()> {
    let steps = || GROUPS.iter().copied().flatten();
    if let Some(unknown) = only
        .iter()
        .find(|name| !steps().any(|step| step.name == name.as_str()))
    {
        let names: Vec<&str> = steps().map(|step| step.name).collect();
        return Err(format!(
            "no step is named `{unknown}`; there are {}",
            names.join(", ")
        ));
    }
    let begun = Instant::now();
    let mut report = Report {
        rows: vec![["step", "result", "time", "what"].map(str::to_owned).into()],
        failed: None,
    };
    for group in GROUPS {
        let chosen = |step: &&Step| only.is_empty() || only.iter().any(|name| name == step.name);
        let steps: Vec<&Step> = group.iter().filter(chosen).collect();
        report = run(project, &steps, report);
    }
    say(&format!("\n{}", table::columns(&report.rows)));
    if let Some(name) = report.failed {
        return Err(format!(
            "verify stopped at step `{name}`; `cargo verify --only {name}` runs it alone"
        ));
    }
    say(&format!(
        "verify passed in {}",
        table::time(begun.elapsed())
    ));
    Ok(())
}

/// What the steps so far came to.
struct Report {
    rows: Vec<Vec<String>>,
    failed: Option<&'static str>,
}

/// Runs the steps of a group and adds what they came to. After a failure no other step begins.
fn run(project: &Project, steps: &[&Step], report: Report) -> Report {
    let waiting = Mutex::new(steps.iter());
    let report = Mutex::new(report);
    let next = || {
        let failed = lock(&report).failed.is_some();
        lock(&waiting).next().filter(|_| !failed)
    };
    let lane = || {
        while let Some(step) = next() {
            let (outcome, taken) = if steps.len() == 1 {
                timed(project, step)
            } else {
                say(&format!("... {} begins", step.name));
                let log = project.target.join(format!("verify-{}.log", step.name));
                output::together(&log, || timed(project, step))
            };
            let mut report = lock(&report);
            report.rows.push(row(step, result(&outcome).0, taken));
            if outcome.is_err() {
                report.failed.get_or_insert(step.name);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..LANES.min(steps.len()) {
            scope.spawn(lane);
        }
    });
    report
        .into_inner()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn lock<T>(shared: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    shared
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Runs a step between its first line and its closing line.
fn timed(project: &Project, step: &Step) -> (Result<Outcome>, Duration) {
    say(&format!("\n=== {}: {}", step.name, step.what));
    let started = Instant::now();
    let outcome = (step.run)(project);
    let taken = started.elapsed();
    let (result, closing) = result(&outcome);
    say(&format!(
        "=== {} {result} in {}{closing}",
        step.name,
        table::time(taken)
    ));
    (outcome, taken)
}

/// What a step came to in a word, and what follows it in its closing line.
fn result(outcome: &Result<Outcome>) -> (&'static str, String) {
    match outcome {
        Ok(Outcome::Passed) => ("passed", String::new()),
        Ok(Outcome::NotRun(why)) => ("not run", format!(": {why}")),
        Err(why) => ("FAILED", format!(": {why}")),
    }
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
