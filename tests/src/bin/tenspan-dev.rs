//! `cargo verify`, `cargo demo`, `cargo conformance` and `cargo peers`.

use std::process::ExitCode;

use tenspan_conformance::{Project, Result, demo, matrix, peers, verify};

const USAGE: &str = "\
cargo verify [--only <step>,…]    all tests, or some of the steps
cargo demo [--full]               real weights through every language; the whole model with --full
cargo conformance [--report]      the shared cases in every language; with --report only the table of the last run
cargo peers [<name>]              side by side with other packages, in the same run
cargo peers quant [--quick] [<format>…]    all block formats or some; exact figures or soon
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            #[allow(
                clippy::print_stderr,
                reason = "the failure of the whole program is for the person at the terminal"
            )]
            {
                eprintln!("\n{}", message.trim_end());
            }
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<()> {
    let project = Project::find();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["verify"] => verify::verify(&project, &[]),
        ["verify", "--only", steps] => {
            let steps: Vec<String> = steps
                .split(',')
                .map(|step| step.trim().to_owned())
                .collect();
            verify::verify(&project, &steps)
        }
        ["demo"] => demo::demo(&project, false),
        ["demo", "--full"] => demo::demo(&project, true),
        ["peers"] => peers::run(&project, None, &[]),
        ["peers", name, arguments @ ..] => peers::run(&project, Some(name), arguments),
        ["conformance"] => matrix::run(&project),
        ["conformance", "--report"] => matrix::report(&project),
        ["--help" | "-h" | "help"] => {
            tenspan_conformance::table::say(USAGE);
            Ok(())
        }
        _ => Err(format!("`{}` is not a command\n\n{USAGE}", words.join(" "))),
    }
}
