/// Library.
namespace tenspan {
  /// One.
  /// @param a  Number.
  long one(optional long long a = 9223372036854775808);
};
