/// Library.
namespace tenspan {
  /// One.
  BufferSource one();
};
