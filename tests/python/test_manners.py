"""What a user of Python expects of an object: indices, numbers, copies, texts."""

import collections.abc
import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tenspan as ts


def test_a_tensor_is_gone_through() -> None:
    tensor = ts.asarray([[1, 2], [3, 4], [5, 6]], "int32")
    assert len(tensor) == 3 and [row.tolist() for row in tensor] == [[1, 2], [3, 4], [5, 6]]
    assert tensor[-1].tolist() == [5, 6] and tensor[1, 0].item() == 3
    assert tensor[..., -1].tolist() == [2, 4, 6] and tensor[None].shape == (1, 3, 2)
    assert tensor[::-1, ::-1].tolist() == [[6, 5], [4, 3], [2, 1]]
    assert tensor[10**30 :].shape == (0, 2) and tensor[-(10**30) :].shape == (3, 2)
    for scalar in (len, iter):
        with pytest.raises(TypeError, match="without dimensions"):
            scalar(tensor[0, 0])


@pytest.mark.parametrize(
    ("key", "error"),
    [(3, IndexError), (-4, IndexError), (10**30, IndexError), ((0, 0, 0), IndexError), ((..., ...), IndexError),
     ("a", TypeError), (1.5, TypeError), (True, TypeError), ([0, 1], TypeError), (slice(None, None, 0), ValueError)],
)  # fmt: skip
def test_a_wrong_index_is_refused(key: object, error: type[Exception]) -> None:
    with pytest.raises(error):
        ts.zeros((3, 2))[key]  # type: ignore[index]


def test_one_element_is_a_number() -> None:
    assert float(ts.full((1, 1), 2.5)) == 2.5 and int(ts.full((), 3, "int8")) == 3
    assert [10, 20, 30][ts.full((), 1, "uint8")] == 20
    assert bool(ts.full((1,), 2)) and not bool(ts.zeros(1))
    assert ts.asarray([1 + 2j]).item() == 1 + 2j
    with pytest.raises(TypeError):
        [0][ts.zeros(())]  # type: ignore[call-overload]
    for tensor in (ts.zeros(2), ts.zeros(0)):
        with pytest.raises(ValueError, match="ambiguous"):
            bool(tensor)


def test_equality_is_that_of_the_numbers() -> None:
    tensor = ts.asarray([[1, 2], [3, 4]])
    assert tensor == ts.asarray([[1.0, 2.0], [3.0, 4.0]]) and tensor == np.array([[1, 2], [3, 4]], np.uint8)
    assert tensor != tensor.transpose() and tensor != tensor[0]
    assert ts.full((1,), float("nan")) != ts.full((1,), float("nan")) and ts.asarray([0.0]) == ts.asarray([-0.0])
    for other in ([[1, 2], [3, 4]], 3, "text", None, object()):
        assert tensor != other and not tensor == other
    with pytest.raises(TypeError, match="unhashable"):
        hash(tensor)


@pytest.mark.parametrize(
    ("dtype", "key", "value"),
    [
        ("float32", ..., np.arange(3)),
        ("float32", ..., [[1], [2]]),
        ("float32", 0, np.ones((1, 3))),
        ("float32", (slice(None), slice(None, None, -2)), np.arange(4).reshape(2, 2)),
        ("float32", slice(0, 0), 5.0),
        ("complex64", 0, 1 + 2j),
        ("complex64", (..., None, 1), 3),
        ("int64", ..., 2**53 + 1),
        ("uint64", (1, -1), 2**64 - 1),
        ("bool", np.int64(1), True),
    ],
)
def test_what_is_assigned_is_stretched_as_in_numpy(dtype: str, key: Any, value: Any) -> None:
    tensor, array = ts.zeros((2, 3), dtype), np.zeros((2, 3), dtype)
    tensor[key] = value
    array[key] = value
    assert np.array_equal(np.asarray(tensor), array)


