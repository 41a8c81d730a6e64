/// A thing.
interface Thing {
  /// Count.
  static readonly attribute long count;
};
