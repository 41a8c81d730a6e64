/// Library.
namespace tenspan {
  /// One.
  /// @param a  Numbers.
  long one(record<long, long> a);
};
