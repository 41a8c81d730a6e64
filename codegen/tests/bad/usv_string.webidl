/// Library.
namespace tenspan {
  /// One.
  USVString one();
};
