/// Library.
namespace tenspan {
  /// One.
  /// @param number  Number.
  /// @param numbr  Number.
  long one(long number);
};
