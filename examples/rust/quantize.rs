//! Quantizes a model file: `quantize <source> <result.gguf> <rule>`.
//!
//! Prints the bytes done and the bytes there are after each tensor, one JSON list per line.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for the command line"
)]

use std::process::ExitCode;

use tenspan::generated::dictionaries::QuantizeFileOptions;
use tenspan::quantize_file;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [source, result, rule] = arguments.as_slice() else {
        eprintln!("usage: quantize <source> <result.gguf> <rule>");
        return ExitCode::from(2);
    };
    let progress = |done: u64, total: u64| {
        println!("[{done}, {total}]");
        Ok(())
    };
    let options = QuantizeFileOptions {
        progress: Some(&progress),
        ..Default::default()
    };
    match quantize_file(source, result, rule, &options) {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
