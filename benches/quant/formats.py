"""The formats that are compared, and rows to decode and encode."""

import functools
import inspect
from dataclasses import dataclass

import numpy
import packages
import tenspan

ROW = 4096
MOST_ROWS = 1024
# Rows that are encoded once and then repeated: enough that no branch predictor learns them.
DISTINCT_ROWS = 64
# Whether this build takes importance vectors.
CAN_WEIGH = "importance" in inspect.signature(tenspan.quantize).parameters


def gaussian(rows):
    """So many rows of floats as weights have them, normal, the same in every run; at most 4 M floats."""
    return _gaussian()[:rows]


@functools.cache
def _gaussian():
    return numpy.random.default_rng(1).standard_normal((MOST_ROWS, ROW), numpy.float32)


@functools.cache
def importance():
    """Positive column weights that differ by orders of magnitude, as measured ones do."""
    return numpy.exp(numpy.random.default_rng(2).standard_normal(ROW, numpy.float32))


@dataclass(frozen=True)
class Format:
    """A block format, or a float type of half size."""

    name: str

    @functools.cached_property
    def dtype(self):
        return tenspan.DType(self.name)

    @property
    def row_bytes(self):
        return ROW // self.dtype.block_len * self.dtype.block_bytes

    @functools.cached_property
    def needs_importance(self):
        """Whether weights cannot be encoded without an importance vector."""
        try:
            tenspan.quantize(gaussian(1), self.name)
        except tenspan.Error:
            return True
        return False

    @functools.cached_property
    def can_encode(self):
        """Whether weights can be encoded at all."""
        return CAN_WEIGH or not self.needs_importance

    @functools.cached_property
    def uses_importance(self):
        """Whether an importance vector changes what is encoded."""
        if self.needs_importance or not CAN_WEIGH:
            return CAN_WEIGH
        with_it = tenspan.quantize(gaussian(1), self.name, importance=importance())
        return with_it.tobytes() != tenspan.quantize(gaussian(1), self.name).tobytes()

    def encode(self, weights):
        """Blocks of rows, with an importance vector only where there must be one."""
        options = {"importance": importance()} if self.needs_importance else {}
        return tenspan.quantize(weights, self.name, **options)

    @functools.cached_property
    def distinct(self):
        """The bytes of some encoded rows; `libgguf` makes those that this build cannot."""
        weights = gaussian(DISTINCT_ROWS)
        if not self.can_encode:
            return packages.libgguf_blocks(self.name, weights, importance())
        return numpy.frombuffer(self.encode(weights).tobytes(), numpy.uint8).reshape(DISTINCT_ROWS, self.row_bytes)

    def rows(self, count):
        """The bytes of so many encoded rows, one row after the other."""
        return numpy.ascontiguousarray(numpy.resize(self.distinct, (count, self.row_bytes)))

    def tensor(self, count):
        """So many encoded rows as a tensor."""
        return tenspan.from_bytes(self.rows(count), [count, ROW], self.name)


def all_formats():
    """Every block format, and the two float types that models use beside them."""
    names = ["float16", "bfloat16"]
    names += [dtype.name for dtype in tenspan.dtypes() if dtype.is_quantized]
    return [Format(name) for name in names]
