/// A memory address.
typedef unsigned long long Address;

/// A tensor, or an array of another library that is viewed as one without a copy where that is possible.
typedef (Tensor or object) TensorLike;

/// A number or a boolean. Complex numbers are those of the language, or objects with a real part `re` and an imaginary
/// part `im`.
typedef any Scalar;

/// An array, a tensor, bytes, a number, or nested lists of numbers with equal lengths.
typedef any ArrayLike;

/// Elements of one dtype in memory, reached by a shape and by strides in bytes. Tensors share storage:
/// a view keeps alive what it looks at, and what is written through one is seen through all.
interface Tensor {
  /// Elements along each dimension, outermost first.
  readonly attribute FrozenArray<unsigned long long> shape;
  /// Bytes from one element to the next along each dimension; for the innermost dimension of a
  /// block-quantized tensor, from one block to the next.
  readonly attribute FrozenArray<long long> strides;
  /// Type of the elements.
  readonly attribute DType dtype;
  /// Number of dimensions; 0 for a scalar.
  readonly attribute unsigned long ndim;
  /// Number of elements.
  readonly attribute unsigned long long size;
  /// Bytes that the elements take when packed.
  readonly attribute unsigned long long nbytes;
  /// Address of the first element.
  readonly attribute Address dataPtr;
  /// Whether writing is refused.
  readonly attribute boolean _readonly;
  /// Whether making this tensor copied the memory it was made from.
  readonly attribute boolean copied;
  /// Whether the elements lie in memory in row-major order without gaps.
  readonly attribute boolean isContiguous;
  /// The very object whose memory this tensor looks at; none for memory that tenspan made.
  [Custom, Skip=(cpp, rust)] readonly attribute Foreign? owner;
  /// Name given by a file or a context.
  readonly attribute DOMString? name;

  /// Same storage, another shape. The tensor must be contiguous; the innermost length of a
  /// block-quantized tensor must stay a multiple of its block length.
  /// @param shape  New shape; one entry may be -1 and is then derived from the rest.
  [Throws, Quick] Tensor reshape(sequence<long long> shape);
  /// Same storage, dimensions in another order.
  /// @param axes  For each new dimension, the old one; negative counts from the end. A block-quantized
  ///              tensor keeps its innermost dimension in place.
  [Throws, Quick] Tensor permute(sequence<long long> axes);
  /// Same storage, the last two dimensions exchanged.
  [Throws, Quick] Tensor transpose();
  /// Same storage, a range of the outermost dimension.
  /// @param start  First row.
  /// @param stop   One past the last row.
  [Throws, Quick] Tensor rows(unsigned long long start, unsigned long long stop);
  /// Same storage, part of one dimension, as slices are in Python: negative bounds count from the end, bounds past
  /// the end are cut.
  /// @param axis   Dimension; negative counts from the end.
  /// @param start  First position; from the beginning (or the end, for a negative step) when omitted.
  /// @param stop   Position to stop before; to the end (or the beginning) when omitted.
  /// @param step   Distance between positions; not 0. Within blocks of a quantized tensor only 1.
  [Throws, Quick] Tensor slice(long axis, optional long long? start = null, optional long long? stop = null, optional long long step = 1);
  /// Same storage, one dimension fewer.
  /// @param axis   Dimension to fix; negative counts from the end.
  /// @param index  Position; negative counts from the end.
  [Throws, Quick] Tensor select(long axis, long long index);
  /// This tensor when it is contiguous, a packed copy otherwise.
  [Throws] Tensor contiguous();
  /// Same storage, writing refused.
  Tensor asReadonly();
  /// The elements as bytes, packed in row-major order.
  [Throws] Uint8Array tobytes();
  /// The elements as nested lists of numbers, quantized ones decoded; a number when there are no dimensions.
  [Throws] any tolist();
  /// The only element of a tensor of one element.
  [Throws] Scalar item();
  /// Whether another tensor has the same shape and equal numbers, whatever the dtypes: they are compared exactly, as
  /// numbers, quantized ones decoded. NaN equals nothing, and zeros of either sign are equal.
  /// @param other  Compared with this one.
  [Throws] boolean equals(TensorLike other);
  /// The tensor as a NumPy array without a copy, writable unless the tensor is read-only. The array keeps the memory alive.
  /// @param allowCopy  Decode a quantized tensor into a new `float32` array instead of raising.
  /// @param out        Array to decode or copy into; returned.
  [Throws, Custom, Skip=(node, cpp, rust)] NDArray numpy(optional boolean allowCopy = false, optional NDArray? out = null);
  /// The elements as the TypedArray of their dtype, without a copy. Block types and those without a
  /// TypedArray of their own are shown as their bytes, 16-bit floats as `Uint16Array`. JavaScript cannot protect memory: what is written
  /// into the array of a tensor of a file is seen by this process alone and never reaches the file.
  [Throws, Custom, Skip=(python, cpp, rust)] readonly attribute TypedArray data;

  /// Views of each position along the outermost dimension.
  iterable<Tensor>;
};

/// An object of another library.
typedef object Foreign;
/// An array of NumPy.
typedef object NDArray;
/// A TypedArray of JavaScript.
typedef object TypedArray;

