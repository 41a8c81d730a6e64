/// A thing.
interface little_thing {
  /// One.
  long one();
};
