/// Something to call, made by any language of the process or by a compiled module, and called from every other.
[Custom]
interface Function {
  /// What the function is called in messages, when it says so.
  readonly attribute DOMString? name;
  /// Calls the function.
  /// @param args  Its arguments in order.
  [Throws] any call(sequence<any> args);
};

partial namespace tenspan {
  /// The function that is registered under a name, by whatever language.
  /// @param name          Name of the function.
  /// @param allowMissing  Give nothing for a missing one, where an error would be raised otherwise.
  [Throws, Quick] Function? getGlobalFunc(DOMString name, optional boolean allowMissing = false);
  /// Registers a function under a name, for all languages of the process.
  /// @param name      Name of the function.
  /// @param func      What is called.
  /// @param override  Replace a function that has the name already, where an error would be raised otherwise.
  [Throws, Quick, Skip=(python)] undefined registerGlobalFunc(DOMString name, Function func, optional boolean override = false);
  /// Takes a function out of the registry; false when there was none. Who holds the function may still call it.
  /// @param name  Name of the function.
  [Quick] boolean removeGlobalFunc(DOMString name);
  /// The names of all registered functions, sorted.
  [Quick] sequence<DOMString> listGlobalFuncNames();
  /// Registers functions named `testing.nop`, `testing.echo`, `testing.apply` and so on, to try calls, callbacks and errors with.
  [Throws, Quick] undefined registerTestingFuncs();
  /// The value as all languages see it: lists and mappings of this language become those of [Array] and [Map], functions a [Function].
  /// @param value  The value.
  [Custom, Skip=(rust, python, cpp)] any convert(any value);
  /// Whether two values are equal by what they hold: containers by their items, tensors by dtype, shape and elements, numbers by
  /// kind and value.
  /// @param a  One value.
  /// @param b  Another.
  [Quick] boolean equal(any a, any b);
};
