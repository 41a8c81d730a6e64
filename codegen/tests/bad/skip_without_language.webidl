/// Library.
namespace tenspan {
  /// One.
  [Skip] long one();
};
