// Objects: classes defined here, references that know their fields, and objects that are known by the name of their class.
#include <tenspan/tenspan.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "check.hpp"

namespace ts = tenspan;

namespace {

struct Pair : ts::Object {
  TENSPAN_OBJECT_REF(Pair, "cpp.Pair", ts::Object);
  TENSPAN_FIELD(a, std::int64_t);
  TENSPAN_READONLY_FIELD(b, std::int64_t);
  TENSPAN_METHOD(sum, std::int64_t());
  TENSPAN_METHOD(scaled, Pair(std::int64_t));
  TENSPAN_STATIC_METHOD(zero, Pair());
};

struct Named : Pair {
  TENSPAN_OBJECT_REF(Named, "cpp.Named", Pair);
  TENSPAN_FIELD(name, std::string);
  TENSPAN_FIELD(weight, double);
  TENSPAN_FIELD(shown, bool);
  TENSPAN_FIELD(tags, ts::List<std::string>);
  TENSPAN_FIELD(numbers, ts::Array<std::int64_t>);
  TENSPAN_FIELD(table, ts::Map<std::string, std::int64_t>);
  TENSPAN_FIELD(next, std::optional<Pair>);
  TENSPAN_FIELD(tensor, std::optional<ts::Tensor>);
  TENSPAN_FIELD(f, std::optional<ts::TypedFunction<std::int64_t(std::int64_t)>>);
  TENSPAN_FIELD(any, ts::Any);
};

// Fields that are called like what the reference is made of.
struct Clash : ts::Object {
  TENSPAN_OBJECT_REF(Clash, "cpp.Clash", ts::Object);
  TENSPAN_FIELD(held, std::int64_t);
  TENSPAN_FIELD(any, std::int64_t);
  TENSPAN_FIELD(get, std::int64_t);
  TENSPAN_FIELD(set, std::int64_t);
};

// Written like any class: with a constructor and members of its own.
struct Counter : ts::Object {
  TENSPAN_OBJECT_REF(Counter, "cpp.Counter", ts::Object);
  TENSPAN_FIELD(count, std::int64_t);
  explicit Counter(std::int64_t start) : Object(create(start)) {}
  std::int64_t up(std::int64_t by) {
    set_count(count() + by);
    return count();
  }
};

// What another part of the program, which is not up to date, takes the classes above for.
struct Wrong : ts::Object {
  TENSPAN_OBJECT_REF(Wrong, "cpp.Pair", ts::Object);
  TENSPAN_FIELD(a, std::int32_t);
  TENSPAN_FIELD(b, double);
  TENSPAN_FIELD(c, std::int64_t);
  TENSPAN_METHOD(product, std::int64_t());
};
struct WrongName : ts::Object {
  TENSPAN_OBJECT_REF(WrongName, "cpp.Named", ts::Object);
  TENSPAN_FIELD(name, std::int64_t);
  TENSPAN_READONLY_FIELD(weight, bool);
};
struct WrongParent : Counter {
  TENSPAN_OBJECT_REF(WrongParent, "cpp.Named", Counter);
};
struct Unsigned : ts::Object {
  TENSPAN_OBJECT_REF(Unsigned, "cpp.Pair", ts::Object);
  TENSPAN_FIELD(a, std::uint64_t);
  TENSPAN_FIELD(b, std::int64_t);
};
struct Missing : ts::Object {
  TENSPAN_OBJECT_REF(Missing, "cpp.NotThere", ts::Object);
  TENSPAN_STATIC_METHOD(zero, Missing());
};
struct Orphan : Missing {
  TENSPAN_OBJECT_REF(Orphan, "cpp.Orphan", Missing);
};
struct Twice : ts::Object {
  TENSPAN_OBJECT_REF(Twice, "cpp.Twice", ts::Object);
};
struct Late : ts::Object {
  TENSPAN_OBJECT_REF(Late, "cpp.Late", ts::Object);
  TENSPAN_FIELD(x, std::int64_t);
  TENSPAN_FIELD(text, std::string);
};
struct Fresh : ts::Object {
  TENSPAN_OBJECT_REF(Fresh, "cpp.Fresh", ts::Object);
  TENSPAN_READONLY_FIELD(x, std::int64_t);
  TENSPAN_READONLY_FIELD(text, std::string);
};

template <class T, class = void>
constexpr bool can_set_b = false;
template <class T>
constexpr bool can_set_b<T, std::void_t<decltype(std::declval<const T&>().set_b(1))>> = true;
static_assert(!can_set_b<Pair> && can_set_b<Unsigned>, "a field that is only read cannot be set");
static_assert(std::is_convertible_v<Named, Pair> && !std::is_convertible_v<Pair, Named>, "references go up by themselves");

std::string text_of(int thread) { return "made by the thread " + std::to_string(thread); }

void define() {
  ts::define_object<Pair>("Two numbers.")
      .field<std::int64_t>("a", "The first.")
      .readonly<std::int64_t>("b", "The second.")
      .defaults(5)
      .method("sum", [](const Pair& self) { return self.a() + self.b(); }, "Both together.")
      .method("scaled", [](const Pair& self, std::int64_t by) { return Pair::create(self.a() * by, self.b() * by); })
      .static_method("zero", [] { return Pair::create(0, 0); })
      .compared_by_fields()
      .finish();
  ts::define_object<Named>()
      .field<std::string>("name")
      .defaults("nobody")
      .field<double>("weight")
      .defaults(1.5)
      .field<bool>("shown")
      .defaults(true)
      .field<ts::List<std::string>>("tags")
      .factory([] { return ts::List<std::string>(); })
      .field<ts::Array<std::int64_t>>("numbers")
      .defaults(ts::Array<std::int64_t>{1, 2})
      .field<ts::Map<std::string, std::int64_t>>("table")
      .defaults(ts::Map<std::string, std::int64_t>{{"one", 1}})
      .field<std::optional<Pair>>("next")
      .defaults(nullptr)
      .field<std::optional<ts::Tensor>>("tensor")
      .defaults(nullptr)
      .field<std::optional<ts::TypedFunction<std::int64_t(std::int64_t)>>>("f")
      .defaults(nullptr)
      .field<ts::Any>("any")
      .defaults(nullptr)
      .keyword_only()
      .method("sum", [](const Named& self) { return self.a() + self.b() + 100; })
      .finish();
  ts::define_object<Counter>().field<std::int64_t>("count").method("up", &Counter::up, "Counts.").finish();
}

}  // namespace

