//! Functions in both directions: of JavaScript as functions of core, and of core as functions of JavaScript.

use std::sync::Arc;
use std::thread;

use napi::bindgen_prelude::{Array, Env, FunctionRef, JsValue, ToNapiValue, Unknown};
use napi::sys::napi_value;
use tenspan::function::Function;
use tenspan::value::{Any, AnyView, IntoAny};
use tenspan::{Error, ErrorKind, Result};

use crate::bytes;
use crate::error::{self, Thrown};
use crate::host::{Ask, Scope};
use crate::room::Room;
use crate::value::{self, Given};

/// Takes an array of arguments; see [`Ask::Guard`].
type GuardedRef = FunctionRef<napi_value, Unknown<'static>>;

/// A JavaScript function as a value of core. It runs on the thread of its engine, while that thread is in a call.
pub fn from_js(scope: &Scope<'_>, function: Unknown<'_>) -> napi::Result<Any> {
    let guarded: GuardedRef = bytes::read(scope.ask(Ask::Guard, function)?)?;
    let room = scope.room.number;
    let home = thread::current().id();
    let env = scope.env.raw() as usize;
    let function = Function::new(move |args| {
        if thread::current().id() != home {
            let message = "a JavaScript function was called on another thread than its own";
            return Err(Error::new(ErrorKind::RuntimeError, message));
        }
        // Its engine is the one of this thread, which is in a call: it lives.
        let env = Env::from_raw(env as _);
        let room = Room::find(room)
            .ok_or_else(|| Error::new(ErrorKind::RuntimeError, "the engine has ended"))?;
        let scope = Scope {
            env: &env,
            room: &room,
        };
        call(&scope, &guarded, args)
    });
    Ok(function.into_any())
}

fn call(scope: &Scope<'_>, guarded: &GuardedRef, args: &[AnyView<'_>]) -> Result<Any> {
    let engine = |error: napi::Error| error::from_engine(&error);
    let env = scope.env;
    let outcome = (|| {
        let mut list = env.create_array(args.len() as u32)?;
        for (i, arg) in args.iter().enumerate() {
            list.set(i as u32, value::view_to_js(scope, arg)?)?;
        }
        let outcome = guarded.borrow_back(env)?.call(list.raw())?;
        bytes::read::<Array<'_>>(outcome)
    })()
    .map_err(engine)?;
    if outcome.len() == 2 {
        let keeper = outcome
            .get::<FunctionRef<(), Unknown<'static>>>(1)
            .map_err(engine)?;
        let keeper = keeper
            .ok_or_else(|| Error::new(ErrorKind::InternalError, "a thrown value was lost"))?;
        let message = "a JavaScript function threw";
        return Err(
            Error::new(ErrorKind::RuntimeError, message).with_origin(Arc::new(Thrown::new(keeper)))
        );
    }
    let given = Given::of(scope, &outcome).map_err(engine)?;
    let result = given
        .views()
        .first()
        .map_or(Any::NONE, |view| view.to_any());
    given.finish(scope).map_err(engine)?;
    Ok(result)
}

/// A function of core as a JavaScript function.
pub fn to_js<'env>(scope: &Scope<'env>, function: Function) -> napi::Result<Unknown<'env>> {
    let room = scope.room.number;
    let made = scope
        .env
        .create_function_from_closure::<(), napi_value, _>("tenspan", move |context| {
            let env: &Env = context.env;
            let room =
                Room::find(room).ok_or_else(|| napi::Error::from_reason("the engine has ended"))?;
            let scope = Scope { env, room: &room };
            let mut list = env.create_array(context.length() as u32)?;
            for i in 0..context.length() {
                list.set(i as u32, context.get::<Unknown<'_>>(i)?)?;
            }
            let given = Given::of(&scope, &list)?;
            let result = crate::guarded(|| function.call_views(&given.views()));
            given.finish(&scope)?;
            let result = match result {
                Ok(result) => value::to_js(&scope, &result)?,
                Err(error) => return Err(error::throw(&scope, &error)),
            };
            Ok(result.raw())
        })?;
    made.into_unknown(scope.env)
}
