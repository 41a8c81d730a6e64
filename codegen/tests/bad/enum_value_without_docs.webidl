/// A colour.
enum Colour {
  "green"
};
