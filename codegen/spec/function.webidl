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
  /// ```python
  /// import tenspan
  ///
  /// @tenspan.register_global_func("reference.twice")
  /// def twice(x: int) -> int:
  ///     return 2 * x
  ///
  /// assert tenspan.get_global_func("reference.twice")(21) == 42
  /// ```
  /// ```js
  /// import assert from 'node:assert/strict';
  /// import { getGlobalFunc, registerGlobalFunc } from 'tenspan';
  ///
  /// registerGlobalFunc('reference.twice', (x) => 2 * x);
  /// assert.equal(getGlobalFunc('reference.twice')(21), 42);
  /// ```
  /// @param name      Name of the function.
  /// @param func      What is called.
  /// @param override  Replace a function that has the name already, where an error would be raised otherwise.
  [Throws, Quick,
   Python=("(name: str, f: None = None, override: bool = False) -> Callable[[_F], _F]",
           "(name: str, f: Callable[..., Any], override: bool = False) -> Function",
           "(name: Callable[..., Any], f: None = None, override: bool = False) -> Function")]
  undefined registerGlobalFunc(DOMString name, Function func, optional boolean override = false);
  /// Takes a function out of the registry; false when there was none. Who holds the function may still call it.
  /// @param name  Name of the function.
  [Quick] boolean removeGlobalFunc(DOMString name);
  /// The names of all registered functions, sorted.
  [Quick] sequence<DOMString> listGlobalFuncNames();
  /// Registers functions named `testing.nop`, `testing.echo`, `testing.apply` and so on, to try calls, callbacks and errors with.
  [Throws, Quick] undefined registerTestingFuncs();
  /// The value as all languages see it: lists and mappings of this language become those of [Array] and [Map], functions a [Function].
  /// @param value  The value.
  [Custom, Skip=(rust, cpp), Python="(value: Any, /) -> Any"] any convert(any value);
  /// Makes a function of a callable and registers it, for all languages of the process. Messages and tracebacks call it by the same name.
  /// See [registerGlobalFunc] for what is a function already.
  /// @param name        Name of the function.
  /// @param parameters  Names of its parameters in order; it may be left out.
  /// @param body        What is called.
  /// @param override    Replace a function that has the name already, where an error would be raised otherwise.
  [Throws, Skip=(rust, python, node),
   Cpp=("template <class F> tenspan::Function tenspan::register_global(std::string_view name, F&& body, bool override = false)",
        "template <class F> tenspan::Function tenspan::register_global(std::string_view name, const std::vector<std::string_view>& parameters, F&& body, bool override = false)")]
  Function registerGlobal(DOMString name, sequence<DOMString> parameters, Foreign body, optional boolean override = false);
  /// The function that is registered under a name, by whatever language, with a signature such as `double(std::string_view, std::int64_t)`.
  /// See [getGlobalFunc] for one without.
  /// @param name  Name of the function.
  [Throws, Skip=(rust, python, node),
   Cpp="template <class Signature> tenspan::TypedFunction<Signature> tenspan::get_global(std::string_view name)"]
  Function getGlobal(DOMString name);
  /// Whether two values are equal by what they hold: containers by their items, tensors by dtype, shape and elements, numbers by
  /// kind and value.
  /// @param a  One value.
  /// @param b  Another.
  [Quick] boolean equal(any a, any b);
};
