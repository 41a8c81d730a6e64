// Compiled modules: loaded, called with the calls of all languages, and refused.
//
//   modules <folder of the modules> <calls.json>
#include <tenspan/tenspan.hpp>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "json.hpp"

namespace ts = tenspan;

namespace {

std::string folder;
std::string calls;

ts::Module module(const std::string& name) { return ts::load_module(folder + "/" + name + ".so"); }

/// Whether there is a module of that name.
bool is_there(const std::string& name) { return std::ifstream(folder + "/" + name + ".so").good(); }

ts::Function callback(const std::string& name) {
  if (name == "double") {
    return [](std::int64_t x) { return 2 * x; };
  }
  if (name == "sum") {
    return [](std::int64_t a, std::int64_t b) { return a + b; };
  }
  if (name == "seven") {
    return [] { return 7; };
  }
  if (name == "text") {
    return [](ts::span<const ts::Any>) { return std::string("a text of more than seven bytes"); };
  }
  return [] { throw ts::ValueError("no luck"); };
}

ts::Any decode(const json::Value& value);

std::vector<ts::Any> decode_all(const json::Value& list) {
  std::vector<ts::Any> all;
  for (const json::Value& item : list.items) {
    all.push_back(decode(item));
  }
  return all;
}

std::vector<std::pair<ts::Any, ts::Any>> pairs(const json::Value& list) {
  std::vector<std::pair<ts::Any, ts::Any>> all;
  for (const json::Value& item : list.items) {
    all.emplace_back(decode(item.items.at(0)), decode(item.items.at(1)));
  }
  return all;
}

ts::Any decode_special(const std::string& kind, const json::Value& held) {
  if (kind == "float") {
    return held.number;
  }
  if (kind == "bytes") {
    return ts::BytesView(held.string);
  }
  if (kind == "tensor") {
    std::vector<float> items;
    for (const json::Value& item : held.items) {
      items.push_back(static_cast<float>(item.number));
    }
    const std::uint64_t length = items.size();
    return ts::Tensor::from_vector(std::move(items), {length});
  }
  if (kind == "list") {
    return ts::List<>(decode_all(held));
  }
  if (kind == "map") {
    const auto all = pairs(held);
    return ts::Map<>(all.begin(), all.end());
  }
  if (kind == "dict") {
    const auto all = pairs(held);
    return ts::Dict<>(all.begin(), all.end());
  }
  if (kind == "shape") {
    std::vector<std::int64_t> lengths;
    for (const json::Value& item : held.items) {
      lengths.push_back(item.whole);
    }
    return ts::Shape(lengths);
  }
  if (kind == "dtype") {
    return ts::DType(held.string);
  }
  if (kind == "device") {
    return ts::Device(held.string);
  }
  return callback(held.string);
}

ts::Any decode(const json::Value& value) {
  switch (value.kind) {
    case json::Value::null: return nullptr;
    case json::Value::boolean: return value.truth;
    case json::Value::integer: return value.whole;
    case json::Value::real: return value.number;
    case json::Value::text: return value.string;
    case json::Value::array: return ts::Array<>(decode_all(value));
    case json::Value::object: return decode_special(value.names.at(0), value.items.at(0));
  }
  return nullptr;
}

/// The arguments of a call; the first may be the result of another.
std::vector<ts::Any> arguments_of(const ts::Module& loaded, const json::Value& call) {
  std::vector<ts::Any> all;
  if (const json::Value* of = call.find("of")) {
    all.push_back(loaded[of->at("f").string].call(arguments_of(loaded, *of)));
  }
  for (const ts::Any& argument : decode_all(call.at("args"))) {
    all.push_back(argument);
  }
  return all;
}

/// A call as it is of modules built with `<tenspan/kernel.hpp>`: its member `kernel` says what is different there.
json::Value of_kernel(json::Value call) {
  const json::Value* const found = call.find("kernel");
  if (found == nullptr) {
    return call;
  }
  const json::Value other = *found;
  for (std::size_t i = 0; i < other.items.size(); ++i) {
    for (std::size_t at = 0; at < call.names.size(); ++at) {
      if (call.names[at] == other.names[i]) {
        call.items[at] = other.items[i];
      }
    }
  }
  return call;
}

void run(const std::string& name, const ts::Module& loaded, const json::Value& call) {
  const std::string title = name + "." + call.at("f").string;
  const std::vector<ts::Any> arguments = arguments_of(loaded, call);
  try {
    ts::Any result = loaded[call.at("f").string].call(arguments);
    if (const json::Value* then = call.find("then")) {
      result = result.as<ts::Function>().call(decode_all(*then));
    }
    if (call.find("raises") != nullptr) {
      check::fail(calls.c_str(), 0, title + " raised nothing");
      return;
    }
    if (!ts::equal(result, decode(call.at("result")))) {
      check::fail(calls.c_str(), 0, title + " returned something else");
    }
    if (const json::Value* after = call.find("after")) {
      const std::vector<ts::Any> wanted = decode_all(*after);
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (!ts::equal(arguments[i], wanted[i])) {
          check::fail(calls.c_str(), 0, title + " left another argument " + std::to_string(i));
        }
      }
    }
  } catch (const ts::Error& error) {
    const json::Value* wanted = call.find("raises");
    const bool is_right = wanted != nullptr && error.kind_name() == wanted->string &&
                          std::string(error.what()).find(call.at("says").string) != std::string::npos;
    if (!is_right) {
      check::fail(calls.c_str(), 0, title + " raised " + std::string(error.kind_name()) + ": " + error.what());
    }
  }
}

}  // namespace

