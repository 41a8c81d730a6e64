/// Options.
dictionary Options {
  /// Loudness.
  long loud = 1;
};
/// A thing.
interface Thing {
  /// Options.
  readonly attribute Options options;
};
