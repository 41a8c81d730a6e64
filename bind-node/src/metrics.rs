//! Products and distances of typed arrays and of tensors of one dimension: rows for core, of which nothing is made first.

use std::ptr;

use napi::sys::napi_value;
use tenspan::DType;
use tenspan::generated::dispatch;
use tenspan::product::{Metric, Number, Row, pair};
use tenspan::value::IntoAny;

use crate::bytes::frame::{Frame, Record, tag};
use crate::host::Scope;
use crate::objects::InUse;
use crate::packed::Answer;
use crate::{bytes, packed};

/// Arguments of such an entry: two rows, `fast`, `out`.
const ARGUMENTS: usize = 4;

/// The metrics, by the index of their entry.
pub struct Metrics(Vec<Option<Metric>>);

impl Metrics {
    /// Finds the entries in the table.
    pub fn find() -> Self {
        let named = |name: &str| Metric::ALL.into_iter().find(|metric| metric.name() == name);
        Metrics(
            dispatch::METHODS
                .iter()
                .map(|(name, _)| named(name))
                .collect(),
        )
    }

    /// Puts the result of an entry for two rows into the frame, and returns what else there is to return; none for other
    /// entries and arguments, and where all is not well with the rows: the ordinary way then says why.
    #[inline]
    pub fn call(
        &self,
        scope: &Scope<'_>,
        index: usize,
        count: usize,
        values: &[napi_value],
    ) -> Option<Answer> {
        match count {
            ARGUMENTS => self.multiply(scope, index, values),
            _ => None,
        }
    }

    fn multiply(&self, scope: &Scope<'_>, index: usize, values: &[napi_value]) -> Option<Answer> {
        let metric = (*self.0.get(index)?)?;
        let frame = &scope.room.frame;
        if frame.get(4).tag != tag::NONE {
            return None;
        }
        let fast = is_fast(frame)?;
        let in_use = scope.room.objects.in_use();
        // No JavaScript runs while the rows are read.
        let (mut x, mut y) = (DType::Opaque(0), DType::Opaque(0));
        let a = row(scope, &in_use, values, 0, &mut x)?;
        let b = row(scope, &in_use, values, 1, &mut y)?;
        let made = pair(metric, Row::within(x, a), Row::within(y, b), fast);
        drop(in_use);
        match &made {
            Ok(Number::Real(number)) => {
                frame.put(0, Record::of(*number));
                Some(Ok(ptr::null_mut()))
            }
            Ok(other) => Some(packed::deliver(scope, &other.into_any())),
            Err(_) => None,
        }
    }
}

/// The bytes of the packed numbers that an argument is, and their dtype.
#[inline(always)]
fn row<'a>(
    scope: &Scope<'a>,
    in_use: &'a InUse<'_>,
    values: &[napi_value],
    position: usize,
    dtype: &mut DType,
) -> Option<&'a [u8]> {
    let record = scope.room.frame.get(position + 1);
    if record.tag == tag::VALUE {
        *dtype = bytes::element_type(record.extra)?;
        return bytes::shown(scope, *values.get(position)?);
    }
    if record.tag != tag::HANDLE {
        return None;
    }
    let tensor = in_use.get(record.number())?.value.tensor()?;
    *dtype = tensor.dtype();
    let is_row = tensor.ndim() == 1 && dtype.is_plain();
    is_row.then(|| tensor.bytes().ok()).flatten()
}

fn is_fast(frame: &Frame) -> Option<bool> {
    let Record { tag, payload, .. } = frame.get(3);
    match tag {
        tag::NONE => Some(false),
        tag::BOOL => Some(payload != 0),
        _ => None,
    }
}
