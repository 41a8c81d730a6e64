"""The buffer protocol: what is exported, what is refused, what is viewed."""

import array
import ctypes
import hashlib
import io

import numpy as np
import pytest
import tenspan as ts

FORMATS = {
    "float64": "d", "float32": "f", "float16": "e", "int8": "b", "int16": "h", "int32": "i", "int64": "q",
    "uint8": "B", "uint16": "H", "uint32": "I", "uint64": "Q", "bool": "?", "complex64": "Zf", "complex128": "Zd",
}  # fmt: skip


def _without_address(value: object) -> str:
    """The name of a case: the same in each process, of which several run the tests together."""
    return str(value).split(" at 0x")[0]


@pytest.mark.parametrize(("name", "format"), FORMATS.items())
def test_every_dtype_with_a_format_is_exported(name: str, format: str) -> None:
    tensor = ts.zeros((2, 3), name)
    memory = memoryview(tensor)
    assert (memory.format, memory.shape, memory.strides) == (format, tensor.shape, tensor.strides)
    assert memory.nbytes == tensor.nbytes and not memory.readonly and memory.obj is tensor


@pytest.mark.parametrize("dtype", [dtype for dtype in ts.dtypes() if dtype.name not in FORMATS], ids=str)
def test_every_other_dtype_is_refused(dtype: ts.DType) -> None:
    with pytest.raises(BufferError, match=dtype.name):
        memoryview(ts.zeros((1, dtype.block_len), dtype))


def test_packed_bytes_are_never_taken_from_strided_memory() -> None:
    tensor = ts.asarray(list(range(8)), "uint8")[::2]
    with pytest.raises(BufferError, match="not contiguous"):
        hashlib.sha256(tensor)
    with pytest.raises(BufferError, match="not contiguous"):
        io.BytesIO().write(tensor)
    assert bytes(memoryview(tensor)) == bytes([0, 2, 4, 6])
    backwards = ts.asarray(list(range(8)), "uint8")[::-1]
    assert memoryview(backwards).tolist() == [7, 6, 5, 4, 3, 2, 1, 0]


class View(ctypes.Structure):
    """What a consumer of buffers is told."""

    _fields_ = [
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.c_void_p),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
        ("strides", ctypes.POINTER(ctypes.c_ssize_t)),
        ("suboffsets", ctypes.c_void_p),
        ("internal", ctypes.c_void_p),
    ]


def told(exporter: object, flags: int) -> object:
    """What an exporter tells who asks so; nothing when it refuses."""
    view = View()
    get, release = ctypes.pythonapi.PyObject_GetBuffer, ctypes.pythonapi.PyBuffer_Release
    get.argtypes = [ctypes.py_object, ctypes.POINTER(View), ctypes.c_int]
    try:
        get(exporter, view, flags)
    except (BufferError, ValueError):
        assert view.obj is None
        return None
    # How many dimensions there are says nothing without their lengths.
    shape = view.shape[: view.ndim] if view.shape else view.ndim > 1
    strides = view.strides[: view.ndim] if view.strides else None
    found = (view.len, view.itemsize, view.readonly, view.format, shape, strides)
    release(ctypes.byref(view))
    return found


@pytest.mark.parametrize("layout", ["rows", "columns", "gaps", "backwards", "row", "read-only", "cube"])
def test_every_request_is_answered_as_numpy_answers_it(layout: str) -> None:
    array: np.ndarray = np.arange(12, dtype=np.float32).reshape(3, 4)
    array = {
        "rows": array,
        "columns": array.T,
        "gaps": array[:, ::2],
        "backwards": array[::-1],
        "row": array[0],
        "read-only": array,
        "cube": array.reshape(2, 3, 2).transpose(0, 2, 1),
    }[layout]
    tensor = ts.asarray(array)
    if layout == "read-only":
        array.flags.writeable = False
        tensor = tensor.as_readonly()
    # With and without a format, writable, shape, strides, an order of the elements, and rows of pointers.
    orders = (0x00, 0x08, 0x18, 0x38, 0x58, 0x98, 0x118)
    for flags in (order | format | writable for order in orders for format in (0, 4) for writable in (0, 1)):
        assert told(tensor, flags) == told(array, flags), hex(flags)


