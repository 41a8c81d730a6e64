/// Options.
dictionary Options {
  /// Loudness.
  long loud = null;
};
