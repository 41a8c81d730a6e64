/// Told of progress.
/// @param done  Steps done.
callback Progress = undefined (long done);
/// Library.
namespace tenspan {
  /// One.
  /// @param a  Callbacks.
  long one(sequence<Progress> a);
};
