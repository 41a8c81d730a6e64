/// Library.
namespace tenspan {
  /// One.
  Promise<long> one();
};
