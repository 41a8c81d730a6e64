//! What an environment of the engine (the main one, or that of a worker) has for itself: its frame, its objects, its host.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use napi::bindgen_prelude::{Env, FunctionRef, Object, Unknown};
use tenspan::DType;
use tenspan::value::{Any, IntoAny};

use crate::bytes::{entry, frame::Frame, watched::Watched};
use crate::host::HostArgs;
use crate::metrics::Metrics;
use crate::objects::Objects;

/// The state of one environment.
pub struct Room {
    /// Where it stands among the rooms of its thread.
    pub number: usize,
    /// The function that native code asks.
    pub host: FunctionRef<HostArgs, Unknown<'static>>,
    /// Where calls are packed.
    pub frame: Frame,
    /// What its objects hold.
    pub objects: Objects,
    /// Those among them that hold much memory.
    pub watched: Watched,
    /// Dtypes are values: each has one object.
    dtypes: RefCell<HashMap<String, f64>>,
    /// Entries that take typed arrays as they are.
    pub metrics: Metrics,
    /// Whether memory of core may be shown as an array buffer.
    pub can_share: bool,
    /// Whether the engine has a `Float16Array`.
    pub has_halves: bool,
}

thread_local! {
    /// By their number. The room of an environment that ended is gone.
    static ROOMS: RefCell<Vec<Option<Rc<Room>>>> = const { RefCell::new(Vec::new()) };
}

impl Room {
    /// Makes a room, and the functions by which it is used.
    pub fn open<'env>(
        env: &'env Env,
        host: FunctionRef<HostArgs, Unknown<'static>>,
        frame: Frame,
        can_share: bool,
        has_halves: bool,
    ) -> napi::Result<Object<'env>> {
        let room = ROOMS.with_borrow_mut(|rooms| {
            let room = Rc::new(Room {
                number: rooms.len(),
                host,
                frame,
                objects: Objects::default(),
                watched: Watched::default(),
                dtypes: RefCell::default(),
                metrics: Metrics::find(),
                can_share,
                has_halves,
            });
            rooms.push(Some(Rc::clone(&room)));
            room
        });
        env.add_env_cleanup_hook(room.number, |number| drop(Room::leave(number)))?;
        entry::functions(env, &room)
    }

    /// A room of this thread.
    pub fn find(number: usize) -> Option<Rc<Room>> {
        ROOMS.with_borrow(|rooms| rooms.get(number).cloned().flatten())
    }

    fn leave(number: usize) -> Option<Rc<Room>> {
        ROOMS.with_borrow_mut(|rooms| rooms.get_mut(number).and_then(Option::take))
    }

    /// The number of the object of a dtype.
    pub fn dtype(&self, dtype: DType) -> f64 {
        let make = || self.objects.insert(dtype.into_any(), 0);
        let mut dtypes = self.dtypes.borrow_mut();
        *dtypes.entry(dtype.name()).or_insert_with(make)
    }

    /// Holds a value. The collector is told of the bytes of a tensor that has its memory for itself.
    pub fn hold(&self, env: &Env, value: Any, bytes: u64) -> f64 {
        if self.watched.note(bytes) {
            self.watched.look(env, &self.objects);
        }
        let number = self.objects.insert(value, bytes);
        self.tell(env);
        number
    }

    /// Tells the collector what it does not know yet.
    #[inline]
    pub fn tell(&self, env: &Env) {
        if let Some(bytes) = self.objects.to_tell() {
            // Nothing depends on it.
            let _ = env.adjust_external_memory(bytes);
        }
    }
}
