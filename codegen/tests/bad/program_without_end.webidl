/// Library.
namespace tenspan {
  /// Registers a class.
  /// ```python
  /// register()
  undefined register();
};
