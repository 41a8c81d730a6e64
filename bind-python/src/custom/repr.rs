//! Texts for a person.
//!
//! A small plain tensor shows its elements: `Tensor([[1., 2.], [3., 4.]], dtype=float32)`. One of more than a thousand
//! shows the first and last of each dimension. Quantized, opaque, named and planned tensors show what they are and
//! read no data.

use pyo3::prelude::*;
use tenspan::dtype::Class;
use tenspan::value::{AnyView, Complex, Kind};
use tenspan::{DType, Tensor};

use crate::generated;
use crate::value::class_from_any;

/// Elements from which on a tensor is summarised.
const SUMMARISED_FROM: u64 = 1000;
/// Positions shown at each end of a summarised dimension.
const EDGE: u64 = 3;
/// Letters of a line.
const WIDTH: usize = 100;

#[pymethods]
impl generated::Tensor {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let tensor = &self.0;
        let planned = tensor.data_ptr() == 0 && tensor.size() > 0;
        if !tensor.dtype().is_plain() || tensor.name().is_some() || planned {
            return description(tensor, py);
        }
        let readonly = if tensor.readonly() { ", readonly" } else { "" };
        let Ok(elements) = elements(tensor, tensor.size() > SUMMARISED_FROM, "Tensor(".len())
        else {
            return description(tensor, py);
        };
        // An empty tensor shows its shape, which its elements do not tell.
        let shape = if tensor.size() == 0 {
            format!(", shape={}", shape(tensor))
        } else {
            String::new()
        };
        Ok(format!(
            "Tensor({elements}{shape}, dtype={}{readonly})",
            tensor.dtype()
        ))
    }
}

fn description(tensor: &Tensor, py: Python<'_>) -> PyResult<String> {
    let mut parts = vec![
        format!("shape={}", shape(tensor)),
        format!("dtype={}", tensor.dtype()),
    ];
    if tensor.readonly() {
        parts.push("readonly".to_owned());
    }
    parts.push(size(tensor.nbytes()));
    if let Some(name) = tensor.name() {
        parts.push(format!("name={}", name.into_pyobject(py)?.repr()?));
    }
    Ok(format!("Tensor({})", parts.join(", ")))
}

fn shape(tensor: &Tensor) -> String {
    let lengths: Vec<String> = tensor.shape().iter().map(u64::to_string).collect();
    if lengths.len() == 1 {
        format!("({},)", lengths[0])
    } else {
        format!("({})", lengths.join(", "))
    }
}

/// The elements in nested brackets, on one line if they fit.
fn elements(tensor: &Tensor, cut: bool, indent: usize) -> tenspan::Result<String> {
    if tensor.ndim() == 0 {
        return Ok(number(tensor.item()?.view(), tensor.dtype()));
    }
    let len = tensor.len();
    let cut_here = cut && len > 2 * EDGE;
    let shown: Vec<u64> = if cut_here {
        (0..EDGE).chain(len - EDGE..len).collect()
    } else {
        (0..len).collect()
    };
    let mut parts = shown
        .iter()
        .map(|i| elements(&tensor.at(*i)?, cut, indent + 1))
        .collect::<tenspan::Result<Vec<_>>>()?;
    if cut_here {
        parts.insert(EDGE as usize, "...".to_owned());
    }
    let line = format!("[{}]", parts.join(", "));
    if tensor.ndim() == 1 || indent + line.len() <= WIDTH && !line.contains('\n') {
        return Ok(if tensor.ndim() == 1 {
            wrapped(&parts, indent + 1)
        } else {
            line
        });
    }
    Ok(format!(
        "[{}]",
        parts.join(&format!(",\n{}", " ".repeat(indent + 1)))
    ))
}

/// One row, broken where the line is full.
fn wrapped(parts: &[String], indent: usize) -> String {
    let mut text = "[".to_owned();
    let mut column = indent;
    for (i, part) in parts.iter().enumerate() {
        let comma = usize::from(i + 1 < parts.len());
        if i > 0 && column + 1 + part.len() + comma > WIDTH {
            text += &format!("\n{}", " ".repeat(indent));
            column = indent;
        } else if i > 0 {
            text.push(' ');
            column += 1;
        }
        text += part;
        column += part.len() + comma;
        if comma > 0 {
            text.push(',');
        }
    }
    text + "]"
}

/// A number in as few digits as tell it from its neighbours of the same dtype.
fn number(value: AnyView<'_>, dtype: DType) -> String {
    match value.kind() {
        Kind::Float(number) if dtype.class() == Class::Float => float(number, dtype),
        Kind::Bool(value) => if value { "True" } else { "False" }.to_owned(),
        Kind::Int(number) => number.to_string(),
        Kind::BigInt(number) => number.to_string(),
        Kind::Float(number) => float(number, DType::F64),
        _ => match class_from_any::<Complex>(&value) {
            Some(number) => complex(
                number,
                if dtype == DType::C64 {
                    DType::F32
                } else {
                    DType::F64
                },
            ),
            None => value.type_name().to_owned(),
        },
    }
}

fn complex(number: Complex, part: DType) -> String {
    let imaginary = float(number.im, part);
    let sign = if imaginary.starts_with('-') { "" } else { "+" };
    format!("{}{sign}{imaginary}j", float(number.re, part))
}

fn float(number: f64, dtype: DType) -> String {
    if number.is_nan() {
        return "nan".to_owned();
    }
    if number.is_infinite() {
        return if number < 0.0 { "-inf" } else { "inf" }.to_owned();
    }
    let plain = number == 0.0 || (1e-4..1e16).contains(&number.abs());
    // `Debug` of Rust writes the shortest digits that read back the same; the narrow types are written by significant digits.
    let text = match dtype.block_bytes() {
        8 if plain => format!("{number}"),
        8 => format!("{number:e}"),
        4 if plain => format!("{}", number as f32),
        4 => format!("{:e}", number as f32),
        bytes => rounded(
            number,
            if bytes == 2 && dtype == DType::F16 {
                4
            } else {
                3
            },
            plain,
        ),
    };
    if text.contains(['.', 'e']) {
        text
    } else {
        text + "."
    }
}

/// A number of few significant digits.
fn rounded(number: f64, digits: usize, plain: bool) -> String {
    let short: f64 = format!("{number:.*e}", digits - 1)
        .parse()
        .unwrap_or(number);
    if plain {
        format!("{short}")
    } else {
        format!("{short:e}")
    }
}

/// Bytes in the unit that suits them.
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if bytes < 1024 {
        return counted(bytes, "byte");
    }
    let mut amount = bytes as f64 / 1024.0;
    let mut unit = 0;
    while amount >= 1023.95 && unit + 1 < UNITS.len() {
        amount /= 1024.0;
        unit += 1;
    }
    format!("{amount:.1} {}", UNITS[unit])
}

/// A number with its noun.
pub fn counted(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
