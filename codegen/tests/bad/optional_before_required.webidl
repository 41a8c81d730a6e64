/// Library.
namespace tenspan {
  /// One.
  /// @param a  Number.
  /// @param b  Number.
  long one(optional long a = 1, long b);
};
