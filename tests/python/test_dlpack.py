"""DLPack in both directions, by capsules and by the table of C functions."""

import ctypes
import gc
import threading
import weakref
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import tenspan as ts

CPU = (1, 0)


class Exporter:
    """An array that can only be reached by DLPack."""

    def __init__(self, array: Any, device: tuple[int, int] = CPU) -> None:
        self.array = array
        self.device = device

    def __dlpack__(self, **options: Any) -> object:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device


class Unversioned(Exporter):
    """An exporter of the time before versions."""

    def __dlpack__(self) -> object:  # type: ignore[override]
        return self.array.__dlpack__()


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int8", "int64", "uint8", "uint64", "bool", "complex64", "complex128"])
def test_numpy_sees_the_same_memory_and_back(dtype: str) -> None:
    tensor = ts.zeros((3, 4), dtype)
    view = tensor[::-1, ::2]
    array = np.from_dlpack(view)
    assert array.dtype == dtype and array.shape == (3, 2) and array.strides == view.strides
    assert array.ctypes.data == view.data_ptr and array.flags.writeable
    array[0, 1] = 1
    assert tensor[2, 2].item() == 1
    back = ts.from_dlpack(Exporter(array))
    assert (back.data_ptr, back.strides, back.dtype.name) == (view.data_ptr, view.strides, dtype)
    assert not back.copied and not back.readonly


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_small_floats_keep_their_dtype(dtype: str) -> None:
    tensor = ts.asarray([1.0, 2.0], dtype)
    back = ts.from_dlpack(tensor.__dlpack__(max_version=(1, 0)))
    assert back.dtype == tensor.dtype and back.tolist() == [1.0, 2.0] and back.data_ptr == tensor.data_ptr
    array = np.array([1, 2, 3], getattr(ml_dtypes, dtype))
    assert ts.from_dlpack(array).dtype.name == dtype


def test_scalars_and_nothing_cross() -> None:
    assert np.from_dlpack(ts.asarray(7)).shape == ()
    assert np.from_dlpack(ts.zeros((0, 3))).shape == (0, 3)
    assert ts.from_dlpack(Exporter(np.zeros((2, 0)))).shape == (2, 0)
    assert ts.from_dlpack(Exporter(np.array(5))).item() == 5


def test_quantized_tensors_go_out_as_bytes() -> None:
    blocks = ts.quantize(np.zeros((2, 64), np.float32), "q8_0")
    array = np.from_dlpack(blocks)
    assert array.dtype == np.uint8 and array.shape == (2, 68)


def test_read_only_is_kept_in_both_directions() -> None:
    tensor = ts.zeros(3).as_readonly()
    assert not np.from_dlpack(tensor).flags.writeable
    with pytest.raises(BufferError, match="read-only"):
        tensor.__dlpack__()
    with pytest.raises(BufferError, match="read-only"):
        tensor.__dlpack__(max_version=(0, 8))
    array = np.arange(3)
    array.flags.writeable = False
    for taken in (ts.from_dlpack(array), ts.from_dlpack(Exporter(array)), ts.asarray(Exporter(array))):
        assert taken.readonly
        with pytest.raises(ts.ReadOnlyError):
            taken[0] = 1


def test_a_capsule_without_a_version_is_read_only() -> None:
    array = np.arange(3)
    old = ts.from_dlpack(Unversioned(array))
    assert old.readonly and old.data_ptr == array.ctypes.data


def test_a_capsule_can_be_used_once() -> None:
    tensor = ts.zeros(4)
    for capsule in (tensor.__dlpack__(max_version=(1, 0)), tensor.__dlpack__()):
        assert ts.from_dlpack(capsule).data_ptr == tensor.data_ptr
        with pytest.raises(BufferError, match="once"):
            ts.from_dlpack(capsule)


def test_a_capsule_that_nobody_takes_lets_go() -> None:
    array = np.zeros(1000)
    tensor = ts.asarray(array)
    alive = weakref.ref(array)
    capsule = tensor.__dlpack__(max_version=(1, 0))
    del array, tensor
    gc.collect()
    assert alive() is not None
    del capsule
    gc.collect()
    assert alive() is None


