"""What printed cases are made of: checks, files, logs. Results go to the file that TENSPAN_CASE_LOG names."""

import contextlib
import gc
import json
import math
import os
import tempfile
from math import inf, nan
from pathlib import Path

import tenspan

__all__ = [
    *["Log", "case", "exists", "fail", "fill", "inf", "keys", "last", "nan", "native", "plus", "position_of", "read", "release"],
    *["remove", "splice", "temp", "vector", "write"],
]

VECTORS = Path(__file__).resolve().parents[2] / "vectors"


class Log:
    """What callbacks were called with."""

    def __init__(self):
        self.calls = []

    def add(self, *values):
        self.calls.append(list(values))

    def __len__(self):
        return len(self.calls)


def last(log):
    return log.calls[-1] if log.calls else None


def plain(value):
    """A result in the form that comparisons take."""
    if isinstance(value, tenspan.DType):
        return value.name
    if isinstance(value, Log):
        return value.calls
    if isinstance(value, (list, tuple, tenspan.Array, tenspan.List, tenspan.Shape)):
        return [plain(item) for item in value]
    if isinstance(value, (tenspan.Map, tenspan.Dict)):
        return [[plain(key), plain(item)] for key, item in value.items()]
    if isinstance(value, tenspan.Function):
        return "a function"
    if isinstance(value, (bytearray, memoryview)):
        return bytes(value)
    return value


def equal(a, b):
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, float) and isinstance(b, float) and math.isnan(a) and math.isnan(b):
        return True
    # True is 1 in Python, but not in a case.
    return isinstance(a, bool) == isinstance(b, bool) and a == b


def near(a, b, tolerance):
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(near(x, y, tolerance) for x, y in zip(a, b))
    if isinstance(a, (int, float)) and isinstance(b, (int, float)) and math.isfinite(a) and math.isfinite(b):
        return abs(a - b) <= tolerance * max(abs(a), abs(b), 1.0)
    if isinstance(a, complex) and isinstance(b, complex):
        return near(a.real, b.real, tolerance) and near(a.imag, b.imag, tolerance)
    return equal(a, b)


def kind_of(error):
    """The kind of an error: its own, or the name of the built-in class that stands for it."""
    return getattr(error, "kind", None) or type(error).__name__


class Check:
    """Counts what a case has looked at: one that looks at nothing has shown nothing."""

    def __init__(self):
        self.looked = 0
        self.values = {}

    def each(self, name, values):
        """Goes through values; a failure names the one it happened with."""
        for value in values:
            self.values[name] = value
            yield value
        self.values.pop(name, None)

    def _look(self, holds, message):
        self.looked += 1
        assert holds, message

    def equal(self, found, wanted):
        found, wanted = plain(found), plain(wanted)
        self._look(equal(found, wanted), f"found {found!r}, wanted {wanted!r}")

    def differs(self, found, other):
        found, other = plain(found), plain(other)
        self._look(not equal(found, other), f"{found!r} is not wanted")

    def less(self, found, limit):
        self._look(found < limit, f"{found!r} is not less than {limit!r}")

    def greater(self, found, limit):
        self._look(found > limit, f"{found!r} is not greater than {limit!r}")

    def near(self, found, wanted, tolerance):
        found, wanted = plain(found), plain(wanted)
        self._look(near(found, wanted, tolerance), f"{found!r} is not near {wanted!r}")

    @contextlib.contextmanager
    def throws(self, kind, part=""):
        self.looked += 1
        try:
            yield
        except Exception as error:
            assert kind_of(error) == kind, f"{kind_of(error)} was raised, wanted {kind}: {error}"
            # A KeyError has its key as text; what there is to say stands in a note.
            text = "\n".join([str(error), *getattr(error, "__notes__", [])])
            assert part in text, f'"{part}" is not in "{text}"'
        else:
            raise AssertionError(f"{kind} was expected, nothing was raised")


@contextlib.contextmanager
def case(concept, name, fails=None):
    """Runs a case; `fails` says why it is known to fail, and then it must."""
    check = Check()
    failure = None
    try:
        yield check
        assert check.looked > 0, "the case looked at nothing"
    except Exception as error:
        failure = error
    if fails is None:
        result = "failed" if failure else "passed"
    else:
        result = "failed as expected" if failure else "passed unexpectedly"
    record(concept, name, result)
    if fails is None and failure:
        if check.values:
            failure.add_note("with " + ", ".join(f"{name} = {value}" for name, value in check.values.items()))
        raise failure
    if fails is not None and not failure:
        raise AssertionError(f"passes, though it is skipped because: {fails}")


def record(concept, name, result):
    path = os.environ.get("TENSPAN_CASE_LOG")
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps({"concept": concept, "case": name, "result": result}) + "\n")


def temp(name):
    """A path that no file has yet, in a folder of its own."""
    return str(Path(tempfile.mkdtemp(prefix="tenspan-case-")) / name)


def vector(name):
    """The path of a file of tests/vectors."""
    return str(VECTORS / name)


def read(path):
    return Path(path).read_bytes()


def write(path, data):
    Path(path).write_bytes(data)


def exists(path):
    return Path(path).exists()


def keys(mapping):
    return list(mapping)


def plus(a, b):
    return a + b


def native(name):
    """The function to try things with that is registered as `testing.name`."""
    tenspan.register_testing_funcs()
    return tenspan.get_global_func(f"testing.{name}")


def fill(mapping, count):
    for key in range(count):
        mapping[key] = key * key


def position_of(sequence, value):
    """The position of a value; `index` of a Python sequence raises for one that is not there."""
    try:
        return sequence.index(value)
    except ValueError:
        return None


def remove(mapping, key):
    """Takes a key out, and says whether it was there."""
    size = len(mapping)
    mapping.pop(key, None)
    return len(mapping) < size


def splice(sequence, start, stop, items):
    """Puts items in the place of a range, and gives what stood there."""
    before = sequence[start:stop]
    sequence[start:stop] = items
    return before


def release():
    """Called after the last name of an object is gone."""
    gc.collect()


def fail(kind, message):
    """Raises an error of a kind, as a callback of a user would."""
    import builtins

    known = getattr(builtins, kind, None) or getattr(tenspan, kind, None) or getattr(tenspan, f"{kind}Error")
    raise known(message)
