/// Library.
namespace tenspan {
  /// One.
  /// @param a  Anything.
  long one((long or any) a);
};
