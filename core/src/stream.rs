//! Streams: where the work of a device is queued, one for each device and thread.
//!
//! Who calls a function with memory of a device says which stream that memory belongs to, by [`set`] or [`Scope`]; the
//! callee asks [`get`]. A stream is an address or a number that only the device's own library understands; 0 is the one
//! that a device has by default.

use std::cell::RefCell;

use crate::device::Device;

thread_local! {
    /// The streams that are not 0. There are few, so they are looked through.
    static STREAMS: RefCell<Vec<(Device, u64)>> = const { RefCell::new(Vec::new()) };
}

/// The stream of a device on this thread; 0 when none was set.
pub fn get(device: Device) -> u64 {
    // While the thread ends there is none.
    let found = STREAMS.try_with(|streams| {
        let streams = streams.borrow();
        let known = streams.iter().find(|(known, _)| *known == device);
        known.map(|(_, stream)| *stream)
    });
    found.ok().flatten().unwrap_or(0)
}

/// Sets the stream of a device on this thread, and returns what was set before.
pub fn set(device: Device, stream: u64) -> u64 {
    let before = STREAMS.try_with(|streams| {
        let mut streams = streams.borrow_mut();
        let place = streams.iter().position(|(known, _)| *known == device);
        match (place, stream) {
            (Some(place), 0) => streams.swap_remove(place).1,
            (Some(place), _) => std::mem::replace(&mut streams[place].1, stream),
            (None, 0) => 0,
            (None, _) => {
                streams.push((device, stream));
                0
            }
        }
    });
    before.unwrap_or(0)
}

/// A stream that is set until this is dropped, when the one before is set again.
#[derive(Debug)]
#[must_use = "the stream is set until this is dropped"]
pub struct Scope {
    device: Device,
    before: u64,
    /// What is dropped on another thread would change the streams of that one.
    stays: std::marker::PhantomData<*const ()>,
}

impl Scope {
    /// Sets the stream of a device on this thread.
    pub fn enter(device: Device, stream: u64) -> Scope {
        Scope {
            device,
            before: set(device, stream),
            stays: std::marker::PhantomData,
        }
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
        set(self.device, self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Device = Device {
        device_type: 2,
        device_id: 0,
    };
    const OTHER: Device = Device {
        device_type: 2,
        device_id: 1,
    };

    #[test]
    fn scopes_nest_and_end_in_turn() {
        assert_eq!(get(ONE), 0);
        let outer = Scope::enter(ONE, 7);
        let beside = Scope::enter(OTHER, 9);
        {
            let _inner = Scope::enter(ONE, 8);
            assert_eq!((get(ONE), get(OTHER)), (8, 9));
            let _none = Scope::enter(ONE, 0);
            assert_eq!(get(ONE), 0);
        }
        assert_eq!((get(ONE), get(OTHER)), (7, 9));
        drop(beside);
        drop(outer);
        assert_eq!((get(ONE), get(OTHER)), (0, 0));
    }

    #[test]
    fn setting_tells_what_was_set() {
        assert_eq!(set(ONE, 1), 0);
        assert_eq!(set(ONE, 2), 1);
        assert_eq!(set(ONE, 0), 2);
        assert_eq!(set(ONE, 0), 0);
    }

    #[test]
    fn each_thread_has_its_own() {
        let _here = Scope::enter(ONE, 7);
        let there = std::thread::spawn(|| (get(ONE), set(ONE, 3))).join();
        assert_eq!(there.unwrap(), (0, 0));
        assert_eq!(get(ONE), 7);
    }

    #[test]
    fn a_panic_ends_a_scope() {
        let panicked = std::panic::catch_unwind(|| {
            let _scope = Scope::enter(ONE, 7);
            panic!("in between");
        });
        assert!(panicked.is_err());
        assert_eq!(get(ONE), 0);
    }
}
