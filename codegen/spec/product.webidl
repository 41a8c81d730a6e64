partial namespace tenspan {
  /// Sum of the products of two rows of one dimension and the same length, added in `float64`.
  ///
  /// A block-quantized row meets plain numbers through the activation type of its format: these are rounded to 8
  /// bits with a scale for each 32 or 256 of them (`q8_0`, `q8_1` or `q8_k`), as GGML does. Plain numbers with plain
  /// numbers, `q8_1` and `q8_k` with any, and two block-quantized rows are multiplied as the numbers they hold. Raises
  /// ShapeMismatch for other shapes, UnsupportedConversion for what holds no real numbers.
  /// @param a  Any dtype that holds real numbers.
  /// @param b  Any dtype that holds real numbers.
  [Throws] double dot(TensorLike a, TensorLike b);
  /// Products of each row of a matrix with a vector, or with each vector of a batch, as `float32`: of shape `[rows]`, or
  /// `[batch, rows]`.
  ///
  /// The vector is brought into the activation type of the matrix once, as for `dot`; rows are shared out over threads,
  /// and each result is that of `dot`, rounded. Raises ShapeMismatch when the shapes do not fit, DTypeMismatch when
  /// `out` is not `float32`.
  /// @param w    Matrix `[rows, n]` of any dtype that holds real numbers; rows may stand apart.
  /// @param x    Vector `[n]` or vectors `[batch, n]` of any dtype that holds real numbers.
  /// @param out  Tensor of `float32` to write into; allocated when omitted.
  [Throws] Tensor matvec(TensorLike w, TensorLike x, optional TensorLike? out = null);
};
