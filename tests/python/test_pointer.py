"""Memory at addresses, in buffers, and in pickles."""

import array
import copy
import ctypes
import gc
import mmap
import pickle
import weakref
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import tenspan as ts


PAIR = ctypes.c_double * 2


class Subclass(np.ndarray):
    """An array of a class of its own."""


def test_an_address_is_viewed_in_place() -> None:
    source = np.arange(12, dtype=np.float32).reshape(3, 4)
    address = source.ctypes.data
    for given in (address, np.uint64(address), ctypes.c_void_p(address)):
        view = ts.from_pointer(given, (3, 4), "float32", owner=source)
        assert view.data_ptr == address and view.owner is source and not view.copied
    view = ts.from_pointer(address + 12, (3, 2), np.float32, strides=(16, -8), owner=source)
    assert view.tolist() == source[:, [3, 1]].tolist()
    view[0, 0] = 30
    assert source[0, 3] == 30


def test_an_address_of_blocks_is_viewed_in_place() -> None:
    blocks = ts.quantize(np.linspace(-1, 1, 512, dtype=np.float32).reshape(2, 256), "q4_k")
    view = ts.from_pointer(blocks.data_ptr, (2, 256), "q4_k", owner=blocks)
    assert view.tobytes() == blocks.tobytes() and view.owner is blocks
    ts.copy(np.zeros((2, 256), np.float32), view)
    assert not np.asarray(ts.dequantize(blocks)).any()


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ((0, (1,), "f32"), ValueError, "0x0"),
        ((-1, (1,), "f32"), ValueError, "negative"),
        ((-8, (0,), "f32"), ValueError, "negative"),
        ((2**64, (1,), "f32"), OverflowError, "64 bits"),
        ((2**200, (1,), "f32"), OverflowError, "int"),
        ((2**64 - 4, (1,), "f32"), ValueError, "process"),
        ((2**63, (1,), "u8"), ValueError, "process"),
        (("4096", (1,), "f32"), TypeError, "str"),
        ((4096.0, (1,), "f32"), TypeError, "float"),
        ((None, (1,), "f32"), TypeError, "NoneType"),
        ((True, (1,), "f32"), TypeError, "bool"),
        ((4096, (2**40, 2**40), "f32"), OverflowError, "elements"),
        ((4096, (2**62,), "f32"), OverflowError, "bytes"),
        ((4096, (-1,), "f32"), ValueError, "negative"),
        ((4096, (2**70,), "f32"), OverflowError, "fit"),
        ((4096, (1.0,), "f32"), TypeError, "float"),
        ((4096, (True,), "f32"), TypeError, "bool"),
        ((4096, (1,) * 65, "f32"), ValueError, "64"),
        ((4096, (1,), "nope"), ValueError, "nope"),
        ((4096, (1,), None), TypeError, "dtype"),
        ((4096, (33,), "q8_0"), ts.BlockMismatchError, "32"),
        ((4096, (2, 3), "f32", (4,)), ValueError, "strides"),
        ((4096, (2,), "f32", 4.0), TypeError, "float"),
        ((4096, (2**40,), "f32", (2**40,)), OverflowError, "strides"),
        ((4096, (3,), "f32", (-4096,)), ValueError, "process"),
    ],
)
def test_bad_addresses_are_refused(arguments: tuple[object, ...], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        ts.from_pointer(*arguments)  # type: ignore[arg-type]


def test_nothing_may_be_anywhere() -> None:
    assert ts.from_pointer(0, (0, 3), "f32").shape == (0, 3)


def test_an_owner_that_exports_a_buffer_cannot_change_its_size() -> None:
    block = bytearray(64)
    address = ctypes.addressof((ctypes.c_char * 64).from_buffer(block))
    gc.collect()
    view = ts.from_pointer(address, (16,), "f32", owner=block)
    part = view[2:4]
    del view
    with pytest.raises(BufferError):
        block.extend(b"more")
    part[0] = 1
    assert block[8:12] == b"\0\0\x80?"
    del part
    block.extend(b"more")


def test_a_map_stays_open_while_tensors_look_at_it(tmp_path: Path) -> None:
    path = tmp_path / "map"
    path.write_bytes(bytes(range(256)) * 16)
    with path.open("r+b") as file:
        writable = mmap.mmap(file.fileno(), 0)
        readable = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    for memory, readonly in ((writable, False), (readable, True)):
        view = ts.from_buffer(memory, "uint16", (4, 8), 64)
        assert view.readonly is readonly and view.owner is memory and view[0, 0].item() == 64 + 65 * 256
        with pytest.raises(BufferError):
            memory.close()
        del view
        memory.close()


def test_read_only_memory_of_an_owner_stays_so() -> None:
    block = b"abcdefgh"
    address = ctypes.cast(ctypes.c_char_p(block), ctypes.c_void_p)
    assert ts.from_pointer(address, (8,), "u8", owner=block).readonly
    assert ts.from_pointer(ts.zeros(4).data_ptr, (0,), "u8", readonly=True).readonly


def test_buffers_are_read_as_any_dtype() -> None:
    block = bytearray(range(36))
    assert ts.from_buffer(block).dtype.name == "uint8" and ts.from_buffer(block).shape == (36,)
    assert ts.from_buffer(block, "float32").shape == (9,)
    assert ts.from_buffer(block, "q8_0", offset=2).shape == (32,)
    assert ts.from_buffer(array.array("h", [1, 2, 3])).tolist() == [1, 2, 3]
    view = ts.from_buffer(block, "uint16", (2, 2), offset=4)
    assert view.tolist() == [[0x0504, 0x0706], [0x0908, 0x0B0A]]
    view[1, 1] = 0xFFFF
    assert block[10:12] == b"\xff\xff"
    for arguments, error in (
        ((block, "float32", None, 2), ValueError),
        ((block, "float32", (10,)), BufferError),
        ((block, "float32", None, 40), ValueError),
        ((memoryview(block)[::2], "uint8"), BufferError),
        ((3,), TypeError),
        ((np.zeros(3), "float32", (2**62,)), OverflowError),
    ):
        with pytest.raises(error):
            ts.from_buffer(*arguments)


@pytest.mark.parametrize(
    ("value", "dtype", "items"),
    [
        (array.array("q", [1, 2]), "int64", [1, 2]),
        ((ctypes.c_int * 3)(1, 2, 3), "int32", [1, 2, 3]),
        ((ctypes.c_double * 2 * 2)(PAIR(1, 2), PAIR(3, 4)), "float64", [[1, 2], [3, 4]]),
        (b"ab", "uint8", [97, 98]),
        (bytearray(b"ab"), "uint8", [97, 98]),
        (memoryview(b"abcd")[::2], "uint8", [97, 99]),
        (np.arange(3, dtype=ml_dtypes.bfloat16), "bfloat16", [0, 1, 2]),
        (np.arange(3).astype(ml_dtypes.float8_e5m2), "float8_e5m2", [0, 1, 2]),
        (np.arange(2).view(Subclass), "int64", [0, 1]),
        (np.ma.masked_array([1.0, 2.0]), "float64", [1, 2]),
        (np.float32(3), "float32", 3),
        (np.bool_(True), "bool", True),
        (np.array(3, np.int16), "int16", 3),
        (np.arange(4, dtype=np.int8)[::-1], "int8", [3, 2, 1, 0]),
        (np.longlong(5), "int64", 5),
    ],
)
def test_anything_array_like_is_taken(value: object, dtype: str, items: object) -> None:
    tensor = ts.asarray(value)
    assert tensor.dtype.name == dtype and tensor.tolist() == items


def test_what_is_described_in_a_dictionary_is_viewed() -> None:
    class Described:
        def __init__(self, array: Any, **changes: object) -> None:
            self.array = array
            self.__array_interface__ = array.__array_interface__ | changes

    source = np.arange(6).reshape(2, 3).T
    described = Described(source)
    tensor = ts.asarray(described)
    assert tensor.tolist() == source.tolist() and tensor.data_ptr == source.ctypes.data and tensor.owner is described
    for change, error in (
        ({"data": (0, False)}, ValueError),
        ({"typestr": ">i8"}, TypeError),
        ({"typestr": "|O8"}, TypeError),
        ({"data": None}, TypeError),
        ({"data": 7}, TypeError),
        ({"shape": (-1,)}, (ValueError, OverflowError)),
        ({"strides": (8,)}, ValueError),
    ):
        with pytest.raises(error):
            ts.asarray(Described(source, **change))


def test_numpy_reads_the_description() -> None:
    tensor = ts.asarray(np.arange(6, dtype=np.float32).reshape(2, 3))[:, ::2]
    interface = tensor.__array_interface__
    assert interface == {
        "version": 3,
        "shape": (2, 2),
        "typestr": "<f4",
        "data": (tensor.data_ptr, False),
        "strides": (12, 8),
    }
    assert not hasattr(ts.zeros(3, "bfloat16"), "__array_interface__")
    assert np.asarray(ts.zeros(3, "bfloat16")).dtype == ml_dtypes.bfloat16


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "bool", "complex128", "q8_0", "iq4_nl"])
def test_pickles_keep_bytes_shape_and_dtype(protocol: int, dtype: str) -> None:
    tensor = ts.full((2, 64), 1, dtype)
    back = pickle.loads(pickle.dumps(tensor, protocol))
    assert (back.shape, back.dtype, back.tobytes()) == (tensor.shape, tensor.dtype, tensor.tobytes())
    back[0] = np.zeros(64)
    strided = tensor[::-1]
    assert pickle.loads(pickle.dumps(strided, protocol)).tobytes() == strided.tobytes()


