//! Quantizing whole files, one tensor at a time.

use std::collections::HashMap;

use super::File;
use super::atomic;
use super::contents::{Entry, Stored};
use super::gguf::write::{Planned, Writer, check_dtype};
use super::metadata::Metadata;
use super::rule::Rules;
use super::value::Value;
use crate::dtype::{Class, DType};
use crate::error::{Error, ErrorKind, Result};
use crate::generated::dictionaries::{
    CopyOptions, DequantizeOptions, QuantizeFileOptions, QuantizeOptions, TensorReport,
};
use crate::shape;
use crate::tensor::Tensor;
use crate::tensor::build::empty;
use crate::tensor::copy::copy;

/// Rewrites a file with its tensors quantized, as GGUF, and says what became of each.
///
/// A rule names formats in order of preference, as in `q4_k,q8_0`: a tensor takes the first whose blocks fit its rows. Several
/// rules are parted by `;` and may begin with a pattern of names, as in `*embed*=q8_0;*=q4_k,q8_0`. As they are, byte for
/// byte, stay tensors of one dimension or none, those that are no floats, those that no format fits, and, unless
/// `allow_requantize` is given, those that are quantized already. A format that needs importance is none for a tensor without.
/// No more than one tensor of the result is in memory, and the floats of one that is quantized again.
///
/// # Errors
/// Those of [`open`](crate::open); [`ErrorKind::ValueError`] when the rule is broken; [`ErrorKind::KeyError`] for the importance
/// of a tensor that is not there; [`ErrorKind::UnsupportedConversion`] when GGUF lacks the dtype of a tensor that stays as it
/// is; those of [`quantize`](crate::quantize) for the importance and for numbers that `strict` refuses; what `progress` returns.
/// `dst` is untouched then.
pub fn quantize_file(
    src: &str,
    dst: &str,
    rule: &str,
    options: &QuantizeFileOptions<'_>,
) -> Result<Vec<TensorReport>> {
    let importance = importance_by_name(options);
    let rules = Rules::parse(rule, options.importance.is_some())?;
    let source = super::open(src)?;
    let entries = source.entries()?;
    for (name, _) in options.importance.iter().flatten() {
        if !entries.iter().any(|entry| entry.name == *name) {
            let message = format!("`{name}`, of which the importance is given, is not in the file");
            return Err(Error::new(ErrorKind::KeyError, message).at(src));
        }
    }
    let mut planned = Vec::with_capacity(entries.len());
    let mut reports = Vec::with_capacity(entries.len());
    for entry in &entries {
        let choice = Choice {
            rules: &rules,
            allow_requantize: options.allow_requantize,
            by_importance: importance.contains_key(entry.name.as_str()),
        };
        let (from, to) = choice.target(entry).map_err(|error| error.at(src))?;
        let nbytes = if from == to {
            entry.nbytes
        } else {
            shape::nbytes(to, &entry.shape)?
        };
        planned.push(Planned {
            name: entry.name.clone(),
            dtype: to,
            shape: entry.shape.clone(),
            nbytes,
        });
        reports.push(TensorReport {
            name: entry.name.clone(),
            shape: entry.shape.clone(),
            from: from.name(),
            to: to.name(),
            nbytes,
        });
    }
    let metadata = source.metadata().copied();
    if reports.iter().any(|report| report.from != report.to) {
        describe(&metadata, &planned);
    }
    atomic::replace(dst, |out, _| {
        let mut writer = Writer::begin(out, &metadata, None, &planned)?;
        write_tensors(&mut writer, &source, &planned, options, &importance)
    })?;
    Ok(reports)
}

/// The importance of the columns of some tensors; of a name that is given twice, the last.
fn importance_by_name<'a>(options: &'a QuantizeFileOptions<'_>) -> HashMap<&'a str, &'a Tensor> {
    let given = options.importance.iter().flatten();
    given
        .map(|(name, tensor)| (name.as_str(), tensor))
        .collect()
}

fn write_tensors<W: std::io::Write>(
    writer: &mut Writer<W>,
    source: &File,
    planned: &[Planned],
    options: &QuantizeFileOptions<'_>,
    importance: &HashMap<&str, &Tensor>,
) -> Result<()> {
    let total = planned.iter().map(|tensor| tensor.nbytes).sum();
    let mut done = 0;
    for plan in planned {
        let place = |error: Error| error.at(format_args!("tensor `{}`", plan.name));
        let tensor = source
            .get(&plan.name)?
            .ok_or_else(|| Error::new(ErrorKind::KeyError, plan.name.clone()))?;
        let importance = importance.get(plan.name.as_str()).copied();
        let tensor = convert(tensor, plan.dtype, importance, options.strict).map_err(place)?;
        writer.tensor(tensor.bytes()?)?;
        done += plan.nbytes;
        if let Some(progress) = options.progress {
            progress(done, total)?;
        }
    }
    Ok(())
}

