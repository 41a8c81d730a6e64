"""Encoding of normal floats: into memory that is there, into a new tensor, with importance, beside both packages."""

import functools

import packages
import tenspan
from clock import Contestant, race
from formats import ROW, gaussian, importance
from threads import two_threads

LEAST_ROWS = 8


def affordable(make, sample_ms):
    """Rows that the call made of them handles in about the time of a sample: 4 M elements, or fewer."""
    few = gaussian(LEAST_ROWS)
    ns, _, _ = Contestant(make(few), few.size).sample()
    return gaussian(int(max(LEAST_ROWS, sample_ms * 1e6 / (ns * ROW))))


def few(form, rows=LEAST_ROWS):
    """Encoding that stays in the cache."""
    weights = gaussian(rows)
    return Contestant(lambda: form.encode(weights), rows * ROW)


def measure(form, limits, samples, sample_ms):
    """Nanoseconds per element of each, what a second thread brings, and how many elements ours encoded.

    `None` for a format that this build cannot encode.
    """
    if not form.can_encode:
        return None
    vector = importance()

    def plainly(rows):
        return functools.partial(form.encode, rows)

    weights = affordable(plainly, sample_ms)
    contestants = {}

    def enter(name, make):
        """Lets a call that `make` makes of some rows take part, when there is one."""
        if make(gaussian(1)):
            rows = affordable(make, sample_ms)
            contestants[name] = Contestant(make(rows), rows.size)

    if not form.needs_importance:
        blocks = tenspan.zeros(list(weights.shape), form.name)
        contestants["mapped"] = Contestant(lambda: tenspan.copy(weights, blocks), weights.size)
        contestants["new"] = Contestant(lambda: tenspan.quantize(weights, form.name), weights.size)
    enter("libgguf", lambda rows: packages.libgguf_encode(form.name, rows))
    enter("gguf", lambda rows: packages.gguf_encode(form.name, rows))
    if form.uses_importance:
        enter("importance", lambda rows: functools.partial(tenspan.quantize, rows, form.name, importance=vector))
        enter("libgguf_importance", lambda rows: packages.libgguf_encode(form.name, rows, vector))
    ns = race(contestants, samples)
    some = affordable(plainly, sample_ms / 4)
    threads = two_threads(plainly(some), some.size, limits, "read", 2 * samples)
    return {"elements": weights.size, "ns": ns, "threads": threads}