def test_pickles_leave_the_memory_out_of_band() -> None:
    tensor = ts.zeros((256, 256))
    buffers: list[pickle.PickleBuffer] = []
    text = pickle.dumps(tensor, 5, buffer_callback=buffers.append)
    assert len(text) < 200 and len(buffers) == 1
    back = pickle.loads(text, buffers=buffers)
    assert back.data_ptr == tensor.data_ptr and back.shape == (256, 256)
    shared: list[pickle.PickleBuffer] = []
    readonly = pickle.dumps(tensor.as_readonly(), 5, buffer_callback=shared.append)
    assert pickle.loads(readonly, buffers=shared).readonly


def test_copies_are_deep_or_not() -> None:
    tensor = ts.asarray([1.0, 2.0])
    assert copy.copy(tensor).data_ptr == tensor.data_ptr
    deep = copy.deepcopy(tensor[::-1])
    assert deep.data_ptr != tensor.data_ptr and deep.tolist() == [2.0, 1.0]


def test_the_owner_is_the_very_object_and_is_held_once() -> None:
    source = np.zeros(4)
    alive = weakref.ref(source)
    tensor = ts.asarray(source)
    views = [tensor]
    for _ in range(1000):
        views.append(views[-1][:])
    last = views[-1]
    assert last.owner is source and ts.zeros(3).owner is None
    del source, tensor, views
    gc.collect()
    assert alive() is not None
    del last
    gc.collect()
    assert alive() is None
