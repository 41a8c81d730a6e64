/// Library.
namespace tenspan {
  /// Registers a class.
  [Skip=(rust, python), Python="(cls: type) -> None"] undefined register();
};
