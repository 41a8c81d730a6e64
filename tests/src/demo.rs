//! The main job on real weights: quantize a model, open the results in every language, and see that all agree.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::language::{cpp, node, python};
use crate::run::Run;
use crate::table::{self, say};
use crate::tools::{GPP, NODE};
use crate::{Project, Result, model, setup};

/// Rules that the model is quantized by. A row of 384 weights is no multiple of 256, so `q4_k` needs a second choice.
const RULES: &[&str] = &["q8_0", "q4_0", "q4_k,q8_0"];

/// What an example prints of a tensor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Row {
    name: String,
    dtype: String,
    shape: Vec<u64>,
    nbytes: u64,
    rmse: f64,
    checksum: u32,
}

/// Runs the job on the sample, or on the whole model.
///
/// # Errors
/// What could not be set up or built, or the first tensor on which two languages differ.
pub fn demo(project: &Project, full: bool) -> Result<()> {
    let begun = Instant::now();
    // Named before minutes go into building.
    NODE.find()?;
    GPP.find()?;
    let programs = Programs::build(project)?;
    let source = if full {
        model::whole(project)?
    } else {
        project.path("tests/vectors/sample/minilm-sample.safetensors")
    };
    let folder = project.folder("demo")?;
    let mut table = vec![
        [
            "file", "tensor", "dtype", "shape", "bytes", "RMSE", "checksum", "",
        ]
        .map(str::to_owned)
        .to_vec(),
    ];
    let mut compared = 0;
    for rule in RULES {
        let name = format!("{}.gguf", rule.replace(',', "-"));
        let result = folder.join(&name);
        programs.quantize(&source, &result, rule)?;
        let rows = agreed(&programs, &source, &result)?;
        compared += rows.len();
        table.extend(rows.iter().map(|row| line(&name, rule, row)));
    }
    say(&format!("\n{}", table::columns(&table)));
    say(&format!("files: {}", folder.display()));
    say(&format!(
        "Rust, Python, Node.js and C++ agree on all {compared} tensors: dtype, shape, bytes, RMSE and checksum of the decoded rows"
    ));
    say(&format!(
        "demo finished in {}",
        table::time(begun.elapsed())
    ));
    Ok(())
}

/// The examples, built.
struct Programs {
    root: PathBuf,
    quantize: PathBuf,
    /// The languages, each with the command that tells of a file.
    weights: Vec<(&'static str, Vec<PathBuf>)>,
}

impl Programs {
    fn build(project: &Project) -> Result<Programs> {
        say("building the examples in Rust, Python, Node.js and C++");
        let examples = [
            "build",
            "--quiet",
            "--release",
            "--package",
            "tenspan-conformance",
            "--examples",
        ];
        Run::new("cargo")
            .args(examples)
            .dir(&project.root)
            .stream()?;
        let venv = python::build(project)?;
        node::build(project)?;
        setup::node_packages(project, "examples/node")?;
        let library = cpp::build(project)?;
        let built = cpp::configure(project, &library, "examples/cpp", "cpp-examples")?;
        let rust = |name: &str| {
            project
                .target
                .join("release/examples")
                .join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
        };
        Ok(Programs {
            root: project.root.clone(),
            quantize: rust("quantize"),
            weights: vec![
                ("Rust", vec![rust("weights")]),
                (
                    "Python",
                    vec![venv.python(), project.path("examples/python/weights.py")],
                ),
                (
                    "Node.js",
                    vec![NODE.find()?, project.path("examples/node/weights.mjs")],
                ),
                (
                    "C++",
                    vec![built.join(format!("weights{}", std::env::consts::EXE_SUFFIX))],
                ),
            ],
        })
    }

    /// Quantizes with a bar on a terminal, and nothing in a pipe.
    fn quantize(&self, source: &Path, result: &Path, rule: &str) -> Result<()> {
        let mut child = Command::new(&self.quantize)
            .args([source, result])
            .arg(rule)
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{}: {error}", self.quantize.display()))?;
        let style = "{msg:12} {wide_bar} {bytes}/{total_bytes}";
        let style =
            indicatif::ProgressStyle::with_template(style).map_err(|error| error.to_string())?;
        let bar = indicatif::ProgressBar::new(0)
            .with_style(style)
            .with_message(rule.to_owned());
        if let Some(output) = child.stdout.take() {
            for line in BufReader::new(output).lines() {
                let line = line.map_err(|error| error.to_string())?;
                let (done, total): (u64, u64) =
                    serde_json::from_str(&line).map_err(|error| format!("{error}: {line}"))?;
                bar.set_length(total);
                bar.set_position(done);
            }
        }
        let status = child.wait().map_err(|error| error.to_string())?;
        bar.finish_and_clear();
        if status.success() {
            Ok(())
        } else {
            Err(format!(
                "quantizing {} by `{rule}` failed",
                source.display()
            ))
        }
    }

