/// Library.
namespace tenspan {
  /// One.
  long ();
};
