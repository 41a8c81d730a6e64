partial namespace tenspan {
  /// One.
  long one();
};
