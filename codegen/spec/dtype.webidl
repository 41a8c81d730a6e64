/// Every element type by its canonical name: plain types as NumPy and ml_dtypes name them, block
/// types as GGML names them, in lower case.
enum DTypeName {
  /// IEEE 754 double precision.
  "float64",
  /// IEEE 754 single precision.
  "float32",
  /// IEEE 754 half precision.
  "float16",
  /// Upper half of a `float32`.
  "bfloat16",
  /// 4 exponent bits, 3 mantissa bits, no infinities.
  "float8_e4m3fn",
  /// 5 exponent bits, 2 mantissa bits.
  "float8_e5m2",
  /// Signed, 8 bits.
  "int8",
  /// Signed, 16 bits.
  "int16",
  /// Signed, 32 bits.
  "int32",
  /// Signed, 64 bits.
  "int64",
  /// Unsigned, 8 bits.
  "uint8",
  /// Unsigned, 16 bits.
  "uint16",
  /// Unsigned, 32 bits.
  "uint32",
  /// Unsigned, 64 bits.
  "uint64",
  /// One byte, 0 or 1.
  "bool",
  /// Two `float32`: real part, imaginary part.
  "complex64",
  /// Two `float64`: real part, imaginary part.
  "complex128",
  /// Blocks of 128 signs, one scale.
  "q1_0",
  /// Blocks of 64 2-bit weights, one scale.
  "q2_0",
  /// Blocks of 32 4-bit weights, one scale.
  "q4_0",
  /// Blocks of 32 4-bit weights, scale and minimum.
  "q4_1",
  /// Blocks of 32 5-bit weights, one scale.
  "q5_0",
  /// Blocks of 32 5-bit weights, scale and minimum.
  "q5_1",
  /// Blocks of 32 8-bit weights, one scale.
  "q8_0",
  /// Blocks of 32 8-bit weights, scale and sum: a dot-product partner.
  "q8_1",
  /// Super-blocks of 256 2-bit weights.
  "q2_k",
  /// Super-blocks of 256 3-bit weights.
  "q3_k",
  /// Super-blocks of 256 4-bit weights, scales and minima of 6 bits.
  "q4_k",
  /// Super-blocks of 256 5-bit weights, scales and minima of 6 bits.
  "q5_k",
  /// Super-blocks of 256 6-bit weights, scales of 8 bits.
  "q6_k",
  /// Super-blocks of 256 8-bit weights: a dot-product partner.
  "q8_k",
  /// 1.56 bits per weight, from a codebook.
  "iq1_s",
  /// 1.75 bits per weight, from a codebook.
  "iq1_m",
  /// 2.06 bits per weight, from a codebook.
  "iq2_xxs",
  /// 2.31 bits per weight, from a codebook.
  "iq2_xs",
  /// 2.56 bits per weight, from a codebook.
  "iq2_s",
  /// 3.06 bits per weight, from a codebook.
  "iq3_xxs",
  /// 3.44 bits per weight, from a codebook.
  "iq3_s",
  /// Blocks of 32 4-bit weights on a non-linear scale.
  "iq4_nl",
  /// Super-blocks of 256 4-bit weights on a non-linear scale.
  "iq4_xs",
  /// Ternary weights, five to a byte.
  "tq1_0",
  /// Ternary weights, four to a byte.
  "tq2_0",
  /// Blocks of 32 4-bit floats, one power-of-two scale.
  "mxfp4",
  /// Blocks of 64 4-bit floats, one 8-bit float scale for 16 of them.
  "nvfp4"
};

/// The type of a tensor's elements. Equal names are equal values.
[Value]
interface DType {
  /// Finds a dtype by its name. Aliases such as `f32`, `bf16`, `float`, `F32` and `Q4_K` are accepted.
  /// @param name  Canonical name or alias.
  [Throws] constructor(DOMString name);
  /// Canonical name; `ggml_type_<id>` for a type that only a file knows.
  readonly attribute DOMString name;
  /// Elements that share one block; 1 for plain types.
  readonly attribute unsigned long long blockLen;
  /// Bytes of one block, or of one element of a plain type; 0 when unknown.
  readonly attribute unsigned long long blockBytes;
  /// Average bits per element; 0 when unknown.
  readonly attribute double bitsPerElement;
  /// Whether elements are stored in blocks and need decoding.
  readonly attribute boolean isQuantized;
  /// Whether this is a type that only a file knows: its bytes can be moved, not converted.
  readonly attribute boolean isOpaque;
  /// Numeric id in GGML and GGUF files, if it has one there.
  readonly attribute unsigned long? ggmlId;
  /// DLPack type code, if DLPack can name the type.
  readonly attribute unsigned long? dlpackCode;
  /// Whether `quantize` can make this type from floats.
  readonly attribute boolean canEncode;
  /// Whether it needs importance weights for that. `copy` and `cast` have none to give.
  readonly attribute boolean needsImportance;
  /// Whether `dequantize` can turn this type into floats.
  readonly attribute boolean canDecode;
};

/// A dtype, one of its names, or the dtype object of another library.
typedef (DType or DOMString) DTypeLike;

partial namespace tenspan {
  /// Every dtype, plain types first.
  sequence<DType> dtypes();
};
