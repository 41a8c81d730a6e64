"""The worked examples of the public Python guide of the ABI, in the names of this library and in the order of the guide."""

import ctypes
import os
import traceback
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tenspan as ts
from tenspan import cpp

ts.register_testing_funcs()
MODULES = os.environ.get("TENSPAN_MODULES", "")


class Framework:
    """What a tensor of a framework has: memory behind DLPack, and nothing that this library knows of."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __dlpack__(self, **options: object) -> object:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()


@pytest.mark.skipif(not MODULES, reason="TENSPAN_MODULES names no folder of compiled modules")
def test_load_and_run_a_module() -> None:
    mod = ts.load_module(Path(MODULES) / "tensors.so")
    x = np.array([1, 2, 3, 4, 5], dtype=np.float32)
    y = np.empty_like(x)
    mod.add_one(x, y)
    assert y.tolist() == [2, 3, 4, 5, 6]
    assert isinstance(mod, ts.Module) and mod["add_one"] is mod.add_one


def test_tensors_go_to_numpy_and_back() -> None:
    np_data = np.array([1, 2, 3, 4], dtype=np.float32)
    tensor = ts.from_dlpack(np_data)
    np_result = np.from_dlpack(tensor)
    assert isinstance(tensor, ts.Tensor) and np.shares_memory(np_result, np_data)
    assert np_result.tolist() == [1, 2, 3, 4]


@pytest.mark.skipif(not MODULES, reason="TENSPAN_MODULES names no folder of compiled modules")
def test_tensors_of_frameworks_are_taken_as_they_are() -> None:
    mod = ts.load_module(Path(MODULES) / "tensors.so")
    x, y = Framework(np.ones(3, np.float32)), Framework(np.zeros(3, np.float32))
    mod.add_one(x, y)
    assert y.array.tolist() == [2, 2, 2]


def test_a_function_is_found_by_its_name() -> None:
    fecho = ts.get_global_func("testing.echo")
    assert isinstance(fecho, ts.Function) and fecho(1) == 1


def test_a_callback_is_called() -> None:
    fapply = ts.get_global_func("testing.apply")
    assert fapply(lambda x: x + 1, 1) == 2


def test_a_callback_is_registered_by_a_name() -> None:
    @ts.register_global_func("example.add_one")
    def add_one(a: int) -> int:
        return a + 1

    assert ts.get_global_func("example.add_one")(1) == 2
    ts.remove_global_func("example.add_one")


def passed(method: str, answer: Any) -> Any:
    """What arrives of an object whose class has a protocol."""
    echo = ts.get_global_func("testing.echo")
    return echo(type("Protocol", (), {method: lambda self: answer})())


@pytest.mark.parametrize("prefix", ["tenspan", "tvm_ffi"])
def test_the_protocol_for_an_object(prefix: str) -> None:
    held = ts.List([1, 2])
    assert passed(f"__{prefix}_object__", held) is held


@pytest.mark.parametrize("prefix", ["tenspan", "tvm_ffi"])
def test_the_protocol_for_a_value(prefix: str) -> None:
    assert passed(f"__{prefix}_value__", [1, "two"]) == ts.Array([1, "two"])
    inner = type("Inner", (), {f"__{prefix}_value__": lambda self: 2.5})()
    assert passed(f"__{prefix}_value__", inner) == 2.5
    ring = type("Ring", (), {f"__{prefix}_value__": lambda self: self})()
    with pytest.raises(TypeError):
        ts.get_global_func("testing.echo")(ring)


@pytest.mark.parametrize("prefix", ["tenspan", "tvm_ffi"])
def test_the_protocol_for_an_address(prefix: str) -> None:
    assert passed(f"__{prefix}_opaque_ptr__", 0x1234).value == 0x1234


@pytest.mark.parametrize("prefix", ["tenspan", "tvm_ffi"])
def test_the_protocols_for_numbers(prefix: str) -> None:
    assert passed(f"__{prefix}_int__", 7) == 7
    number = passed(f"__{prefix}_float__", 7)
    assert number == 7.0 and isinstance(number, float)


@pytest.mark.parametrize("prefix", ["tenspan", "tvm_ffi"])
def test_the_protocol_for_a_stream_of_a_tensor(prefix: str) -> None:
    from .test_protocols import Remote

    stream, apply = ts.get_global_func("testing.stream"), ts.get_global_func("testing.apply")
    remote = type("Streamed", (Remote,), {f"__{prefix}_env_stream__": lambda self: 0x77})(1)
    assert apply(lambda _: stream("ext_dev:1").value, remote) == 0x77
    assert stream("ext_dev:1").value is None


def test_the_protocol_for_a_stream() -> None:
    assert passed("__cuda_stream__", (0, 0x99)).value == 0x99


def test_a_workspace_is_passed_by_its_address() -> None:
    class Workspace:
        def __init__(self, size: int) -> None:
            self.buffer = (ctypes.c_uint8 * size)()

        def __tenspan_opaque_ptr__(self) -> int:
            return ctypes.addressof(self.buffer)

    @ts.register_global_func("my_compiler.compile_kernel")
    def compile_kernel(address: ctypes.c_void_p) -> None:
        ctypes.memset(address, 5, 4)

    workspace = Workspace(4096)
    ts.get_global_func("my_compiler.compile_kernel")(workspace)
    assert bytes(workspace.buffer[:5]) == b"\5\5\5\5\0"
    ts.remove_global_func("my_compiler.compile_kernel")


def test_an_array_never_changes() -> None:
    arr = ts.convert([1, 2, 3, 4])
    assert isinstance(arr, ts.Array) and len(arr) == 4 and arr[0] == 1
    with pytest.raises(TypeError):
        arr[0] = 10


def test_a_list_changes() -> None:
    lst = ts.List([1, 2, 3])
    assert len(lst) == 3
    lst.append(4)
    assert len(lst) == 4
    lst[0] = 10
    assert lst[0] == 10 and ts.get_global_func("testing.echo")(lst) is lst


def test_a_map_never_changes() -> None:
    map_obj = ts.convert({"a": 1, "b": 2})
    assert isinstance(map_obj, ts.Map) and len(map_obj) == 2 and map_obj["a"] == 1 and map_obj["b"] == 2
    with pytest.raises(TypeError):
        map_obj["c"] = 3


def test_a_dict_changes() -> None:
    d = ts.Dict({"a": 1, "b": 2})
    d["c"] = 3
    assert len(d) == 3
    del d["a"]
    assert len(d) == 2


def test_tuples_are_arrays() -> None:
    t = ts.convert((1, "hello", 3.14))
    assert isinstance(t, ts.Array) and t == (1, "hello", 3.14)


KERNEL = """
using tenspan::kernel::TensorView;

