/// Library.
namespace tenspan {
  /// One.
  long?? one();
};
