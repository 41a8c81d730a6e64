/// Functions that each language writes in its own way.
namespace tenspan {
  /// Takes a shape, each language in its way.
  /// ```python
  /// @tenspan.shaped
  /// class Round:
  ///     pass
  ///
  /// assert Round
  /// ```
  /// ```js
  /// shaped(class Round {}, { corners: 0 });
  /// ```
  /// @param shape  A shape.
  /// @param way    How.
  [Throws, Skip=(rust), PurePython, Python=("@marked", "(shape: str, /) -> int | None", "(shape: type[int], /, *, way: str = 'x') -> int"),
   Node="<S>(shape: S, way?: Shaping): S", Cpp="template <class S> void tenspan::shaped()"]
  Picture shaped(Picture shape, optional Shaping way = {});
  /// Takes a shape as well.
  /// @param shape  A shape.
  [Skip=(rust, node, cpp), Python="(shape: Any) -> None"] undefined reshaped(Picture shape);
};

/// How to take a shape.
[Skip=(rust, python, cpp)]
dictionary Shaping {
  /// How many.
  [Node="corners?: 0 | 3"] long corners = 3;
};

/// What is wrong.
[Custom, PurePython, Rust="Fault", Python="Fault", Node="ThingFault", Cpp="Fault"]
interface Fault {
  /// Which.
  readonly attribute DOMString kind;
};

/// A value of the language.
typedef object Picture;
