/// A colour.
enum Colour {
  /// Like grass.
  green
};
