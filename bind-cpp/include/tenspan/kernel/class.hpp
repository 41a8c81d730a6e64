/// \file
/// Registering classes of C++, so that every language makes their objects, reads and writes their fields and calls their methods:
///
/// ```cpp
/// struct Pair : tenspan::kernel::Object {
///   std::int64_t a, b;
///   Pair(std::int64_t a, std::int64_t b) : a(a), b(b) {}
///   std::int64_t sum() const { return a + b; }
/// };
/// TENSPAN_OBJECT(Pair, "demo.Pair").init<std::int64_t, std::int64_t>().field("a", &Pair::a).readonly("b", &Pair::b).method("sum", &Pair::sum);
/// ```
#pragma once

#include <functional>
#include <vector>

#include <tenspan/kernel/function.hpp>
#include <tenspan/kernel/reference.hpp>

TENSPAN_KERNEL_BEGIN
namespace detail {

template <class F>
int get_field(void* field, abi::Value* result) noexcept {
  try {
    *result = Convert<F>::write(*static_cast<const F*>(field));
    return 0;
  } catch (...) {
    abi::leave_current(Place{});
    return -1;
  }
}

template <class F>
int set_field(void* field, const abi::Value* value) noexcept {
  try {
    std::optional<F> found = Convert<F>::read(*value);
    if (!found) {
      throw TypeError("the field wants " + Convert<F>::wanted() + ", found " + abi::describe(*value), "");
    }
    *static_cast<F*>(field) = *std::move(found);
    return 0;
  } catch (...) {
    abi::leave_current(Place{});
    return -1;
  }
}

template <class F>
constexpr std::int32_t static_type() {
  return std::is_same_v<F, bool> ? abi::type_bool : is_integer<F> ? abi::type_int : std::is_floating_point_v<F> ? abi::type_float : abi::type_any;
}

/// A member function as a callable whose first argument is the object.
template <class T, class C, class R, class... A>
auto with_self(R (C::*method)(A...)) {
  return [method](const Ref<T>& self, A... arguments) -> R { return (self.get()->*method)(std::forward<A>(arguments)...); };
}
template <class T, class C, class R, class... A>
auto with_self(R (C::*method)(A...) const) {
  return [method](const Ref<T>& self, A... arguments) -> R { return (self.get()->*method)(std::forward<A>(arguments)...); };
}
template <class T, class F, class = std::enable_if_t<SignatureOf<F>::known>>
F with_self(F callable) {
  return callable;
}

/// Calls a hook with objects, and with the function for what they hold if it takes that.
template <class F, class... Objects>
auto with_nested(const F& callable, const Function& nested, const Objects&... objects) {
  if constexpr (std::is_invocable_v<const F&, const Objects&..., const Function&>) {
    return callable(objects..., nested);
  } else {
    return callable(objects...);
  }
}

/// A member of a class that waits for its registration.
struct Member {
  std::string name;
  std::string doc;
  std::string schema;
  std::int64_t flags = 0;
  abi::FieldInfo field{};
  /// The default of a field, or what makes a method.
  std::function<Any()> make;
  bool is_field = false;
};

enum Flag : std::int64_t { writable = 1, has_default = 2, is_static = 4, default_is_factory = 32, keyword_only = 1024 };

/// What a class is registered with; see class.hpp.
class Description : public abi::Registration {
 public:
  std::string key;
  std::string doc;
  std::vector<Member> members;
  abi::Class* own = nullptr;
  const abi::Class* parent = &abi::class_of<Object>;
  std::int32_t bytes = 0;
  int (*creator)(void**) = nullptr;
  std::function<Any()> shallow_copy;
  /// Attributes by name, and what makes each.
  std::vector<std::pair<std::string, std::function<Any()>>> attributes;
  bool has_init = false;

  [[nodiscard]] const char* name() const override { return key.c_str(); }

  bool run() override {
    if (parent->type < 0) {
      return false;
    }
    const abi::Text text = abi::text_of(key);
    const std::int32_t depth = parent->type == abi::type_object ? 1 : parent->depth + 1;
    const std::int32_t type = abi::api().TypeGetOrAllocIndex(&text, -1, depth, 0, 1, parent->type);
    if (type < 0) {
      abi::throw_raised();
    }
    const abi::TypeInfo* const known = abi::api().GetTypeInfo(type);
    if (known->metadata != nullptr || known->field_count != 0) {
      expect_same(*known);
    } else {
      register_members(type);
    }
    *own = abi::Class{type, depth, key.c_str()};
    return true;
  }

