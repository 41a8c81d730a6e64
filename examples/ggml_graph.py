"""Runs a layer in GGML on weights that NumPy made: ggml_graph.py [format…].

The tensors live in a context of GGML. tenspan lies over their memory: it quantizes the weights into it and reads the
result out of it, without a copy on either way. Needs `pip install ggml-python numpy`.
"""

import sys

import ggml
import numpy as np
import tenspan

COLUMNS, ROWS, BATCH = 512, 48, 5
FORMATS = ("f32", "f16", "q8_0", "q5_1", "q4_0", "q6_k", "q4_k", "iq4_xs", "mxfp4")
TYPES = {
    ggml.ggml_type_name(number).decode().lower(): number
    for name, number in vars(ggml).items()
    if name.startswith("GGML_TYPE_") and name != "GGML_TYPE_COUNT"
}


class Context:
    """Memory of GGML, freed when nothing uses it any more."""

    def __init__(self, size):
        self.raw = ggml.ggml_init(ggml.ggml_init_params(mem_size=size, mem_buffer=None, no_alloc=False))

    def __del__(self):
        ggml.ggml_free(self.raw)

    def view(self, tensor):
        """The memory of a tensor of this context, as a tensor that keeps the context alive."""
        found = tensor.contents
        ndim = ggml.ggml_n_dims(tensor)
        return tenspan.from_pointer(
            found.data,
            list(found.ne[:ndim])[::-1],  # GGML counts the innermost dimension first
            ggml.ggml_type_name(found.type).decode().lower(),
            strides=list(found.nb[:ndim])[::-1],
            owner=self,
        )


def layer(weights, bias, inputs, dtype):
    """`inputs @ weights.T + bias`, computed by GGML; the weights as it had them, and the result as it wrote it."""
    context = Context(64 << 20)
    raw = context.raw
    w = ggml.ggml_new_tensor_2d(raw, TYPES[dtype], COLUMNS, ROWS)
    b = ggml.ggml_new_tensor_1d(raw, TYPES["f32"], ROWS)
    x = ggml.ggml_new_tensor_2d(raw, TYPES["f32"], COLUMNS, BATCH)
    y = ggml.ggml_add(raw, ggml.ggml_mul_mat(raw, w, x), b)
    graph = ggml.ggml_new_graph(raw)
    ggml.ggml_build_forward_expand(graph, y)

    for source, target in ((weights, w), (bias, b), (inputs, x)):
        tenspan.copy(source, context.view(target))  # quantizes where the target is quantized
    if ggml.ggml_graph_compute_with_ctx(raw, graph, 2) != 0:
        raise RuntimeError("GGML could not compute the graph")
    return context.view(w), context.view(y)


def main():
    random = np.random.default_rng(7)
    weights = random.standard_normal((ROWS, COLUMNS), dtype=np.float32)
    bias = random.standard_normal(ROWS, dtype=np.float32)
    inputs = random.standard_normal((BATCH, COLUMNS), dtype=np.float32)
    ggml.ggml_cpu_init()
    print(f"{'format':8} {'of the weights':>15} {'of the product':>15} {'of tenspan':>12}   relative differences")
    for dtype in sys.argv[1:] or FORMATS:
        w, y = layer(weights, bias, inputs, dtype)
        result = y.numpy()  # a view of GGML's memory, which it keeps alive
        decoded = w.numpy(allow_copy=True).astype(np.float64)
        wanted = inputs.astype(np.float64) @ decoded.T + bias
        ours = np.stack([tenspan.matvec(w, row).numpy() for row in inputs]) + bias
        product = distance(result, wanted)
        print(f"{dtype:8} {distance(decoded, weights):15.1e} {product:15.1e} {distance(result, ours):12.1e}")
        # GGML rounds the inputs to 8 bits where the weights are quantized.
        if not product < (1e-6 if dtype == "f32" else 2e-2):
            sys.exit(f"{dtype}: the product is off by {product}")


def distance(a, b):
    """Root of the sum of square differences over that of the squares of the latter."""
    return np.linalg.norm(np.asarray(a, np.float64) - b) / np.linalg.norm(b)


if __name__ == "__main__":
    main()
