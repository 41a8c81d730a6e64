/// Library.
namespace tenspan {
  /// One.
  /// @param a  Number.
  long one((long) a);
};
