"""Tenspan beside the Python package ``apache-tvm-ffi``: another runtime of the same ABI, in either order, each with its modules."""

import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest

#: Where `tests/modules/build.sh` put the modules, and the folder that holds the package `tvm_ffi`; `cargo verify` says so.
MODULES = os.environ.get("TENSPAN_MODULES", "")
PEER = os.environ.get("TENSPAN_PEER", "")

pytestmark = pytest.mark.skipif(not (MODULES and PEER), reason="TENSPAN_MODULES and TENSPAN_PEER name no folders")

HEAD = f"""
import sys
sys.path.append({PEER!r})
modules = {MODULES!r}
"""

CHECK = """
import numpy as np

def raised(work):
    try:
        work()
    except Exception as error:
        return type(error).__name__, str(error)
    raise AssertionError("nothing was raised")

def check(runtime, load):
    x, y = np.arange(3, dtype=np.float32), np.zeros(3, np.float32)
    load("tensors").add_one(x, y)
    assert y.tolist() == [1, 2, 3]
    kind, message = raised(lambda: load("tensors").add_one(x, y[:2]))
    assert kind == "ValueError" and "lengths 3 and 2 differ" in message, (kind, message)
    values, containers, functions, errors = map(load, ["values", "containers", "functions", "errors"])
    assert values.greet("a name of more than seven bytes") == "hello a name of more than seven bytes"
    assert raised(lambda: values.add(1, "2"))[0] == "TypeError"
    assert containers.sum([1, 2, 3]) == 6
    assert list(containers.range(5)) == [0, 1, 2, 3, 4]
    assert containers.lookup({"a": 1, "b": 2}, "b") == 2
    assert functions.apply(lambda x: 2 * x, 21) == 42
    assert functions.adder(3)(4) == 7
    def fail():
        raise ValueError("no luck")
    assert raised(lambda: functions.call(fail)) == ("ValueError", "no luck")
    assert functions.caught(fail) == "ValueError: no luck"
    assert functions.by_name("modules.triple", 5) == 15
    assert runtime.get_global_func("modules.triple")(4) == 12
    for n in range(50):
        assert raised(lambda: errors.value_error(n)) == ("ValueError", f"bad {n}")
    assert raised(lambda: errors.check(0))[0] in ("InternalError", "RuntimeError")
"""


