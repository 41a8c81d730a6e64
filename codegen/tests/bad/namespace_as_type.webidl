/// Library.
namespace tenspan {
  /// One.
  tenspan one();
};
