/// Options.
dictionary Options {
  /// Loudness.
  long loud = 1;
};
/// Library.
namespace tenspan {
  /// One.
  /// @param loud  Number.
  long one(long loud, optional Options options = {});
};
