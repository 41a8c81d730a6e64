/// A thing.
interface Thing {
  /// Keys.
  sequence<DOMString> keys();
  /// Entries.
  readonly maplike<DOMString, long>;
};
