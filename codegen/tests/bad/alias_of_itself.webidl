/// Left.
typedef Right Left;
/// Right.
typedef sequence<Left> Right;
