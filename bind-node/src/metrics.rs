//! Products and distances of typed arrays: rows for core, without tensors over them.

use napi::sys::napi_value;
use tenspan::generated::dispatch;
use tenspan::product::{Metric, pair};
use tenspan::value::{Any, IntoAny};

use crate::bytes::frame::{Frame, Record, tag};
use crate::bytes::row;
use crate::guarded;
use crate::host::Scope;

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

    /// The result of an entry for two typed arrays; none for other entries and arguments.
    #[inline]
    pub fn call(
        &self,
        scope: &Scope<'_>,
        index: usize,
        count: usize,
        values: &[napi_value],
    ) -> Option<tenspan::Result<Any>> {
        let metric = (*self.0.get(index)?)?;
        let frame = &scope.room.frame;
        let [first, second, ..] = *values else {
            return None;
        };
        let is_value = |position: usize| frame.get(position).tag == tag::VALUE;
        if count != ARGUMENTS || !is_value(1) || !is_value(2) || frame.get(4).tag != tag::NONE {
            return None;
        }
        let fast = is_fast(frame)?;
        // No JavaScript runs while the rows are read.
        let (a, b) = (row(scope, first)?, row(scope, second)?);
        Some(guarded(|| pair(metric, a, b, fast).map(IntoAny::into_any)))
    }
}

fn is_fast(frame: &Frame) -> Option<bool> {
    let Record { tag, payload, .. } = frame.get(3);
    match tag {
        tag::NONE => Some(false),
        tag::BOOL => Some(payload != 0),
        _ => None,
    }
}
