/// Library.
namespace tenspan {
  /// One.
  [Throw] long one();
};
