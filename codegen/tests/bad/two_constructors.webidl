/// A thing.
interface Thing {
  /// Made.
  constructor();
  /// Made again.
  constructor();
};
