"""Whether `libgguf`, which is GGML's own code, writes the same bytes and floats: for rows and blocks that no run had before."""

import secrets

import numpy
import packages
import tenspan
from formats import importance, ROW

ROWS = 8


def seed():
    """A number that the rows of one run come from, to see them again."""
    return secrets.randbits(32)


def measure(form, number):
    """How many rows were encoded and decoded, and how many of them differ."""
    random = numpy.random.default_rng([number, *form.name.encode()])
    encoded = [_encode(form, weights) for weights in kinds_of_rows(random)]
    decoded = [_decode(form, random)]
    counts = {}
    for what, results in (("encoded", encoded), ("decoded", decoded)):
        results = [result for result in results if result is not None]
        counts[what] = ROWS * sum(len(result) // ROWS for result in results)
        counts[f"{what}_otherwise"] = int(sum(result.sum() for result in results))
    return counts


def kinds_of_rows(random):
    """Rows as weights are, and rows that are hard for some encoder."""
    shape = (ROWS, ROW)
    normal = random.standard_normal(shape)
    groups = random.integers(-12, 4, (ROWS, ROW // 16)).repeat(16, axis=1)
    rows = [
        normal,
        # Heavy tails, ties, one sign, one magnitude.
        normal * numpy.exp(random.standard_normal(shape)),
        numpy.round(normal * 4) / 2,
        numpy.abs(normal) * 0.02,
        numpy.sign(normal) * 0.75,
        # Scales of many magnitudes, for groups and for rows.
        normal * numpy.exp2(groups),
        normal * numpy.exp2(random.integers(-40, 10, (ROWS, 1))),
        # Half of them zeros: an empty group of 32 is next to impossible, and there IQ3_S differs on purpose.
        numpy.where(random.random(shape) < 0.5, 0, normal),
    ]
    return [numpy.ascontiguousarray(weights, numpy.float32) for weights in rows]


def _encode(form, weights):
    """Which rows come out otherwise, without importance and with it."""
    differ = []
    for vector in (None, importance()):
        theirs = packages.libgguf_encode(form.name, weights, vector)
        if theirs is None or not (form.needs_importance <= (vector is not None)):
            continue
        options = {} if vector is None else {"importance": vector}
        ours = tenspan.quantize(weights, form.name, **options).tobytes()
        theirs()
        blocks = theirs.args[2]
        differ.append((numpy.frombuffer(ours, numpy.uint8).reshape(blocks.shape) != blocks).any(axis=1))
    return numpy.concatenate(differ) if differ else None


def _decode(form, random):
    """Which rows of arbitrary bytes come out otherwise; any NaN is as good as another."""
    rows = random.integers(0, 256, (ROWS, form.row_bytes), numpy.uint8)
    floats = numpy.empty((ROWS, ROW), numpy.float32)
    theirs = packages.libgguf_decode(form.name, rows, floats)
    if theirs is None:
        return None
    theirs()
    ours = tenspan.dequantize(tenspan.from_bytes(rows, [ROWS, ROW], form.name)).numpy()
    same = (ours.view(numpy.uint32) == floats.view(numpy.uint32)) | (numpy.isnan(ours) & numpy.isnan(floats))
    return ~same.all(axis=1)