TEST(fields_are_read_and_set_by_name_and_type) {
  const Pair pair = Pair::create(1, 2);
  CHECK_EQ(pair.a(), 1);
  CHECK_EQ(pair.b(), 2);
  pair.set_a(std::numeric_limits<std::int64_t>::min());
  CHECK_EQ(pair.a(), std::numeric_limits<std::int64_t>::min());
  CHECK_EQ(Pair::create(7).b(), 5);
  CHECK_EQ(pair.type_key(), "cpp.Pair");
  const Pair same = pair;
  same.set_a(9);
  CHECK_EQ(pair.a(), 9);
  CHECK(same.same_as(pair));
}

TEST(fields_of_every_type) {
  const Named named = Named::create(1, 2, "a name of more than seven letters");
  CHECK_EQ(named.name(), "a name of more than seven letters");
  CHECK_EQ(named.weight(), 1.5);
  CHECK_EQ(named.shown(), true);
  CHECK_EQ(named.tags().size(), 0u);
  CHECK_EQ(named.numbers().to_vector(), (std::vector<std::int64_t>{1, 2}));
  CHECK_EQ(named.table().get("one"), 1);
  CHECK(!named.next().has_value() && !named.tensor().has_value() && !named.f().has_value() && named.any().is_none());
  named.set_name("");
  named.set_weight(-0.25);
  named.set_shown(false);
  named.tags().push("shared");
  named.set_numbers({3});
  named.set_table({{"two", 2}});
  named.set_next(named);
  named.set_tensor(ts::asarray(std::vector<float>{1, 2}));
  named.set_f([](std::int64_t x) { return 2 * x; });
  named.set_any({1, "two"});
  CHECK_EQ(named.name(), "");
  CHECK_EQ(named.weight(), -0.25);
  CHECK_EQ(named.shown(), false);
  CHECK_EQ(named.tags()[0], "shared");
  CHECK_EQ(named.numbers()[0], 3);
  CHECK_EQ(named.table().get("two"), 2);
  CHECK(named.next()->same_as(named));
  CHECK_EQ(named.tensor()->size(), 2u);
  CHECK_EQ((*named.f())(21), 42);
  CHECK(named.any() == ts::Any(ts::Array<>{1, "two"}));
  // Another object has another list.
  CHECK_EQ(Named::create(1, 2).tags().size(), 0u);
  named.set_next(std::nullopt);
  CHECK(!named.next().has_value());
}

