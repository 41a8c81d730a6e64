/// Library.
namespace tenspan {
  /// One.
  [Value] long one();
};