partial namespace tenspan {
  /// A new tensor filled with zeros. All bytes of a block-quantized tensor are zero.
  /// @param shape  Elements along each dimension, outermost first.
  /// @param dtype  Type of the elements.
  [Throws, Quick] Tensor zeros(sequence<unsigned long long> shape, optional DTypeLike dtype = "float32");
  /// A new tensor whose elements are arbitrary until written.
  /// @param shape  Elements along each dimension, outermost first.
  /// @param dtype  Type of the elements.
  [Throws, Quick] Tensor empty(sequence<unsigned long long> shape, optional DTypeLike dtype = "float32");
  /// A new tensor with one value in every element.
  /// @param shape  Elements along each dimension, outermost first.
  /// @param value  Number or boolean; it must fit the dtype.
  /// @param dtype  Type of the elements.
  [Throws] Tensor full(sequence<unsigned long long> shape, Scalar value, optional DTypeLike dtype = "float32");
  /// A tensor from anything array-like: without a copy from a tensor or an array of another library,
  /// by a copy from nested lists of numbers. `copied` tells which.
  /// @param value  What holds the elements; bytes are elements of `uint8`.
  /// @param dtype  Type to convert to; that of the array, or one that holds all the numbers, when omitted.
  [Throws] Tensor asarray(ArrayLike value, optional DTypeLike? dtype = null);
  /// A tensor that owns a copy of packed bytes.
  /// @param data   As many bytes as the shape and the dtype need.
  /// @param shape  Elements along each dimension, outermost first.
  /// @param dtype  Type of the elements.
  [Throws] Tensor fromBytes([Borrow] BufferSource data, sequence<unsigned long long> shape, optional DTypeLike dtype = "float32");
  /// A tensor over the memory of a NumPy array, without a copy. The array is kept alive and stays writable if it was.
  /// @param array  Any array of a dtype that tenspan has.
  [Throws, Custom, Skip=(node, cpp, rust)] Tensor fromNumpy(NDArray array);

  /// A tensor over the memory that an object exports, without a copy: a buffer of bytes, an array, a map of a file.
  /// While the tensor lives the memory can be neither resized nor closed; where the language cannot prevent that, later use
  /// of the tensor raises BufferError.
  /// @param buffer  Exporter of memory.
  /// @param dtype   What the bytes are read as, block types included; the elements of the buffer as they are when
  ///                omitted. The buffer must then be packed.
  /// @param shape   Elements along each dimension, outermost first; as many rows of one dimension as there are
  ///                elements when omitted.
  /// @param offset  Bytes of the buffer before the first element.
  [Throws, Custom, Skip=(cpp, rust)] Tensor fromBuffer(Foreign buffer, optional DTypeLike? dtype = null, optional sequence<unsigned long long>? shape = null, optional unsigned long long offset = 0);
  /// A tensor over memory that another library hands over by DLPack, without a copy unless one is asked for.
  ///
  /// What the other library says of it holds: a read-only tensor stays read-only, and one that comes without a version
  /// of DLPack is read-only, since it cannot tell. Raises BufferError for memory that the CPU does not read, and for a
  /// capsule that was used before.
  /// @param x     Tensor of another library, or a capsule.
  /// @param copy  Whether to copy: always, or never, in which case what cannot be shared is refused; as the other
  ///              library likes when omitted.
  [Throws, Custom, Skip=(node, cpp, rust)] Tensor fromDlpack(Foreign x, optional boolean? copy = null);
  /// A tensor over memory at an address, without a copy. Nothing tells whether the address is right, or how long it
  /// stays so: that is the caller's promise.
  ///
  /// Raises ValueError for an address that no process has, OverflowError when shape and strides reach further than
  /// memory can.
  /// @param address  Address of the first element; 0 only when there are no elements.
  /// @param shape    Elements along each dimension, outermost first.
  /// @param dtype    Type of the elements, block types included.
  /// @param strides  Bytes from one position to the next along each dimension; packed when omitted.
  /// @param owner    Object that keeps the memory alive, and is itself kept alive by the tensor. One that exports a
  ///                 buffer can be neither resized nor closed meanwhile, and where that is read-only the tensor is too.
  /// @param readonly  Whether writing is refused.
  [Throws, Custom, Quick, Skip=(cpp, rust)] Tensor fromPointer(Address address, sequence<unsigned long long> shape, DTypeLike dtype, optional sequence<long long>? strides = null, optional Foreign? owner = null, optional boolean _readonly = false);

  /// Writes the elements of one tensor into another of the same shape, whatever the dtypes: moved when
  /// they are equal, else cast, decoded or encoded row by row, in parallel.
  /// @param src  Read only.
  /// @param dst  Written; must not be read-only.
  [Throws] undefined copy(TensorLike src, TensorLike dst, optional CopyOptions options = {});
  /// Every element converted to another dtype.
  /// @param t      Read only.
  /// @param dtype  Type of the result.
  /// @param out    Tensor of that dtype to write into, of the same shape or flat; allocated when omitted.
  [Throws] Tensor cast(TensorLike t, DTypeLike dtype, optional TensorLike? out = null);
};

/// How a copy may be made.
dictionary CopyOptions {
  /// Decode a quantized source and encode it again in another format. Each step loses precision.
  boolean allowRequantize = false;
};
