/// How a product or a distance is made, and where it goes.
dictionary ProductOptions {
  /// Add faster and less exactly: `float64` without compensation, `float32` in `float32`. Other dtypes are as fast as they
  /// get.
  boolean fast = false;
  /// Tensor to write into, of the shape and the dtype of the result; of one element for two rows of one dimension. It may not
  /// share memory with the arguments.
  TensorLike? out = null;
};

partial namespace tenspan {
  /// Sum of the products of two rows of the same length.
  ///
  /// Two tensors of one dimension make a number, others a tensor with one for each pair of rows: rows run along
  /// the innermost dimension, and the outer ones are stretched to each other as in NumPy.
  ///
  /// Both have the same dtype. `float64` is added with compensation, as if in twice the precision, `float32` in `float64`,
  /// 16-bit and 8-bit floats in `float32`, complex numbers as their parts; whole numbers are exact. Tensors of results are
  /// `float64` for `float64` and `float32`, `float32` for smaller floats, `complex128` for complex numbers, `int64` or
  /// `uint64` for whole numbers, which raise OverflowError when they do not fit. Strides are whatever they are: the result
  /// is that of a contiguous copy.
  ///
  /// A block-quantized row meets plain real numbers of any dtype through the activation type of its format: these are rounded
  /// to 8 bits with a scale for each 32 or 256 of them (`q8_0`, `q8_1` or `q8_k`), as GGML does. `q8_1` and `q8_k`
  /// with any, and two block-quantized rows are multiplied as the numbers they hold. Tensors of results are `float64`.
  ///
  /// Raises TypeError for dtypes that hold no numbers or do not go together, ShapeMismatch for shapes that do not.
  /// @param a  Rows of numbers.
  /// @param b  Rows of numbers.
  [Throws, Rows] any dot(TensorLike a, TensorLike b, optional ProductOptions options = {});
  /// Sum of the products of the conjugates of the first row with the numbers of the second; of real numbers, that of
  /// `dot`, which tells about shapes, dtypes and errors.
  /// @param a  Rows of numbers.
  /// @param b  Rows of numbers.
  [Throws, Rows] any vdot(TensorLike a, TensorLike b, optional ProductOptions options = {});
  /// Inner product along the innermost dimension, nothing conjugated: another name of `dot`.
  /// @param a  Rows of numbers.
  /// @param b  Rows of numbers.
  [Throws, Rows] any inner(TensorLike a, TensorLike b, optional ProductOptions options = {});
  /// Sum of the squares of the differences of two rows: the Euclidean distance squared.
  ///
  /// A real number, exact for whole numbers. Shapes, dtypes and errors are those of `dot`; block-quantized rows are
  /// compared as the numbers they hold.
  /// @param a  Rows of numbers.
  /// @param b  Rows of numbers.
  [Throws, Rows] any sqeuclidean(TensorLike a, TensorLike b, optional ProductOptions options = {});
  /// Euclidean distance of two rows: the root of `sqeuclidean`, a `float64` for every dtype.
  /// @param a  Rows of numbers.
  /// @param b  Rows of numbers.
  [Throws, Rows] any euclidean(TensorLike a, TensorLike b, optional ProductOptions options = {});
  /// Angular distance of two rows: one minus the cosine of the angle between them, from 0 for the same direction to 2 for
  /// opposite ones, a `float64` for every dtype.
  ///
  /// Two rows of zeros are at 0, a row of zeros and another at 1. Complex numbers count as pairs of real ones. Shapes,
  /// dtypes and errors are those of `dot`; block-quantized rows are compared as the numbers they hold.
  /// @param a  Rows of numbers.
  /// @param b  Rows of numbers.
  [Throws, Rows] any angular(TensorLike a, TensorLike b, optional ProductOptions options = {});
  /// Products of each row of a matrix with a vector, or with each vector of a batch, as `float32`: of shape `[rows]`, or
  /// `[batch, rows]`.
  ///
  /// The vector is brought into the activation type of the matrix once, as for `dot`; rows are shared out over threads,
  /// and each result with block-quantized rows is that of `dot`, rounded. Plain rows may have another dtype than the vector
  /// and are added in `float64`. Raises ShapeMismatch when the shapes do not fit, DTypeMismatch when `out` is not `float32`.
  /// @param w    Matrix `[rows, n]` of any dtype that holds real numbers; rows may stand apart.
  /// @param x    Vector `[n]` or vectors `[batch, n]` of any dtype that holds real numbers.
  /// @param out  Tensor of `float32` to write into; allocated when omitted.
  [Throws] Tensor matvec(TensorLike w, TensorLike x, optional TensorLike? out = null);
};