def test_column_order_is_known() -> None:
    tensor = ts.zeros((2, 3)).transpose()
    memory = memoryview(tensor)
    assert memory.f_contiguous and not memory.c_contiguous
    assert len(memory.tobytes("F")) == 24


def test_what_is_read_only_is_not_written() -> None:
    tensor = ts.zeros(4, "uint8").as_readonly()
    assert memoryview(tensor).readonly
    # BytesIO words the refusal anew.
    with pytest.raises((BufferError, TypeError)):
        io.BytesIO(b"abcd").readinto(tensor)
    writable = ts.zeros(4, "uint8")
    assert io.BytesIO(b"abcd").readinto(writable) == 4
    assert writable.tobytes() == b"abcd"


def test_a_scalar_and_nothing_are_exported() -> None:
    scalar = memoryview(ts.full((), 3, "int32"))
    assert scalar.shape == () and scalar[()] == 3
    assert memoryview(ts.zeros((0, 3))).tobytes() == b""


def test_a_planned_tensor_has_no_buffer() -> None:
    with pytest.raises(BufferError, match="no memory"):
        memoryview(ts.Context(4096, no_alloc=True).tensor(4))


@pytest.mark.parametrize(
    ("source", "name"),
    [
        (bytearray(b"ab"), "uint8"),
        (array.array("q", [1, 2]), "int64"),
        (array.array("f", [1, 2]), "float32"),
        ((ctypes.c_longlong * 2)(1, 2), "int64"),
        (np.arange(2, dtype="f2").data, "float16"),
        (memoryview(b"abcd").cast("H"), "uint16"),
    ],
    ids=_without_address,
)
def test_buffers_are_viewed(source: object, name: str) -> None:
    tensor = ts.asarray(source)
    assert tensor.dtype.name == name and tensor.shape == (2,) and not tensor.copied
    assert tensor.tobytes() == bytes(memoryview(source).cast("B"))  # type: ignore[call-overload]


def test_a_buffer_is_written_into() -> None:
    target = array.array("f", [0, 0])
    ts.copy([1, 2], target)
    assert target.tolist() == [1, 2]


def test_what_would_be_lost_is_not_written() -> None:
    for target in ([0.0, 0.0], (0.0, 0.0), 1.0, "ab"):
        with pytest.raises(TypeError, match="write into"):
            ts.copy([1.0, 2.0], target)  # type: ignore[arg-type]
    with pytest.raises(ts.ReadOnlyError):
        ts.copy(b"ab", memoryview(b"cd"))


@pytest.mark.parametrize("source", [memoryview(b"ab").cast("c"), (ctypes.c_char * 2)()], ids=_without_address)
def test_characters_are_bytes(source: object) -> None:
    assert ts.asarray(source).dtype.name == "uint8"


def test_a_foreign_byte_order_is_refused() -> None:
    big = (ctypes.c_int.__ctype_be__ * 2)(1, 2)
    with pytest.raises(TypeError, match="byte order"):
        ts.asarray(big)


def test_bytes_are_borrowed_from_any_buffer() -> None:
    for data in (b"\x01\x02", bytearray(b"\x01\x02"), memoryview(b"\x01\x02"), np.array([1, 2], dtype="u1")):
        assert ts.from_bytes(data, 2, "uint8").tolist() == [1, 2]
    with pytest.raises(BufferError):
        ts.from_bytes(memoryview(b"\x01\x00\x02\x00")[::2], 2, "uint8")
    with pytest.raises(TypeError, match="found str"):
        ts.from_bytes("ab", 2, "uint8")  # type: ignore[arg-type]
