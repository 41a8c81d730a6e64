/// Library.
namespace tenspan {
  /// One.
  long one(long a);
};
