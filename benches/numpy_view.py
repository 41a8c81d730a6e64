"""Nanoseconds from a tensor to a NumPy array over the same memory, beside NumPy's own ways to a view.

Prints one JSON object. Usage: numpy_view.py <folder>
"""

import json
import timeit

import numpy
import tenspan


def nanoseconds(statement):
    timer = timeit.Timer(statement, globals=globals())
    rounds, _ = timer.autorange()
    return min(timer.repeat(7, rounds)) / rounds * 1e9


tensor = tenspan.zeros([64, 64])
array = numpy.zeros([64, 64], numpy.float32)
view = memoryview(array)
data = bytearray(64 * 64 * 4)

assert tensor.numpy().ctypes.data == tensor.data_ptr

ways = {
    "Tensor.numpy()": "tensor.numpy()",
    "numpy.asarray(tensor)": "numpy.asarray(tensor)",
    "numpy.asarray(memoryview)": "numpy.asarray(view)",
    "numpy.frombuffer(bytearray)": "numpy.frombuffer(data, numpy.float32)",
    "array.view()": "array.view()",
    "tenspan.from_numpy(array)": "tenspan.from_numpy(array)",
}
ns = {name: nanoseconds(statement) for name, statement in ways.items()}
print(json.dumps({
    "ns": ns,
    "times_faster_than_a_memoryview": ns["numpy.asarray(memoryview)"] / ns["Tensor.numpy()"],
    "wanted": "Tensor.numpy() in at most 120 ns",
}))
