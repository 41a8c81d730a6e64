/// Modules of C++ that are compiled while a program runs, and kept: the next time, nothing is compiled.
namespace cpp {
  /// Compiles C++ sources and loads the module; see [cpp.buildInline].
  /// @param name        Name of the module, and of its files.
  /// @param cppSources  Sources, which are compiled as one.
  /// @param functions   Functions that the module exports under their own names. Sources may export others themselves.
  [Throws, Skip=(cpp)] Module loadInline(DOMString name, Texts cppSources, optional Exports functions = null, optional BuildOptions options = {});
  /// Compiles source files and loads the module; see [cpp.build].
  /// @param name      Name of the module.
  /// @param cppFiles  Paths of the sources, which are compiled one by one.
  [Throws, Skip=(cpp)] Module load(DOMString name, Texts cppFiles, optional BuildOptions options = {});
  /// Compiles C++ sources to a module and gives the path of it.
  ///
  /// The headers of kernels are included before the sources; sources that name `tvm::ffi` get the public headers of that in place of
  /// them, which `extraIncludePaths` has to name. The compiler is the one that the environment variable `CXX` names, or else `g++` or
  /// `clang++`. Modules are kept in the folder that `TENSPAN_CACHE_DIR` names, or else in the cache of the user.
  /// @param name        Name of the module, and of its files.
  /// @param cppSources  Sources, which are compiled as one.
  /// @param functions   Functions that the module exports under their own names. Sources may export others themselves.
  [Throws, Skip=(cpp)] DOMString buildInline(DOMString name, Texts cppSources, optional Exports functions = null, optional BuildOptions options = {});
  /// Compiles source files to a module and gives the path of it. The files include what they need and export what they offer.
  /// @param name      Name of the module.
  /// @param cppFiles  Paths of the sources, which are compiled one by one.
  [Throws, Skip=(cpp)] DOMString build(DOMString name, Texts cppFiles, optional BuildOptions options = {});
  /// The folder with the headers of kernels, for compilers that are called by hand.
  [Throws, Skip=(cpp)] DOMString includePath();
};

/// How a module is compiled.
dictionary BuildOptions {
  /// Flags for the compiler, after those of tenspan.
  Texts extraCflags = [];
  /// Flags for the linker, after all else.
  Texts extraLdflags = [];
  /// Folders with headers.
  Texts extraIncludePaths = [];
  /// Where the module is put, in place of the cache.
  Path? buildDirectory = null;
};

/// Texts, or one of them.
typedef (sequence<DOMString> or DOMString) Texts;
/// Functions of a source: a name, names, or what each does by its name.
typedef any Exports;