def test_what_does_not_stretch_is_refused() -> None:
    tensor = ts.zeros((2, 3))
    for key, value in ((..., np.ones(2)), (0, np.ones((2, 1, 3))), (..., np.ones((3, 3)))):
        with pytest.raises(ts.ShapeMismatchError, match="stretch"):
            tensor[key] = value
    tensor = ts.asarray(np.arange(6.0).reshape(2, 3))
    # The source is part of the destination.
    tensor[:] = tensor[::-1][0]
    assert tensor.tolist() == [[3, 4, 5], [3, 4, 5]]


def test_copies_are_shallow_or_deep() -> None:
    tensor = ts.zeros(2)
    shallow, deep = copy.copy(tensor), copy.deepcopy(tensor)
    tensor[0] = 1
    assert shallow.tolist() == [1, 0] and deep.tolist() == [0, 0]


@pytest.mark.parametrize("name", ["float32", "bfloat16", "q4_k", "complex64", "bool"])
def test_tensors_are_pickled(name: str) -> None:
    tensor = ts.zeros((2, 256), name)
    back = pickle.loads(pickle.dumps(tensor))
    assert (back.dtype, back.shape, back.tobytes()) == (tensor.dtype, tensor.shape, tensor.tobytes())


def test_a_dtype_is_a_value() -> None:
    dtype = ts.DType("Q4_K")
    assert dtype == ts.DType("q4_k") and hash(dtype) == hash(ts.DType("q4_k")) and dtype != ts.DType("q5_k")
    assert dtype != "q4_k" and str(dtype) == "q4_k" and repr(dtype) == "DType('q4_k')"
    assert pickle.loads(pickle.dumps(dtype)) == dtype


@pytest.mark.parametrize(
    ("tensor", "text"),
    [
        (ts.asarray([[1, 2], [3, 4]], "float32"), "Tensor([[1., 2.], [3., 4.]], dtype=float32)"),
        (ts.asarray([0.1, 1e-9, 3e20, -0.0], "float32"), "Tensor([0.1, 1e-9, 3e20, -0.], dtype=float32)"),
        (ts.asarray([0.1, 100], "bfloat16"), "Tensor([0.1, 100.], dtype=bfloat16)"),
        (ts.asarray([float("nan"), float("-inf")]), "Tensor([nan, -inf], dtype=float64)"),
        (ts.asarray([True, False]), "Tensor([True, False], dtype=bool)"),
        (ts.full((), 7, "int8"), "Tensor(7, dtype=int8)"),
        (ts.zeros((0, 2)), "Tensor([], shape=(0, 2), dtype=float32)"),
        (ts.asarray([1 - 2j]), "Tensor([1.-2.j], dtype=complex128)"),
        (ts.zeros(2).as_readonly(), "Tensor([0., 0.], dtype=float32, readonly)"),
        (ts.zeros((4096, 4096), "q4_k").as_readonly(), "Tensor(shape=(4096, 4096), dtype=q4_k, readonly, 9.0 MiB)"),
        (ts.Context(64).tensor(3, name="x"), "Tensor(shape=(3,), dtype=float32, 12 bytes, name='x')"),
    ],
    ids=str,
)
def test_a_tensor_is_shown_to_a_person(tensor: ts.Tensor, text: str) -> None:
    assert repr(tensor) == text


def test_a_large_tensor_is_summarised() -> None:
    text = repr(ts.zeros((1000, 1000)))
    assert len(text) < 500 and text.count("...") == 7
    wide = repr(ts.zeros((3, 40))).splitlines()
    assert len(wide) > 3 and max(map(len, wide)) <= 100