TEST(methods_are_those_of_the_class_of_the_object) {
  const Pair pair = Pair::create(1, 2);
  CHECK_EQ(pair.sum(), 3);
  CHECK_EQ(pair.scaled(3).b(), 6);
  CHECK_EQ(Pair::zero().sum(), 0);
  CHECK_EQ(pair.call<std::int64_t>("sum"), 3);
  CHECK_EQ(pair.call("scaled", 2).as<Pair>().a(), 2);
  const Pair named = Named::create(1, 2);
  CHECK_EQ(named.sum(), 103);
  CHECK_EQ(pair.sum(), 3);
  CHECK_THROWS(ts::AttributeError, pair.call("add"));
  CHECK_THROWS(ts::TypeError, pair.call("scaled", "two"));
  Counter counter(5);
  CHECK_EQ(counter.up(2), 7);
  CHECK_EQ(counter.call<int>("up", 3), 10);
  CHECK_EQ(counter.count(), 10);
}

TEST(references_follow_the_registered_hierarchy) {
  const ts::Any value = Named::create(1, 2, "x");
  CHECK(value.is<Named>() && value.is<Pair>() && value.is<ts::Object>() && !value.is<Counter>());
  const auto pair = value.as<Pair>();
  CHECK_EQ(pair.a(), 1);
  CHECK(pair.is<Named>());
  CHECK_EQ(pair.as<Named>().name(), "x");
  CHECK_EQ(pair.try_as<Named>()->name(), "x");
  CHECK(!Pair::create(1).try_as<Named>().has_value());
  const Pair up = pair.as<Named>();
  CHECK(up == pair && up.same_as(pair));
  CHECK_EQ(CHECK_THROWS(ts::TypeError, Pair::create(1).as<Named>()), "wanted an object of `cpp.Named`, found cpp.Pair");
  CHECK_EQ(CHECK_THROWS(ts::TypeError, ts::Any(5).as<Pair>()), "wanted an object of `cpp.Pair`, found an integer");
  CHECK_EQ(CHECK_THROWS(ts::TypeError, ts::Any().as<ts::Object>()), "wanted an object, found None");
}

TEST(objects_are_arguments_results_and_items) {
  const ts::TypedFunction<Pair(Pair, std::optional<Pair>)> add = [](const Pair& x, const std::optional<Pair>& y) {
    return Pair::create(x.a() + (y ? y->a() : 0), x.b());
  };
  CHECK_EQ(add(Pair::create(1), Named::create(2)).a(), 3);
  CHECK_EQ(add(Pair::create(1), std::nullopt).a(), 1);
  const ts::Function any = add;
  const std::string text = CHECK_THROWS(ts::TypeError, any(Counter(1), nullptr));
  CHECK(text.find("cpp.Pair") != std::string::npos && text.find("cpp.Counter") != std::string::npos);
  const ts::TypedFunction<Counter(Pair)> wrong = any;
  CHECK_EQ(CHECK_THROWS(ts::TypeError, wrong(Pair::create(1))), "wanted an object of `cpp.Counter`, found cpp.Pair");

  const ts::Array<Pair> pairs{Pair::create(1), Named::create(2)};
  std::int64_t total = 0;
  for (const Pair& pair : pairs) {
    total += pair.a();
  }
  CHECK_EQ(total, 3);
  CHECK_EQ(ts::Any(pairs).as<std::vector<Pair>>()[1].as<Named>().name(), "nobody");
  CHECK_THROWS(ts::TypeError, ts::Any(pairs).as<ts::Array<Named>>());
  const ts::Dict<std::string, Pair> dict{{"x", pairs[0]}};
  CHECK(dict.get("x").same_as(pairs[0]));
}

