interface Thing {
  /// One.
  long one();
};