    fn tell(&self, command: &[PathBuf], source: &Path, result: &Path) -> Result<Vec<Row>> {
        let Some((program, arguments)) = command.split_first() else {
            return Ok(Vec::new());
        };
        let text = Run::new(program)
            .args(arguments)
            .arg(source)
            .arg(result)
            .dir(&self.root)
            .capture()?;
        let read = |line| {
            serde_json::from_str(line)
                .map_err(|error| format!("{}: {error}: {line}", program.display()))
        };
        text.lines().map(read).collect()
    }
}

/// What all languages say of a file.
fn agreed(programs: &Programs, source: &Path, result: &Path) -> Result<Vec<Row>> {
    let mut first: Option<(&str, Vec<Row>)> = None;
    for (language, command) in &programs.weights {
        let rows = programs.tell(command, source, result)?;
        match &first {
            None => first = Some((language, rows)),
            Some((other, wanted)) => compare((other, wanted), (language, &rows))?,
        }
    }
    let rows = first.map(|(_, rows)| rows).unwrap_or_default();
    if rows.is_empty() {
        Err(format!("{} holds no tensors", result.display()))
    } else {
        Ok(rows)
    }
}

fn compare((a, left): (&str, &[Row]), (b, right): (&str, &[Row])) -> Result<()> {
    if left.len() != right.len() {
        return Err(format!(
            "{a} sees {} tensors, {b} sees {}",
            left.len(),
            right.len()
        ));
    }
    match left.iter().zip(right).find(|(x, y)| x != y) {
        Some((x, y)) => Err(format!("{a} and {b} differ:\n  {a}: {x:?}\n  {b}: {y:?}")),
        None => Ok(()),
    }
}

fn line(file: &str, rule: &str, row: &Row) -> Vec<String> {
    let first = rule.split(',').next().unwrap_or(rule);
    let note = if row.dtype == first {
        String::new()
    } else if rule.split(',').any(|choice| choice == row.dtype) {
        format!(
            "rows of {} are no whole {first} blocks",
            row.shape.last().copied().unwrap_or(0)
        )
    } else {
        "as it was".to_owned()
    };
    let shape: Vec<String> = row.shape.iter().map(u64::to_string).collect();
    vec![
        file.to_owned(),
        row.name.clone(),
        row.dtype.clone(),
        shape.join("×"),
        row.nbytes.to_string(),
        format!("{:.3e}", row.rmse),
        format!("{:08x}", row.checksum),
        note,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(dtype: &str, rmse: f64) -> Row {
        Row {
            name: "w".to_owned(),
            dtype: dtype.to_owned(),
            shape: vec![2, 384],
            nbytes: 1,
            rmse,
            checksum: 7,
        }
    }

    #[test]
    fn languages_that_differ_are_named_with_both_rows() {
        let message =
            compare(("Rust", &[row("q8_0", 0.5)]), ("C++", &[row("q8_0", 0.25)])).unwrap_err();
        assert!(
            message.contains("Rust and C++ differ") && message.contains("0.25"),
            "{message}"
        );
        assert!(compare(("Rust", &[row("q8_0", 0.5)]), ("C++", &[])).is_err());
        assert!(compare(("Rust", &[row("q8_0", 0.5)]), ("C++", &[row("q8_0", 0.5)])).is_ok());
    }

    #[test]
    fn the_table_says_where_the_second_choice_was_taken() {
        assert_eq!(
            line("f", "q4_k,q8_0", &row("q8_0", 0.0))[7],
            "rows of 384 are no whole q4_k blocks"
        );
        assert_eq!(line("f", "q4_k,q8_0", &row("q4_k", 0.0))[7], "");
        assert_eq!(line("f", "q4_k,q8_0", &row("float32", 0.0))[7], "as it was");
    }
}
