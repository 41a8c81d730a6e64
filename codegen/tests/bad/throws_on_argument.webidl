/// Library.
namespace tenspan {
  /// One.
  /// @param a  Number.
  long one([Throws] long a);
};
