"""Tells what quantizing has done to a model: weights.py <original> <quantized>, one JSON object per tensor."""

import json
import sys
import zlib

# [use]
import tenspan


def compare(original, quantized):
    with tenspan.open(original) as before, tenspan.open(quantized) as after:
        for name, tensor in after.items():
            error = tenspan.quantization_error(before[name], tensor)
            floats = tenspan.dequantize(tensor).numpy()  # a view, not a copy
            report(name, tensor, error["rmse"], zlib.crc32(floats))
# [/use]


def report(name, tensor, rmse, checksum):
    row = {
        "name": name,
        "dtype": tensor.dtype.name,
        "shape": list(tensor.shape),
        "nbytes": tensor.nbytes,
        "rmse": rmse,
        "checksum": checksum,
    }
    print(json.dumps(row))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: weights.py <original> <quantized>")
    compare(*sys.argv[1:])
