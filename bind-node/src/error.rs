//! Errors of core as JavaScript errors, and thrown values that come home as themselves.

use std::sync::Arc;

use napi::Status;
use napi::bindgen_prelude::{Array, ToNapiValue, Unknown};
use tenspan::value::{IntoAny, Kind};
use tenspan::{Error, ErrorKind};

use crate::bytes;
use crate::host::{Ask, Scope};
use crate::kept::Kept;
use crate::{dynamic, value};

/// Causes of causes that are looked at.
const MOST_CAUSES: u32 = 16;

/// Throws an error of core; what is returned says so to the bindings.
pub fn throw(scope: &Scope<'_>, error: &Error) -> napi::Error {
    match object(scope, error).and_then(|value| scope.env.throw(value)) {
        Ok(()) => napi::Error::new(Status::PendingException, error.to_string()),
        Err(failed) => failed,
    }
}

/// The error object of an error of core; the very value, if JavaScript threw it.
pub fn object<'env>(scope: &Scope<'env>, error: &Error) -> napi::Result<Unknown<'env>> {
    let origin = error.origin();
    let thrown = origin.and_then(|origin| origin.downcast_ref::<Kept>());
    if let Some(value) = thrown.and_then(|thrown| thrown.value(scope)) {
        return value;
    }
    let cause = error
        .cause()
        .map(|cause| object(scope, cause))
        .transpose()?;
    let kind = error.kind_name().into_unknown(scope.env)?;
    let message = error.message().into_unknown(scope.env)?;
    let made = scope.ask_with(Ask::Error, [Some(kind), Some(message), cause])?;
    // The place in core alone, where an error of a method was made, tells its caller nothing.
    if thrown.is_none() && error.has_frames() {
        let frames = error.traceback().into_unknown(scope.env)?;
        scope.ask_with(Ask::Frames, [Some(made), Some(frames), None])?;
    }
    if let Some(key) = error.key() {
        let key = dynamic::to_js(scope, &key.view())?;
        scope.ask_with(Ask::Key, [Some(made), Some(key), None])?;
    }
    if origin.is_some() {
        // Thrown again it is to be what it was where it came from.
        let number = scope
            .room
            .hold(scope.env, error.clone().into_any(), 0)
            .into_unknown(scope.env)?;
        scope.ask_with(Ask::Returns, [Some(made), Some(number), None])?;
    }
    Ok(made)
}

/// A value that was thrown, as an error of core that has it as its origin.
///
/// JavaScript describes it as the number of the error of core that it was made of, or as kind, message and frames, and so
/// each of its causes.
pub fn thrown(scope: &Scope<'_>, value: Unknown<'_>) -> napi::Result<Error> {
    let told = scope.ask(Ask::Describe, value)?;
    let told: Array<'_> = bytes::read(told)?;
    let mut error = None;
    for i in (0..told.len().min(MOST_CAUSES)).rev() {
        let Some(one) = told.get::<Array<'_>>(i)? else {
            continue;
        };
        error = Some(described(scope, &one, error)?);
    }
    let error =
        error.unwrap_or_else(|| Error::new(ErrorKind::InternalError, "a thrown value was lost"));
    if error.origin().is_some() {
        return Ok(error);
    }
    Ok(error.with_origin(Arc::new(Kept::new(scope, value)?)))
}

fn described(scope: &Scope<'_>, told: &Array<'_>, cause: Option<Error>) -> napi::Result<Error> {
    if told.len() == 1
        && let Some(number) = told.get::<f64>(0)?
        && let Kind::Error(error) = value::held(scope, number)?.kind()
    {
        return Ok(error);
    }
    let text = |at| Ok::<_, napi::Error>(told.get::<String>(at)?.unwrap_or_default());
    let mut error = Error::from_kind_name(&text(0)?, text(1)?);
    let frames = text(2)?;
    if !frames.is_empty() {
        error = error.with_traceback(frames);
    }
    Ok(match cause {
        Some(cause) => error.with_cause(cause),
        None => error,
    })
}

/// An error of the engine on its way through core; what JavaScript threw meanwhile stays what it is.
pub fn from_engine(scope: &Scope<'_>, error: &napi::Error) -> Error {
    let raised = bytes::caught(scope.env).map(|value| thrown(scope, value));
    match raised {
        Some(Ok(raised)) => raised,
        Some(Err(_)) => {
            // There was no room for the call that asks what it is: the stack is full.
            let _ = bytes::caught(scope.env);
            let message = "an exception of JavaScript could not be looked at";
            Error::new(ErrorKind::RuntimeError, message)
        }
        None => Error::new(ErrorKind::RuntimeError, error.reason.clone()),
    }
}