 private:
  /// A module that is loaded twice finds its classes registered.
  void expect_same(const abi::TypeInfo& known) const {
    std::int32_t found = 0;
    bool same = known.metadata == nullptr || known.metadata->total_size == bytes;
    for (const Member& member : members) {
      if (!member.is_field) {
        continue;
      }
      same = same && found < known.field_count && std::string_view(known.fields[found].name.data, known.fields[found].name.size) == member.name &&
             known.fields[found].offset == member.field.offset && known.fields[found].size == member.field.size;
      ++found;
    }
    if (!same || found != known.field_count) {
      throw RuntimeError("the class `" + key + "` is registered already, with other fields");
    }
  }

  void register_members(std::int32_t type) const {
    abi::TypeMetadata about{abi::text_of(doc), creator, bytes, 0};
    abi::check(abi::api().TypeRegisterMetadata(type, &about));
    for (const Member& member : members) {
      const std::string metadata = member.schema;
      if (member.is_field) {
        abi::FieldInfo info = member.field;
        const Any value = member.make ? member.make() : Any();
        info.name = abi::text_of(member.name);
        info.doc = abi::text_of(member.doc);
        info.metadata = abi::text_of(metadata);
        info.flags = member.flags;
        info.default_value = value.raw();
        abi::check(abi::api().TypeRegisterField(type, &info));
        // The table of types holds what it was given for ever.
        abi::retain(value.raw());
        continue;
      }
      const Any function = member.make();
      abi::MethodInfo info{abi::text_of(member.name), abi::text_of(member.doc), abi::text_of(metadata), member.flags, function.raw()};
      abi::check(abi::api().TypeRegisterMethod(type, &info));
      abi::retain(function.raw());
      if (member.name == "__ffi_init__") {
        attribute(type, "__ffi_init__", function);
      }
    }
    for (const auto& [name, value] : attributes) {
      attribute(type, name.c_str(), value());
    }
    if (shallow_copy) {
      attribute(type, "__ffi_shallow_copy__", shallow_copy());
    }
    if (creator != nullptr) {
      attribute(type, "__ffi_new__", Function::of([make = creator]() -> Any {
                                        void* made = nullptr;
                                        abi::check(make(&made));
                                        return Any::adopt(abi::value_of(static_cast<abi::Header*>(made)));
                                      }, key + ".__ffi_new__").held());
    }
    if (creator != nullptr && !has_init) {
      if (const Function make_init = Function::find("ffi._RegisterFFIInit")) {
        make_init(type);
      }
    }
  }

  static void attribute(std::int32_t type, const char* name, const Any& value) {
    const abi::Text text = abi::text_of(name);
    abi::check(abi::api().TypeRegisterAttr(type, &text, &value.raw()));
    abi::retain(value.raw());
  }
};

}  // namespace detail

/// Describes a class to all languages, a call per member; see class.hpp.
template <class T>
class ClassBuilder {
  static_assert(std::is_base_of_v<Object, T>, "objects that cross borders derive from tenspan::kernel::Object");

 public:
  explicit ClassBuilder(const char* key) : description_(std::make_unique<detail::Description>()) {
    description_->key = key;
    description_->own = &abi::class_of<T>;
    description_->bytes = sizeof(T);
    if constexpr (std::is_default_constructible_v<T>) {
      description_->creator = [](void** result) noexcept -> int {
        try {
          *result = abi::header_of(Any(make<T>().held()).take());
          return 0;
        } catch (...) {
          abi::leave_current(Place{});
          return -1;
        }
      };
    }
    if constexpr (std::is_copy_constructible_v<T>) {
      description_->shallow_copy = [] {
        return Function::of([](const Ref<T>& self) { return make<T>(*self); }, "__ffi_shallow_copy__").held();
      };
    }
  }

