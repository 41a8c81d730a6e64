/// A thing.
interface Thing {
  /// Items.
  iterable<long>;
  /// Entries.
  readonly maplike<DOMString, long>;
};
