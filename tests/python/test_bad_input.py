"""What other libraries crash on, hang at, or compute wrongly: refused with an error of its type, or right.

Each is tried in an interpreter of its own with a deadline, so that a crash is one failed test.
"""

import subprocess
import sys

import pytest

BEGIN = """
import array, ctypes, mmap
import numpy as np
import tenspan as ts

a = np.arange(1, 17, dtype=np.float32)
p, m = a.ctypes.data, a.reshape(4, 4)


class Described:
    def __init__(self, **description):
        self.__array_interface__ = {"version": 3, "shape": (4,), "typestr": "<f4"} | description


def fixed(array):
    array.flags.writeable = False
    return array
"""

REFUSED = {
    "address 0": ("ts.from_pointer(0, (1,), 'float32')", "ValueError"),
    "address -1": ("ts.from_pointer(-1, (1,), 'float32').tolist()", "ValueError"),
    "address -8": ("ts.from_pointer(-8, (1,), 'float32').tolist()", "ValueError"),
    "address of no process": ("ts.from_pointer(2**64 - 8, (1,), 'float32').tolist()", "ValueError"),
    "address 2**64": ("ts.from_pointer(2**64, (1,), 'float32')", "OverflowError"),
    "address of text": ("ts.from_pointer('16', (1,), 'float32')", "TypeError"),
    "address with a point": ("ts.from_pointer(16.0, (1,), 'float32')", "TypeError"),
    "address of nothing": ("ts.from_pointer(None, (1,), 'float32')", "TypeError"),
    "shape around the address space": ("ts.from_pointer(p, (2**40, 2**40), 'float32').tolist()", "OverflowError"),
    "shape to the end of the address space": ("ts.from_pointer(p, (2**61 - 1,), 'float32').tolist()", "ValueError"),
    "shape below 0": ("ts.from_pointer(p, (-1,), 'float32')", "ValueError"),
    "shape 2**63": ("ts.from_pointer(p, (2**63,), 'float32')", "OverflowError"),
    "shape 2**70": ("ts.from_pointer(p, (2**70,), 'float32')", "OverflowError"),
    "shape with a point": ("ts.from_pointer(p, (4.0,), 'float32')", "TypeError"),
    "shape of truth": ("ts.from_pointer(p, (True,), 'float32')", "TypeError"),
    "65 dimensions": ("ts.from_pointer(p, (1,) * 65, 'float32')", "ValueError"),
    "dtype of no name": ("ts.from_pointer(p, (4,), 'float31')", "ValueError"),
    "dtype of nothing": ("ts.from_pointer(p, (4,), None)", "TypeError"),
    "too few strides": ("ts.from_pointer(p, (2, 2), 'float32', strides=(4,))", "ValueError"),
    "strides with a point": ("ts.from_pointer(p, (2,), 'float32', strides=(4.0,))", "TypeError"),
    "strides around the address space": ("ts.from_pointer(p, (2**33,), 'u8', strides=(2**31,))", "OverflowError"),
    "strides below the address space": ("ts.from_pointer(p, (2**20,), 'u8', strides=(-(2**42),))", "ValueError"),
    "unknown keyword": ("ts.from_pointer(p, (4,), 'float32', writable=True)", "TypeError"),
    "keyword twice": ("ts.from_pointer(p, (4,), 'float32', address=p)", "TypeError"),
    "too few arguments": ("ts.from_pointer(p, (4,))", "TypeError"),
    "too many arguments": ("ts.from_pointer(p, (4,), 'float32', None, None, False, 1)", "TypeError"),
    "more elements than there are numbers": ("ts.zeros((2**62, 2**62))", "OverflowError"),
    "more bytes than there are numbers": ("ts.zeros(2**61, 'float64')", "OverflowError"),
    "more bytes than memory": ("ts.zeros(2**61, 'uint8')", "MemoryError"),
    "full beyond int8": ("ts.full((2,), 300, 'int8')", "OverflowError"),
    "full below uint8": ("ts.full((2,), -1, 'uint8')", "OverflowError"),
    "full beyond uint64": ("ts.full((2,), 2**64, 'uint64')", "OverflowError"),
    "full of no number as int8": ("ts.full((2,), float('nan'), 'int8')", "ValueError"),
    "full of a pair as float32": ("ts.full((2,), 1 + 2j, 'float32')", "TypeError"),
    "nothing as more than there is": ("ts.zeros((0,)).reshape(2**32, 2**32)[0, 0]", "OverflowError"),
    "nothing as something": ("ts.zeros((0,)).reshape(1, 1)", "ValueError"),
    "index of a list": ("ts.asarray(a)[[0, 1]]", "TypeError"),
    "index of truth": ("ts.asarray(a)[True]", "TypeError"),
    "index beyond": ("ts.asarray(a)[16]", "IndexError"),
    "description of address 0": ("ts.asarray(Described(data=(0, False))).tolist()", "ValueError"),
    "description without memory": ("ts.asarray(Described()).tolist()", "TypeError"),
    "foreign byte order": ("ts.asarray(a.astype('>f4'))", "TypeError"),
    "elements of several parts": ("ts.asarray(np.zeros(2, [('a', 'i4'), ('b', 'f4')]))", "TypeError"),
    "elements of text": ("ts.asarray(np.array(['a']))", "TypeError"),
    "elements of objects": ("ts.asarray(np.array([None]))", "TypeError"),
    "elements of time": ("ts.asarray(np.array(['2020-01-01'], 'M8[D]'))", "TypeError"),
    "elements of 128 bits": ("ts.asarray(np.zeros(2, np.longdouble))", "TypeError"),
    "dot of two lengths": ("ts.dot(a, a[:8])", "ValueError"),
    "dot of two dtypes": ("ts.dot(a, a.astype('f8'))", "TypeError"),
    "dot of int8 and uint8": ("ts.dot(np.ones(4, 'i1'), np.ones(4, 'u1'))", "TypeError"),
    "dot of truth": ("ts.dot(np.ones(4, '?'), np.ones(4, '?'))", "TypeError"),
    "dot of scalars": ("ts.dot(np.float32(2), np.float32(3))", "ValueError"),
    "out that is read-only": ("ts.dot(m, m, out=fixed(np.zeros(4)))", "BufferError"),
    "out that is shorter": ("ts.dot(m, m, out=np.zeros(3))", "ValueError"),
    "out of another dtype": ("ts.dot(m, m, out=np.zeros(4, 'f4'))", "TypeError"),
    "out over an argument": ("ts.dot(m.astype('f8'), (b := np.ones((4, 4))), out=b[0])", "BufferError"),
    "out for a number that is too long": ("ts.dot(a, a, out=np.zeros(2))", "ValueError"),
    "packed bytes of strided memory": ("__import__('hashlib').sha256(ts.asarray(a)[::2])", "BufferError"),
    "packed bytes of reversed memory": ("__import__('io').BytesIO().write(ts.asarray(a)[::-1])", "BufferError"),
    "write into bytes": ("ts.from_dlpack(np.frombuffer(b'abcd', 'u1')).__setitem__(0, 1)", "BufferError"),
    "write into a read-only array": ("ts.from_dlpack(fixed(a)).__setitem__(0, 1)", "BufferError"),
}

