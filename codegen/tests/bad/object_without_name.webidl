/// Library.
namespace tenspan {
  /// One.
  /// @param a  Anything.
  [Custom] long one(object a);
};
