/// A thing.
interface Thing {
  /// See [Thing.tow].
  long one();
  /// Two.
  long two();
};
