//! Tensors across DLPack.

use super::*;

#[test]
fn tensors_are_taken_over_handed_over_and_viewed() {
    let tensor = zeros(&[2, 3], DType::F32).unwrap();
    let mut managed = null_mut();
    let given = handle(tensor.object());
    assert_eq!(api!(tensor_to_dlpack(given, &raw mut managed)), 0);
    let mut out = null_mut();
    assert_eq!(api!(tensor_from_dlpack(managed, 0, 1, &raw mut out)), 0);
    let raw = RawAny {
        type_index: index::TENSOR,
        small_len: 0,
        payload: out as u64,
    };
    let back = owned(raw);
    let back = back.tensor().unwrap();
    assert!(!back.readonly(), "what has no version is writable here");
    assert_eq!(back.data_ptr(), tensor.data_ptr());
    let mut versioned = null_mut();
    assert_eq!(
        api!(tensor_to_dlpack_versioned(given, &raw mut versioned)),
        0
    );
    // SAFETY: handed over just now, and not yet taken.
    let dl = unsafe { &mut (*versioned).dl };
    dl.data = dl.data.cast::<u8>().wrapping_add(4).cast();
    assert_eq!(
        api!(tensor_from_dlpack_versioned(
            versioned,
            4096,
            0,
            &raw mut out
        )),
        -1
    );
    assert_eq!(left().0, ErrorKind::RuntimeError);
    let mut strides = [1i64, 2];
    dl.strides = strides.as_mut_ptr();
    assert_eq!(
        api!(tensor_from_dlpack_versioned(versioned, 0, 1, &raw mut out)),
        -1
    );
    assert_eq!(left().0, ErrorKind::RuntimeError);
    // SAFETY: still ours to give back.
    unsafe { (*versioned).deleter.unwrap()(versioned) };
    assert_eq!(
        api!(tensor_to_dlpack(
            handle(crate::Array::new(&[]).object()),
            &raw mut managed
        )),
        -1
    );
    assert_eq!(left().0, ErrorKind::TypeError);
}

#[test]
fn memory_that_core_does_not_read_passes_through() {
    let tensor = zeros(&[2, 3], DType::F32).unwrap();
    for change in [0, 1] {
        let managed = crate::abi::dlpack::export(&tensor, false).unwrap();
        // SAFETY: handed over just now, and not yet taken.
        let dl = unsafe { &mut (*managed.as_ptr()).dl };
        match change {
            0 => {
                dl.device = DLDevice {
                    device_type: 2,
                    device_id: 3,
                }
            }
            _ => {
                dl.dtype = DLDataType {
                    code: 2,
                    bits: 32,
                    lanes: 4,
                }
            }
        }
        dl.strides = null_mut();
        let mut out = null_mut();
        assert_eq!(
            api!(tensor_from_dlpack_versioned(
                managed.as_ptr(),
                0,
                1,
                &raw mut out
            )),
            0
        );
        // SAFETY: a tensor object has a description behind its header.
        let read = unsafe { &*out.cast::<u8>().add(24).cast::<DLTensor>() };
        // SAFETY: the strides were made up.
        let strides = unsafe { std::slice::from_raw_parts(read.strides, 2) };
        assert_eq!(strides, [3, 1]);
        let mut again = null_mut();
        assert_eq!(api!(tensor_to_dlpack_versioned(out, &raw mut again)), 0);
        // SAFETY: handed over just now.
        unsafe {
            assert_eq!((*again).dl.data, read.data);
            (*again).deleter.unwrap()(again);
        }
        let mut view = null_mut();
        assert_eq!(api!(tensor_create_unsafe_view(out, read, &raw mut view)), 0);
        assert_eq!(counts(out), 2);
        assert_eq!(api!(object_dec_ref(view)), 0);
        assert_eq!(counts(out), 1);
        assert_eq!(api!(object_dec_ref(out)), 0);
    }
}

#[test]
fn a_view_keeps_its_source() {
    let tensor = zeros(&[4], DType::F32).unwrap();
    let mut prototype = *tensor.dl();
    let (mut shape, mut strides) = ([2i64], [2i64]);
    (prototype.shape, prototype.strides) = (shape.as_mut_ptr(), strides.as_mut_ptr());
    prototype.byte_offset = 4;
    let mut out = null_mut();
    let source = handle(tensor.object());
    assert_eq!(
        api!(tensor_create_unsafe_view(
            source,
            &raw const prototype,
            &raw mut out
        )),
        0
    );
    let raw = RawAny {
        type_index: index::TENSOR,
        small_len: 0,
        payload: out as u64,
    };
    let view = owned(raw);
    let view = view.tensor().unwrap();
    assert_eq!((view.shape(), view.strides()), (&[2u64][..], &[8i64][..]));
    assert_eq!(view.data_ptr(), tensor.data_ptr() + 4);
    assert_eq!(counts(source), 2);
    assert_eq!(
        api!(tensor_create_unsafe_view(
            null_mut(),
            &raw const prototype,
            &raw mut out
        )),
        -1
    );
    assert_eq!(left().0, ErrorKind::ValueError);
    prototype.ndim = -4;
    assert_eq!(
        api!(tensor_create_unsafe_view(
            source,
            &raw const prototype,
            &raw mut out
        )),
        -1
    );
    assert_eq!(left().0, ErrorKind::ValueError);
}
