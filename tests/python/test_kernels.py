"""Kernels written with ``<tenspan/kernel.hpp>``: the calls of all modules, here and in the other runtime of the ABI."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tenspan as ts
from tenspan import cpp

from .test_modules import CALLS, ROOT, arguments_of, decode, title

SOURCES = ROOT / "tests" / "modules" / "kernel"
#: The folder that holds the package `tvm_ffi`; `cargo verify` says so.
PEER = os.environ.get("TENSPAN_PEER", "")


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kernels")


def module(name: str, folder: Path) -> ts.Module:
    flags = ["-O1", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"]
    include = cpp.include_path()
    return cpp.load(name, SOURCES / f"{name}.cc", extra_cflags=flags, extra_include_paths=include, build_directory=folder)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        pytest.param(name, {**call, **call.get("kernel", {})}, id=f"{name}.{title(call)}")
        for name, calls in CALLS.items()
        if (SOURCES / f"{name}.cc").exists()
        for call in calls
    ],
)
def test_call(name: str, call: dict[str, Any], folder: Path) -> None:
    loaded = module(name, folder)
    arguments = arguments_of(loaded, call)
    function = loaded[call["f"]]
    again = [decode(value) for value in call["then"]] if "then" in call else None

    def run() -> Any:
        result = function(*arguments)
        return result if again is None else result(*again)

    if "raises" in call:
        with pytest.raises(Exception) as caught:  # noqa: PT011
            run()
        kind = getattr(caught.value, "kind", type(caught.value).__name__)
        assert kind == call["raises"]
        assert call["says"] in str(caught.value)
        return
    result = run()
    assert ts.equal(result, decode(call["result"])), result
    for argument, after in zip(arguments, call.get("after", arguments), strict=True):
        assert argument is after or ts.equal(argument, decode(after)), argument


@pytest.mark.parametrize(
    ("name", "function", "arguments", "kind", "message"),
    [
        ("values", "add", (1,), TypeError, "add takes 2 arguments, 1 was given"),
        ("values", "add", (1, 2, 3), TypeError, "add takes 2 arguments, 3 were given"),
        ("values", "add", (1, "2"), TypeError, 'add: argument 1 (`b`) wants an integer, found the string "2"'),
        ("values", "byte", (256,), OverflowError, "byte: argument 0: 256 is not between 0 and 255"),
        ("values", "byte", (-1,), ValueError, "byte: argument 0: -1 is negative"),
        ("values", "add", (2**63, 1), OverflowError, None),
        ("values", "kind_of", (None,), TypeError, "kind_of: argument 0 wants an integer or a number or a string or bytes, found None"),
        ("tensors", "add_one", (1, 2), TypeError, "add_one: argument 0 (`x`) wants a tensor, found the integer 1"),
        ("containers", "sum", ([1, "2"],), TypeError, 'sum: argument 0: item 1 wants an integer, found the string "2"'),
        ("containers", "weigh", ({"a": [1, None]},), TypeError, 'weigh: argument 0: the value of "a": item 1 wants an integer, found None'),
        ("containers", "lookup", ({"a": 1}, "b"), KeyError, None),
        ("errors", "check", (0,), AssertionError, "check failed: x > 0: a positive number wanted"),
        ("errors", "check_less", (11,), AssertionError, "check failed: x < 10 (11 and 10)"),
        ("errors", "foreign", (1,), RuntimeError, "an exception of C++ that is no std::exception"),
        ("errors", "memory", (), MemoryError, None),
        ("errors", "wrong_result", (lambda: "text",), TypeError, None),
    ],
)
def test_errors_say_what_was_found(
    name: str, function: str, arguments: tuple[Any, ...], kind: type[Exception], message: str | None, folder: Path
) -> None:
    with pytest.raises(kind) as caught:
        module(name, folder)[function](*arguments)
    assert message is None or str(caught.value) == message


def test_numbers_of_64_bits_come_back(folder: Path) -> None:
    large = module("values", folder).large
    assert [large(n) for n in (0, 2**63 - 1, 2**63, 2**64 - 1)] == [0, 2**63 - 1, 2**63, 2**64 - 1]


@pytest.mark.parametrize("n", [0, 1, 4, 5, 6, 20, 1000, 20000])
def test_dicts_of_any_size_are_those_of_the_library(n: int, folder: Path) -> None:
    made = module("containers", folder).sieve(n)
    assert dict(made.items()) == {i * 7919: str(i) for i in range(n) if i % 3}
    made["more"] = 1
    assert made["more"] == 1


def test_an_exception_of_a_callback_comes_home_as_itself(folder: Path) -> None:
    own = ValueError("no luck")

    def fail() -> None:
        raise own

    with pytest.raises(ValueError, match="no luck") as caught:
        module("errors", folder).through(fail)
    assert caught.value is own


def test_arrays_of_numpy_are_arguments(folder: Path) -> None:
    tensors = module("tensors", folder)
    x = np.arange(6, dtype=np.float32)
    y = np.zeros(3, np.float32)
    tensors.scale(x[::2], 2, y)
    assert y.tolist() == [0, 4, 8]
    with pytest.raises(TypeError, match="wanted elements of float32, the tensor has int32"):
        tensors.add_one(x.astype(np.int32), x.astype(np.int32))
    with pytest.raises(ValueError, match="do not stand side by side"):
        tensors.add_one(x[::2], y)


def test_docs_and_types_go_with_the_module(folder: Path) -> None:
    values = module("values", folder)
    assert values.get_function_doc("add") == "Adds two numbers."
    about = json.loads(values.get_function_metadata("add") or "")
    assert about["arg_names"] == ["a", "b"]
    assert json.loads(about["type_schema"])["named_args"]["return"] == [{"type": "int"}]


def test_functions_are_registered_when_the_module_is_loaded(folder: Path) -> None:
    module("functions", folder)
    triple = ts.get_global_func("kernels.triple")
    assert triple is not None and triple(4) == 12


def test_objects_cross_as_they_are(folder: Path) -> None:
    objects = module("objects", folder)
    named = objects.make_named("x")
    swapped = objects.swap(named)
    assert objects.maybe(swapped) == 3 and objects.maybe(None) == -1
    with pytest.raises(TypeError, match=r"swap: argument 0 wants kernels\.Pair, found the integer 3"):
        objects.swap(3)


OTHER = """
import sys
sys.path.append({peer!r})
import numpy as np
import tvm_ffi
load = lambda name: tvm_ffi.load_module({folder!r} + "/" + name + ".so")

