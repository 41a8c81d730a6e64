/// Library.
namespace tenspan {
  /// One.
  /// @param
  long one();
};
