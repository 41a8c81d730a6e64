/// A colour.
enum Colour {
  /// Like grass.
  "green",
  /// Like blood.
  "red"
};
/// Options.
dictionary Options {
  /// Colour.
  Colour colour = "gren";
};
