//! The 16-byte value, owned and borrowed.
//!
//! [`Any`] owns what it holds, [`AnyView`] borrows it. Both are read through [`Kind`].
#![allow(
    unsafe_code,
    reason = "payloads are addresses of objects, valid by the rules of the ABI"
)]

use std::marker::PhantomData;
use std::ptr::NonNull;

use super::layout::{ByteArray, DLDataType, ObjectHeader, RawAny, index};
use super::object::{self, ObjectRef};
use super::{array, text};
use crate::dtype::DType;
use crate::function::Function;
use crate::tensor::Tensor;

/// An owned value.
#[repr(transparent)]
pub struct Any(RawAny);

// SAFETY: plain values move freely, objects may be held and dropped by any thread (see `ObjectRef`).
unsafe impl Send for Any {}
// SAFETY: as above.
unsafe impl Sync for Any {}

/// A value that someone else owns for as long as `'a`.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct AnyView<'a>(RawAny, PhantomData<&'a RawAny>);

// SAFETY: a view is a shared reference to a value that any thread may use.
unsafe impl Send for AnyView<'_> {}
// SAFETY: as above.
unsafe impl Sync for AnyView<'_> {}

/// What a value is.
pub enum Kind<'a> {
    /// Nothing.
    None,
    /// True or false.
    Bool(bool),
    /// A whole number of 64 bits.
    Int(i64),
    /// A whole number of more.
    BigInt(i128),
    /// A number with a point.
    Float(f64),
    /// An address that means something to the callee.
    Pointer(u64),
    /// A dtype.
    DType(DType),
    /// Text.
    Str(&'a str),
    /// Bytes, or text that is not UTF-8.
    Bytes(&'a [u8]),
    /// A tensor.
    Tensor(Tensor),
    /// Something to call.
    Function(Function),
    /// Values in order.
    Array(&'a [Any]),
    /// Any other object, or a value of a kind that stays inside one call.
    Other(i32),
}

/// Code of a dtype that DLPack cannot name; `lanes` then holds the id of GGML.
const GGML_CODE: u8 = 0xe0;

impl Any {
    /// Nothing.
    pub const NONE: Any = Any(RawAny {
        type_index: index::NONE,
        small_len: 0,
        payload: 0,
    });

    const fn plain(type_index: i32, payload: u64) -> Any {
        Any(RawAny {
            type_index,
            small_len: 0,
            payload,
        })
    }

    /// True or false.
    pub const fn bool(value: bool) -> Any {
        Any::plain(index::BOOL, value as u64)
    }

    /// A whole number.
    pub fn int(value: i128) -> Any {
        match i64::try_from(value) {
            Ok(small) => Any::plain(index::INT, small as u64),
            Err(_) => Any::object(text::BigInt::object(value)),
        }
    }

    /// A number with a point.
    pub const fn float(value: f64) -> Any {
        Any::plain(index::FLOAT, value.to_bits())
    }

    /// A dtype.
    pub fn dtype(dtype: DType) -> Any {
        let dl = dl_dtype(dtype);
        let payload = u64::from(dl.code) | u64::from(dl.bits) << 8 | u64::from(dl.lanes) << 16;
        Any::plain(index::DTYPE, payload)
    }

    /// Text; up to seven bytes need no allocation.
    pub fn string(value: &str) -> Any {
        match small(value.as_bytes()) {
            Some(payload) => Any(RawAny {
                type_index: index::SMALL_STR,
                small_len: value.len() as u32,
                payload,
            }),
            None => Any::object(text::string(value)),
        }
    }

    /// Bytes; up to seven need no allocation.
    pub fn bytes(value: &[u8]) -> Any {
        match small(value) {
            Some(payload) => Any(RawAny {
                type_index: index::SMALL_BYTES,
                small_len: value.len() as u32,
                payload,
            }),
            None => Any::object(text::bytes(value)),
        }
    }

    /// Values in order.
    pub fn array(items: Vec<Any>) -> Any {
        Any::object(array::new(items))
    }

    /// An object.
    pub fn object(object: ObjectRef) -> Any {
        let type_index = object.type_index();
        Any::plain(type_index, object.into_handle().as_ptr() as u64)
    }

    /// A view of this value.
    pub fn view(&self) -> AnyView<'_> {
        AnyView(self.0, PhantomData)
    }

    /// What this value is.
    pub fn kind(&self) -> Kind<'_> {
        // SAFETY: the payload is read in place, and lives as long as `self`.
        unsafe { kind(&self.0) }
    }

    /// Gives the value to the caller in its C layout; whoever gets it owns it.
    pub fn into_raw(self) -> RawAny {
        let raw = self.0;
        std::mem::forget(self);
        raw
    }

    /// Takes over a value in its C layout.
    ///
    /// # Safety
    /// `raw` is an owned value by the rules of the ABI, and the caller gives it up.
    pub unsafe fn from_raw(raw: RawAny) -> Any {
        Any(raw)
    }
}

