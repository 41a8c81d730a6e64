/// Options.
dictionary Options {
  /// Loudness.
  required long loud;
};
