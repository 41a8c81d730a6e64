/// Library.
namespace tenspan {
  /// Registers a class.
  [Skip=(rust), Python=(name)] undefined register();
};
