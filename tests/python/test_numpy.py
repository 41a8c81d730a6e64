"""Arrays of NumPy, both ways."""

import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest
import tenspan as ts

PLAIN = [dtype.name for dtype in ts.dtypes() if not dtype.is_quantized]
QUANTIZED = [dtype.name for dtype in ts.dtypes() if dtype.is_quantized and dtype.can_encode]


def numpy_dtype(name: str) -> np.dtype:
    return np.dtype(getattr(ml_dtypes, name, name) if name not in ("int8", "uint8") else name)


@pytest.mark.parametrize("name", PLAIN)
def test_every_plain_dtype_goes_both_ways(name: str) -> None:
    array = np.zeros((3, 4), dtype=numpy_dtype(name))
    array[1, 2] = 1
    tensor = ts.from_numpy(array)
    assert (tensor.dtype.name, tensor.shape, tensor.strides) == (name, array.shape, array.strides)
    assert tensor.data_ptr == array.ctypes.data and not tensor.copied
    back = tensor.numpy()
    assert back.dtype == array.dtype and back.ctypes.data == array.ctypes.data
    assert back[1, 2] == 1 and back.sum() == 1


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1, 1), (2, 3, 4, 5)])
def test_every_shape_goes_both_ways(shape: tuple[int, ...]) -> None:
    array = np.arange(int(np.prod(shape)), dtype=np.int32).reshape(shape)
    back = ts.from_numpy(array).numpy()
    assert back.shape == shape and np.array_equal(back, array)


def test_what_is_written_through_one_is_seen_through_the_other() -> None:
    tensor = ts.zeros((2, 3))
    array = tensor.numpy()
    assert array.flags.writeable and array.flags.aligned and array.ctypes.data == tensor.data_ptr
    array[1, 2] = 5
    assert tensor.tolist() == [[0, 0, 0], [0, 0, 5]]
    tensor[0] = 2.0
    tensor[1, :2] = np.array([3, 4])
    assert array.tolist() == [[2, 2, 2], [3, 4, 5]]


def test_reading_only_stays_so() -> None:
    array = np.arange(3.0)
    array.flags.writeable = False
    tensor = ts.from_numpy(array)
    assert tensor.readonly and not tensor.numpy().flags.writeable
    with pytest.raises(ts.ReadOnlyError, match="read-only"):
        tensor[0] = 1
    with pytest.raises(ts.ReadOnlyError):
        ts.copy([1.0, 2.0, 3.0], array)
    writable = ts.zeros(3)
    assert not writable.as_readonly().numpy().flags.writeable and writable.numpy().flags.writeable


@pytest.mark.parametrize(
    "view", [np.s_[::-1], np.s_[:, ::2], np.s_[1:, ::-3], np.s_[..., 0], np.s_[:, None, 1:4], np.s_[-1], np.s_[:0]]
)
def test_views_of_arrays_keep_their_strides(view: object) -> None:
    array = np.arange(24, dtype=np.int16).reshape(4, 6)
    expected = array[view]
    tensor = ts.from_numpy(expected)
    assert np.array_equal(tensor.numpy(), expected)
    assert np.array_equal(ts.from_numpy(array)[view].numpy(), expected)
    assert tensor.tobytes() == expected.tobytes()


def test_a_broadcast_array_is_viewed() -> None:
    array = np.broadcast_to(np.arange(3.0), (1000, 3))
    tensor = ts.from_numpy(array)
    assert tensor.strides == (0, 8) and tensor.data_ptr == array.ctypes.data and tensor.readonly


@pytest.mark.parametrize(
    ("array", "text"),
    [
        (np.array([1], dtype=">i4"), "byte order"),
        (np.array(["a"]), "str32"),
        (np.array([None]), "object"),
        (np.array([(1, 2)], dtype=[("a", "i4"), ("b", "f4")]), "void64"),
        (np.array(["2020-01-01"], dtype="M8[D]"), "datetime64"),
        (np.zeros(1, dtype=np.longdouble), "float128|longdouble"),
    ],
)
def test_arrays_that_no_dtype_fits_are_refused(array: np.ndarray, text: str) -> None:
    with pytest.raises(TypeError, match=text):
        ts.from_numpy(array)
    with pytest.raises(TypeError):
        ts.asarray(array)


def test_only_an_array_is_an_array() -> None:
    with pytest.raises(TypeError, match="found list"):
        ts.from_numpy([1, 2])  # type: ignore[arg-type]


@pytest.mark.parametrize("name", QUANTIZED)
def test_a_quantized_tensor_is_not_shown_unasked(name: str) -> None:
    length = ts.DType(name).block_len
    values = np.linspace(-1, 1, 2 * length, dtype=np.float32).reshape(2, length)
    tensor = ts.quantize(values, name, importance=np.ones(length))
    with pytest.raises(ValueError, match=f"{name}.*allow_copy=True"):
        tensor.numpy()
    decoded = tensor.numpy(allow_copy=True)
    assert decoded.dtype == np.float32 and decoded.shape == values.shape
    assert np.array_equal(decoded, ts.dequantize(tensor).numpy())
    for dtype in (np.float32, np.float64, np.float16, ml_dtypes.bfloat16):
        out = np.empty(values.shape, dtype=dtype)
        assert tensor.numpy(out=out) is out
        assert np.array_equal(out, decoded.astype(dtype))


