"""Use of every part of the interface as a careful user writes it; checked, not run."""

from pathlib import Path
from typing import assert_type

import numpy as np
import tenspan as ts
from tenspan.typing import DTypeLike, DTypeName, QuantizationError, ShapeLike, TensorLike, TensorReport


def convert(source: TensorLike, dtype: DTypeLike = "bfloat16") -> ts.Tensor:
    return ts.cast(source, dtype)


def make(shape: ShapeLike, name: DTypeName) -> ts.Tensor:
    return ts.zeros(shape, name)


tensor = make((2, 3), "float32")
assert_type(tensor.shape, tuple[int, ...])
assert_type(tensor.name, str | None)
assert_type(tensor[0, ..., None, ::-1], ts.Tensor)
assert_type([row.dtype for row in tensor], list[ts.DType])
assert_type(float(tensor[0, 0]), float)
convert(np.zeros(3), np.float32)
convert([1, 2, 3], np.dtype("f4"))
convert(b"abc", ts.DType("uint8"))
np.asarray(tensor)
memoryview(tensor)
ts.copy(tensor, np.zeros((2, 3)), allow_requantize=True)

with ts.open(Path("model.gguf")) as file:
    assert_type(file["x"], ts.Tensor)
    assert_type(list(file), list[str])
    for name, found in file.items():
        assert_type(name, str)
        assert_type(found, ts.Tensor)
    file.metadata["general.name"] = "x"
    ts.save("copy.gguf", file, file.metadata, format="gguf")
ts.save("other.safetensors", {"x": np.zeros(3), "y": tensor}, {"a": 1})


def progress(done: int, total: int) -> None:
    """Take the steps."""


reports = ts.quantize_file("a", "b", ts.DType("q8_0"), progress=progress)
assert_type(reports, list[TensorReport])
assert_type(reports[0]["shape"], tuple[int, ...])
assert_type(ts.quantization_error(tensor, tensor), QuantizationError)

try:
    tensor.reshape(-1).numpy(out=np.zeros(6))
except ts.ShapeMismatchError as error:
    assert_type(error.kind, str)
