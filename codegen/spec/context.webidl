/// An arena of tensors with a budget, as `ggml_init` makes one: one allocation, freed when the context
/// and every tensor in it are gone.
interface Context {
  /// Reserves memory.
  /// @param memSize  Budget in bytes. Each tensor takes its bytes, rounded up to 64.
  /// @param noAlloc  Only count: tensors get a shape and a place in the budget, and no memory. Reading or writing one
  ///                 is an error, its `dataPtr` is 0.
  [Throws] constructor(unsigned long long memSize, optional boolean noAlloc = false);
  /// A new tensor in the arena, filled with zeros.
  /// @param shape  Elements along each dimension, outermost first.
  /// @param dtype  Type of the elements.
  /// @param name   Name to find it by; must be new in this context.
  [Throws] Tensor tensor(sequence<unsigned long long> shape, optional DTypeLike dtype = "float32", optional DOMString? name = null);
  /// Bytes taken by tensors so far.
  readonly attribute unsigned long long used;
  /// The budget in bytes.
  readonly attribute unsigned long long capacity;
  /// Whether tensors are made without memory.
  readonly attribute boolean noAlloc;

  /// The named tensors, in the order of their making.
  readonly maplike<DOMString, Tensor>;
};