def test_files_are_mappings(model: Path) -> None:
    with ts.open(model) as file:
        assert isinstance(file, collections.abc.Mapping)
        assert list(file) == ["weight", "half", "blocks", "bias"] == list(file.keys())
        assert len(file) == 4 and "half" in file and "none" not in file and 3 not in file
        assert {name: tensor.dtype.name for name, tensor in file.items()}["blocks"] == "q4_k"
        assert [tensor.name for tensor in file.values()] == list(file)
        assert file.get("none") is None and file.get("none", 5) == 5 and file.get("bias").shape == (4,)
        assert dict(file).keys() == file.keys()
        assert repr(file) == f"File({str(model)!r}, format=gguf, 4 tensors)"
        with pytest.raises(KeyError) as caught:
            file["wieght"]
        assert caught.value.args == ("wieght",) and "`weight`" in caught.value.__notes__[0]
    with pytest.raises(ts.DisposedError):
        file["weight"]


def test_metadata_are_a_mutable_mapping() -> None:
    metadata = ts.Metadata()
    assert isinstance(metadata, collections.abc.MutableMapping)
    metadata["a"] = 1
    metadata["text"] = "x"
    metadata.update(b=[1.5, 2.5], c=True)
    assert dict(metadata) == {"a": 1, "text": "x", "b": [1.5, 2.5], "c": True}
    assert metadata.pop("a") == 1 and metadata.pop("a", None) is None and metadata.setdefault("text", "y") == "x"
    del metadata["c"]
    assert repr(metadata) == "Metadata({'text': 'x', 'b': [1.5, 2.5]})"
    assert dict(pickle.loads(pickle.dumps(metadata))) == dict(metadata)
    for missing in (lambda: metadata["zz"], lambda: metadata.type_of("zz"), lambda: metadata.__delitem__("zz")):
        with pytest.raises(KeyError) as caught:
            missing()
        assert caught.value.args == ("zz",)
    metadata.clear()
    assert len(metadata) == 0


def test_exact_types_of_metadata_are_kept(tmp_path: Path) -> None:
    metadata = ts.Metadata()
    metadata.set_typed("small", 7, "uint8")
    metadata.set_typed("texts", ["a", "b"], "array<string>")
    metadata["large"] = 2**63
    ts.save(tmp_path / "a.gguf", {"x": np.zeros(4, dtype="f4")}, metadata)
    with ts.open(tmp_path / "a.gguf") as file:
        assert [file.metadata.type_of(key) for key in ("small", "texts", "large")] == ["uint8", "array<string>", "uint64"]
        assert file.metadata["large"] == 2**63 and file.metadata["texts"] == ["a", "b"]


def test_a_context_is_a_mapping_with_a_budget() -> None:
    with ts.Context(1 << 20) as context:
        tensor = context.tensor((4, 4), "float32", "x")
        assert context["x"].data_ptr == tensor.data_ptr and list(context) == ["x"]
        assert repr(context) == "Context(64 bytes of 1.0 MiB used, 1 named tensor)"
        with pytest.raises(ts.OutOfBudgetError):
            context.tensor(1 << 20)


def test_shapes_are_numbers_or_rows_of_numbers() -> None:
    for shape in (3, [3], (3,), np.int16(3), np.array([3]), range(3, 4)):
        assert ts.zeros(shape).shape == (3,)  # type: ignore[arg-type]
    for shape, error in (("3", TypeError), (1.5, TypeError), ([1, None], TypeError), (-1, ValueError), (2**70, OverflowError)):
        with pytest.raises(error):
            ts.zeros(shape)  # type: ignore[arg-type]


def test_a_new_shape_is_a_row_or_its_numbers() -> None:
    tensor = ts.zeros((2, 3, 4))
    assert tensor.reshape(6, 4).shape == tensor.reshape((6, -1)).shape == tensor.reshape([6, 4]).shape == (6, 4)
    assert tensor.reshape(24).shape == tensor.reshape(-1).shape == (24,)
    assert tensor.permute(2, 0, 1).shape == tensor.permute((2, 0, 1)).shape == (4, 2, 3)
    assert ts.zeros(1).reshape().shape == ts.zeros(1).reshape(()).shape == ()


def test_lists_that_hold_themselves_end() -> None:
    endless: list[object] = []
    endless.append(endless)
    with pytest.raises(ValueError, match="deep"):
        ts.asarray(endless)