fn convert(
    tensor: Tensor,
    dtype: DType,
    importance: Option<&Tensor>,
    strict: bool,
) -> Result<Tensor> {
    if tensor.dtype() == dtype {
        return Ok(tensor);
    }
    let result = empty(tensor.shape(), dtype)?;
    if strict || importance.is_some() {
        let floats = match tensor.dtype().class() {
            Class::Float => tensor,
            _ => crate::dequantize(&tensor, DType::F32, &DequantizeOptions::default())?,
        };
        let options = QuantizeOptions {
            importance: importance.cloned(),
            strict,
            out: Some(result),
        };
        return crate::quantize(&floats, dtype, &options);
    }
    // Whether it is allowed was decided with the plan.
    copy(
        &tensor,
        &result,
        &CopyOptions {
            allow_requantize: true,
        },
    )?;
    Ok(result)
}

/// What the type of a tensor is chosen by.
struct Choice<'a> {
    rules: &'a Rules,
    allow_requantize: bool,
    by_importance: bool,
}

impl Choice<'_> {
    /// The type that a tensor has, and the one it gets.
    fn target(&self, entry: &Entry) -> Result<(DType, DType)> {
        let from = match &entry.stored {
            Stored::Known(dtype) => *dtype,
            Stored::Foreign(name) => {
                let message = format!(
                    "tensor `{}` is of dtype {name}, which tenspan does not have",
                    entry.name
                );
                return Err(Error::new(ErrorKind::UnsupportedConversion, message));
            }
        };
        let is_source = match from.class() {
            Class::Float => true,
            Class::Block => self.allow_requantize && from.can_decode(),
            _ => false,
        };
        let chosen = if is_source && entry.shape.len() > 1 {
            self.rules
                .choices(&entry.name, &entry.shape)
                .find(|dtype| self.by_importance || !dtype.needs_importance())
        } else {
            None
        };
        let to = chosen.unwrap_or(from);
        check_dtype(&entry.name, to)?;
        Ok((from, to))
    }
}

/// What `general.file_type` calls a file most of whose weights are of one type.
const FILE_TYPES: [(DType, u32); 25] = [
    (DType::F32, 0),
    (DType::F16, 1),
    (DType::Q4_0, 2),
    (DType::Q4_1, 3),
    (DType::Q8_0, 7),
    (DType::Q5_0, 8),
    (DType::Q5_1, 9),
    (DType::Q2_K, 10),
    (DType::Q3_K, 11),
    (DType::Q4_K, 14),
    (DType::Q5_K, 16),
    (DType::Q6_K, 18),
    (DType::IQ2_XXS, 19),
    (DType::IQ2_XS, 20),
    (DType::IQ3_XXS, 23),
    (DType::IQ1_S, 24),
    (DType::IQ4_NL, 25),
    (DType::IQ3_S, 26),
    (DType::IQ2_S, 28),
    (DType::IQ4_XS, 30),
    (DType::IQ1_M, 31),
    (DType::BF16, 32),
    (DType::TQ1_0, 36),
    (DType::TQ2_0, 37),
    (DType::MXFP4, 38),
];

/// Says in the metadata what was made of the file: the type of most weights, if it has a number, and the version of
/// the block layouts.
fn describe(metadata: &Metadata, planned: &[Planned]) {
    let mut weights: HashMap<DType, u64> = HashMap::new();
    for tensor in planned.iter().filter(|tensor| tensor.shape.len() > 1) {
        *weights.entry(tensor.dtype).or_default() += tensor.shape.iter().product::<u64>();
    }
    let most = weights
        .iter()
        .max_by_key(|(dtype, count)| (**count, dtype.ggml_id()));
    let number = most.and_then(|(dtype, _)| FILE_TYPES.iter().find(|(listed, _)| listed == dtype));
    match number {
        Some((_, number)) => {
            metadata.put("general.file_type".into(), Value::uint32(*number));
        }
        // A number that is no longer true is worse than none.
        None => {
            metadata.remove("general.file_type");
        }
    }
    let version = "general.quantization_version";
    if weights.keys().any(|dtype| dtype.is_quantized()) && metadata.value(version).is_none() {
        metadata.put(version.into(), Value::uint32(2));
    }
}
