/// Told of progress.
/// @param done  Steps done.
callback Progress = undefined (long done);
/// Library.
namespace tenspan {
  /// One.
  Progress one();
};