def test_the_exporter_lives_as_long_as_the_tensor() -> None:
    exporter = Exporter(np.arange(5))
    alive = weakref.ref(exporter)
    tensor = ts.from_dlpack(exporter)
    assert tensor.owner is exporter
    view = tensor[1:3]
    del exporter, tensor
    gc.collect()
    assert alive() is not None and view.tolist() == [1, 2]
    del view
    gc.collect()
    assert alive() is None


def test_copies_are_asked_for_and_told() -> None:
    array = np.arange(4)
    for source in (array, Exporter(array), ts.asarray(array)):
        copy = ts.from_dlpack(source, copy=True)
        assert copy.copied and copy.data_ptr != array.ctypes.data and copy.tolist() == [0, 1, 2, 3]
        assert ts.from_dlpack(source, copy=False).data_ptr == array.ctypes.data
    tensor = ts.zeros(4)
    copied = np.from_dlpack(tensor, copy=True)
    assert copied.ctypes.data != tensor.data_ptr


def test_a_call_is_not_taken_for_one_like_it() -> None:
    tensor, new = ts.zeros(4), (1, 0)

    def ask(version: Any, copy: Any, stream: Any = None) -> Any:
        # All calls have the very same names.
        return tensor.__dlpack__(max_version=version, copy=copy, stream=stream)

    for version, copy, is_versioned in (
        (new, None, True),
        (new, None, True),
        ((0, 8), None, False),
        (new, True, True),
        (None, None, False),
        (None, new, False),
        (new, False, True),
        (new, None, True),
    ):
        if copy is new:
            with pytest.raises(TypeError):
                ask(version, copy)
            continue
        capsule = ask(version, copy)
        assert ('"dltensor_versioned"' in repr(capsule)) is is_versioned
        assert (ts.from_dlpack(capsule).data_ptr != tensor.data_ptr) is (copy is True)
    with pytest.raises(ValueError, match="stream"):
        ask(new, None, 1)
    with pytest.raises(TypeError):
        tensor.__dlpack__(new)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        tensor.__dlpack_device__(1)  # type: ignore[call-arg]
    assert tensor.__dlpack_device__() is tensor.__dlpack_device__()


def test_other_devices_streams_and_objects_are_refused() -> None:
    tensor = ts.zeros(4)
    with pytest.raises(BufferError, match=r"\(2, 0\)"):
        tensor.__dlpack__(dl_device=(2, 0))
    with pytest.raises(ValueError, match="stream"):
        tensor.__dlpack__(stream=1)  # type: ignore[arg-type]
    assert tensor.__dlpack__(dl_device=CPU, copy=False, stream=None) is not None
    assert tensor.__dlpack_device__() == CPU
    with pytest.raises(BufferError, match=r"\(2, 1\)"):
        ts.from_dlpack(Exporter(np.zeros(3), device=(2, 1)))
    for wrong in (3, "x", object(), [1], Exporter):
        with pytest.raises(TypeError):
            ts.from_dlpack(wrong)


def test_the_reason_of_the_exporter_is_not_lost() -> None:
    class Angry(Exporter):
        def __dlpack__(self, **options: Any) -> object:
            raise RuntimeError("no")

    class Confused(Exporter):
        def __dlpack__(self, **options: Any) -> object:
            raise TypeError("with options" if options else "without")

    class Wrong(Exporter):
        def __dlpack__(self, **options: Any) -> object:
            return 1

    with pytest.raises(RuntimeError, match="no"):
        ts.from_dlpack(Angry(np.zeros(1)))
    with pytest.raises(TypeError, match="without") as caught:
        ts.from_dlpack(Confused(np.zeros(1)))
    assert str(caught.value.__cause__) == "with options"
    with pytest.raises(TypeError, match="no capsule"):
        ts.from_dlpack(Wrong(np.zeros(1)))


def test_memory_is_let_go_on_other_threads() -> None:
    array = np.arange(10)
    alive = weakref.ref(array)
    held = [ts.from_dlpack(Exporter(array))]
    del array
    thread = threading.Thread(target=held.clear)
    thread.start()
    thread.join(10)
    gc.collect()
    assert alive() is None


class Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", Device),
        ("ndim", ctypes.c_int32),
        ("dtype", DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class Managed(ctypes.Structure):
    pass


Deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(Managed))
Managed._fields_ = [
    ("major", ctypes.c_uint32),
    ("minor", ctypes.c_uint32),
    ("manager", ctypes.c_void_p),
    ("deleter", Deleter),
    ("flags", ctypes.c_uint64),
    ("dl", DLTensor),
]
SetError = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)