def run(program: str) -> None:
    done = subprocess.run([sys.executable, "-c", HEAD + program], capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr[-3000:]


OURS = "import tenspan; ours = lambda name: tenspan.load_module(f'{modules}/{name}.so')\n"
THEIRS = "import tvm_ffi; theirs = lambda name: tvm_ffi.load_module(f'{modules}/{name}.so')\n"
USE_OURS = "check(tenspan, ours)\n"
USE_THEIRS = "check(tvm_ffi, theirs)\n"

ORDERS = {
    f"{first}-{use}": program
    for (first, imports), (use, uses) in itertools.product(
        {"tenspan first": OURS + THEIRS, "tvm_ffi first": THEIRS + OURS}.items(),
        {"ours first": USE_OURS + USE_THEIRS + USE_OURS, "theirs first": USE_THEIRS + USE_OURS + USE_THEIRS}.items(),
    )
    for program in [imports + CHECK + uses]
}
ORDERS["tvm_ffi after a module of ours"] = OURS + CHECK + USE_OURS + THEIRS + USE_THEIRS + USE_OURS
ORDERS["tenspan after a module of theirs"] = THEIRS + CHECK + USE_THEIRS + OURS + USE_OURS + USE_THEIRS


@pytest.mark.parametrize("program", ORDERS.values(), ids=ORDERS.keys())
def test_both_load_the_same_modules(program: str) -> None:
    run(program)


def test_a_module_that_names_no_library_is_ours() -> None:
    vectors = Path(__file__).parents[2] / "tests" / "vectors" / "modules"
    for imports in (OURS + THEIRS, THEIRS + OURS):
        run(
            imports
            + f"""
for name in ("gnu", "sysv", "apart"):
    for n in range(2):
        module = tenspan.load_module({str(vectors)!r} + f"/{{name}}.so")
        assert module.add(2, 3) == 5 and module.seven() == 7
        try:
            module.add(1)
        except TypeError as error:
            assert str(error) == "add takes 2 arguments"
        else:
            raise AssertionError("nothing was raised")
"""
        )


CROSSING = """
import gc
import numpy as np

def raised(work):
    try:
        work()
    except BaseException as error:
        return error
    raise AssertionError("nothing was raised")

# Functions of theirs, called by us and by our modules.
their_values, their_errors, their_functions = theirs("values"), theirs("errors"), theirs("functions")
functions = ours("functions")
apply = functions.apply
assert apply(their_values.greet, "you") == "hello you"
error = raised(lambda: functions.call(tvm_ffi.convert(lambda: 1 / 0)))
assert "division" in str(error), error
for n in range(20):
    error = raised(lambda: apply(their_errors.value_error, n))
    assert type(error) is ValueError and str(error) == f"bad {n}", error
made = tenspan.convert(their_errors.value_error)
assert isinstance(made, tenspan.Function)
error = raised(lambda: made(7))
assert type(error) is ValueError and str(error) == "bad 7", error
assert functions.caught(tenspan.convert(tvm_ffi.convert(lambda: int("x")))).startswith("ValueError: invalid literal")

# Functions of ours, called by them and by their modules.
their_apply = their_functions.apply
assert their_apply(ours("values").greet, "you") == "hello you"
for n in range(20):
    error = raised(lambda: their_apply(ours("errors").value_error, n))
    assert type(error) is ValueError and str(error) == f"bad {n}", error
def fail():
    raise IndexError("far")
error = raised(lambda: their_functions.call(tenspan.convert(fail)))
assert type(error) is IndexError and "far" in str(error), error
assert their_functions.caught(tenspan.convert(fail)) == "IndexError: far"
back = tenspan.convert(tvm_ffi.convert(tenspan.convert(fail)))
error = raised(back)
assert type(error) is IndexError, error
# What went wrong there is not found here afterwards.
assert ours("values").add(1, 2) == 3
assert type(raised(lambda: ours("values").add(1, "2"))) is TypeError
assert str(raised(lambda: ours("errors").value_error(5))) == "bad 5"

# Containers, both ways; lists and dicts are shared.
items = tvm_ffi.Array([1, "two", 3.5])
assert list(tenspan.convert(items)) == [1, "two", 3.5]
assert ours("containers").sum(tvm_ffi.Array([1, 2, 3])) == 6
mapped = tenspan.convert(tvm_ffi.Map({"a": 1, "b": 2}))
assert dict(mapped) == {"a": 1, "b": 2}
assert theirs("containers").sum(tenspan.Array([4, 5])) == 9
assert theirs("containers").lookup(tenspan.Map({"a": 1, "long enough key": 2}), "long enough key") == 2
shared = tenspan.List([1])
theirs("containers").fill(shared, 20)
assert list(shared) == [1, *range(20)]
counts = tenspan.Dict({"a": 1})
theirs("containers").count(counts, ["a", "b", "c", "d", "e", "f"])
assert dict(counts) == {"a": 2, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1}
assert theirs("containers").volume(tenspan.Shape([2, 3])) == 6

# Tensors, both ways.
x = np.arange(4, dtype=np.float32)
tensor = tvm_ffi.from_dlpack(x)
out = tenspan.zeros([4])
ours("tensors").add_one(tensor, out)
assert out.tolist() == [1, 2, 3, 4]
theirs("tensors").add_one(tenspan.asarray(x), out)
assert out.tolist() == [1, 2, 3, 4]
assert ours("tensors").sum(theirs("tensors").count_up(4)) == 6
made = ours("tensors").count_up(4)
del tensor, items, mapped
gc.collect()
assert tvm_ffi.from_dlpack(made).shape == (4,)
"""


@pytest.mark.parametrize("imports", [OURS + THEIRS, THEIRS + OURS], ids=["tenspan first", "tvm_ffi first"])
def test_values_cross_both_ways(imports: str) -> None:
    run(imports + CROSSING)


def test_in_place_a_module_of_the_other_runtime_is_refused() -> None:
    run(
        THEIRS
        + """
import tenspan
tenspan.load_module(f"{modules}/plain.so", in_place=False)
theirs("plain")
try:
    tenspan.load_module(f"{modules}/plain.so", in_place=True)
except RuntimeError as error:
    assert "of another runtime" in str(error), error
else:
    raise AssertionError("nothing was raised")
assert theirs("plain").add(1, 2) == 3
"""
    )


def test_importing_tenspan_changes_nothing_for_others() -> None:
    run(
        """
import os
before = dict(os.environ)
import tenspan
assert dict(os.environ) == before
maps = open("/proc/self/maps").read()
assert "libtvm_ffi" not in maps and "tenspan:" not in maps
"""
    )
