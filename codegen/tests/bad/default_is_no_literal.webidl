/// Library.
namespace tenspan {
  /// One.
  /// @param a  Number.
  long one(optional long a = b);
};