void add_one_cpu(TensorView x, TensorView y) {
  TENSPAN_CHECK(x.ndim() == 1) << "x must be a 1D tensor";
  TENSPAN_CHECK_EQ(x.size(0), y.size(0)) << "x and y must have the same shape";
  for (std::int64_t i = 0; i < x.size(0); ++i) y.data<float>()[i] = x.data<float>()[i] + 1;
}
"""


def test_an_inline_module_is_compiled_and_called(tmp_path: Path) -> None:
    mod = cpp.load_inline(name="hello", cpp_sources=KERNEL, functions="add_one_cpu", build_directory=tmp_path)
    x = np.array([1, 2, 3, 4, 5], dtype=np.float32)
    y = np.empty_like(x)
    mod.add_one_cpu(x, y)
    np.testing.assert_array_equal(x + 1, y)
    y[:] = 0
    mod.add_one_cpu(Framework(x), Framework(y))
    np.testing.assert_array_equal(x + 1, y)
    with pytest.raises(AssertionError, match="x must be a 1D tensor"):
        mod.add_one_cpu(x.reshape(1, 5), y)
    assert list(mod) == ["add_one_cpu"]


def test_an_inline_module_is_built_and_loaded_later(tmp_path: Path) -> None:
    path = cpp.build_inline(name="hello", cpp_sources=KERNEL, functions="add_one_cpu", build_directory=tmp_path)
    x = np.zeros(2, np.float32)
    ts.load_module(path).add_one_cpu(x, x)
    assert x.tolist() == [1, 1]


@pytest.mark.skipif(not MODULES, reason="TENSPAN_MODULES names no folder of compiled modules")
def test_an_error_has_the_frames_of_all_languages() -> None:
    fail = ts.get_global_func("testing.raise")
    with pytest.raises(ValueError, match="message") as caught:
        fail("ValueError", "message")
    text = "".join(traceback.format_exception(caught.value))
    assert f'File "{__file__}"' in text and "ValueError: message" in text
    assert "In other languages" in text and "testing.raise" in text, text
    with pytest.raises(ValueError, match="bad 3") as caught:
        ts.load_module(Path(MODULES) / "errors.so").value_error(3)
    text = "".join(traceback.format_exception(caught.value))
    assert "errors.cc" in text and "value_error" in text, text


def test_errors_of_further_kinds_are_registered() -> None:
    @ts.register_error("ExampleError")
    class ExampleError(RuntimeError):
        pass

    with pytest.raises(ExampleError, match="message"):
        ts.get_global_func("testing.raise")("ExampleError", "message")


def test_an_object_of_two_fields(int_pair: Any) -> None:
    pair = int_pair(1, 2)
    assert pair.a == 1 and pair.b == 2