def raised(work, *arguments):
    try:
        work(*arguments)
    except Exception as error:
        return type(error).__name__, str(error)
    raise AssertionError("nothing was raised")

values, tensors, containers, functions, errors, objects = map(load, ["values", "tensors", "containers", "functions", "errors", "objects"])
assert values.add(2, 3) == 5 and values.greet("a name of more than seven bytes") == "hello a name of more than seven bytes"
assert raised(values.add, 1, "2") == ("TypeError", 'add: argument 1 (`b`) wants an integer, found the string "2"')
assert raised(errors.check, 0) == ("AssertionError", "check failed: x > 0: a positive number wanted")
x, y = np.arange(3, dtype=np.float32), np.zeros(3, np.float32)
tensors.add_one(x, y)
assert y.tolist() == [1, 2, 3] and np.from_dlpack(tensors.count_up(3)).tolist() == [0, 1, 2]
for n in (0, 4, 5, 1000):
    assert dict(containers.sieve(n).items()) == {{i * 7919: str(i) for i in range(n) if i % 3}}
assert functions.adder(3)(4) == 7 and functions.map(lambda x: 2 * x, [1, 2])[1] == 4
def fail():
    raise ValueError("no luck")
assert raised(functions.call, fail) == ("ValueError", "no luck") and functions.caught(fail) == "ValueError: no luck"
assert tvm_ffi.get_global_func("kernels.triple")(4) == 12

@tvm_ffi.register_object("kernels.Pair")
class Pair(tvm_ffi.Object):
    def __init__(self, a, b):
        self.__ffi_init__(a, b)

@tvm_ffi.register_object("kernels.Named")
class Named(Pair):
    def __init__(self, a, b, name):
        self.__ffi_init__(a, b, name)

pair = Named(1, 2, "x")
pair.a = 5
assert (pair.sum(), pair.b, pair.name, objects.swap(pair).a) == (7, 2, "x", 2)
assert pair.scaled(2).b == 4 and Pair.zero().sum() == 0 and isinstance(objects.make_named("y"), Pair)

@tvm_ffi.register_object("kernels.Version")
class Version(tvm_ffi.Object):
    def __init__(self, *parts):
        self.__ffi_init__(*parts)

@tvm_ffi.register_object("kernels.Box")
class Box(tvm_ffi.Object):
    def __init__(self, held):
        self.__ffi_init__(held)

one, same, other = Version(1, 2), Version("1.2", None, "other words"), Version(1)
shown, equal, hashed = (tvm_ffi.get_global_func("ffi." + name) for name in ("ReprPrint", "RecursiveEq", "RecursiveHash"))
assert shown(one) == "v1.2" and shown(Box(one)) == "<v1.2>" and shown(Box([one, 5])) == "<(v1.2, 5)>", shown(Box([one, 5]))
assert equal(one, same) and not equal(one, other) and hashed(one) == hashed(same) != hashed(other)
assert raised(Version, "1")[0] == "ValueError"
print("fine")
"""


@pytest.mark.skipif(not PEER, reason="TENSPAN_PEER names no folder")
def test_the_other_runtime_loads_the_same_files(folder: Path) -> None:
    for name in ["values", "tensors", "containers", "functions", "errors", "objects"]:
        module(name, folder)
    program = OTHER.format(peer=PEER, folder=str(folder))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=240)
    assert done.stdout == "fine\n", done.stderr


def test_modules_need_no_symbol_of_a_runtime(folder: Path) -> None:
    module("objects", folder)
    listed = subprocess.run(
        ["nm", "-D", "--undefined-only", str(folder / "objects.so")], capture_output=True, text=True, check=True
    )
    needed = [line.split() for line in listed.stdout.splitlines()]
    ours = [(kind, name) for kind, name in needed if "tenspan" in name.lower() or "TVMFFI" in name]
    assert ours and all(kind == "w" for kind, _ in ours), ours
    unique = subprocess.run(["readelf", "--dyn-syms", "-W", str(folder / "objects.so")], capture_output=True, text=True, check=True)
    assert "UNIQUE" not in unique.stdout
