/// An object of a class that any language or a compiled module defined. Here are the names by which programs reach it without a class of
/// their own language for it; in Python, Node.js and C++ it is also what such classes are derived from: `tenspan.Object`.
///
/// In Python, fields are attributes of the object, and methods its methods.
[Custom, PurePython, Python="Object"]
interface Object {
  /// Key of its class, such as `my.Pair`.
  [Skip=(python)] readonly attribute DOMString typeKey;
  /// A field.
  /// @param name  Name of the field.
  [Throws, Skip=(python)] any get(DOMString name);
  /// Sets a field.
  /// @param name   Name of the field.
  /// @param value  What it becomes.
  [Throws, Skip=(python)] undefined set(DOMString name, any value);
  /// Calls a method.
  /// @param name  Name of the method.
  /// @param args  Its arguments in order.
  [Throws, Skip=(python)] any call(DOMString name, sequence<any> args);
  /// Makes an object, by the constructor of its class or of its fields.
  /// @param typeKey  Key of the class.
  /// @param args     What the constructor takes, in order.
  /// @param named    What it takes by name.
  [Throws, Skip=(python, node)] static Object create(DOMString typeKey, sequence<any> args, record<DOMString, any> named);
  /// Another object with the same fields.
  [Throws, Skip=(python)] Object copy();
};

/// A class of the language.
typedef object Class;

partial namespace tenspan {
  /// Makes a class stand for a type of objects, which a compiled module or any language has defined. Objects of the type are
  /// objects of the class, and the class gets the fields and methods of the type that it does not have itself. Objects that come along are made
  /// without its constructor.
  ///
  /// It fails with a [ErrorKind.ValueError] when there is no such type, or another class stands for it, and with a [ErrorKind.TypeError]
  /// when the class is not derived from [Object].
  /// ```python
  /// import tenspan
  /// from tenspan import cpp
  ///
  /// source = '''
  /// struct Pair : tenspan::kernel::Object { std::int64_t a = 1; std::int64_t b = 2; };
  /// TENSPAN_OBJECT(Pair, "reference.Pair").init<>("").field("a", &Pair::a).field("b", &Pair::b);
  /// '''
  /// module = cpp.load_inline("reference_pair", source)
  ///
  /// @tenspan.register_object("reference.Pair")
  /// class Pair(tenspan.Object):
  ///     def sum(self) -> int:
  ///         return self.a + self.b
  ///
  /// assert Pair().sum() == 3
  /// ```
  /// ```js
  /// import assert from 'node:assert/strict';
  /// import * as tenspan from 'tenspan';
  ///
  /// tenspan.cpp.loadInline('reference_pair', `
  /// struct Pair : tenspan::kernel::Object { std::int64_t a = 1; std::int64_t b = 2; };
  /// TENSPAN_OBJECT(Pair, "reference.Pair").init<>("").field("a", &Pair::a).field("b", &Pair::b);
  /// `);
  ///
  /// class Pair extends tenspan.Object {
  ///   sum() {
  ///     return this.a + this.b;
  ///   }
  /// }
  /// tenspan.registerObject('reference.Pair', Pair);
  ///
  /// assert.equal(new Pair().sum(), 3);
  /// ```
  /// @param key  Key of the type, such as `my.Pair`. Where the function decorates a class and gets no key, it is the name of the class.
  /// @param cls  Derived from [Object], or from the class of a type from which this one is derived.
  [Throws, Skip=(rust, cpp), PurePython,
   Python=("(key: str, cls: None = None, /) -> Callable[[_T], _T]",
           "(key: str, cls: _T, /) -> _T",
           "(key: _T, cls: None = None, /) -> _T"),
   Node="<C extends typeof Object>(key: string, cls: C): C"]
  Class registerObject(DOMString key, Class cls);
};