TAKEN = {
    "address 0 of nothing": ("ts.from_pointer(0, (0, 3), 'float32').shape", (0, 3)),
    "address as a number of NumPy": ("ts.from_pointer(np.uint64(p), (2,), 'float32').tolist()", [1, 2]),
    "address as a pointer of ctypes": ("ts.from_pointer(ctypes.c_void_p(p), (2,), 'float32').tolist()", [1, 2]),
    "address between elements": (
        "ts.from_pointer(p + 1, (3,), 'float32').tobytes() == a.tobytes()[1:13]",
        True,
    ),
    "stride between elements": (
        "ts.from_pointer(p, (2,), 'float32', strides=(3,)).tobytes() == a.tobytes()[:4] + a.tobytes()[3:7]",
        True,
    ),
    "stride 0": ("ts.from_pointer(p, (3,), 'float32', strides=(0,)).tolist()", [1, 1, 1]),
    "shape as a list": ("ts.from_pointer(p, [2, 2], 'float32').tolist()", [[1, 2], [3, 4]]),
    "shape of NumPy": ("ts.from_pointer(p, (np.int32(2), np.uint8(1)), 'float32').shape", (2, 1)),
    "shape as a number": ("ts.from_pointer(p, 2, 'float32').shape", (2,)),
    "dtype as a class": ("ts.from_pointer(p, (2,), np.float32).tolist()", [1, 2]),
    "dtype of NumPy": ("ts.from_pointer(p, (2,), np.dtype('<f4')).tolist()", [1, 2]),
    "dtype in other letters": ("ts.from_pointer(p, (2,), ''.join(['F', '32'])).tolist()", [1, 2]),
    "strides as a list": ("ts.from_pointer(p, (2,), 'float32', strides=[8]).tolist()", [1, 3]),
    "all by name": ("ts.from_pointer(dtype='f32', shape=(2,), address=p, readonly=True).readonly", True),
    "index of three dots": ("ts.asarray(m)[...].shape", (4, 4)),
    "index of nothing": ("ts.asarray(m)[None].shape", (1, 4, 4)),
    "index of NumPy": ("ts.asarray(m)[np.int64(1), np.int8(-1)].item()", 8),
    "columns first": ("ts.asarray(m.T).contiguous().tolist() == m.T.tolist()", True),
    "every other column": ("ts.asarray(m[:, ::2]).tobytes() == m[:, ::2].tobytes()", True),
    "dimensions in another order": (
        "(c := a.reshape(2, 2, 4).transpose(2, 0, 1)).tobytes() == ts.cast(c, 'float32').tobytes()",
        True,
    ),
    "dot of arrays of ctypes": ("ts.dot((ctypes.c_float * 3)(1, 2, 3), (ctypes.c_float * 3)(1, 1, 1))", 6),
    "cast of an array of ctypes": ("ts.cast((ctypes.c_int * 2 * 2)(), 'float32').tolist()", [[0, 0], [0, 0]]),
    "dot backwards": ("ts.dot(a[::-1], np.ones(16, 'f4'))", 136),
    "dot of one number many times": ("ts.dot(np.broadcast_to(np.float32(2), (8,)), np.ones(8, 'f4'))", 16),
    "dot of every other number": ("ts.dot(a[::2], a[1::2])", 744),
    "dot of columns": ("ts.dot(m[:, 0], m.T[1])", 304),
    "dot of rows, columns first": ("ts.dot(m.T, np.ones((4, 4), 'f4')).tolist()", [28, 32, 36, 40]),
    "dot of nothing": ("ts.dot(a[:0], a[:0])", 0),
    "dot of rows of nothing": ("ts.dot(np.zeros((3, 0)), np.zeros((3, 0))).tolist()", [0, 0, 0]),
    "dot of no rows": ("ts.dot(np.zeros((0, 3)), np.zeros((0, 3))).shape", (0,)),
    "dot of the least int8": ("ts.dot(x := np.full(262144, -128, 'i1'), x)", 1 << 32),
    "dot of the greatest uint8": ("ts.dot(x := np.full(66052, 255, 'u1'), x)", 4295031300),
    "dot into a place": ("(ts.dot(a, a, out=(x := np.zeros(1))), x.tolist())[1]", [1496]),
    "full of many digits": ("ts.full((1,), 2**53 + 1, 'int64').item() - 2**53", 1),
    "full of the greatest": ("ts.full((2,), 2**64 - 1, 'uint64').tolist() == [2**64 - 1] * 2", True),
    "full of a pair": ("ts.full((1,), 1 + 2j, 'complex64').item() == 1 + 2j", True),
    "bytes of strided memory": ("bytes(memoryview(ts.asarray(a.view('u1'))[3:16:4])).hex()", "3f404040"),
    "buffer without strides": ("ts.asarray(array.array('q', [1, 2])).tolist()", [1, 2]),
}


def outcome(expression: str) -> str:
    """Evaluate in an interpreter of its own; the value, or the names of the classes of the error."""
    program = f"""{BEGIN}
try:
    print(repr({expression}))
except Exception as error:
    print(*(each.__name__ for each in type(error).__mro__), "|", error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, f"ended with {done.returncode}: {done.stderr}"
    return done.stdout.strip()


@pytest.mark.parametrize(("expression", "error"), REFUSED.values(), ids=REFUSED)
def test_it_is_refused(expression: str, error: str) -> None:
    classes, _, message = outcome(expression).partition(" | ")
    assert error in classes.split(), f"{classes}: {message}"
    assert message


@pytest.mark.parametrize(("expression", "value"), TAKEN.values(), ids=TAKEN)
def test_it_is_right(expression: str, value: object) -> None:
    found = eval(outcome(expression), {"__builtins__": {}})  # noqa: S307
    assert found == value
