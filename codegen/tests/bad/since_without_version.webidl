/// Library.
namespace tenspan {
  /// One.
  [Since] long one();
};
