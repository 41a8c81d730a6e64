/// An object of a class that any language or a compiled module defined. Here are the names by which programs reach it without a class of
/// their own language for it; in Python and Node.js it is also what such classes are derived from: `tenspan.Object`.
[Custom, Skip=(python, cpp)]
interface Object {
  /// Key of its class, such as `my.Pair`.
  readonly attribute DOMString typeKey;
  /// A field.
  /// @param name  Name of the field.
  [Throws] any get(DOMString name);
  /// Sets a field.
  /// @param name   Name of the field.
  /// @param value  What it becomes.
  [Throws] undefined set(DOMString name, any value);
  /// Calls a method.
  /// @param name  Name of the method.
  /// @param args  Its arguments in order.
  [Throws] any call(DOMString name, sequence<any> args);
  /// Another object with the same fields.
  [Throws] Object copy();
};
