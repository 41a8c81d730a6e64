/// A thing.
interface Thing {
  /// Items.
  iterable<DOMString, long>;
};