def test_out_is_checked() -> None:
    tensor = ts.quantize(np.zeros((2, 256), dtype=np.float32), "q4_k")
    with pytest.raises(ts.ShapeMismatchError):
        tensor.numpy(out=np.empty((2, 255), dtype=np.float32))
    frozen = np.empty((2, 256), dtype=np.float32)
    frozen.flags.writeable = False
    with pytest.raises(ts.ReadOnlyError):
        tensor.numpy(out=frozen)
    with pytest.raises(TypeError, match="found list"):
        tensor.numpy(out=[0.0])  # type: ignore[arg-type]
    strided = np.full((2, 512), 9, dtype=np.float32)
    tensor.numpy(out=strided[:, ::2])
    assert (strided[:, ::2] == 0).all() and (strided[:, 1::2] == 9).all()


@pytest.mark.parametrize(
    ("given", "name"),
    [
        (np.float32, "float32"),
        (np.dtype("i2"), "int16"),
        (np.dtype("<f8"), "float64"),
        (np.bool_, "bool"),
        (ml_dtypes.bfloat16, "bfloat16"),
        (np.dtype(ml_dtypes.float8_e5m2), "float8_e5m2"),
        (float, "float64"),
        (int, "int64"),
        (bool, "bool"),
        (complex, "complex128"),
        ("F16", "float16"),
        (ts.DType("u8"), "uint8"),
    ],
)
def test_dtypes_of_others_are_dtypes(given: object, name: str) -> None:
    assert ts.zeros(2, given).dtype == ts.DType(name)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "kind"),
    [(np.dtype(">f4"), TypeError), ("flaot32", ValueError), (3, TypeError), (None, TypeError), (np.str_, TypeError)],
)
def test_what_is_no_dtype_is_refused(given: object, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        ts.zeros(2, given)  # type: ignore[arg-type]


def test_the_array_protocol_copies_when_asked() -> None:
    tensor = ts.asarray([[1.0, 2.0]], "float32")
    assert np.asarray(tensor).ctypes.data == tensor.data_ptr
    assert np.array(tensor, copy=True).ctypes.data != tensor.data_ptr
    assert np.asarray(tensor, dtype="f8").tolist() == [[1.0, 2.0]]
    assert np.asarray(ts.zeros(2, "bfloat16")).dtype == ml_dtypes.bfloat16
    with pytest.raises(ValueError, match="allow_copy"):
        np.asarray(ts.zeros((1, 32), "q8_0"))


def test_a_scalar_of_numpy_is_a_number() -> None:
    assert ts.full((2,), np.int16(3), "int8").tolist() == [3, 3]
    tensor = ts.zeros(2)
    tensor[0] = np.float64(1.5)
    assert tensor.tolist() == [1.5, 0]


def test_without_numpy_the_rest_works() -> None:
    program = """
import sys
sys.modules["numpy"] = None
import tenspan as ts
t = ts.asarray([[1, 2], [3, 4]], "float32")
assert bytes(memoryview(t)) == t.tobytes()
assert ts.zeros(2, float).dtype.name == "float64"
try:
    t.numpy()
except ImportError as error:
    assert "pip install tenspan[numpy]" in str(error)
else:
    raise SystemExit("numpy() without NumPy")
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_without_ml_dtypes_the_error_says_what_to_install() -> None:
    program = """
import sys
sys.modules["ml_dtypes"] = None
import tenspan as ts
try:
    ts.zeros(2, "bfloat16").numpy()
except ImportError as error:
    assert "pip install tenspan[ml-dtypes]" in str(error)
else:
    raise SystemExit("bfloat16 without ml_dtypes")
assert ts.zeros(2).numpy().sum() == 0
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


@pytest.mark.parametrize("dtype", ["float32", "float16", "float64"])
def test_rows_are_listed_in_any_way_and_decoded_into_arrays(dtype: str) -> None:
    values = np.linspace(-1, 1, 4 * 64, dtype=np.float32).reshape(4, 64)
    tensor = ts.quantize(values, "q8_0")
    whole = ts.dequantize(tensor, dtype).numpy()
    for rows in (range(3, 0, -2), np.array([3, 1]), (np.int8(3), 1)):
        out = np.zeros((2, 64), dtype=dtype)
        ts.dequantize(tensor, dtype, rows=rows, out=out)
        assert np.array_equal(out, whole[[3, 1]])
    flat = np.zeros(4 * 64, dtype=dtype)
    made = ts.dequantize(tensor, dtype, out=flat)
    assert made.shape == (4, 64) and np.array_equal(flat.reshape(4, 64), whole)
    strided = np.zeros((4, 128), dtype=dtype)
    ts.dequantize(tensor, dtype, out=strided[:, ::2])
    assert np.array_equal(strided[:, ::2], whole)
    with pytest.raises(IndexError, match="row -1"):
        ts.dequantize(tensor, rows=[-1])
    with pytest.raises(TypeError, match="integer"):
        ts.dequantize(tensor, rows=[0.5])  # type: ignore[list-item]
    with pytest.raises(ts.NotFiniteError, match="row 2, column 5"):
        values[2, 5] = np.nan
        ts.quantize(values, "q8_0", strict=True)
