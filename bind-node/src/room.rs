//! What an environment of the engine (the main one, or that of a worker) has for itself: its frame, its objects, its host.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use napi::bindgen_prelude::{Env, FunctionRef, Object, Unknown};
use napi::sys::napi_env;
use tenspan::value::{Any, IntoAny};
use tenspan::{DType, Device};

use crate::bytes::wake::Wake;
use crate::bytes::{entry, frame::Frame, watched::Watched};
use crate::host::HostArgs;
use crate::metrics::Metrics;
use crate::objects::Objects;
use crate::post::Post;

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
    /// How other threads have work done here.
    pub post: Arc<Post>,
    /// The environment, as the engine knows it.
    pub env: napi_env,
    /// Dtypes and devices are values: each has one object.
    dtypes: RefCell<HashMap<String, f64>>,
    devices: RefCell<HashMap<Device, f64>>,
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
        let number = ROOMS.with_borrow(Vec::len);
        // Made before the hook below, which so runs before the engine ends this.
        let wake = Wake::new(env, number)?;
        let room = ROOMS.with_borrow_mut(|rooms| {
            let room = Rc::new(Room {
                number,
                host,
                frame,
                objects: Objects::default(),
                watched: Watched::default(),
                post: Post::open(number, wake),
                env: env.raw(),
                dtypes: RefCell::default(),
                devices: RefCell::default(),
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
        let room = ROOMS.with_borrow_mut(|rooms| rooms.get_mut(number).and_then(Option::take));
        if let Some(room) = &room {
            entry::forget(room.env);
            room.post.close();
        }
        room
    }

    /// Does what other threads handed in for the rooms of this thread, which is in a native call.
    pub fn work_here() {
        let rooms: Vec<Rc<Room>> =
            ROOMS.with_borrow(|rooms| rooms.iter().flatten().cloned().collect());
        for room in rooms {
            room.post.catch_up();
        }
    }

    /// The number of the object of a dtype.
    pub fn dtype(&self, dtype: DType) -> f64 {
        let make = || self.objects.insert(dtype.into_any(), 0);
        let mut dtypes = self.dtypes.borrow_mut();
        *dtypes.entry(dtype.name()).or_insert_with(make)
    }

    /// The number of the object of a device.
    pub fn device(&self, device: Device) -> f64 {
        let make = || self.objects.insert(device.into_any(), 0);
        *self.devices.borrow_mut().entry(device).or_insert_with(make)
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
