/// What went wrong. Every language maps a kind to an error class of its own; the kinds named like a
/// Python exception are the ones that modules of any origin use.
enum ErrorKind {
  /// An argument has the right type but a value that is not allowed.
  "ValueError",
  /// An argument has a type that is not accepted.
  "TypeError",
  /// A name was not found in a mapping.
  "KeyError",
  /// A position lies outside a sequence or a dimension.
  "IndexError",
  /// An object has no attribute of that name.
  "AttributeError",
  /// A number does not fit the type it is converted to.
  "OverflowError",
  /// Memory of another library cannot be used in the way asked for.
  "BufferError",
  /// The system refused memory.
  "MemoryError",
  /// The operating system reported an error; the message holds the path.
  "OSError",
  /// A check of the callee failed.
  "AssertionError",
  /// Anything else that the callee reports.
  "RuntimeError",
  /// Two shapes must agree and do not, or a shape does not hold the number of elements given.
  "ShapeMismatch",
  /// A dtype is not one of those the operation takes.
  "DTypeMismatch",
  /// The innermost length of a block-quantized tensor is no multiple of the block length.
  "BlockMismatch",
  /// No conversion between the two dtypes exists.
  "UnsupportedConversion",
  /// Both sides of a copy are quantized with different formats, and `allowRequantize` was not given.
  "RequantizeRefused",
  /// A number is NaN, infinite, or too large for the format, and strict encoding was asked for; the message names row and column.
  "NotFinite",
  /// The operation needs contiguous elements.
  "NotContiguous",
  /// A read-only tensor was to be written.
  "ReadOnly",
  /// A context has no room left for a tensor.
  "OutOfBudget",
  /// The bytes of a file break the rules of its format; the message holds the offset.
  "InvalidFile",
  /// A compiler reported errors, or there is none; the message holds all that it said.
  "CompileFailed",
  /// An object was used after it was disposed of.
  "Disposed",
  /// A defect of tenspan itself.
  "InternalError"
};
