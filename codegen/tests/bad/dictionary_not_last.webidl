/// Options.
dictionary Options {
  /// Loudness.
  long loud = 1;
};
/// Library.
namespace tenspan {
  /// One.
  /// @param a  Number.
  long one(optional Options options = {}, optional long a = 1);
};
