"""The other packages: what they can do for a format, as calls that take the same bytes and floats as ours."""

import functools
import os

import gguf
import gguf.quants
import libgguf
import numpy

# One thread, as ours has: read before each call.
os.environ["LIBGGUF_NUM_THREADS"] = "1"

# Where PyPI's names are not those of GGML in lower case.
_NAMES = {"float16": "F16", "bfloat16": "BF16"}


def _type(name):
    return getattr(gguf.GGMLQuantizationType, _NAMES.get(name, name.upper()), None)


def _works(call):
    """The call, when it can be made at all."""
    try:
        call()
    except (NotImplementedError, ValueError, KeyError, TypeError):
        return None
    return call


def gguf_decode(name, rows):
    """Decodes rows of bytes into a new array with `gguf`, the only way it has."""
    kind = _type(name)
    if kind is None:
        return None
    if _works(lambda: gguf.quants.dequantize(rows[:1], kind)) is None:
        return None
    return functools.partial(gguf.quants.dequantize, rows, kind)


def gguf_encode(name, weights):
    """Encodes rows of floats into a new array with `gguf`, the only way it has."""
    kind = _type(name)
    if kind is None:
        return None
    if _works(lambda: gguf.quants.quantize(weights[:1], kind)) is None:
        return None
    return functools.partial(gguf.quants.quantize, weights, kind)


def libgguf_decode(name, rows, out):
    """Decodes rows of bytes into an array that is there with `libgguf`, the fastest way it has."""
    kind = _type(name)
    count, width = out.shape
    if kind is None or _works(lambda: libgguf.dequantize_rows(rows[:1], kind, width)) is None:
        return None
    return functools.partial(libgguf.dequantize_rows_into_raw, kind, rows, out, count, width)


def libgguf_blocks(name, weights, importance):
    """Rows of bytes that `libgguf` encodes."""
    return libgguf.quantize_rows(weights, _type(name), importance)


def libgguf_encode(name, weights, importance=None):
    """Encodes rows of floats into an array that is there with `libgguf`, the fastest way it has."""
    kind = _type(name)
    count, width = weights.shape
    if kind is None or _works(lambda: libgguf.quantize_rows(weights[:1], kind, importance)) is None:
        return None
    if importance is None and libgguf.quantize_requires_imatrix(kind):
        return None
    out = numpy.zeros((count, libgguf.row_size(kind, width)), numpy.uint8)
    return functools.partial(libgguf.quantize_rows_into_raw, kind, weights, out, count, width, importance)
