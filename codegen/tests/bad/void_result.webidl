/// Library.
namespace tenspan {
  /// One.
  void one();
};
