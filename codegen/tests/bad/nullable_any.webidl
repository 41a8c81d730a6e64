/// Library.
namespace tenspan {
  /// One.
  any? one();
};