  /// What the class is for.
  ClassBuilder&& doc(const char* text) && {
    description_->doc = text;
    return std::move(*this);
  }
  /// The class that it inherits from, with its fields and methods.
  template <class Base>
  ClassBuilder&& inherits() && {
    static_assert(std::is_base_of_v<Base, T> && !std::is_same_v<Base, T>, "the class does not derive from that one");
    description_->parent = &abi::class_of<Base>;
    return std::move(*this);
  }
  /// The constructor, by the types of its arguments.
  template <class... A>
  ClassBuilder&& init(const char* doc = "") && {
    description_->has_init = true;
    return add_method("__ffi_init__", [](A... arguments) { return make<T>(std::forward<A>(arguments)...); }, doc, detail::is_static);
  }
  /// The constructor as a callable that returns a `Ref<T>`: one for arguments of several kinds takes a `std::variant`, a `std::optional` at
  /// the end, or a `Span<const Any>`.
  template <class F, class = std::enable_if_t<detail::SignatureOf<F>::known>>
  ClassBuilder&& init(F make, const char* doc = "") && {
    description_->has_init = true;
    return add_method("__ffi_init__", make, doc, detail::is_static);
  }
  /// A field that everybody may read and write.
  template <class F, class C>
  ClassBuilder&& field(const char* name, F C::*member, const char* doc = "") && {
    return add_field(name, member, doc, detail::writable);
  }
  /// A field that only C++ writes.
  template <class F, class C>
  ClassBuilder&& readonly(const char* name, F C::*member, const char* doc = "") && {
    return add_field(name, member, doc, 0);
  }
  /// What the last field is when a constructor that takes the fields is not given it.
  template <class V>
  ClassBuilder&& defaults(V value) && {
    description_->members.back().flags |= detail::has_default;
    description_->members.back().make = [value = std::move(value)] { return Any(value); };
    return std::move(*this);
  }
  /// What makes the default of the last field, a new one each time.
  template <class F>
  ClassBuilder&& factory(F make) && {
    description_->members.back().flags |= detail::has_default | detail::default_is_factory;
    description_->members.back().make = [make = std::move(make)] { return Function::of(make).held(); };
    return std::move(*this);
  }
  /// The last field is given by name only.
  ClassBuilder&& keyword_only() && {
    description_->members.back().flags |= detail::keyword_only;
    return std::move(*this);
  }
  /// A method: a member function, or a callable whose first argument is `Ref<T>`.
  template <class F>
  ClassBuilder&& method(const char* name, F callable, const char* doc = "") && {
    return add_method(name, detail::with_self<T>(callable), doc, 0);
  }
  /// A function that belongs to the class.
  template <class F>
  ClassBuilder&& static_method(const char* name, F callable, const char* doc = "") && {
    return add_method(name, callable, doc, detail::is_static);
  }

  /// How an object is shown: a member function or a callable of `Ref<T>` that returns text. A function behind it, if it takes one, shows values
  /// that the object holds.
  template <class F>
  ClassBuilder&& repr(F callable) && {
    return add_hook<1>("__ffi_repr__", detail::with_self<T>(callable));
  }
  /// Whether two objects are equal: as repr(), of two objects.
  template <class F>
  ClassBuilder&& equal(F callable) && {
    return add_hook<2>("__ffi_eq__", detail::with_self<T>(callable));
  }
  /// The hash of an object, a `std::int64_t`, the same for equal ones: as repr().
  template <class F>
  ClassBuilder&& hash(F callable) && {
    return add_hook<1>("__ffi_hash__", detail::with_self<T>(callable));
  }
  /// A function that runtimes look up beside the class, or a value that others know: `__ffi_repr__`, `__ffi_eq__` and `__ffi_hash__` are what repr(),
  /// equal() and hash() set, `__ffi_compare__` orders, `__any_equal__` and `__any_hash__` compare and hash keys of maps.
  template <class V>
  ClassBuilder&& attribute(const char* name, V value) && {
    const std::string called = description_->key + "." + name;
    description_->attributes.emplace_back(name, [value = std::move(value), called] {
      if constexpr (detail::SignatureOf<V>::known) {
        return Function::of(value, called).held();
      } else {
        return Any(value);
      }
    });
    return std::move(*this);
  }

  std::unique_ptr<detail::Description> finish() && { return std::move(description_); }

