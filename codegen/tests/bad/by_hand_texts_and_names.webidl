/// Library.
namespace tenspan {
  /// Registers a class.
  [Skip=(rust), Python=("(cls: type) -> None", more)] undefined register();
};
