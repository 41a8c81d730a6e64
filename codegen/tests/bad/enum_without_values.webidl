/// A colour.
enum Colour {
};
