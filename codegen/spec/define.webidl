partial namespace tenspan {
  /// Defines a type of objects, whose fields every language and compiled modules read and write where they stand, and gives the class
  /// that stands for it. What is set is checked.
  ///
  /// It fails with a [ErrorKind.ValueError] when the key is taken, and with a [ErrorKind.TypeError] when the class is not derived from [Object], or a
  /// default does not fit its field.
  /// ```js
  /// import assert from 'node:assert/strict';
  /// import { defineObject } from 'tenspan';
  ///
  /// const Item = defineObject('reference.Item', {
  ///   fields: { name: 'string', price: 'float', count: { type: 'int', default: 0 } },
  /// });
  ///
  /// const item = new Item('lamp', 12.5);
  /// item.count = 2;
  /// assert.equal(`${item}`, 'reference.Item(name="lamp", price=12.5, count=2)');
  /// ```
  /// ```cpp
  /// #include <cassert>
  /// #include <string>
  /// #include <tenspan/tenspan.hpp>
  ///
  /// struct Item : tenspan::Object {
  ///   TENSPAN_OBJECT_REF(Item, "reference.Item", tenspan::Object);
  ///   TENSPAN_FIELD(price, double);
  ///   TENSPAN_FIELD(count, std::int64_t);
  /// };
  ///
  /// int main() {
  ///   tenspan::define_object<Item>("Something to sell.")
  ///       .field<double>("price")
  ///       .field<std::int64_t>("count").defaults(0)
  ///       .finish();
  ///   const Item item = Item::create(12.5);
  ///   item.set_count(2);
  ///   assert(item.price() * static_cast<double>(item.count()) == 25.0);
  /// }
  /// ```
  /// @param key         Key of the type, such as `my.Pair`. A class of C++ has it in `TENSPAN_OBJECT_REF`.
  /// @param definition  Fields, and the class that stands for the type: one that is given, or else one that is made.
  [Throws, Skip=(python), Rust="tenspan::object::ObjectType::define(key: &str) -> tenspan::object::Definition",
   Node=("<C extends typeof Object>(key: string, definition: ObjectDefinition & { class: C }): C",
         "<const F extends Readonly<Record<string, FieldType | FieldDefinition>> = {}, P extends typeof Object = typeof Object>(key: string, definition?: ObjectDefinition & { fields?: F; parent?: P }): Omit<P, 'prototype'> & { new (...args: any[]): InstanceType<P> & FieldsOf<F> }"),
   Cpp="template <class Class> tenspan::ObjectDefinition<Class> tenspan::define_object(std::string doc = {})"]
  Class defineObject(DOMString key, optional ObjectDefinition definition = {});
  /// Says more of a field of a [dataclass] than its type.
  ///
  /// It fails with a [ErrorKind.ValueError] when it gets a default and what makes one.
  /// ```python
  /// import tenspan
  ///
  /// @tenspan.dataclass("reference.Basket")
  /// class Basket(tenspan.Object):
  ///     items: tenspan.List = tenspan.field(default_factory=tenspan.List, doc="What is in it.")
  ///     owner: str = tenspan.field(default="", kw_only=True, repr=False)
  ///
  /// assert repr(Basket(owner="me")) == "reference.Basket(items=List([]))"
  /// ```
  /// @param default         What it is when the constructor does not get it.
  /// @param defaultFactory  What makes that, for each object anew.
  /// @param init            Whether the constructor takes it.
  /// @param repr            Whether it is shown.
  /// @param compare         Whether it is compared.
  /// @param hash            Whether it is hashed; a field that is compared is, when omitted.
  /// @param kwOnly          Whether the constructor takes it by name only; as the class says when omitted.
  /// @param doc             What it is.
  [Throws, Skip=(rust, node, cpp), PurePython,
   Python="(*, default: Any = _define.MISSING, default_factory: Callable[[], Any] | _define.Missing = _define.MISSING, init: bool = True, repr: bool = True, compare: bool = True, hash: bool | None = None, kw_only: bool | None = None, doc: str = '') -> Any"]
  any field(optional any default = null, optional Function? defaultFactory = null, optional boolean init = true, optional boolean repr = true,
            optional boolean compare = true, optional boolean? hash = null, optional boolean? kwOnly = null, optional DOMString doc = "");
  /// Defines a type of objects with the annotations of a class as fields, which every language and compiled modules read and write where they
  /// stand. It decorates a class that is derived from [Object].
  ///
  /// Types of fields are `int` (of 64 bits), `float`, `bool`, `str`, `bytes`, [Tensor], [Function], [DType], [Device], the containers, other
  /// classes of objects, `X | None` of these, and anything else as `Any`. What is set is checked. After the constructor has set the
  /// fields it calls `__post_init__` if there is one. Methods `__ffi_repr__(self, show)`, `__ffi_eq__(self, other, equal)`,
  /// `__ffi_compare__(self, other, compare)` and `__ffi_hash__(self, hash)` say what every language does with its objects; the last argument
  /// does the same with a value inside of them.
  ///
  /// It fails with a [ErrorKind.ValueError] when the key is taken, and with a [ErrorKind.TypeError] when the class is not derived from [Object], or a
  /// default does not fit its field.
  /// ```python
  /// import tenspan
  ///
  /// @tenspan.dataclass("reference.Item", eq=True)
  /// class Item(tenspan.Object):
  ///     price: float
  ///     count: int = 0
  ///
  /// item = Item(12.5)
  /// item.count = 2
  /// assert item == Item(12.5, 2)
  /// ```
  /// @param cls     The class; or the key of the type, such as `my.Pair`, which is module and name of the class when omitted.
  /// @param frozen  Whether the fields cannot be set once the object is made.
  /// @param eq      Whether objects with equal fields are equal. Then they have a hash only when they are frozen.
  /// @param kwOnly  Whether the constructor takes the fields by name only.
  [Throws, Skip=(rust, node, cpp), PurePython,
   Python=("@_define.dataclass_transform(field_specifiers=(field, _define.Field))",
           "(cls: _T, /) -> _T",
           "(cls: str | None = None, /, *, frozen: bool = False, eq: bool = True, kw_only: bool = False) -> Callable[[_T], _T]")]
  Class dataclass(optional Class? cls = null, optional boolean frozen = false, optional boolean eq = true, optional boolean kwOnly = false);
};

