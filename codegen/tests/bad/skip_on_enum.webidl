/// Options.
[Skip=(cpp)]
enum Choice {
  /// One.
  "one"
};
