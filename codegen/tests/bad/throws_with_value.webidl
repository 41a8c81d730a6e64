/// Library.
namespace tenspan {
  /// One.
  [Throws="yes"] long one();
};
