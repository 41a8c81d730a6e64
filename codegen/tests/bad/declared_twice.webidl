/// Options.
dictionary Options {
  /// Loudness.
  long loud = 1;
};
/// Again.
enum Options {
  /// A.
  "a"
};
