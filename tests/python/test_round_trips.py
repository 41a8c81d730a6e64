"""Memory that goes back and forth many times, and goes at last: nothing is left, wherever and whenever that happens."""

import ctypes
import gc
import subprocess
import sys
import textwrap
from collections.abc import Callable

import numpy as np
import pytest
import tenspan as ts

ARRAY = np.zeros(64, np.float32)
TENSOR = ts.zeros(64)
BLOCK = bytearray(256)

WAYS: dict[str, Callable[[], object]] = {
    "asarray of an array": lambda: ts.asarray(ARRAY),
    "asarray of a buffer": lambda: ts.asarray(BLOCK),
    "from_buffer": lambda: ts.from_buffer(BLOCK, "float32"),
    "from_dlpack of a capsule": lambda: ts.from_dlpack(TENSOR.__dlpack__(max_version=(1, 0))),
    "from_dlpack of an old capsule": lambda: ts.from_dlpack(TENSOR.__dlpack__()),
    "a capsule that nobody takes": lambda: TENSOR.__dlpack__(max_version=(1, 0)),
    "from_pointer": lambda: ts.from_pointer(TENSOR.data_ptr, (64,), "float32", owner=TENSOR),
    "from_pointer without an owner": lambda: ts.from_pointer(TENSOR.data_ptr, (64,), "float32"),
    "memoryview": lambda: memoryview(TENSOR),
    "zeros": lambda: ts.zeros((4, 4)),
    "numpy.from_dlpack": lambda: np.from_dlpack(TENSOR),
    "numpy.asarray": lambda: np.asarray(TENSOR),
    "numpy()": lambda: TENSOR.numpy(),
    "memoryview": lambda: memoryview(TENSOR),
    "views": lambda: TENSOR[2:][::-1],
    "dot of arrays": lambda: ts.dot(ARRAY, ARRAY),
    "a refusal": lambda: refused(),
}


def refused() -> None:
    with pytest.raises(ValueError, match="process"):
        ts.from_pointer(0, (1,), "float32", owner=ARRAY)


def resident() -> int:
    """Bytes of this process that are in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


@pytest.mark.parametrize("way", WAYS)
def test_nothing_is_left_of_many_round_trips(way: str) -> None:
    trip = WAYS[way]
    rounds = 2_000 if way == "a refusal" else 100_000
    for _ in range(rounds // 10):
        trip()
    gc.collect()
    references, before = sys.getrefcount(ARRAY), resident()
    for _ in range(rounds):
        trip()
    gc.collect()
    # A leak of one object of 64 bytes in each trip would be 6 MB.
    assert resident() - before < 3 << 20
    assert sys.getrefcount(ARRAY) == references


@pytest.mark.parametrize(
    "held",
    [
        "ts.asarray(np.zeros(9))",
        "np.from_dlpack(ts.zeros(9))",
        "np.asarray(ts.zeros(9))",
        "ts.zeros(9).__dlpack__(max_version=(1, 0))",
        "ts.from_dlpack(ts.zeros(9).__dlpack__())",
        "ts.from_buffer(bytearray(64), 'float32')",
        "memoryview(ts.zeros(9))",
        "[ts.asarray(np.zeros(9))[1:], ts.from_pointer(x.ctypes.data, (9,), 'float64', owner=x)]",
    ],
)
def test_memory_may_outlive_the_interpreter(held: str) -> None:
    program = f"""
        import atexit, sys, threading
        import numpy as np
        import tenspan as ts
        x = np.zeros(9)
        kept = {held}
        sys.modules["keeps"] = type("Keeper", (), dict(kept=kept))
        cycle = [kept]
        cycle.append(cycle)
        thread = threading.local()
        thread.kept = kept
        atexit.register(lambda kept=kept: None)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_an_address_of_nothing_is_not_read() -> None:
    # Made, described and dropped, but never looked at.
    tensor = ts.from_pointer(4096, (2, 2), "float32")
    assert (tensor.nbytes, tensor.is_contiguous, tensor.data_ptr) == (16, True, 4096)
    assert ctypes.c_void_p(tensor.data_ptr).value == 4096
