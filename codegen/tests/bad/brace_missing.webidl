/// A thing.
interface Thing {
  /// One.
  long one();
