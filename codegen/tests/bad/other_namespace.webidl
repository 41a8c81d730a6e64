/// Library.
namespace tensors {
  /// One.
  long one();
};
