"""Mistakes that types must find; each line marked so is one."""

import tenspan as ts

ts.zeros("3")  # wrong
ts.zeros(3, dtype=3)  # wrong
ts.copy(ts.zeros(3), [1.0, 2.0, 3.0])  # wrong
ts.copy(ts.zeros(3), ts.zeros(3), True)  # wrong
ts.zeros(3).shape = (1, 3)  # wrong
ts.open(3)  # wrong
ts.quantize_file("a", "b", "q8_0", progress=lambda text: text.upper())  # wrong
ts.Context(100)["x"] = ts.zeros(3)  # wrong
ts.Tensor.missing  # wrong
