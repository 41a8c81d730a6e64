/// Library.
namespace tenspan {
  /// One.
  /// @param a  Number.
  long one(optional octet a = 256);
};
