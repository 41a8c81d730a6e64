/// A thing.
interface Thing {
  /// One.
  const long ONE = 1;
};
