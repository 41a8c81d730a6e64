/// Options.
[Skip=(cpp)]
dictionary Options {
  /// Loudness.
  long loud = 1;
};
