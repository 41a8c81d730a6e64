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

/// What every failure raises, where the language has no class for its kind. There is a class derived from it for each of these kinds; a name
/// of a kind that has no `Error` at its end gets one in Python and C++.
[Custom, Rust="tenspan::Error", Python="Error", Node="TenspanError", Cpp="tenspan::Error"]
interface Error {
  /// The name of the [ErrorKind], or that of a kind which a module made up.
  [Skip=(cpp)] readonly attribute DOMString kind;
  /// The kind as a code, such as `ERR_TENSPAN_SHAPE_MISMATCH`.
  [Custom, Skip=(rust, python, cpp)] readonly attribute DOMString code;
};

partial namespace tenspan {
  /// Makes errors of a kind that other languages raise errors of a class, and errors of the class that are raised through them of
  /// that kind.
  ///
  /// It fails with a [ErrorKind.TypeError] when the class is no class of errors.
  /// ```python
  /// import tenspan
  ///
  /// @tenspan.register_error("reference.Empty")
  /// class Empty(LookupError):
  ///     pass
  ///
  /// tenspan.register_testing_funcs()
  /// try:
  ///     tenspan.get_global_func("testing.raise")("reference.Empty", "nothing is left")
  /// except Empty as error:
  ///     assert str(error) == "nothing is left"
  /// ```
  /// ```js
  /// import assert from 'node:assert/strict';
  /// import * as tenspan from 'tenspan';
  ///
  /// class Empty extends Error {}
  /// tenspan.registerError('reference.Empty', Empty);
  ///
  /// tenspan.registerTestingFuncs();
  /// const raise = tenspan.getGlobalFunc('testing.raise');
  /// assert.throws(() => raise('reference.Empty', 'nothing is left'), Empty);
  /// ```
  /// @param kind  Name of the kind. Where the function decorates a class and gets no name, it is that of the class.
  /// @param cls   A class of errors, made with a message; in Node.js with options too when there is a cause.
  [Throws, Skip=(rust, cpp),
   Python=("(kind: str, cls: type[BaseException], /) -> type[BaseException]",
           "(kind: str, cls: None = None, /) -> Callable[[type[_E]], type[_E]]",
           "(kind: type[_E], cls: None = None, /) -> type[_E]"),
   Node="<C extends new (message: string, options?: { cause?: unknown }) => Error>(kind: string, cls: C): C"]
  Class registerError(DOMString kind, Class cls);
};