fn small(bytes: &[u8]) -> Option<u64> {
    let mut payload = [0; 8];
    payload
        .get_mut(..bytes.len())
        .filter(|room| room.len() < 8)?
        .copy_from_slice(bytes);
    Some(u64::from_le_bytes(payload))
}

impl AnyView<'_> {
    /// Nothing.
    pub const NONE: AnyView<'static> = AnyView::plain(index::NONE, 0);

    /// True or false.
    pub const fn bool(value: bool) -> AnyView<'static> {
        AnyView::plain(index::BOOL, value as u64)
    }

    /// A whole number.
    pub const fn int(value: i64) -> AnyView<'static> {
        AnyView::plain(index::INT, value as u64)
    }

    /// A number with a point.
    pub const fn float(value: f64) -> AnyView<'static> {
        AnyView::plain(index::FLOAT, value.to_bits())
    }

    /// A value that points at nothing, so that nobody has to own it.
    const fn plain(type_index: i32, payload: u64) -> AnyView<'static> {
        let raw = RawAny {
            type_index,
            small_len: 0,
            payload,
        };
        AnyView(raw, PhantomData)
    }
}

impl<'a> AnyView<'a> {
    /// A view of a value in its C layout.
    ///
    /// # Safety
    /// `raw` is a value by the rules of the ABI and what it points at lives as long as `'a`.
    pub unsafe fn from_raw(raw: RawAny) -> Self {
        AnyView(raw, PhantomData)
    }

    /// Views of values that someone else owns.
    pub fn slice(values: &'a [Any]) -> &'a [AnyView<'a>] {
        // SAFETY: both are transparent over `RawAny`, and a view of an owned value lives as long as it is borrowed.
        unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), values.len()) }
    }

    /// The C layout.
    pub fn raw(self) -> RawAny {
        self.0
    }

    /// Type of the value.
    pub fn type_index(self) -> i32 {
        self.0.type_index
    }

    /// What to call the value in messages.
    pub fn type_name(self) -> &'static str {
        super::types::key(self.0.type_index)
    }

    /// Whether there is no value.
    pub fn is_none(self) -> bool {
        self.0.type_index == index::NONE
    }

    /// What this value is.
    pub fn kind(&self) -> Kind<'_> {
        // SAFETY: small text is read out of `self`, everything else lives at least as long.
        unsafe { kind(&self.0) }
    }

    /// The object, if the value is one.
    pub fn object(self) -> Option<ObjectRef> {
        let handle = object_handle(&self.0)?;
        // SAFETY: the view says that the object lives during the call.
        Some(unsafe { ObjectRef::from_borrowed(handle) })
    }

    /// The value of an object of one of our own classes, if it is of the type `type_index`.
    ///
    /// # Safety
    /// Objects of that type index are made by `Boxed::<T>::object` only.
    pub unsafe fn class_value<T>(self, type_index: i32) -> Option<&'a T> {
        let handle = object_handle(&self.0)?;
        // SAFETY: the type index tells that the object holds a `T`; it lives as long as `'a`.
        (self.0.type_index == type_index).then(|| unsafe { object::value(handle) })
    }

    /// Owns the value: objects are counted, borrowed text is copied.
    pub fn to_any(self) -> Any {
        if let Some(object) = self.object() {
            return Any::object(object);
        }
        match self.kind() {
            Kind::Str(text) => Any::string(text),
            Kind::Bytes(bytes) => Any::bytes(bytes),
            _ => Any(self.0),
        }
    }
}

