/// A thing.
interface Thing {
  /// Entries.
  readonly maplike<long, long>;
};
