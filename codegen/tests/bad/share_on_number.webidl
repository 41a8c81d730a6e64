/// Library.
namespace tenspan {
  /// One.
  [Share] long one();
};
