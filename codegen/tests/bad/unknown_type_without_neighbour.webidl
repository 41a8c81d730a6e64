/// Library.
namespace tenspan {
  /// One.
  Elephant one();
};
