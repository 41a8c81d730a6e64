/// A compiled module: a shared library whose functions every language calls. A mapping of the names of its functions to these.
///
/// Functions of the modules that it imports are found too, after its own; the names are those of its own alone.
interface Module {
  /// What kind of module it is: `library`, or `system_lib` for what parts of the program registered.
  readonly attribute DOMString kind;
  /// The path that it was loaded from.
  readonly attribute DOMString? path;
  /// The modules whose functions it uses and offers.
  readonly attribute FrozenArray<Module> imports;
  /// The names of its own functions, sorted.
  readonly attribute FrozenArray<DOMString> functionNames;
  /// A function by its name. An error names the nearest one when there is none. In C++ the signature may be given with it, and the
  /// member is written by hand for that.
  /// @param name          Name of the function.
  /// @param queryImports  Look into the modules that it imports too.
  [Throws, Quick, Skip=(cpp)] Function getFunction(DOMString name, optional boolean queryImports = true);
  /// Whether there is such a function.
  /// @param name          Name of the function.
  /// @param queryImports  Look into the modules that it imports too.
  boolean implementsFunction(DOMString name, optional boolean queryImports = true);
  /// What a function says of itself in words, when that was built in.
  /// @param name  Name of the function.
  [Throws] DOMString? getFunctionDoc(DOMString name);
  /// What a function says of its types, as JSON, when that was built in.
  /// @param name  Name of the function.
  [Throws] DOMString? getFunctionMetadata(DOMString name);
  /// Adds a module to those that this one imports. An error is raised when that one imports this one.
  /// @param module  The module.
  [Throws, Quick] undefined importModule(Module module);
  /// Forgets the modules that it imports.
  undefined clearImports();

  /// The functions by name.
  readonly maplike<DOMString, Function>;
};

/// How a module is loaded.
dictionary LoadModuleOptions {
  /// Leave the module in the process for ever. Otherwise it goes after its last function, unless an object of it may be left.
  boolean keepAlive = true;
  /// Open the file itself and not a copy of it in memory, so that debuggers and profilers find it. Then no other runtime may use
  /// `libtvm_ffi.so` in the process.
  boolean inPlace = false;
};

partial namespace tenspan {
  /// Loads a compiled module, built by anyone against the public TVM FFI ABI.
  /// @param path  Path of the shared library.
  [Throws] Module loadModule(Path path, optional LoadModuleOptions options = {});
  /// The module of the functions that parts of the program registered. There is one for each prefix.
  /// @param prefix  What the names of its functions begin with.
  Module systemLib(optional DOMString prefix = "");
};
