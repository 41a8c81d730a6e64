/// How far a quantized tensor lies from the original.
dictionary QuantizationError {
  /// Root of the mean square difference.
  double rmse = 0;
  /// Largest absolute difference.
  double max = 0;
  /// Root of the sum of square differences over the root of the sum of squares of the original.
  double relative = 0;
  /// Cosine of the angle between the two; 1 when equal.
  double cosine = 1;
};

partial namespace tenspan {
  /// Encodes floats in a block format, or converts them to a plain float type.
  /// @param x      Floats of any float dtype; whole rows of blocks.
  /// @param dtype  Target format.
  [Throws] Tensor quantize(TensorLike x, DTypeLike dtype);
  /// Decodes a tensor of any dtype into floats.
  /// @param t      Any dtype that holds real numbers.
  /// @param dtype  Type of the result: `float32`, `float16`, `bfloat16` or `float64`.
  /// @param out    Tensor of that dtype and the same shape to write into; allocated when omitted.
  [Throws] Tensor dequantize(TensorLike t, optional DTypeLike dtype = "float32", optional TensorLike? out = null);
  /// Compares two tensors of the same shape after decoding, in `float64`.
  /// @param original   Reference.
  /// @param quantized  What was made of it.
  [Throws] QuantizationError quantizationError(TensorLike original, TensorLike quantized);
};
