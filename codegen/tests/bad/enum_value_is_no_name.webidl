/// A size.
enum Size {
  /// Eight.
  "8"
};