fn object_handle(raw: &RawAny) -> Option<NonNull<ObjectHeader>> {
    if raw.type_index < index::OBJECT {
        return None;
    }
    NonNull::new(raw.payload as *mut ObjectHeader)
}

/// # Safety
/// `raw` is a value by the rules of the ABI, and lives with all it points at as long as `'a`.
unsafe fn kind<'a>(raw: &'a RawAny) -> Kind<'a> {
    let handle = object_handle(raw);
    match (raw.type_index, handle) {
        (index::NONE, _) => Kind::None,
        (index::INT, _) => Kind::Int(raw.payload as i64),
        (index::BOOL, _) => Kind::Bool(raw.payload != 0),
        (index::FLOAT, _) => Kind::Float(f64::from_bits(raw.payload)),
        (index::POINTER, _) => Kind::Pointer(raw.payload),
        (index::DTYPE, _) => {
            from_dl_dtype(raw.payload).map_or(Kind::Other(index::DTYPE), Kind::DType)
        }
        (index::SMALL_STR | index::SMALL_BYTES, _) => {
            let length = (raw.small_len as usize).min(7);
            // SAFETY: the payload holds eight bytes, in place.
            let bytes =
                unsafe { std::slice::from_raw_parts((&raw const raw.payload).cast(), length) };
            text_kind(bytes, raw.type_index == index::SMALL_STR)
        }
        (index::RAW_STR, _) if raw.payload != 0 => {
            // SAFETY: the ABI says that the payload is a NUL-terminated string.
            let text = unsafe { std::ffi::CStr::from_ptr(raw.payload as *const _) };
            text_kind(text.to_bytes(), true)
        }
        (index::BYTE_ARRAY, _) if raw.payload != 0 => {
            // SAFETY: the ABI says that the payload is the address of a ByteArray.
            text_kind(
                unsafe { byte_array(raw.payload as *const ByteArray) },
                false,
            )
        }
        (index::STR | index::BYTES, Some(handle)) => {
            // SAFETY: such objects have a ByteArray behind their header.
            let bytes = unsafe { byte_array(object::cell(handle)) };
            text_kind(bytes, raw.type_index == index::STR)
        }
        (index::BIG_INT, Some(handle)) => {
            // SAFETY: such objects have the words behind their header.
            match unsafe { text::BigInt::read(object::cell(handle)) } {
                Some(value) => Kind::BigInt(value),
                None => Kind::Other(index::BIG_INT),
            }
        }
        (index::TENSOR, Some(handle)) => {
            // SAFETY: the object lives during the call.
            let object = unsafe { ObjectRef::from_borrowed(handle) };
            Tensor::from_object(object).map_or(Kind::Other(index::TENSOR), Kind::Tensor)
        }
        // SAFETY: the object lives during the call, and its type says that it is a function.
        (index::FUNCTION, Some(handle)) => Kind::Function(Function::from_object(unsafe {
            ObjectRef::from_borrowed(handle)
        })),
        // SAFETY: the type says that the object is a sequence.
        (index::ARRAY | index::LIST, Some(handle)) => Kind::Array(unsafe { array::items(handle) }),
        (other, _) => Kind::Other(other),
    }
}

fn text_kind(bytes: &[u8], is_text: bool) -> Kind<'_> {
    match std::str::from_utf8(bytes) {
        Ok(text) if is_text => Kind::Str(text),
        _ => Kind::Bytes(bytes),
    }
}

/// # Safety
/// `array` is the address of a ByteArray whose bytes live as long as `'a`.
unsafe fn byte_array<'a>(array: *const ByteArray) -> &'a [u8] {
    // SAFETY: the caller says so.
    let ByteArray { data, size } = unsafe { *array };
    if size == 0 || data.is_null() {
        return &[];
    }
    // SAFETY: the caller says so.
    unsafe { std::slice::from_raw_parts(data, size) }
}

