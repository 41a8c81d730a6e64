/// A thing.
interface Thing {
  /// Sizes.
  readonly attribute record<DOMString, long> sizes;
};
