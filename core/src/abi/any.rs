//! The 16-byte value, owned and borrowed.
//!
//! [`Any`] owns what it holds, [`AnyView`] borrows it. Both are read through [`Kind`].
#![allow(
    unsafe_code,
    reason = "payloads are addresses of objects, valid by the rules of the ABI"
)]

use std::marker::PhantomData;
use std::ptr::NonNull;

pub use super::big::BigInt;
pub use super::kind::Kind;
use super::layout::{DLDataType, ObjectHeader, RawAny, index};
use super::object::{self, ObjectRef};
use super::{big, kind, sequence, tensor, text};
use crate::device::Device;
use crate::dtype::DType;
use crate::function::Function;
use crate::object::Object;
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

impl Default for AnyView<'_> {
    /// None.
    fn default() -> Self {
        AnyView::NONE
    }
}

// SAFETY: a view is a shared reference to a value that any thread may use.
unsafe impl Send for AnyView<'_> {}
// SAFETY: as above.
unsafe impl Sync for AnyView<'_> {}

impl Any {
    /// Nothing.
    pub const NONE: Any = Any(RawAny {
        type_index: index::NONE,
        small_len: 0,
        payload: 0,
    });

    #[inline]
    const fn plain(type_index: i32, payload: u64) -> Any {
        Any(RawAny {
            type_index,
            small_len: 0,
            payload,
        })
    }

    /// True or false.
    #[inline]
    pub const fn bool(value: bool) -> Any {
        Any::plain(index::BOOL, value as u64)
    }

    /// A whole number.
    #[inline]
    pub fn int(value: i128) -> Any {
        match i64::try_from(value) {
            Ok(small) => Any::plain(index::INT, small as u64),
            Err(_) => Any::integer(&[value as i64, (value >> 64) as i64]),
        }
    }

    /// A whole number of any size: words in two's complement, least significant first; none are 0.
    pub fn integer(words: &[i64]) -> Any {
        let number = BigInt::new(words);
        match number.to_i64() {
            Some(small) => Any::plain(index::INT, small as u64),
            None => Any::object(big::object(number)),
        }
    }

    /// A number with a point.
    #[inline]
    pub const fn float(value: f64) -> Any {
        Any::plain(index::FLOAT, value.to_bits())
    }

    /// A dtype.
    pub fn dtype(dtype: DType) -> Any {
        let dl = dl_dtype(dtype);
        let payload = u64::from(dl.code) | u64::from(dl.bits) << 8 | u64::from(dl.lanes) << 16;
        Any::plain(index::DTYPE, payload)
    }

    /// Where memory is.
    pub const fn device(device: Device) -> Any {
        let payload = device.device_type as u32 as u64 | (device.device_id as u32 as u64) << 32;
        Any::plain(index::DEVICE, payload)
    }

    /// An address that means something to the callee.
    pub const fn pointer(address: u64) -> Any {
        Any::plain(index::POINTER, address)
    }

    /// Text; up to seven bytes need no allocation.
    pub fn string(value: &str) -> Any {
        Any::string_bytes(value.as_bytes())
    }

    /// Text of a compiled module, which may be no UTF-8.
    pub fn string_bytes(value: &[u8]) -> Any {
        match small(value) {
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
        Any::object(sequence::array(items))
    }

    /// An object.
    pub fn object(object: ObjectRef) -> Any {
        let type_index = object.type_index();
        Any::plain(type_index, object.into_handle().as_ptr() as u64)
    }

    /// A view of this value.
    #[inline]
    pub fn view(&self) -> AnyView<'_> {
        AnyView(self.0, PhantomData)
    }

