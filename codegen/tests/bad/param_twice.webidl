/// Library.
namespace tenspan {
  /// One.
  /// @param a  Number.
  /// @param a  Number.
  long one(long a);
};
