"""Memory lives as long as anything looks at it, and no longer."""

import gc
import weakref
from pathlib import Path

import numpy as np
import tenspan as ts


class Array(np.ndarray):
    """An array that can be watched."""


def watched(values: int) -> Array:
    return np.arange(values, dtype=np.float32).view(Array)


def churn() -> None:
    """Use freed memory again, so that a dangling view would see other numbers."""
    for _ in range(50):
        np.full(64, -1.0, dtype=np.float32)
        ts.full((64,), -1.0)
    gc.collect()


def test_an_array_outlives_its_tensor() -> None:
    array = ts.full((64,), 2.5).numpy()
    churn()
    assert (array == 2.5).all()


def test_a_view_outlives_tensor_and_array() -> None:
    tensor = ts.from_numpy(np.arange(64, dtype=np.float32))
    row = tensor.reshape((8, 8))[3].numpy()[2:]
    del tensor
    churn()
    assert row.tolist() == [26.0, 27.0, 28.0, 29.0, 30.0, 31.0]


def test_an_array_outlives_its_file(model: Path) -> None:
    with ts.open(model) as file:
        array = file["weight"].numpy()
    del file
    model.unlink()
    churn()
    assert array[0, 0] == -1.0 and array[3, 255] == 1.0


def test_an_array_outlives_its_context() -> None:
    context = ts.Context(4096)
    tensor = context.tensor((64,), "float32", "x")
    ts.copy(np.full(64, 7.0, dtype=np.float32), tensor)
    array = tensor.numpy()
    del tensor, context
    churn()
    assert (array == 7.0).all()


def test_a_buffer_outlives_its_tensor() -> None:
    memory = memoryview(ts.full((64,), 3.0, "int16"))
    churn()
    assert memory.tolist() == [3] * 64


def test_the_source_goes_with_the_last_view() -> None:
    array = watched(16)
    witness = weakref.ref(array)
    tensor = ts.from_numpy(array)
    view = tensor[2:4]
    shown = view.numpy()
    del array, tensor
    gc.collect()
    assert witness() is not None
    del view
    assert witness() is not None
    del shown
    gc.collect()
    assert witness() is None


def test_a_buffer_is_given_back() -> None:
    source = bytearray(16)
    tensor = ts.asarray(memoryview(source))
    assert tensor.data_ptr == np.frombuffer(source, dtype=np.uint8).ctypes.data
    try:
        source.append(0)
    except BufferError:
        pass
    else:
        raise AssertionError("the bytearray could be resized while a tensor looks at it")
    del tensor
    gc.collect()
    source.append(0)


def test_a_tensor_can_be_watched() -> None:
    tensor = ts.zeros(4)
    witness = weakref.ref(tensor)
    array = tensor.numpy()
    del tensor
    assert witness() is not None
    del array
    assert witness() is None


def memory_pages() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1])


def test_round_trips_leak_nothing() -> None:
    if not Path("/proc/self/statm").exists():
        return
    array = np.arange(1024, dtype=np.float32)
    quantized = ts.quantize(array, "q8_0")

    def trip(times: int) -> None:
        for _ in range(times):
            tensor = ts.from_numpy(array)
            tensor[1:].numpy()
            memoryview(tensor).release()
            ts.asarray([1.0, 2.0]).tolist()
            try:
                quantized.numpy()
            except ValueError:
                pass
            try:
                ts.zeros((1, 5), "q8_0")
            except ts.BlockMismatchError:
                pass

    trip(5_000)
    gc.collect()
    before = memory_pages()
    trip(100_000)
    gc.collect()
    # 100,000 leaks of one small object would be two thousand pages.
    assert memory_pages() - before < 500
