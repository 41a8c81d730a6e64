/// Library.
namespace tenspan {
  /// One.
  /// @param a
  long one(long a);
};
