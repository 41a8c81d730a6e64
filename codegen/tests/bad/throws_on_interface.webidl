/// A thing.
[Throws]
interface Thing {
  /// One.
  long one();
};
