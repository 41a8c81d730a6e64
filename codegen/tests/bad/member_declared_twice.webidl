/// A thing.
interface Thing {
  /// One.
  long one();
  /// One again.
  readonly attribute long one;
};
