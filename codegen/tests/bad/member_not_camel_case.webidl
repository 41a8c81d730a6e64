/// A thing.
interface Thing {
  /// One.
  long number_one();
};
