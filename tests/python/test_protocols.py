"""Tensors in memory of devices, and the streams that go with them."""

import ctypes
import gc
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tenspan as ts

ts.register_testing_funcs()


def native(name: str) -> ts.Function:
    function = ts.get_global_func(f"testing.{name}")
    assert function is not None
    return function


echo, apply, nop, stream = (native(name) for name in ("echo", "apply", "nop", "stream"))

#: A kind of device that no machine has.
FAKE = 12


def capsule_on(array: Any, device: tuple[int, int]) -> Any:
    """The capsule of an array, which says that its memory is that of a device."""
    capsule = array.__dlpack__(max_version=(1, 0))
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    # Behind the version, the manager, the deleter, the flags and the address.
    ctypes.cast(pointer(capsule, b"dltensor_versioned") + 40, ctypes.POINTER(ctypes.c_int32 * 2)).contents[:] = device
    return capsule


class Remote:
    """A tensor in memory of a device."""

    def __init__(self, number: int = 0, kind: int = FAKE) -> None:
        self.array = np.arange(6, dtype=np.float32).reshape(2, 3)
        self.device = (kind, number)

    def __dlpack__(self, **options: Any) -> Any:
        return capsule_on(self.array, self.device)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device


def streamed(prefix: str, asked: list[int] | None = None) -> type[Remote]:
    def env_stream(self: Remote) -> int:
        if asked is not None:
            asked.append(self.device[1])
        return 0x1000 + self.device[1]

    return type("Streamed", (Remote,), {f"__{prefix}_env_stream__": env_stream})


def seen(device: str) -> Callable[..., Any]:
    return lambda *_: stream(device).value


def test_memory_of_a_device_comes_back_as_what_was_passed() -> None:
    remote = Remote()
    assert echo(remote) is remote and echo([remote])[0] is remote and echo({"k": remote})["k"] is remote
    got: list[Any] = []
    apply(got.append, remote)
    assert got == [remote]
    with pytest.raises(ts.BufferError if hasattr(ts, "BufferError") else BufferError, match="copy it to the CPU"):
        ts.asarray(remote)


def test_memory_of_a_device_is_given_back() -> None:
    remote = Remote()
    array = weakref.ref(remote.array)
    nop(remote, [remote])
    kept = ts.Array([remote])
    del remote
    gc.collect()
    assert array() is not None
    del kept
    gc.collect()
    assert array() is None


def test_memory_of_a_device_that_others_made_is_an_object() -> None:
    tensor = native("device_tensor")("cuda:1", 5)
    assert isinstance(tensor, ts.Object) and repr(tensor) == "<tenspan.Object: a tensor in memory of cuda:1>"
    assert echo(tensor) is tensor and echo([tensor])[0] is tensor and ts.Array([tensor])[0] is tensor
    assert hash(tensor) == hash(echo(tensor))


@pytest.mark.parametrize("prefix", ["tenspan", "tvm_ffi"])
def test_the_stream_of_an_argument_is_set_during_the_call(prefix: str) -> None:
    remote = streamed(prefix)(3)
    assert apply(seen("ext_dev:3"), remote) == 0x1003
    assert apply(seen("ext_dev:2"), remote) is None and stream("ext_dev:3").value is None
    assert apply(seen("ext_dev:3"), [1, {"deep": (remote,)}]) == 0x1003


def test_the_first_tensor_of_a_call_decides() -> None:
    asked: list[int] = []
    first, second = streamed("tenspan", asked)(1), streamed("tenspan", asked)(2)
    assert apply(lambda *_: (seen("ext_dev:1")(), seen("ext_dev:2")()), first, second) == (0x1001, None)
    assert apply(seen("ext_dev:2"), Remote(1), 5, second) == 0x1002


def test_streams_of_calls_inside_of_calls_nest() -> None:
    outer, inner = streamed("tenspan")(1), type("Other", (Remote,), {"__tenspan_env_stream__": lambda self: 77})(1)

    def work(*_: Any) -> tuple[Any, ...]:
        before = stream("ext_dev:1").value
        within = apply(seen("ext_dev:1"), inner)
        return before, within, stream("ext_dev:1").value

    assert apply(work, outer) == (0x1001, 77, 0x1001)
    assert stream("ext_dev:1").value is None


def test_a_call_that_fails_takes_its_stream_back() -> None:
    def fail(*_: Any) -> None:
        raise LookupError

    with pytest.raises(LookupError):
        apply(fail, streamed("tenspan")(1))
    assert stream("ext_dev:1").value is None

    class Bad(Remote):
        def __tenspan_env_stream__(self) -> int:
            raise LookupError("no stream")

    with pytest.raises(LookupError, match="no stream"):
        nop(Bad())


def test_streams_are_those_of_a_thread() -> None:
    there: list[Any] = []

    def work(*_: Any) -> None:
        thread = threading.Thread(target=lambda: there.append(stream("ext_dev:1").value))
        thread.start()
        thread.join(60)

    apply(work, streamed("tenspan")(1))
    assert there == [None]


def test_a_tensor_of_cuda_names_its_stream_as_cuda_does() -> None:
    cuda = type("Cuda", (Remote,), {"__cuda_stream__": lambda self: (0, 0xABC)})
    assert apply(seen("cuda:0"), cuda(0, kind=2)) == 0xABC
    assert apply(seen("ext_dev:0"), cuda(0)) is None


def test_what_is_no_stream_is_a_type_error() -> None:
    with pytest.raises(TypeError):
        nop(type("Wrong", (Remote,), {"__tenspan_env_stream__": lambda self: "x"})())


# The table of functions that a type of tensors has in DLPack.
_FROM = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(ctypes.c_void_p))
_STREAM = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))


class Table(ctypes.Structure):
    _fields_ = [
        ("version", ctypes.c_uint32 * 2),
        ("previous", ctypes.c_void_p),
        ("allocate", ctypes.c_void_p),
        ("from_object", _FROM),
        ("to_object", ctypes.c_void_p),
        ("view", ctypes.c_void_p),
        ("stream", _STREAM),
    ]


def exchanging(with_stream: bool) -> type[Remote]:
    """A class of tensors with DLPack's table of functions."""

    def from_object(tensor: Any, out: Any) -> int:
        capsule = capsule_on(tensor.array, tensor.device)
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        out[0] = pointer(capsule, b"dltensor_versioned")
        ctypes.pythonapi.PyCapsule_SetName(ctypes.py_object(capsule), b"used_dltensor_versioned")
        return 0

    def current(kind: int, number: int, out: Any) -> int:
        out[0] = 0x2000 + number
        return 0

    table = Table((1, 3), None, None, _FROM(from_object), None, None, _STREAM(current) if with_stream else _STREAM())
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    capsule = new(ctypes.addressof(table), b"dlpack_exchange_api", None)
    return type("Exchanging", (Remote,), {"__dlpack_c_exchange_api__": capsule, "table": table})


def test_the_table_of_a_type_tells_its_stream() -> None:
    remote = exchanging(True)(5)
    assert echo(remote) is remote
    assert apply(seen("ext_dev:5"), remote) == 0x2005 and stream("ext_dev:5").value is None
    assert apply(seen("ext_dev:5"), exchanging(False)(5)) is None


def test_the_table_of_a_type_gives_memory_of_the_cpu() -> None:
    here = exchanging(True)(0, kind=1)
    back = echo(here)
    assert isinstance(back, ts.Tensor) and back.owner is here and back.data_ptr == here.array.ctypes.data
