/// Options.
dictionary Options {
  /// Loudness.
  long loud = 1;
};
/// More.
dictionary More : Options {
};
