"""What is called: the same by us and by the peer, on functions that do nothing, give their argument back, or call another, and objects with two fields."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import numkong
import numpy
import tenspan
import tenspan.cpp
import tvm_ffi
import tvm_ffi.cpp
import tvm_ffi.testing
from race import judge, race

BARS = tomllib.loads((Path(__file__).parent / "bars.toml").read_text())
BUILD = Path(__file__).parents[2] / "tests" / "modules" / "build.sh"

# By group: what is timed, with `x` for our library and `y` for the peer; both have the same names inside.
GROUPS = {
    "calls": {
        "f()": "nop()",
        "f(1)": "nop(1)",
        "f(1, 2, 3)": "nop(1, 2, 3)",
        "f(1.5)": "nop(1.5)",
        "f(2**70)": "nop(big)",
        "f(b'abc')": "nop(b'abc')",
        "f(tensor)": "nop(tensor)",
        "f(3 tensors)": "nop(tensor, tensor, tensor)",
        "f(ndarray)": "nop(a)",
        "f(3 ndarrays)": "nop(a, b, c)",
        "f(list of 10)": "nop(ten)",
        "f(), interpreter released": "free_nop()",
        "f(tensor), interpreter released": "free_nop(tensor)",
        "echo(1)": "echo(1)",
        'echo("hello")': "echo('hello')",
        "echo(100 letters)": "echo(letters)",
        "echo(tensor)": "echo(tensor)",
        "echo(ndarray)": "echo(a)",
        "callback()": "apply(callback)",
        "callback(1)": "apply(callback, 1)",
        "callback(tensor)": "apply(callback, tensor)",
        "get_global_func": "get_global_func('testing.nop')",
    },
    "containers": {
        "Array of 10 ints": "Array(ten)",
        "Array of 1000 ints": "Array(thousand)",
        "len(Array)": "len(array)",
        "Array[i]": "array[3]",
        "list(Array of 10)": "list(array)",
        "List[i] = 1": "lst.__setitem__(3, 1)",
        "Map of 10 strings": "Map(names)",
        "Map[k]": "mapping['k3']",
        "k in Map": "'k3' in mapping",
        "dict(Map.items())": "dict(mapping.items())",
        "Dict[k] = 1": "dictionary.__setitem__('k3', 1)",
        "Shape((1, 2, 3))": "Shape((1, 2, 3))",
    },
    "modules": {
        "add_one(2 tensors)": "add_one(tensor, other)",
        "add_one(2 ndarrays)": "add_one(a, b)",
        "m.add_one(2 tensors)": "module.add_one(tensor, other)",
        "load_inline, compiled before": "load_inline(name='warm', cpp_sources=source, functions='nothing')",
    },
    "objects": {
        "Pair(1, 2)": "Pair(1, 2)",
        "pair.a": "pair.a",
        "pair.sum()": "pair.sum()",
        "pair from a list": "pairs[0]",
    },
    "errors": {
        "native error": "caught(fail, 'ValueError', 'message')",
        "missing key": "caught(mapping.__getitem__, 'missing')",
        "error of Python through native code": "caught(apply, raises)",
    },
}


def measure(effort, only, folder):
    """All groups, each row with its bar, and one call of numkong for scale. Modules are compiled into the folder."""
    # The peer compiles with the ninja that stands beside this Python.
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    tenspan.register_testing_funcs()
    subprocess.run(["bash", BUILD, Path(tvm_ffi.__file__).parent, folder / "modules"], check=True)
    ours = _names(tenspan, tenspan.get_global_func("testing.raise"), tenspan.asarray, _pair())
    theirs = _names(tvm_ffi, tvm_ffi.get_global_func("testing.test_raise_error"), tvm_ffi.from_dlpack, tvm_ffi.testing.TestIntPair)
    for used, load in ((ours, tenspan.load_module), (theirs, tvm_ffi.load_module)):
        used.update(_module(load, folder / "modules" / "tensors.so"))
    for used, load in ((ours, tenspan.cpp.load_inline), (theirs, tvm_ffi.cpp.load_inline)):
        used |= {"load_inline": load, "source": "int64_t nothing(int64_t x) { return x; }"}
        load(name="warm", cpp_sources=used["source"], functions="nothing")
    names = {"ours": ours, "theirs": theirs}
    measured = {}
    for group, statements in GROUPS.items():
        measured[group] = {}
        for name, statement in statements.items():
            if only and not any(word in name for word in only):
                continue
            ns = race({"tenspan": (statement, ours), "tvm_ffi": (statement, theirs)}, names, effort)
            measured[group][name] = judge(ns, "tenspan", "tvm_ffi", BARS[group].get(name))
    if not only or "dot" in only:
        extra = {"tenspan": tenspan, "numkong": numkong, "a": ours["a"], "b": ours["b"]}
        ns = race({"tenspan": "tenspan.dot(a, b)", "numkong": "numkong.dot(a, b)"}, extra, effort)
        measured["calls"]["dot of ndarrays"] = judge(ns, "tenspan", "numkong")
    return measured


def _pair():
    """Our class for the same two numbers with a sum that native code makes."""

    @tenspan.register_object("testing.IntPair")
    class Pair(tenspan.Object):
        pass

    return Pair


def _names(library, fail, tensor_of, pair):
    """What the statements use, of one library."""
    a, b, c = (numpy.arange(4, dtype=numpy.float32) for _ in range(3))

    def function(name):
        return library.get_global_func(f"testing.{name}")

    def caught(call, *arguments):
        try:
            call(*arguments)
        except (ValueError, KeyError):
            pass

    def raises():
        raise ValueError("message")

    names = {"nop": function("nop"), "echo": function("echo"), "apply": function("apply"), "fail": fail, "free_nop": function("nop")}
    if names["free_nop"] is names["nop"]:
        # Policy belongs to the object, of which there is one: a second function does what the first does.
        names["free_nop"] = function("count")
    for name in ("nop", "echo", "apply", "fail"):
        names[name].release_gil = False
    names["free_nop"].release_gil = True
    words = {f"k{i}": i for i in range(10)}
    names |= {"Array": library.Array, "Map": library.Map, "Shape": library.Shape, "get_global_func": library.get_global_func}
    names |= {"array": library.Array(range(10)), "lst": library.List(range(10))}
    names |= {"mapping": library.Map(words), "dictionary": library.Dict(words), "names": words}
    names |= {"a": a, "b": b, "c": c, "tensor": tensor_of(a), "other": tensor_of(b), "big": 2**70, "letters": "x" * 100}
    names |= {"ten": list(range(10)), "thousand": list(range(1000))}
    names |= {"Pair": pair, "pair": pair(1, 2), "pairs": library.List([pair(1, 2)])}
    return names | {"callback": lambda *_: None, "caught": caught, "raises": raises}


def _module(load, path):
    """What rows say of a module that both load."""
    module = load(str(path))
    add_one = module.add_one
    add_one.release_gil = False
    return {"module": module, "add_one": add_one}
