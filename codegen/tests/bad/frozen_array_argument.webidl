/// Library.
namespace tenspan {
  /// One.
  /// @param a  Numbers.
  long one(FrozenArray<long> a);
};