/// The DLPack form of a dtype; a private code for those that DLPack cannot name.
pub fn dl_dtype(dtype: DType) -> DLDataType {
    match dtype.dlpack_code() {
        Some(code) => DLDataType {
            code: code as u8,
            bits: (dtype.block_bytes() * 8) as u8,
            lanes: 1,
        },
        None => DLDataType {
            code: GGML_CODE,
            bits: 0,
            lanes: dtype.ggml_id().unwrap_or(u32::MAX) as u16,
        },
    }
}

fn from_dl_dtype(payload: u64) -> Option<DType> {
    let (code, bits, lanes) = (payload as u8, (payload >> 8) as u8, (payload >> 16) as u16);
    match (code, lanes) {
        (GGML_CODE, id) => Some(DType::from_ggml_id(id.into())),
        (_, 1) => DType::from_dlpack(code, bits),
        _ => None,
    }
}

impl Clone for Any {
    fn clone(&self) -> Self {
        self.view().to_any()
    }
}

impl Drop for Any {
    fn drop(&mut self) {
        if let Some(handle) = object_handle(&self.0) {
            // SAFETY: this value owns one strong count of its object.
            unsafe { object::release(handle) }
        }
    }
}

impl std::fmt::Debug for Any {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.kind() {
            Kind::None => f.write_str("None"),
            Kind::Bool(value) => write!(f, "{value}"),
            Kind::Int(value) => write!(f, "{value}"),
            Kind::BigInt(value) => write!(f, "{value}"),
            Kind::Float(value) => write!(f, "{value:?}"),
            Kind::Pointer(value) => write!(f, "pointer({value:#x})"),
            Kind::DType(dtype) => write!(f, "{dtype}"),
            Kind::Str(text) => write!(f, "{text:?}"),
            Kind::Bytes(bytes) => write!(f, "bytes({})", bytes.len()),
            Kind::Tensor(tensor) => write!(f, "{tensor:?}"),
            Kind::Function(_) => f.write_str("function"),
            Kind::Array(items) => f.debug_list().entries(items).finish(),
            Kind::Other(index) => f.write_str(super::types::key(index)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_every_length_reads_back() {
        for length in 0..20 {
            let text = "ä".repeat(length);
            assert!(matches!(Any::string(&text).kind(), Kind::Str(read) if read == text));
            assert!(
                matches!(Any::bytes(text.as_bytes()).clone().kind(), Kind::Bytes(read) if read == text.as_bytes())
            );
        }
        assert_eq!(Any::string("1234567").0.type_index, index::SMALL_STR);
        assert_eq!(Any::string("12345678").0.type_index, index::STR);
    }

    #[test]
    fn whole_numbers_of_any_size_read_back() {
        for value in [
            0,
            -1,
            i64::MAX as i128,
            i64::MIN as i128,
            u64::MAX as i128,
            -(1 << 100),
        ] {
            let read = match Any::int(value).kind() {
                Kind::Int(small) => small.into(),
                Kind::BigInt(big) => big,
                _ => panic!("not a number"),
            };
            assert_eq!(read, value);
        }
    }

    #[test]
    fn every_dtype_reads_back() {
        for dtype in crate::dtypes().into_iter().chain([DType::Opaque(77)]) {
            assert!(
                matches!(Any::dtype(dtype).kind(), Kind::DType(read) if read == dtype),
                "{dtype}"
            );
        }
    }

    #[test]
    fn arrays_own_their_items() {
        let array = Any::array(vec![
            Any::string("a long enough string"),
            Any::int(1),
            Any::NONE,
        ]);
        let copy = array.clone();
        drop(array);
        let Kind::Array(items) = copy.kind() else {
            panic!("not an array")
        };
        assert!(matches!(items[0].kind(), Kind::Str("a long enough string")));
        assert_eq!(items.len(), 3);
        assert!(matches!(Any::array(vec![]).kind(), Kind::Array([])));
    }
}
