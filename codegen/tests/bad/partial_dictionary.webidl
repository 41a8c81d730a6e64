/// Options.
dictionary Options {
  /// Loudness.
  long loud = 1;
};
partial dictionary Options {
  /// More.
  long more = 0;
};