namespace {

json::Value all_calls() {
  std::ifstream file(calls);
  std::stringstream text;
  text << file.rdbuf();
  return json::Parser(text.str()).parse();
}

}  // namespace

TEST(every_call_of_the_list) {
  const json::Value all = all_calls();
  CHECK(all.items.size() >= 6);
  for (std::size_t i = 0; i < all.items.size(); ++i) {
    const ts::Module loaded = module(all.names[i]);
    for (const json::Value& call : all.items[i].items) {
      run(all.names[i], loaded, call);
    }
  }
}

TEST(every_call_of_the_list_with_kernels) {
  const json::Value all = all_calls();
  std::size_t modules = 0;
  for (std::size_t i = 0; i < all.items.size(); ++i) {
    const std::string name = "kernel/" + all.names[i];
    if (!is_there(name)) {
      continue;
    }
    ++modules;
    const ts::Module loaded = module(name);
    for (const json::Value& call : all.items[i].items) {
      run(name, loaded, of_kernel(call));
    }
  }
  CHECK_EQ(modules, 6u);
}

TEST(a_result_of_another_type_is_told) {
  for (const char* name : {"values", "kernel/values"}) {
    const auto greet = module(name).get_function<std::int64_t(std::string_view)>("greet");
    CHECK_EQ(CHECK_THROWS(ts::TypeError, greet("you")), "wanted an integer, found a string");
    const auto half = module(name).get_function<ts::Tensor(double)>("half");
    CHECK_THROWS(ts::TypeError, half(1.0));
  }
}

