/// Options.
dictionary Options {
  /// Loudness.
  long loud = 1;
};
/// Library.
namespace tenspan {
  /// One.
  long one(Options options);
};
