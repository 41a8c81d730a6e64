"""Decoding: into memory that is there, wherever it begins; in the cache; into a new tensor; beside both packages."""

import numpy
import packages
import tenspan
from clock import Contestant, race
from formats import ROW
from limits import Pass
from threads import two_threads

# 16 M elements, which no cache holds.
ROWS = 4096
# 64 Ki elements, which stay in the cache.
CACHED_ROWS = 16
# 1 M elements: `gguf` takes ten times as long or more, and longer per element where its temporaries are larger.
GGUF_ROWS = 256


class Room:
    """One array that everything is decoded into, taken from wherever a decoder has to begin."""

    def __init__(self):
        self._bytes = numpy.ones(ROWS * ROW * 4 + 128, numpy.uint8)
        self._start = -self._bytes.ctypes.data % 64

    def at(self, offset, rows=ROWS):
        """Rows of floats that begin so many bytes after a multiple of 64."""
        start = self._start + offset
        return self._bytes[start : start + rows * ROW * 4].view(numpy.float32).reshape(rows, ROW)


def cached(form, out):
    """Decoding that stays in the cache."""
    tensor = form.tensor(CACHED_ROWS)
    return Contestant(lambda: tenspan.dequantize(tensor, out=out), CACHED_ROWS * ROW)


def call(form):
    """Next to no work: one block."""
    block = tenspan.from_bytes(form.rows(1)[0, : form.dtype.block_bytes], [1, form.dtype.block_len], form.name)
    out = numpy.empty(block.shape, numpy.float32)
    return lambda: tenspan.dequantize(block, out=out)


def measure(form, room, limits, samples):
    """Nanoseconds per element of each, and what a second thread brings."""
    rows = form.rows(ROWS)
    tensor = tenspan.from_bytes(rows, [ROWS, ROW], form.name)
    few, elements = rows[:GGUF_ROWS], ROWS * ROW

    def into(offset):
        out = room.at(offset)
        return lambda: tenspan.dequantize(tensor, out=out)

    contestants = {
        "aligned": Contestant(into(0), elements),
        "at_16": Contestant(into(16), elements),
        "at_4": Contestant(into(4), elements),
        "limit": Pass(limits, "stream"),
        "in_cache": cached(form, room.at(0, CACHED_ROWS)),
        "call": Contestant(call(form), 1),
        "new": Contestant(lambda: tenspan.dequantize(tensor), elements),
    }
    if theirs := packages.libgguf_decode(form.name, rows, room.at(0)):
        contestants["libgguf"] = Contestant(theirs, elements)
    if theirs := packages.gguf_decode(form.name, few):
        contestants["gguf"] = Contestant(theirs, few.shape[0] * ROW)
    ns = race(contestants, samples)
    # The cache is a matter of the kernel, not of how a call from Python gets there.
    ns["in_cache"] -= ns["call"] / (CACHED_ROWS * ROW)
    return {"ns": ns, "threads": two_threads(into(0), elements, limits, "stream", 2 * samples)}