 private:
  static std::string metadata(const std::string& schema) {
    std::string text = R"({"type_schema":")";
    for (const char letter : schema) {
      text += letter == '"' ? "\\\"" : std::string(1, letter);
    }
    return text + "\"}";
  }

  template <class F, class C>
  ClassBuilder&& add_field(const char* name, F C::*member, const char* doc, std::int64_t flags) {
    static_assert(std::is_base_of_v<C, T>, "the field belongs to another class");
    detail::Member added;
    added.name = name;
    added.doc = doc;
    added.schema = metadata(Convert<F>::schema());
    added.flags = flags;
    added.is_field = true;
    added.field.size = sizeof(F);
    added.field.alignment = alignof(F);
    alignas(T) static char room[sizeof(T)];
    const T* const nowhere = reinterpret_cast<const T*>(room);
    added.field.offset = reinterpret_cast<const char*>(&(nowhere->*member)) - reinterpret_cast<const char*>(static_cast<const Object*>(nowhere));
    added.field.getter = &detail::get_field<F>;
    added.field.setter = reinterpret_cast<void*>(&detail::set_field<F>);
    added.field.static_type = detail::static_type<F>();
    description_->members.push_back(std::move(added));
    return std::move(*this);
  }

  template <class F>
  ClassBuilder&& add_method(const char* name, F callable, const char* doc, std::int64_t flags) {
    detail::Member added;
    added.name = name;
    added.doc = doc;
    added.schema = metadata(detail::Invocation<typename detail::SignatureOf<F>::type>::schema());
    added.flags = flags;
    const std::string called = description_->key + "." + name;
    added.make = [callable, called] { return Function::of(callable, called).held(); };
    description_->members.push_back(std::move(added));
    return std::move(*this);
  }

  /// A hook gets objects, and a function for what they hold, which is passed on to a callable that takes it.
  template <std::size_t objects, class F>
  ClassBuilder&& add_hook(const char* name, F callable) {
    const std::string called = description_->key + "." + name;
    description_->attributes.emplace_back(name, [callable, called] {
      if constexpr (objects == 1) {
        return Function::of([callable](const Ref<T>& self, const Function& nested) { return detail::with_nested(callable, nested, self); },
                            called)
            .held();
      } else {
        return Function::of([callable](const Ref<T>& self, const Ref<T>& other,
                                       const Function& nested) { return detail::with_nested(callable, nested, self, other); },
                            called)
            .held();
      }
    });
    return std::move(*this);
  }

  std::unique_ptr<detail::Description> description_;
};

namespace detail {

/// What a static initialiser leaves behind: the registration lives as long as the process, as the table of types does.
struct Registered {
  template <class T>
  Registered(ClassBuilder<T>&& builder) {
    abi::keep_registration(std::move(builder).finish().release());
  }
};

/// A function that waits to be registered under a name.
class NamedFunction : public abi::Registration {
 public:
  NamedFunction(const char* name, std::function<Function()> make) : name_(name), make_(std::move(make)) {}
  [[nodiscard]] const char* name() const override { return name_; }
  bool run() override {
    make_().register_as(name_, true);
    return true;
  }

 private:
  const char* name_;
  std::function<Function()> make_;
};

template <class F>
int register_function(const char* name, F callable) {
  abi::keep_registration(new NamedFunction(name, [callable, name] { return Function::of(callable, name); }));
  return 0;
}

}  // namespace detail
TENSPAN_KERNEL_END

/// Registers a class when the module is loaded: `TENSPAN_OBJECT(Pair, "demo.Pair").init<int, int>().field("a", &Pair::a);`
#define TENSPAN_OBJECT(type, key)                                                                          \
  static const ::tenspan::kernel::detail::Registered TENSPAN_KERNEL_JOIN(tenspan_object_, __COUNTER__) = \
      ::tenspan::kernel::ClassBuilder<type>(key)

/// Registers a function under a name for all languages when the module is loaded: `TENSPAN_GLOBAL("demo.add", add);`
#define TENSPAN_GLOBAL(name, ...)                                          \
  [[maybe_unused]] static const int TENSPAN_KERNEL_JOIN(tenspan_global_, __COUNTER__) = \
      ::tenspan::kernel::detail::register_function(name, __VA_ARGS__)
