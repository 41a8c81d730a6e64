//! Whole numbers of any size, from and to objects of Python.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{IntoPyDict, PyBytes, PyInt};
use tenspan::value::{Any, BigInt};

/// The value of an int, or of an object of a class that is derived from it.
///
/// # Errors
/// None but of memory.
pub fn value(number: &Bound<'_, PyInt>) -> PyResult<Any> {
    let mut overflow = 0;
    // SAFETY: an int, and the thread is attached. So below.
    let low = unsafe { ffi::PyLong_AsLongLongAndOverflow(number.as_ptr(), &mut overflow) };
    if overflow == 0 {
        return Ok(Any::integer(&[low]));
    }
    // Another class may shift otherwise.
    if number.is_exact_instance_of::<PyInt>() {
        return long(number);
    }
    of_bytes(number)
}

/// The value of an int that takes more than a word.
///
/// # Errors
/// None but of memory.
pub fn long(number: &Bound<'_, PyInt>) -> PyResult<Any> {
    let py = number.py();
    let word = word_size(py);
    let mut words = [0i64; FEW];
    let mut shifted: Option<Bound<'_, PyAny>> = None;
    for at in 0..FEW - 1 {
        let rest = shifted
            .as_ref()
            .map_or(number.as_ptr(), |rest| rest.as_ptr());
        // SAFETY: an int; what is asked for is the number modulo 2^64.
        words[at] = unsafe { ffi::PyLong_AsUnsignedLongLongMask(rest) } as i64;
        // SAFETY: two objects.
        let high = unsafe { ffi::PyNumber_Rshift(rest, word.as_ptr()) };
        // SAFETY: a new reference, or null with an exception set.
        let high = unsafe { Bound::from_owned_ptr_or_err(py, high) }?;
        let mut overflow = 0;
        // SAFETY: an int that is shifted is one.
        words[at + 1] = unsafe { ffi::PyLong_AsLongLongAndOverflow(high.as_ptr(), &mut overflow) };
        if overflow == 0 {
            return Ok(Any::integer(&words[..at + 2]));
        }
        shifted = Some(high);
    }
    of_bytes(number)
}

/// Words that are taken one by one: a longer number goes faster through bytes.
const FEW: usize = 8;

/// The number of bits of a word, as an object.
fn word_size(py: Python<'_>) -> &Bound<'_, PyInt> {
    static SIZE: PyOnceLock<Py<PyInt>> = PyOnceLock::new();
    let size = SIZE.get_or_init(py, || PyInt::new(py, 64u32).unbind());
    size.bind(py)
}

fn of_bytes(number: &Bound<'_, PyInt>) -> PyResult<Any> {
    let py = number.py();
    // The methods of `int` itself: a derived class may have others.
    let class = py.get_type::<PyInt>();
    let bits: usize = class.call_method1("bit_length", (number,))?.extract()?;
    // One more for the sign.
    let words = bits / 64 + 1;
    let signed = [("signed", true)].into_py_dict(py)?;
    let bytes = class.call_method("to_bytes", (number, words * 8, "little"), Some(&signed))?;
    let bytes = bytes.cast::<PyBytes>()?.as_bytes();
    let words: Vec<i64> = bytes
        .chunks_exact(8)
        .map(|word| {
            word.iter()
                .rev()
                .fold(0, |so_far, byte| so_far << 8 | i64::from(*byte))
        })
        .collect();
    Ok(Any::integer(&words))
}

/// The int of a number.
///
/// # Errors
/// None but of memory.
pub fn object<'py>(py: Python<'py>, number: BigInt<'_>) -> PyResult<Bound<'py, PyAny>> {
    let words = number.words();
    if let (1..=FEW, Some((high, rest))) = (words.len(), words.split_last()) {
        let mut whole = PyInt::new(py, *high).into_any();
        for word in rest.iter().rev() {
            // SAFETY: two objects.
            let shifted = unsafe { ffi::PyNumber_Lshift(whole.as_ptr(), word_size(py).as_ptr()) };
            // SAFETY: a new reference, or null with an exception set.
            let shifted = unsafe { Bound::from_owned_ptr_or_err(py, shifted) }?;
            let word = PyInt::new(py, *word as u64);
            // SAFETY: two objects.
            let both = unsafe { ffi::PyNumber_Or(shifted.as_ptr(), word.as_ptr()) };
            // SAFETY: as above.
            whole = unsafe { Bound::from_owned_ptr_or_err(py, both) }?;
        }
        return Ok(whole);
    }
    let bytes: Vec<u8> = number
        .words()
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    let signed = [("signed", true)].into_py_dict(py)?;
    let bytes = PyBytes::new(py, &bytes);
    py.get_type::<PyInt>()
        .call_method("from_bytes", (bytes, "little"), Some(&signed))
}