TEST(a_constructor_is_found_when_it_is_there_and_kept) {
  CHECK_THROWS(ts::ValueError, Late::create(1));
  CHECK_THROWS(ts::ValueError, Late::create(1));
  ts::define_object<Late>().field<std::int64_t>("x").field<std::string>("text").defaults("none").finish();
  const std::string text = "a text of more than seven letters";
  for (int i = 0; i < 3; ++i) {
    CHECK_EQ(Late::create(i).x(), i);
    CHECK_EQ(Late::create(i).text(), "none");
    CHECK_EQ(Late::create(i, text).text(), text);
    CHECK_EQ(Late::create(i, std::string_view(text).substr(0, 9)).text(), "a text of");
    CHECK_EQ(CHECK_THROWS(ts::TypeError, Late::create()), "the constructor of `cpp.Late` wants `x`");
    CHECK_EQ(CHECK_THROWS(ts::TypeError, Late::create(1, "a", 2)), "the constructor of `cpp.Late` takes 2 arguments in order, 3 were given");
    CHECK_THROWS(ts::TypeError, Late::create("one"));
  }
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([i] {
      for (int k = 0; k < 500; ++k) {
        CHECK_EQ(Late::create(static_cast<std::int16_t>(k), text_of(i)).text(), text_of(i));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

TEST(copies_and_comparison) {
  const Pair pair = Pair::create(1, 2);
  const Pair copy = pair.copy();
  CHECK(copy == pair && !copy.same_as(pair));
  copy.set_a(5);
  CHECK(copy != pair);
  CHECK_EQ(pair.a(), 1);
  const Counter counter(1);
  CHECK(counter == counter && counter != counter.copy());
  // Only the reference is of the class of the parent: a copy has all fields.
  const Pair named = Named::create(1, 2, "kept");
  CHECK_EQ(named.copy().as<Named>().name(), "kept");
}

TEST(names_of_fields_do_not_clash_with_those_of_references) {
  ts::define_object<Clash>().field<std::int64_t>("held").field<std::int64_t>("any").field<std::int64_t>("get").field<std::int64_t>("set").finish();
  const Clash clash = Clash::create(1, 2, 3, 4);
  clash.set_set(5);
  const auto same = ts::Any(clash).as<Clash>();
  CHECK_EQ(same.held() * 1000 + same.any() * 100 + same.get() * 10 + same.set(), 1235);
  CHECK(same == clash);
  CHECK(ts::Array<Clash>{clash}[0].same_as(clash));
}

TEST(objects_are_known_by_the_name_of_their_class) {
  const ts::Object object = ts::Object::create("cpp.Named", {3, 4}, {{"weight", 2.5}, {"any", 1}});
  CHECK_EQ(object.get<std::int64_t>("a"), 3);
  CHECK_EQ(object.get<double>("weight"), 2.5);
  CHECK_EQ(object.get("any").as<int>(), 1);
  object.set("name", "set");
  CHECK_EQ(object.get<std::string>("name"), "set");
  CHECK_EQ(CHECK_THROWS(ts::AttributeError, object.set("b", 1)), "`b` of `cpp.Pair` is read-only");
  CHECK_THROWS(ts::AttributeError, object.get("naem"));
  CHECK_THROWS(ts::TypeError, object.set("weight", "heavy"));
  CHECK_THROWS(ts::TypeError, object.set("next", Counter(1)));
  CHECK_THROWS(ts::TypeError, object.get<std::string>("a"));
  CHECK_THROWS(ts::ValueError, ts::Object::create("cpp.NotThere", {}));
  CHECK_THROWS(ts::TypeError, ts::Object::create("cpp.Pair", {1, 2, 3}));
  CHECK_THROWS(ts::TypeError, ts::Object::create("cpp.Pair", {}));
  CHECK_THROWS(ts::TypeError, ts::Object::create("cpp.Pair", {1}, {{"c", 2}}));
}

TEST(what_a_reference_declares_wrongly_is_told) {
  const ts::Any pair = Pair::create(1, 2);
  const auto wrong = pair.as<Wrong>();
  CHECK_EQ(CHECK_THROWS(ts::TypeError, wrong.a()), "`a` of `cpp.Pair` is an integer of 8 bytes, and declared as an integer of 4 bytes");
  CHECK_EQ(CHECK_THROWS(ts::TypeError, wrong.b()),
           "`b` of `cpp.Pair` is an integer of 8 bytes, and declared as a number with a point of 8 bytes");
  CHECK_EQ(CHECK_THROWS(ts::AttributeError, wrong.c()), "`cpp.Pair` has no field `c`");
  CHECK_EQ(CHECK_THROWS(ts::AttributeError, wrong.product()), "`cpp.Pair` has no method `product`");
  const auto name = ts::Any(Named::create(1, 2, "text")).as<WrongName>();
  CHECK_EQ(CHECK_THROWS(ts::TypeError, name.name()), "`name` of `cpp.Named`: wanted an integer, found a string");
  CHECK_THROWS(ts::TypeError, name.set_name(5));
  CHECK_THROWS(ts::TypeError, name.weight());
  CHECK_EQ(CHECK_THROWS(ts::TypeError, name.as<WrongParent>()), "`cpp.Named` is not derived from `cpp.Counter`, as it is in C++");
  CHECK_EQ(CHECK_THROWS(ts::AttributeError, pair.as<Unsigned>().set_b(1)), "`b` of `cpp.Pair` is read-only");
  CHECK(!pair.is<Missing>());
  CHECK_THROWS(ts::TypeError, pair.as<Missing>());
  CHECK_THROWS(ts::Error, Missing::zero());
  CHECK_THROWS(ts::ValueError, Missing::create());
}

TEST(integers_without_a_sign_are_checked) {
  const Pair pair = Pair::create(1, 2);
  const auto same = ts::Any(pair).as<Unsigned>();
  same.set_a(7);
  CHECK_EQ(same.a(), 7u);
  CHECK_EQ(pair.a(), 7);
  pair.set_a(-1);
  CHECK_THROWS(ts::ValueError, same.a());
  CHECK_THROWS(ts::OverflowError, same.set_a(std::numeric_limits<std::uint64_t>::max()));
  CHECK_EQ(pair.a(), -1);
}

TEST(a_reference_that_was_moved_from_is_told) {
  Pair pair = Pair::create(1, 2);
  const Pair taken = std::move(pair);
  CHECK_THROWS(ts::ValueError, pair.a());
  CHECK_THROWS(ts::ValueError, pair.set_a(1));
  CHECK_THROWS(ts::ValueError, pair.sum());
  CHECK_THROWS(ts::ValueError, pair.type_key());
  CHECK_THROWS(ts::ValueError, pair.copy());
  CHECK_EQ(taken.a(), 1);
}

TEST(what_cannot_be_defined_is_told) {
  CHECK_THROWS(ts::ValueError, ts::define_object<Pair>().finish());
  CHECK_THROWS(ts::ValueError, ts::define_object<Twice>().field<bool>("x").field<bool>("x").finish());
  CHECK_THROWS(ts::TypeError, ts::define_object<Twice>().field<std::int64_t>("x").defaults("x").finish());
  CHECK_THROWS(ts::ValueError, ts::define_object<Twice>().defaults(1));
  CHECK_THROWS(ts::ValueError, ts::define_object<Twice>().static_method("f", [] {}).keyword_only());
  CHECK_THROWS(ts::ValueError, ts::define_object<Orphan>().finish());
  ts::define_object<Twice>().finish();
  CHECK_EQ(Twice::create().type_key(), "cpp.Twice");
}

TEST(threads_use_fields_for_the_first_time_together) {
  ts::define_object<Fresh>().readonly<std::int64_t>("x").readonly<std::string>("text").finish();
  const ts::Any object = Fresh::create(1, "some text of length");
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&object] {
      for (int n = 0; n < 1000; ++n) {
        CHECK_EQ(object.as<Fresh>().x(), 1);
        CHECK_EQ(object.as<Fresh>().text(), "some text of length");
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

int main() {
  define();
  return check::run();
}
