/// Library.
namespace tenspan {
  [Throws]
  /// One.
  long one();
};
