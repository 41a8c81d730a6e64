/// Library.
namespace tenspan {
  /// One. C++ has its own.
  [Skip=(pyton)] long one();
};
