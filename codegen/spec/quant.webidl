/// How floats are quantized.
dictionary QuantizeOptions {
  /// How much a deviation matters in each column: as many numbers as a row has elements, finite and not negative, the same for every
  /// row. Formats without use for it ignore it; `DType.needsImportance` tells which cannot do without.
  TensorLike? importance = null;
  /// Raise `NotFinite` for the first number that is NaN or infinite or too large for the format, naming row, column and block.
  /// Otherwise such a number goes through the arithmetic like any other, and `validate` finds the scales it spoiled.
  boolean strict = false;
  /// Tensor of that dtype to write into, of the same shape or flat; allocated when omitted.
  TensorLike? out = null;
};

/// What is decoded, and where to.
dictionary DequantizeOptions {
  /// Positions along the outermost dimension, in the order of the result, repeated at will; all when omitted. The others are
  /// not read.
  sequence<long long>? rows = null;
  /// Tensor of that dtype to write into, of the shape of the result or flat; allocated when omitted.
  TensorLike? out = null;
};

/// How far a quantized tensor lies from the original. A NaN in either makes all figures NaN; without elements all are those of
/// equal tensors.
dictionary QuantizationError {
  /// Root of the mean square difference.
  double rmse = 0;
  /// Largest absolute difference.
  double max = 0;
  /// Root of the sum of square differences over the root of the sum of squares of the original; infinite when only the
  /// original is all zeros.
  double relative = 0;
  /// Cosine of the angle between the two; 1 when equal, 0 when just one of them is all zeros.
  double cosine = 1;
};

/// How much is looked for.
dictionary ValidateOptions {
  /// Most faults that are listed.
  unsigned long long limit = 1000;
};

/// A stored number that is NaN or infinite.
dictionary Fault {
  /// Number of its block, counted through the whole tensor; of the element for plain types.
  unsigned long long block = 0;
  /// Number of the row that the block is in: a run along the innermost dimension, counted through all others.
  unsigned long long row = 0;
  /// Position of the first element of the block in that row.
  unsigned long long column = 0;
  /// What is wrong, such as "scale `d` is NaN".
  DOMString reason = "";
  /// The bits that are stored, such as `0x7e00`.
  DOMString bits = "";
};

partial namespace tenspan {
  /// Encodes floats in a block format, or converts them to a plain float type.
  /// @param x      Floats of any float dtype; whole rows of blocks.
  /// @param dtype  Target format.
  [Throws] Tensor quantize(TensorLike x, DTypeLike dtype, optional QuantizeOptions options = {});
  /// Decodes a tensor of any dtype into floats.
  /// @param t      Any dtype that holds real numbers.
  /// @param dtype  Type of the result: `float32`, `float16`, `bfloat16`, `float64`, or an 8-bit float.
  [Throws] Tensor dequantize(TensorLike t, optional DTypeLike dtype = "float32", optional DequantizeOptions options = {});
  /// Compares two tensors of the same shape after decoding, in `float64`.
  /// @param original   Reference.
  /// @param quantized  What was made of it.
  [Throws] QuantizationError quantizationError(TensorLike original, TensorLike quantized);
  /// Compares two tensors of the same shape row by row: one record for each run along the innermost dimension, in
  /// row-major order; none when there are no elements.
  /// @param original   Reference.
  /// @param quantized  What was made of it.
  [Throws] sequence<QuantizationError> quantizationErrors(TensorLike original, TensorLike quantized);
  /// Lists what in a tensor is NaN or infinite: scales and minima of its blocks, or the elements of a plain float type. An
  /// empty list when all is well. Only the scales of a quantized tensor are read.
  /// @param t  Any dtype but one that only a file knows. Whole numbers are always well.
  [Throws] sequence<Fault> validate(TensorLike t, optional ValidateOptions options = {});
};
