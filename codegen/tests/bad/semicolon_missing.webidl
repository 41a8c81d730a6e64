/// Library.
namespace tenspan {
  /// One.
  long one()
  /// Two.
  long two();
};
