//! The frame of a packed call: records that JavaScript and native code write and read in turn, without the engine.
//!
//! It is one small buffer for each environment. JavaScript writes the arguments and calls; native code reads all of them
//! before anything else of JavaScript can run, and writes the result last: so calls within calls need no frame of their own.

use std::ptr::NonNull;

use napi::sys;

use super::check;

/// Records in a frame: the first is the head and later the result, the others are arguments.
pub const RECORDS: usize = 16;

/// Numbers of lists that stand behind the records.
pub const NUMBERS: usize = 64;

const BYTES: usize = RECORDS * size_of::<Record>() + NUMBERS * size_of::<f64>();

/// What a record holds. The numbers are those in `js/frame.cjs`.
pub mod tag {
    /// Nothing.
    pub const NONE: i32 = 0;
    /// A number.
    pub const NUMBER: i32 = 1;
    /// True or false.
    pub const BOOL: i32 = 2;
    /// The number of a held value; for a result `extra` is its type.
    pub const HANDLE: i32 = 3;
    /// `extra` numbers, the first of them at the position in `payload`.
    pub const LIST: i32 = 4;
    /// A value of JavaScript: the argument of this position, or what the call returns. `extra` is one more than the number
    /// that Node-API has for the kind of a typed array, and 0 for other values.
    pub const VALUE: i32 = 5;
    /// As `VALUE`, bytes rather than a tensor.
    pub const BYTES: i32 = 6;
    /// As `HANDLE`, for a result that holds much memory: its object is to be [watched](super::super::watched).
    pub const LARGE: i32 = 9;
    /// A complex number, for a result: the imaginary part is the first number of lists.
    pub const COMPLEX: i32 = 8;
    /// As `VALUE`, for an entry of this front that wants the very value.
    pub const RAW: i32 = 7;
    /// As `HANDLE`, of an object of core whose address is the payload of the next record; `extra` there is whether it is
    /// `LARGE`.
    pub const OBJECT: i32 = 10;
}

/// One value.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub struct Record {
    /// What it is; of the head, the entry to call.
    pub tag: i32,
    /// A count, or what `tag` says; of the head, the number of arguments.
    pub extra: u32,
    /// Bits of the number.
    pub payload: u64,
}

impl Record {
    /// A number.
    #[inline]
    pub fn of(number: f64) -> Self {
        Record {
            tag: tag::NUMBER,
            extra: 0,
            payload: number.to_bits(),
        }
    }

    /// The payload as a number.
    #[inline]
    pub fn number(self) -> f64 {
        f64::from_bits(self.payload)
    }
}

/// The buffer.
pub struct Frame {
    start: NonNull<Record>,
}

impl Frame {
    /// The frame in a buffer of the package, which is kept as long as the environment.
    pub fn new(env: sys::napi_env, buffer: sys::napi_value) -> napi::Result<Self> {
        let mut data = std::ptr::null_mut();
        let mut len = 0;
        // SAFETY: the value is an argument of the current call; anything but a buffer is reported.
        check(unsafe { sys::napi_get_arraybuffer_info(env, buffer, &mut data, &mut len) })?;
        let mut reference = std::ptr::null_mut();
        // SAFETY: as above. The reference is never given back: it goes with the environment.
        check(unsafe { sys::napi_create_reference(env, buffer, 1, &mut reference) })?;
        let start =
            NonNull::new(data.cast::<Record>()).filter(|start| len >= BYTES && start.is_aligned());
        let start = start.ok_or_else(|| {
            napi::Error::from_reason(format!("a frame of {BYTES} bytes wanted, found {len}"))
        })?;
        Ok(Frame { start })
    }

    /// Reads a record.
    #[inline]
    pub fn get(&self, position: usize) -> Record {
        assert!(position < RECORDS, "a frame has {RECORDS} records");
        let record = self.record(position);
        // Each member by itself: JavaScript wrote them one by one, and a load over several stores waits for all of them.
        Record {
            // SAFETY: inside the buffer, which the package neither gives away nor shares with another thread.
            tag: unsafe { record.cast::<i32>().read_volatile() },
            // SAFETY: as above; it stands behind four bytes.
            extra: unsafe { record.cast::<u32>().wrapping_add(1).read_volatile() },
            // SAFETY: as above; it stands behind eight.
            payload: unsafe { record.cast::<u64>().wrapping_add(1).read_volatile() },
        }
    }

    /// Writes a record.
    #[inline]
    pub fn put(&self, position: usize, record: Record) {
        assert!(position < RECORDS, "a frame has {RECORDS} records");
        // SAFETY: as in `get`.
        unsafe { self.record(position).write(record) }
    }

    /// Reads a number of a list.
    pub fn number(&self, position: usize) -> f64 {
        assert!(position < NUMBERS, "a frame has {NUMBERS} numbers");
        // SAFETY: as in `get`, behind the records.
        unsafe { self.list(position).read() }
    }

    /// Writes a number of a list.
    pub fn put_number(&self, position: usize, number: f64) {
        assert!(position < NUMBERS, "a frame has {NUMBERS} numbers");
        // SAFETY: as in `get`, behind the records.
        unsafe { self.list(position).write(number) };
    }

    #[inline]
    fn record(&self, position: usize) -> *mut Record {
        self.start.as_ptr().wrapping_add(position)
    }

    fn list(&self, position: usize) -> *mut f64 {
        self.record(RECORDS).cast::<f64>().wrapping_add(position)
    }
}
