/// Library.
namespace tenspan {
  /// One.
  /// @param a  Number.
  long one([Borrow] long a);
};
