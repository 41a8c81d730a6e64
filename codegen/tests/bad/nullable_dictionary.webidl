/// Options.
dictionary Options {
  /// Loudness.
  long loud = 1;
};
/// Library.
namespace tenspan {
  /// One.
  /// @param options  Options.
  long one(optional Options? options = null);
};
