/// An object of a class that any language or a compiled module defined. Here are the names by which programs reach it without a class of
/// their own language for it; in Python, Node.js and C++ it is also what such classes are derived from: `tenspan.Object`.
[Custom, Skip=(python)]
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
  /// Makes an object, by the constructor of its class or of its fields.
  /// @param typeKey  Key of the class.
  /// @param args     What the constructor takes, in order.
  /// @param named    What it takes by name.
  [Throws, Skip=(python, node)] static Object create(DOMString typeKey, sequence<any> args, record<DOMString, any> named);
  /// Another object with the same fields.
  [Throws] Object copy();
};