    /// What this value is.
    #[inline]
    pub fn kind(&self) -> Kind<'_> {
        // SAFETY: the payload is read in place, and lives as long as `self`.
        unsafe { kind::kind(&self.0) }
    }

    /// The tensor, if the value is one that this library made. Nothing is counted.
    #[inline]
    pub fn tensor(&self) -> Option<&Tensor> {
        // SAFETY: this value owns what it points at.
        unsafe { own_tensor(&self.0) }
    }

    /// The object, if the value is one.
    pub fn into_object(self) -> Option<ObjectRef> {
        let handle = object_handle(&self.0)?;
        std::mem::forget(self);
        // SAFETY: the value owned one strong count of its object, which goes to the reference.
        Some(unsafe { ObjectRef::from_owned(handle) })
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
    #[inline]
    pub fn is_none(self) -> bool {
        self.0.type_index == index::NONE
    }

    /// What this value is.
    #[inline]
    pub fn kind(&self) -> Kind<'_> {
        // SAFETY: small text is read out of `self`, everything else lives at least as long.
        unsafe { kind::kind(&self.0) }
    }

    /// The tensor, if the value is one that this library made. Nothing is counted.
    #[inline]
    pub fn tensor(&self) -> Option<&Tensor> {
        // SAFETY: what the value points at lives as long as the view.
        unsafe { own_tensor(&self.0) }
    }

    /// The function, if the value is one. Nothing is counted.
    #[inline]
    pub fn function(&self) -> Option<&Function> {
        // SAFETY: what the value points at lives as long as the view.
        let object = unsafe { own_object(&self.0) }?;
        let object: *const ObjectRef = object;
        // SAFETY: a `Function` is nothing but a reference to an object of this type.
        (self.0.type_index == index::FUNCTION).then(|| unsafe { &*object.cast() })
    }

    /// The object, if the value is one itself. Nothing is counted.
    #[inline]
    pub fn held_object(&self) -> Option<&Object> {
        // SAFETY: what the value points at lives as long as the view.
        let object: *const ObjectRef = unsafe { own_object(&self.0) }?;
        // SAFETY: an `Object` is nothing but such a reference.
        Some(unsafe { &*object.cast() })
    }

    /// The object, if the value is one, or refers to one.
    pub fn object(self) -> Option<ObjectRef> {
        let handle = match self.0.type_index {
            // SAFETY: the view says that what is referred to lives during the call.
            index::RVALUE_REF => unsafe { kind::referred(&self.0) }?,
            _ => object_handle(&self.0)?,
        };
        // SAFETY: the view says that the object lives during the call.
        Some(unsafe { ObjectRef::from_borrowed(handle) })
    }

    /// Takes the object out of the place that this value refers to; None when somebody took it before.
    ///
    /// # Safety
    /// The value is a reference to a handle, which nobody else reads or writes now.
    pub unsafe fn take_referred(self) -> Any {
        let place = self.0.payload as *mut *mut ObjectHeader;
        if place.is_null() {
            return Any::NONE;
        }
        // SAFETY: the caller says so.
        let handle = unsafe { place.replace(std::ptr::null_mut()) };
        NonNull::new(handle).map_or(Any::NONE, |handle| {
            // SAFETY: the place owned a count, which goes to the value.
            Any::object(unsafe { ObjectRef::from_owned(handle) })
        })
    }

    /// The same value as a container holds it: what is borrowed for the call is copied.
    pub fn stable(self) -> Stable<'a> {
        match self.0.type_index {
            index::RAW_STR | index::BYTE_ARRAY | index::RVALUE_REF => Stable::Owned(self.to_any()),
            _ => Stable::Borrowed(self),
        }
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
        let borrowed = matches!(
            self.0.type_index,
            index::DLTENSOR | index::RAW_STR | index::BYTE_ARRAY | index::RVALUE_REF
        );
        if self.0.type_index < index::OBJECT && !borrowed {
            return Any(self.0);
        }
        if let Some(object) = self.object() {
            return Any::object(object);
        }
        match self.kind() {
            Kind::Str(text) => Any::string(text),
            Kind::Bytes(bytes) => Any::bytes(bytes),
            _ if self.0.type_index == index::RVALUE_REF => Any::NONE,
            _ => Any(self.0),
        }
    }
}

/// A value as a container holds it, copied only where that takes a copy.
pub enum Stable<'a> {
    /// The value itself.
    Borrowed(AnyView<'a>),
    /// A copy.
    Owned(Any),
}

impl Stable<'_> {
    /// The value.
    pub fn view(&self) -> AnyView<'_> {
        match self {
            Stable::Borrowed(view) => *view,
            Stable::Owned(any) => any.view(),
        }
    }

    /// The C layout, valid as long as this is.
    pub fn raw(&self) -> RawAny {
        match self {
            Stable::Borrowed(view) => view.raw(),
            Stable::Owned(any) => any.view().raw(),
        }
    }
}

/// # Safety
/// `raw` is a value by the rules of the ABI, and what it points at lives as long as it is borrowed.
#[inline]
unsafe fn own_tensor(raw: &RawAny) -> Option<&Tensor> {
    if raw.type_index != index::TENSOR {
        return None;
    }
    // SAFETY: the caller says the same.
    tensor::borrowed(unsafe { own_object(raw) }?)
}

/// # Safety
/// As for [`own_tensor`].
#[inline]
unsafe fn own_object(raw: &RawAny) -> Option<&ObjectRef> {
    object_handle(raw)?;
    // SAFETY: the payload is the address of the header of an object, and an `ObjectRef` is nothing but that address; this
    // one is never dropped.
    Some(unsafe { &*(&raw const raw.payload).cast::<ObjectRef>() })
}

#[inline]
pub(super) fn object_handle(raw: &RawAny) -> Option<NonNull<ObjectHeader>> {
    if raw.type_index < index::OBJECT {
        return None;
    }
    NonNull::new(raw.payload as *mut ObjectHeader)
}

/// Code of a dtype that DLPack cannot name; `lanes` then holds the id of GGML.
const GGML_CODE: u8 = 0xe0;

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

pub(super) fn from_dl_dtype(payload: u64) -> Option<DType> {
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
    #[inline]
    fn drop(&mut self) {
        if let Some(handle) = object_handle(&self.0) {
            // SAFETY: this value owns one strong count of its object.
            unsafe { object::release(handle) }
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
                Kind::BigInt(big) => big.to_i128().unwrap(),
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