namespace {

// The classes of `objects.cc`, of both sets: the same fields under two keys.
struct Pair : ts::Object {
  TENSPAN_OBJECT_REF(Pair, "modules.Pair", ts::Object);
  TENSPAN_FIELD(a, std::int64_t);
  TENSPAN_READONLY_FIELD(b, std::int64_t);
  TENSPAN_METHOD(sum, std::int64_t());
};
struct Triple : Pair {
  TENSPAN_OBJECT_REF(Triple, "modules.Triple", Pair);
  TENSPAN_READONLY_FIELD(name, std::string);
};
struct KernelPair : ts::Object {
  TENSPAN_OBJECT_REF(KernelPair, "kernels.Pair", ts::Object);
  TENSPAN_FIELD(a, std::int64_t);
  TENSPAN_READONLY_FIELD(b, std::int64_t);
  TENSPAN_METHOD(sum, std::int64_t());
  TENSPAN_METHOD(add, void(std::int64_t));
  TENSPAN_METHOD(scaled, KernelPair(std::int64_t));
  TENSPAN_STATIC_METHOD(zero, KernelPair());
};
struct KernelNamed : KernelPair {
  TENSPAN_OBJECT_REF(KernelNamed, "kernels.Named", KernelPair);
  TENSPAN_FIELD(name, std::string);
};
struct Options : ts::Object {
  TENSPAN_OBJECT_REF(Options, "kernels.Options", ts::Object);
  TENSPAN_FIELD(steps, std::int64_t);
  TENSPAN_FIELD(rate, double);
  TENSPAN_FIELD(seen, ts::List<std::int64_t>);
};

template <class Two, class Three>
void use_pairs(const ts::Module& objects, const std::string& key) {
  const Two pair = objects["pair"](3, 4).template as<Two>();
  CHECK_EQ(pair.a(), 3);
  CHECK_EQ(pair.b(), 4);
  pair.set_a(-1);
  CHECK_EQ(pair.a(), -1);
  CHECK_EQ(pair.sum(), 3);
  CHECK_EQ(pair.type_key(), key);
  CHECK_EQ(objects["sum"](pair).template as<int>(), 3);
  CHECK_EQ(Two::create(5, 6).sum(), 11);
  CHECK_THROWS(ts::TypeError, Two::create(5));
  CHECK_THROWS(ts::TypeError, Two::create(5, "6"));
  CHECK_THROWS(ts::AttributeError, pair.set("b", 1));

  const Three three = Three::create(1, 2, "a name of some length");
  CHECK_EQ(three.name(), "a name of some length");
  CHECK_EQ(three.b(), 2);
  const auto swap = objects.get_function<Two(Two)>("swap");
  CHECK_EQ(swap(three).a(), 2);
  const auto wrong = objects.get_function<Three(Two)>("swap");
  const std::string text = CHECK_THROWS(ts::TypeError, wrong(three));
  CHECK(text.find(std::string(Three::class_key)) != std::string::npos && text.find(key) != std::string::npos);
  CHECK_EQ(objects.get_function<std::string(Three)>("name")(three), "a name of some length");
  const auto pairs = objects.get_function<ts::Array<Two>(std::int64_t)>("pairs")(4);
  CHECK_EQ(pairs.size(), 4u);
  CHECK_EQ(pairs[3].b(), 6);
  CHECK_EQ(objects["sums"](pairs).template as<int>(), 18);
  CHECK_THROWS(ts::TypeError, objects["sums"](ts::Array<ts::Any>{pair, 1}));
}

}  // namespace

TEST(objects_of_modules_have_fields_by_name_and_type) { use_pairs<Pair, Triple>(module("objects"), "modules.Pair"); }

TEST(objects_of_kernels_have_fields_by_name_and_type) {
  const ts::Module objects = module("kernel/objects");
  use_pairs<KernelPair, KernelNamed>(objects, "kernels.Pair");
  const KernelPair pair = KernelPair::create(1, 2);
  pair.add(5);
  CHECK_EQ(pair.a(), 6);
  CHECK_EQ(pair.scaled(2).a(), 12);
  CHECK_EQ(KernelPair::zero().sum(), 0);
  CHECK_EQ(pair.copy().a(), 6);
  const KernelNamed named = KernelNamed::create(1, 2, "x");
  named.set_name("another name, of some length");
  CHECK_EQ(objects["name"](named).as<std::string>(), "another name, of some length");
  CHECK_EQ(named.copy().name(), "another name, of some length");

  const Options options = Options::create();
  CHECK_EQ(options.steps(), 1);
  CHECK_EQ(options.rate(), 0.5);
  options.seen().push(7);
  options.set_rate(2.5);
  CHECK_EQ(objects["rate"](options).as<double>(), 2.5);
  CHECK_EQ(options.seen()[0], 7);
  CHECK_EQ(Options::create(3).steps(), 3);
  CHECK_EQ(ts::Object::create("kernels.Options", {}, {{"rate", 1.0}}).get<double>("rate"), 1.0);
}

