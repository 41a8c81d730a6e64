/// Library.
namespace tenspan {
  /// One.
  /// @returns One.
  long one();
};
