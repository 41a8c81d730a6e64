"""Products of long rows: every dtype that both have, at three lengths, and the fast modes beside numpy.dot."""

import numkong
import numpy
import tenspan
from calls import BARS
from race import judge, race

LENGTHS = (1024, 4096, 1 << 20)
# Rows of more elements do not stay in a cache of the usual size.
IN_CACHE = 4096
# Our name of a dtype, and the peer's.
DTYPES = {
    "float64": "float64",
    "float32": "float32",
    "float16": "float16",
    "bfloat16": "bfloat16",
    "float8_e4m3fn": "e4m3",
    "float8_e5m2": "e5m2",
    "int8": "int8",
    "uint8": "uint8",
    "complex64": "complex64",
    "complex128": "complex128",
}
METRICS = ("dot", "sqeuclidean", "angular")


def measure(effort, only):
    """All rows, or those whose names contain one of the words; sqeuclidean and angular at one length."""
    rows = {}
    for dtype in DTYPES:
        for length in LENGTHS:
            for metric in METRICS:
                if metric != "dot" and (length != IN_CACHE or "complex" in dtype):
                    continue
                name = f"{metric} {dtype} {length}"
                if only and not any(word in name for word in only):
                    continue
                if row := _compare(metric, dtype, length, effort):
                    rows[name] = row
    return rows


def _compare(metric, dtype, length, effort):
    if not hasattr(tenspan, metric):
        return None
    ours = [_row(dtype, length, seed) for seed in (1, 2)]
    theirs = [numkong.from_pointer(row.data_ptr, (length,), DTYPES[dtype], owner=row) for row in ours]
    names = {"f": getattr(tenspan, metric), "g": getattr(numkong, metric), "numpy": numpy}
    names |= {"a": ours[0], "b": ours[1], "x": theirs[0], "y": theirs[1]}
    statements = {"tenspan": "f(a, b)", "numkong": "g(x, y)"}
    if is_fast := metric == "dot" and dtype in ("float32", "float64"):
        names |= {"p": numpy.asarray(ours[0]), "q": numpy.asarray(ours[1])}
        statements |= {"tenspan, fast": "f(a, b, fast=True)", "numpy": "numpy.dot(p, q)"}
    try:
        ns = race(statements, names, effort)
    except (TypeError, LookupError, ValueError) as refused:
        return {"refused": str(refused)}
    bar = BARS["products"]["numkong"]
    if metric == "dot" and dtype == "float32" and length <= IN_CACHE:
        bar = BARS["products"]["float32_in_cache"]
    row = judge(ns, "tenspan", "numkong", bar)
    if is_fast:
        row["fast"] = judge(ns, "tenspan, fast", "numpy", BARS["products"]["fast"])
    return row


def _row(dtype, length, seed):
    """A row of numbers that every dtype has."""
    numbers = numpy.random.default_rng(seed)
    if dtype.startswith(("int", "uint")):
        return tenspan.asarray(numbers.integers(0, 100, length), dtype)
    floats = numbers.standard_normal(length)
    if dtype.startswith("complex"):
        return tenspan.asarray((floats + 1j * floats[::-1]).astype(dtype))
    return tenspan.asarray(floats, dtype)