TEST(constructors_of_kernels_take_what_they_say) {
  const ts::Module objects = module("kernel/objects");
  const ts::Object version = ts::Object::create("kernels.Version", {1, 2});
  CHECK_EQ(version.get<int>("major"), 1);
  CHECK_EQ(version.get<int>("minor"), 2);
  CHECK_EQ(version.get<std::string>("label"), "");
  CHECK_EQ(ts::Object::create("kernels.Version", {7}).get<int>("minor"), 0);
  const ts::Object written = ts::Object::create("kernels.Version", {"3.14", nullptr, "a label of some length"});
  CHECK_EQ(written.get<int>("minor"), 14);
  CHECK_EQ(written.get<std::string>("label"), "a label of some length");
  CHECK_THROWS(ts::AttributeError, version.set("major", 2));
  CHECK_THROWS(ts::ValueError, ts::Object::create("kernels.Version", {"3"}));
  CHECK_EQ(CHECK_THROWS(ts::TypeError, ts::Object::create("kernels.Version", {1.5})),
           "kernels.Version.__ffi_init__: argument 0 wants an integer or a string, found the float 1.5");
  CHECK_THROWS(ts::TypeError, ts::Object::create("kernels.Version", {}));
  CHECK_THROWS(ts::TypeError, ts::Object::create("kernels.Version", {1, 2, "x", 4}));
  // Compared as the class says, whatever the label.
  CHECK(version == ts::Object::create("kernels.Version", {"1.2", nullptr, "other words"}));
  CHECK(version != written);
  const ts::Object box = ts::Object::create("kernels.Box", {});
  CHECK(box.get("held").is_none());
  box.set("held", version);
  CHECK(box.get<ts::Object>("held").same_as(version));
}

TEST(functions_are_found_by_name) {
  const ts::Module values = module("values");
  CHECK_EQ(values["add"](2, 3).as<int>(), 5);
  CHECK_EQ(values.get_function("add")(2, 3).as<int>(), 5);
  const auto add = values.get_function<std::int64_t(std::int64_t, std::int64_t)>("add");
  CHECK_EQ(add(2, 3), 5);
  CHECK(values.contains("add"));
  CHECK(!values.contains("ad"));
  CHECK(!values.find("ad").has_value());
  CHECK_EQ(values.keys().size(), values.size());
  CHECK_EQ(values.kind(), "library");
  CHECK_EQ(values.path().value(), folder + "/values.so");
  CHECK_THROWS(ts::AttributeError, values.get_function("ad"));
  CHECK_THROWS(ts::KeyError, values["ad"]);
}

TEST(an_exception_of_a_callback_comes_home_through_a_module) {
  struct Own {
    int number;
  };
  const ts::Function fail = []() -> int { throw Own{7}; };
  int caught = 0;
  try {
    module("functions")["call"](fail);
  } catch (const Own& own) {
    caught = own.number;
  }
  CHECK_EQ(caught, 7);
}

TEST(imports_are_searched_after_the_own_functions) {
  const ts::Module values = module("values");
  const ts::Module tensors = module("tensors");
  values.import_module(tensors);
  CHECK_EQ(values.imports().size(), 1u);
  CHECK(values.implements_function("scale"));
  CHECK(!values.implements_function("scale", false));
  CHECK_THROWS(ts::ValueError, tensors.import_module(values));
  values.clear_imports();
  CHECK(values.imports().empty());
}

TEST(objects_outlive_their_module) {
  ts::LoadModuleOptions options;
  options.keep_alive = false;
  const ts::Any made = ts::load_module(folder + "/containers.so", options)["range"](20);
  CHECK_EQ(made.as<ts::Array<>>().size(), 20u);
  const auto tensor = ts::load_module(folder + "/tensors.so", options)["count_up"](20).as<ts::Tensor>();
  CHECK_EQ(tensor.data<float>()[19], 19.0F);
}

TEST(what_is_no_module_is_told) {
  CHECK_THROWS(ts::OSError, module("valves"));
  CHECK_THROWS(ts::OSError, ts::load_module(folder));
  CHECK_THROWS(ts::InvalidFileError, ts::load_module(calls));
  CHECK_THROWS(ts::AttributeError, ts::system_lib().get_function("x"));
}

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "modules <folder of the modules> <calls.json>\n");
    return 2;
  }
  folder = arguments[1];
  calls = arguments[2];
  return check::run();
}
