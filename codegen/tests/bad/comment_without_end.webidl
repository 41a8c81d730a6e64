/// Library.
namespace tenspan {
  /// One.
  long one();
};
/* and so on
