// The examples that a newcomer tries first, one test each: a module, a tensor, functions and callbacks, containers, errors, objects.
//
//   examples <folder of the modules>
#include <tenspan/tenspan.hpp>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "check.hpp"

namespace ts = tenspan;

namespace {

std::string folder;

}  // namespace

TEST(a_module_is_loaded_and_run) {
  const ts::Module mod = ts::load_module(folder + "/tensors.so");
  const std::vector<float> x{1, 2, 3, 4, 5};
  const ts::Tensor y = ts::empty({5});
  mod["add_one"](ts::asarray(x), y);
  CHECK_EQ(y.to_vector<float>(), (std::vector<float>{2, 3, 4, 5, 6}));
}

TEST(memory_of_a_vector_is_an_argument_without_a_copy) {
  const ts::Module mod = ts::load_module(folder + "/tensors.so");
  std::vector<float> x{1, 2, 3, 4, 5};
  std::vector<float> y(5);
  mod["add_one"](ts::Tensor::from(x), ts::Tensor::from(y));
  CHECK_EQ(y, (std::vector<float>{2, 3, 4, 5, 6}));
}

TEST(a_tensor_goes_through_dlpack_and_back) {
  const ts::Tensor tensor = ts::asarray({1, 2, 3, 4});
  const ts::Tensor back = ts::Tensor::from_dlpack(tensor.to_dlpack());
  CHECK(ts::equal(back, tensor));
  CHECK_EQ(back.data<std::int64_t>().data(), tensor.data<std::int64_t>().data());
}

TEST(a_function_is_found_by_its_name) {
  ts::register_testing_funcs();
  const ts::Function echo = ts::get_global_func("testing.echo").value();
  CHECK_EQ(echo(1).as<int>(), 1);
  const auto typed = ts::get_global<std::int64_t(std::int64_t)>("testing.echo");
  CHECK_EQ(typed(1), 1);
}

TEST(a_lambda_is_a_callback) {
  ts::register_testing_funcs();
  const ts::Function apply = ts::get_global_func("testing.apply").value();
  CHECK_EQ(apply([](std::int64_t x) { return x + 1; }, 1).as<int>(), 2);
}

TEST(a_callback_is_registered_under_a_name) {
  ts::register_global("example.add_one", [](std::int64_t a) { return a + 1; });
  CHECK_EQ(ts::get_global_func("example.add_one").value()(1).as<int>(), 2);
}

TEST(an_array_never_changes) {
  const ts::Array<std::int64_t> array{1, 2, 3, 4};
  CHECK_EQ(array.size(), 4u);
  CHECK_EQ(array[0], 1);
  CHECK(ts::Any(std::vector<int>{1, 2, 3, 4}).as<ts::Array<std::int64_t>>() == array);
}

TEST(a_list_is_changed_in_place) {
  const ts::List<std::int64_t> list{1, 2, 3};
  CHECK_EQ(list.size(), 3u);
  const ts::List<std::int64_t> same = list;
  list.push(4);
  CHECK_EQ(same.size(), 4u);
  list.set(0, 10);
  CHECK_EQ(same[0], 10);
}

TEST(a_map_is_looked_up) {
  const ts::Map<std::string, std::int64_t> map{{"a", 1}, {"b", 2}};
  CHECK_EQ(map.size(), 2u);
  CHECK_EQ(map["a"], 1);
  CHECK_EQ(map["b"], 2);
  CHECK_THROWS(ts::KeyError, map["c"]);
}

TEST(a_dict_is_changed_in_place) {
  const ts::Dict<std::string, std::int64_t> dict{{"a", 1}, {"b", 2}};
  dict.set("c", 3);
  CHECK_EQ(dict.size(), 3u);
  dict.remove("a");
  CHECK_EQ(dict.size(), 2u);
}

TEST(a_tuple_is_an_array_with_types) {
  ts::register_testing_funcs();
  const ts::Any tuple = ts::get_global_func("testing.echo").value()(std::make_tuple(1, "hello", 3.14));
  CHECK(tuple.is<ts::Array<>>());
  const auto [number, text, real] = tuple.as<std::tuple<int, std::string, double>>();
  CHECK_EQ(number, 1);
  CHECK_EQ(text, "hello");
  CHECK_EQ(real, 3.14);
}

TEST(a_kernel_checks_its_tensors) {
  // What an inline module is elsewhere: C++ has it compiled beforehand, with <tenspan/kernel.hpp>.
  const ts::Module mod = ts::load_module(folder + "/kernel/tensors.so");
  const ts::Tensor x = ts::asarray(std::vector<float>{1, 2, 3, 4, 5});
  const ts::Tensor y = ts::empty({5});
  mod["add_one"](x, y);
  CHECK_EQ(y.to_vector<float>(), (std::vector<float>{2, 3, 4, 5, 6}));
  CHECK_THROWS(ts::ValueError, mod["add_one"](x, ts::empty({4})));
  CHECK_THROWS(ts::TypeError, mod["add_one"](x, ts::asarray({1, 2, 3, 4, 5})));
}

TEST(an_error_has_its_kind_and_where_it_came_from) {
  const ts::Module mod = ts::load_module(folder + "/errors.so");
  try {
    mod["value_error"](7);
    check::fail(__FILE__, __LINE__, "nothing was raised");
  } catch (const ts::ValueError& error) {
    CHECK_EQ(std::string(error.what()), "bad 7");
    CHECK(error.traceback().find("errors.cc\", line ") != std::string::npos);
  }
}

namespace {

struct IntPair : ts::Object {
  TENSPAN_OBJECT_REF(IntPair, "testing.IntPair", ts::Object);
  TENSPAN_READONLY_FIELD(a, std::int64_t);
  TENSPAN_READONLY_FIELD(b, std::int64_t);
  TENSPAN_METHOD(sum, std::int64_t());
};

}  // namespace

TEST(a_pair_of_integers_is_an_object_with_two_fields) {
  ts::register_testing_funcs();
  const IntPair pair = IntPair::create(1, 2);
  CHECK_EQ(pair.a(), 1);
  CHECK_EQ(pair.b(), 2);
  CHECK_EQ(pair.sum(), 3);
}

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "examples <folder of the modules>\n");
    return 2;
  }
  folder = arguments[1];
  return check::run();
}
