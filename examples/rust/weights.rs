//! Tells what quantizing has done to a model: `weights <original> <quantized>`, one JSON object per tensor.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for the command line"
)]

use std::process::ExitCode;

// [use]
use tenspan::{DType, dequantize, open, quantization_error};

fn compare(original: &str, quantized: &str) -> tenspan::Result<()> {
    let (original, quantized) = (open(original)?, open(quantized)?);
    for name in quantized.keys() {
        let (Some(before), Some(after)) = (original.get(&name)?, quantized.get(&name)?) else {
            continue;
        };
        let error = quantization_error(&before, &after)?;
        let floats = dequantize(&after, DType::F32, &Default::default())?;
        report(&name, &after, error.rmse, crc32(floats.bytes()?));
    }
    Ok(())
}
// [/use]

fn report(name: &str, tensor: &tenspan::Tensor, rmse: f64, checksum: u32) {
    let (dtype, shape, nbytes) = (tensor.dtype(), tensor.shape(), tensor.nbytes());
    println!(
        r#"{{"name":"{name}","dtype":"{dtype}","shape":{shape:?},"nbytes":{nbytes},"rmse":{rmse:e},"checksum":{checksum}}}"#
    );
}

/// The CRC-32 of zip files.
fn crc32(bytes: &[u8]) -> u32 {
    let table: Vec<u32> = (0..256u32)
        .map(|byte| {
            (0..8).fold(byte, |rest, _| {
                if rest & 1 == 1 {
                    rest >> 1 ^ 0xedb8_8320
                } else {
                    rest >> 1
                }
            })
        })
        .collect();
    !bytes.iter().fold(!0, |crc, byte| {
        table[((crc ^ u32::from(*byte)) & 255) as usize] ^ crc >> 8
    })
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [original, quantized] = arguments.as_slice() else {
        eprintln!("usage: weights <original> <quantized>");
        return ExitCode::from(2);
    };
    match compare(original, quantized) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
