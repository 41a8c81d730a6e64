"""Memory of JAX and PyArrow in and out: the dtypes that NumPy lacks, read-only kept, nothing copied.

What is wrong raises AssertionError and ends the run: figures of memory that goes astray say nothing.
"""

import os

import ml_dtypes
import numpy
import tenspan

# Asked for before JAX is loaded: 64-bit numbers stay what they are, and no device is looked for.
os.environ |= {"JAX_PLATFORMS": "cpu", "JAX_ENABLE_X64": "1"}


def check_all():
    """What was found about each library."""
    return {"jax": _library("jax", check_jax), "pyarrow": _library("pyarrow", check_pyarrow)}


def _library(name, check):
    try:
        library = __import__(name)
    except ImportError:
        return "not installed"
    return f"{library.__version__}, {check()}"


def check_jax():
    """Arrays both ways, by DLPack."""
    import jax

    dtypes = ("float32", "float64", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "int8", "uint64", "complex64", "bool")
    for dtype in dtypes:
        numbers = numpy.array([[0, 1, 2], [1, 0, 1]], getattr(ml_dtypes, dtype, None) or dtype)
        theirs = jax.numpy.asarray(numbers)
        taken = tenspan.from_dlpack(theirs)
        assert taken.dtype.name == dtype and taken.shape == (2, 3), taken
        assert taken.tobytes() == numbers.tobytes()
        assert taken.data_ptr == theirs.unsafe_buffer_pointer() and not taken.copied
        # Arrays of JAX never change.
        assert taken.readonly and tenspan.asarray(theirs).readonly
        back = jax.dlpack.from_dlpack(tenspan.asarray(numbers))
        assert back.dtype == numbers.dtype and numpy.asarray(back).tobytes() == numbers.tobytes()
        # JAX asks for no version of DLPack, and the first cannot say that memory is read-only.
        _refused(lambda: jax.dlpack.from_dlpack(taken))
    return f"{len(dtypes)} dtypes both ways"


def check_pyarrow():
    """Arrays without nulls, in place and read-only, by DLPack and as buffers."""
    import pyarrow

    dtypes = ("int8", "uint16", "int32", "uint64", "float16", "float32", "float64")
    for dtype in dtypes:
        theirs = pyarrow.array(numpy.arange(5, dtype=dtype))
        address = theirs.buffers()[1].address
        for taken, first in ((tenspan.from_dlpack(theirs), 0), (tenspan.from_dlpack(theirs[2:]), 2)):
            assert taken.dtype.name == dtype and taken.tolist() == list(range(first, 5)), taken
            assert taken.data_ptr == address + first * taken.dtype.block_bytes
            assert taken.readonly and not taken.copied
        bytes_of = tenspan.from_buffer(theirs.buffers()[1], dtype, (5,))
        assert bytes_of.data_ptr == address and bytes_of.tolist() == list(range(5))
        assert bytes_of.readonly != theirs.buffers()[1].is_mutable
        back = pyarrow.py_buffer(tenspan.asarray(numpy.arange(5, dtype=dtype)))
        assert pyarrow.Array.from_buffers(theirs.type, 5, [None, back]).equals(theirs)
    return f"{len(dtypes)} dtypes in place"


def _refused(call):
    try:
        call()
    except BufferError:
        return
    raise AssertionError("read-only memory went out as writable")