class Exchange(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("previous", ctypes.c_void_p),
        ("allocate", ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.POINTER(DLTensor), ctypes.POINTER(ctypes.POINTER(Managed)), ctypes.c_void_p, SetError)),
        ("from_object", ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(ctypes.POINTER(Managed)))),
        ("to_object", ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.POINTER(Managed), ctypes.POINTER(ctypes.py_object))),
        ("view", ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(DLTensor))),
        ("stream", ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))),
    ]


def exchange() -> Any:
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    capsule = ts.Tensor.__dlpack_c_exchange_api__
    return ctypes.cast(pointer(capsule, b"dlpack_exchange_api"), ctypes.POINTER(Exchange)).contents


def test_the_table_hands_over_and_takes_back() -> None:
    table = exchange()
    assert (table.major, table.previous) == (1, None)
    tensor = ts.zeros((2, 3))
    managed = ctypes.POINTER(Managed)()
    assert table.from_object(tensor, managed) == 0
    assert managed.contents.dl.data == tensor.data_ptr and managed.contents.dl.shape[1] == 3
    back = ctypes.py_object()
    assert table.to_object(managed, back) == 0
    assert back.value.data_ptr == tensor.data_ptr and back.value.shape == (2, 3)
    # The reference that the table gave is ours to drop.
    ctypes.pythonapi.Py_DecRef(back)


def test_the_table_lends_a_view_and_knows_no_stream() -> None:
    table, tensor = exchange(), ts.zeros((4,), "int16")
    view = DLTensor()
    assert table.view(tensor, view) == 0
    assert (view.data, view.ndim, view.dtype.bits, view.strides[0]) == (tensor.data_ptr, 1, 16, 1)
    with pytest.raises(TypeError):
        table.view(object(), view)
    stream = ctypes.c_void_p(1)
    assert table.stream(1, 0, stream) == 0 and stream.value is None


def test_the_table_allocates() -> None:
    table = exchange()
    shape = (ctypes.c_int64 * 2)(3, 5)
    wanted = DLTensor(None, Device(1, 0), 2, DataType(2, 32, 1), shape, None, 0)
    managed = ctypes.POINTER(Managed)()
    said: list[tuple[bytes, bytes]] = []
    note = SetError(lambda context, kind, message: said.append((kind, message)))
    assert table.allocate(wanted, managed, None, note) == 0 and not said
    back = ctypes.py_object()
    assert table.to_object(managed, back) == 0
    assert back.value.shape == (3, 5) and back.value.dtype.name == "float32"
    ctypes.pythonapi.Py_DecRef(back)
    wanted.dtype.bits = 3
    assert table.allocate(wanted, managed, None, note) == -1
    assert said[0][0] == b"TypeError" and b"3 bits" in said[0][1]


def test_a_library_with_the_table_is_read_by_it() -> None:
    class Foreign:
        """A stand-in for a library whose type has the table, such as torch."""

        calls = 0
        __dlpack_c_exchange_api__: object

    source = np.arange(6.0).reshape(2, 3)
    tensor = ts.asarray(source)

    def give(object_: object, out: Any) -> int:
        Foreign.calls += 1
        return int(exchange().from_object(tensor, out))

    table = Exchange()
    ctypes.pointer(table)[0] = exchange()
    table.from_object = type(table.from_object)(give)
    new = ctypes.pythonapi.PyCapsule_New
    new.restype = ctypes.py_object
    new.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    name = ctypes.create_string_buffer(b"dlpack_exchange_api")
    # The capsule keeps the address of its name, not the text.
    Foreign.__dlpack_c_exchange_api__ = new(ctypes.addressof(table), ctypes.addressof(name), None)
    foreign = Foreign()
    taken = ts.asarray(foreign)
    assert Foreign.calls == 1 and taken.data_ptr == source.ctypes.data and taken.owner is foreign


def test_round_trips_do_not_leak() -> None:
    array = np.zeros(16)
    tensor = ts.asarray(array)
    before = len(gc.get_objects())
    for _ in range(1000):
        ts.from_dlpack(Exporter(tensor))
        np.from_dlpack(tensor)
        ts.from_dlpack(tensor.__dlpack__(max_version=(1, 0)))
    gc.collect()
    assert len(gc.get_objects()) - before < 100
