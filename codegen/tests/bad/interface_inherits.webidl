/// A thing.
interface Thing {
  /// One.
  long one();
};
/// Another.
interface Other : Thing {
};
