/// A thing.
interface Thing {
  /// One.
  /// @param a  Number.
  readonly attribute long one;
};
