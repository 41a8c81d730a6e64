/// Library.
namespace tenspan {
  /// One.
  long one();
};
partial namespace tenspan {
  /// One again.
  /// @param a  Number.
  long one(long a);
};
