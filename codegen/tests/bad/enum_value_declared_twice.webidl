/// A colour.
enum Colour {
  /// Like grass.
  "sea_green",
  /// The same in Rust.
  "sea-green"
};
