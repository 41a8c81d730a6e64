/// Library.
namespace tenspan {
  /// One.
  [Throws, Throws] long one();
};