/// What is said of a type of objects.
[Skip=(rust, python, cpp)]
dictionary ObjectDefinition {
  /// The fields, in order: each by its type, or by a [FieldDefinition].
  [Node="fields?: Readonly<Record<string, FieldType | FieldDefinition>>"] any fields = null;
  /// The class that is to stand for the type, derived from [Object], or from that of the parent type. One is made when omitted.
  [Node="class?: typeof Object"] any _class = null;
  /// The class that its type is derived from, when there is no `class`.
  [Node="parent?: typeof Object"] any parent = null;
  /// Whether objects are equal when their fields are, or only to themselves.
  [Node="equality?: 'fields' | 'identity'"] DOMString equality = "fields";
  /// Shows an object, in every language; `show` does it with a value inside of it.
  [Node="repr?(object: any, show: Callable): string"] any repr = null;
  /// Whether two objects of the type are equal; `equal` says so of values inside of them.
  [Node="equal?(object: any, other: any, equal: Callable): boolean"] any equal = null;
  /// Which of two objects of the type comes first: less than, equal to or more than 0. It also says whether they are equal, where `equal` does
  /// not.
  [Node="compare?(object: any, other: any, compare: Callable): number"] any compare = null;
  /// The hash of an object; `hash` gives that of a value inside of it.
  [Node="hash?(object: any, hash: Callable): number | bigint"] any hash = null;
  /// What it is, in words.
  [Node="doc?: string"] DOMString doc = "";
};

/// What is said of a field. Its type is one of `any`, `int` (of 64 bits), `float`, `bool`, `string`, `bytes`, `tensor`, `function`, `dtype`, `device`,
/// `shape`, `array`, `list`, `map` and `dict`, or a class of objects.
[Skip=(rust, python, cpp)]
dictionary FieldDefinition {
  /// What it holds.
  [Node="type: FieldType"] any type = null;
  /// It may be `null`, too.
  [Node="optional?: boolean"] boolean _optional = false;
  /// What the items of an array are.
  [Node="items?: FieldType | FieldDefinition"] any items = null;
  /// What the keys of a map are.
  [Node="keys?: FieldType | FieldDefinition"] any keys = null;
  /// What the values of a map are.
  [Node="values?: FieldType | FieldDefinition"] any values = null;
  /// What it is when the constructor does not get it. A function makes that for each object anew, unless the field holds functions.
  [Node="default?: unknown"] any default = null;
  /// It cannot be set once the object is made.
  [Node="readonly?: boolean"] boolean _readonly = false;
  /// Whether it is shown in texts.
  [Node="shown?: boolean"] boolean shown = true;
  /// Whether it is compared.
  [Node="compared?: boolean"] boolean compared = true;
  /// What it is, in words.
  [Node="doc?: string"] DOMString doc = "";
};
