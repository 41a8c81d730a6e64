"""A matrix of blocks times a vector of floats, 4096 by 4096, again and again, and with weights that come from memory."""

import itertools

import numpy
import tenspan
from clock import Contestant, race
from formats import ROW
from limits import Pass

ROWS = 4096
FEW_ROWS = 256
# Matrices that no cache holds together.
TOGETHER = 96 << 20

_vector = numpy.random.default_rng(4).standard_normal(ROW, numpy.float32)


def has_dot(form):
    """Whether there is a product for the format at all."""
    try:
        tenspan.matvec(form.tensor(1), _vector)
    except tenspan.Error:
        return False
    return True


def few(form):
    """A product that stays in the cache."""
    matrix = form.tensor(FEW_ROWS)
    return Contestant(lambda: tenspan.matvec(matrix, _vector), FEW_ROWS * ROW)


def measure(form, limits, samples):
    """Operations and bytes per nanosecond with one matrix and with many in turn; `None` for a format without a dot."""
    if not has_dot(form):
        return None
    rows = form.rows(ROWS)
    matrices = [tenspan.from_bytes(rows, [ROWS, ROW], form.name) for _ in range(TOGETHER // rows.nbytes + 1)]
    matrix, turn = matrices[0], itertools.cycle(matrices)
    elements = ROWS * ROW
    ns = race(
        {
            "again": Contestant(lambda: tenspan.matvec(matrix, _vector), elements),
            "from_memory": Contestant(lambda: tenspan.matvec(next(turn), _vector), elements),
            "limit": Pass(limits, "read"),
        },
        samples,
    )
    weight_bytes = matrix.nbytes / elements
    return {
        "gflops": 2 / ns["again"],
        "gb": weight_bytes / ns["again"],
        "gflops_from_memory": 2 / ns["from_memory"],
        "gb_from_memory": weight_bytes / ns["from_memory"],
        "of_bandwidth": weight_bytes / ns["from_memory"] / (4 / ns["limit"]),
    }
