/// A thing.
interface Thing {
  /// Sizes.
  readonly attribute sequence<long> sizes;
};
