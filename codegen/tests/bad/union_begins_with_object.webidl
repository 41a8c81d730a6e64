/// Anything.
typedef (object or DOMString) Anything;
