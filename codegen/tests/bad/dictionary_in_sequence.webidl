/// Options.
dictionary Options {
  /// Loudness.
  long loud = 1;
};
/// Library.
namespace tenspan {
  /// One.
  /// @param a  Options.
  long one(sequence<Options> a);
};
