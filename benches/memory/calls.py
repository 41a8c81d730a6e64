"""What a call costs beside its work: four numbers go in, by every way there is."""

import tomllib
from pathlib import Path

import numkong
import numpy
import tenspan
import tvm_ffi
from race import judge, race

BARS = tomllib.loads((Path(__file__).parent / "bars.toml").read_text())

# What is called, by us and by the peer.
ROWS = {
    "dot of own tensors": ("tenspan.dot(t, u)", "numkong", "numkong.dot(their_t, their_u)"),
    "dot of NumPy arrays": ("tenspan.dot(a, b)", "numkong", "numkong.dot(a, b)"),
    "from_pointer": (
        "tenspan.from_pointer(address, (4,), 'float32')",
        "numkong",
        "numkong.from_pointer(address, (4,), 'float32')",
    ),
    "from_pointer with an owner": (
        "tenspan.from_pointer(address, (4,), 'float32', owner=a)",
        "numkong",
        "numkong.from_pointer(address, (4,), 'float32', owner=a)",
    ),
    "numpy.asarray(t)": ("numpy.asarray(t)", "numkong", "numpy.asarray(their_t)"),
    "numpy.from_dlpack(t)": ("numpy.from_dlpack(t)", "tvm_ffi", "numpy.from_dlpack(tvm_t)"),
    "from_dlpack(array)": ("tenspan.from_dlpack(a)", "tvm_ffi", "tvm_ffi.from_dlpack(a)"),
    "memoryview(t)": ("memoryview(t)", "numkong", "memoryview(their_t)"),
    "zeros((4,))": ("tenspan.zeros((4,))", "numkong", "numkong.zeros((4,))"),
    "t[1:3]": ("t[1:3]", "numkong", "their_t[1:3]"),
    "t.data_ptr": ("t.data_ptr", "numkong", "their_t.data_ptr"),
    "t.shape": ("t.shape", "numkong", "their_t.shape"),
}


def measure(effort, only):
    """All rows, or those whose names contain one of the words."""
    a, b = numpy.arange(4, dtype=numpy.float32), numpy.arange(4, dtype=numpy.float32)
    names = {
        "tenspan": tenspan,
        "numkong": numkong,
        "numpy": numpy,
        "tvm_ffi": tvm_ffi,
        "a": a,
        "b": b,
        "address": a.ctypes.data,
        "t": tenspan.asarray(a),
        "u": tenspan.asarray(b),
        "their_t": numkong.from_dlpack(a),
        "their_u": numkong.from_dlpack(b),
        "tvm_t": tvm_ffi.from_dlpack(a),
    }
    rows = {}
    for name, (ours, peer, theirs) in ROWS.items():
        if only and not any(word in name for word in only):
            continue
        ns = race({"tenspan": ours, peer: theirs}, names, effort)
        rows[name] = judge(ns, "tenspan", peer, BARS["calls"].get(name))
    return rows
