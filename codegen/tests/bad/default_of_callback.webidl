/// Told of progress.
/// @param done  Steps done.
callback Progress = undefined (long done);
/// Options.
dictionary Options {
  /// Told.
  Progress progress = null;
};
