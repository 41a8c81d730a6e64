/// Library.
namespace tenspan {
  /// One.
  /// @param a  Text.
  long one(optional DOMString a = "x);
};
