// Functions: callables of C++ for all languages, and functions of all languages in C++.
#include <tenspan/tenspan.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "check.hpp"

namespace ts = tenspan;

static std::int64_t plus(std::int64_t a, std::int64_t b) { return a + b; }

namespace {
struct OwnError : std::runtime_error {
  explicit OwnError(int n) : std::runtime_error("mine"), number(n) {}
  int number;
};

struct Counter {
  std::int64_t operator()(std::int64_t by) noexcept { return by + 1; }
};
}  // namespace

TEST(callables_of_every_kind_are_functions) {
  const ts::Function pointer = &plus;
  CHECK_EQ(pointer(2, 3).as<int>(), 5);
  const ts::Function lambda = [](double x, std::string_view unit) { return std::to_string(static_cast<int>(x)) + std::string(unit); };
  CHECK_EQ(lambda(7, "kilometres").as<std::string>(), "7kilometres");
  CHECK_EQ(lambda(7.5, std::string("m")).as<std::string>(), "7m");
  const ts::Function object = Counter();
  CHECK_EQ(object(1).as<int>(), 2);
  const ts::Function standard = std::function<bool(bool)>([](bool x) { return !x; });
  CHECK_EQ(standard(true).as<bool>(), false);
  const ts::Function nothing = [] {};
  CHECK(nothing().is_none());
  CHECK_THROWS(ts::ValueError, ts::Function(std::function<void()>()));
}

TEST(every_kind_of_value_passes) {
  const ts::Function echo = [](const ts::Any& value) { return value; };
  CHECK(echo(nullptr).is_none());
  CHECK_EQ(echo(true).as<bool>(), true);
  CHECK_EQ(echo(INT64_MIN).as<std::int64_t>(), INT64_MIN);
  CHECK_EQ(echo(UINT64_MAX).as<std::uint64_t>(), UINT64_MAX);
  CHECK_EQ(echo(-0.5).as<double>(), -0.5);
  for (const char* text : {"", "a", "1234567", "12345678", "\xc3\xa4\xc3\xb6", "a long enough text that needs room of its own"}) {
    CHECK_EQ(echo(text).as<std::string>(), text);
  }
  CHECK_EQ(echo(ts::BytesView("ab\0c", 4)).as<std::vector<std::uint8_t>>().size(), 4u);
  CHECK_EQ(echo(ts::DType("q4_0")).as<ts::DType>(), ts::DType("q4_0"));
  CHECK_EQ(echo(ts::Device("cuda:1")).as<ts::Device>().device_id(), 1);
  const ts::Tensor tensor = ts::zeros({2, 3});
  CHECK_EQ(echo(tensor).as<ts::Tensor>().data_ptr(), tensor.data_ptr());
  CHECK(echo(echo).as<ts::Function>() == echo);
  CHECK_THROWS(ts::ValueError, echo("\xff\xfe"));
}

TEST(arguments_are_checked_and_named) {
  const ts::Function scale = ts::Function::named("test.scale", {"x", "by"}, [](std::int8_t x, std::optional<double> by) {
    return x * by.value_or(2.0);
  });
  CHECK_EQ(scale(3).as<double>(), 6.0);
  CHECK_EQ(scale(3, 0.5).as<double>(), 1.5);
  CHECK_EQ(scale(3, nullptr).as<double>(), 6.0);
  CHECK_EQ(CHECK_THROWS(ts::TypeError, scale()), "test.scale takes 1 to 2 arguments, 0 were given");
  CHECK_EQ(CHECK_THROWS(ts::TypeError, scale(1, 2, 3)), "test.scale takes 1 to 2 arguments, 3 were given");
  CHECK_EQ(CHECK_THROWS(ts::TypeError, scale("x")), "test.scale: argument 0 (`x`) wants an integer, found the string \"x\"");
  CHECK_EQ(CHECK_THROWS(ts::TypeError, scale(1, "x")),
           "test.scale: argument 1 (`by`) wants a number or none, found the string \"x\"");
  CHECK_EQ(CHECK_THROWS(ts::OverflowError, scale(300)), "test.scale: argument 0 (`x`): 300 is not between -128 and 127");
  const ts::Function unnamed = [](std::int64_t x) { return x; };
  CHECK_EQ(CHECK_THROWS(ts::TypeError, unnamed(1.5)), "the function: argument 0 wants an integer, found the float 1.5");
  CHECK_EQ(CHECK_THROWS(ts::TypeError, unnamed()), "the function takes 1 argument, 0 were given");
}

TEST(signatures_are_known_at_compile_time) {
  const ts::TypedFunction<std::int64_t(std::int64_t, std::int64_t)> add = &plus;
  CHECK_EQ(add(2, 3), 5);
  const ts::TypedFunction<double(double)> generic = [](auto x) { return x * 2; };
  CHECK_EQ(generic(1.5), 3.0);
  const ts::TypedFunction<std::int8_t(std::int64_t, std::int64_t)> narrow(static_cast<const ts::Function&>(add));
  CHECK_EQ(static_cast<int>(narrow(100, 27)), 127);
  CHECK_THROWS(ts::OverflowError, narrow(100, 28));
  const ts::TypedFunction<std::string(std::int64_t, std::int64_t)> wrong(static_cast<const ts::Function&>(add));
  CHECK_THROWS(ts::TypeError, wrong(1, 2));
  const ts::Function taking = [](const ts::TypedFunction<std::int64_t(std::int64_t)>& f) { return f(f(5)); };
  CHECK_EQ(taking([](std::int64_t x) { return x * x; }).as<int>(), 625);
  static_assert(!std::is_constructible_v<ts::TypedFunction<int(int)>, std::string>, "only callables are functions");
}

TEST(a_function_may_take_all_arguments_as_they_come) {
  const ts::Function count = [](ts::span<const ts::Any> all) {
    std::int64_t numbers = 0;
    for (const ts::Any& one : all) {
      numbers += one.is<std::int64_t>() ? 1 : 0;
    }
    return numbers;
  };
  CHECK_EQ(count().as<int>(), 0);
  CHECK_EQ(count(1, "x", 2).as<int>(), 2);
  CHECK_EQ(count.call(std::vector<ts::Any>(300, 1)).as<int>(), 300);
}

TEST(functions_are_found_by_name) {
  const ts::Function made = ts::register_global("test.cpp.add", {"a", "b"}, &plus);
  CHECK_EQ(made.name().value(), "test.cpp.add");
  CHECK(ts::get_global_func("test.cpp.add").value() == made);
  CHECK_EQ(ts::get_global<std::int64_t(std::int64_t, std::int64_t)>("test.cpp.add")(20, 22), 42);
  CHECK_THROWS(ts::RuntimeError, ts::register_global("test.cpp.add", &plus));
  const ts::Function other = ts::register_global("test.cpp.add", [](std::int64_t, std::int64_t) { return 0; }, true);
  CHECK_EQ(ts::get_global_func("test.cpp.add").value()(1, 2).as<int>(), 0);
  CHECK_EQ(made(1, 2).as<int>(), 3);
  CHECK(!ts::get_global_func("test.cpp.nothing", true));
  const std::string missing = CHECK_THROWS(ts::ValueError, ts::get_global_func("test.cpp.ad"));
  CHECK(missing.find("did you mean `test.cpp.add`?") != std::string::npos);
  bool listed = false;
  for (const std::string& name : ts::list_global_func_names()) {
    listed = listed || name == "test.cpp.add";
  }
  CHECK(listed);
  CHECK(ts::remove_global_func("test.cpp.add"));
  CHECK(!ts::remove_global_func("test.cpp.add"));
  ts::register_global_func("test.cpp.plain", &plus);
  CHECK(!ts::get_global_func("test.cpp.plain").value().name());
  CHECK(ts::remove_global_func("test.cpp.plain"));
  CHECK_THROWS(ts::ValueError, ts::register_global("", &plus));
}

TEST(a_callable_goes_with_its_last_function) {
  const auto witness = std::make_shared<int>(0);
  {
    const ts::Function function = [witness] { return *witness; };
    const ts::Any copy = function;
    ts::register_global_func("test.cpp.kept", function, true);
    CHECK_EQ(witness.use_count(), 2);
  }
  CHECK_EQ(witness.use_count(), 2);
  std::thread([] { CHECK(ts::remove_global_func("test.cpp.kept")); }).join();
  CHECK_EQ(witness.use_count(), 1);
}

TEST(exceptions_pass_through_functions_unchanged) {
  const ts::Function throwing = ts::Function::named("test.throwing", {}, [](int n) {
    if (n == 0) {
      throw OwnError(42);
    }
    if (n == 1) {
      throw 7;
    }
    throw std::out_of_range("far out");
  });
  const ts::Function passing = ts::Function::named("test.passing", {"f"}, [](const ts::Function& f, int n) { return f(n); });
  try {
    passing(throwing, 0);
    CHECK(false);
  } catch (const OwnError& mine) {
    CHECK_EQ(mine.number, 42);
  }
  try {
    passing(throwing, 1);
    CHECK(false);
  } catch (int number) {
    CHECK_EQ(number, 7);
  }
  CHECK_THROWS(std::out_of_range, passing(throwing, 2));
}

TEST(functions_call_each_other_deeply) {
  ts::Function down = [](const ts::Function& self, std::int64_t n) -> std::int64_t {
    return n == 0 ? 0 : 1 + self(self, n - 1).as<std::int64_t>();
  };
  CHECK_EQ(down(down, 1000).as<int>(), 1000);
}

TEST(many_threads_call_one_function) {
  const ts::TypedFunction<std::int64_t(std::int64_t, std::int64_t)> add = &plus;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([add, t] {
      for (std::int64_t i = 0; i < 20000; ++i) {
        CHECK_EQ(add(i, t), i + t);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

TEST(whole_numbers_of_any_size_pass) {
  const ts::Function same = [](const ts::Any& x) { return x; };
  const ts::BigInt big(std::vector<std::int64_t>{0, 0, 0, -1});  // minus 2^192
  CHECK(same(big).as<ts::BigInt>() == big && big.is_negative());
  CHECK_EQ(big.to_string(), "-6277101735386680763835789423207666416102355444464034512896");
  CHECK(same(ts::BigInt(std::uint64_t{1} << 63)).as<std::uint64_t>() == std::uint64_t{1} << 63);
  CHECK_EQ(same(ts::BigInt(-7)).as<int>(), -7);
  CHECK(same(-7).as<ts::BigInt>() == ts::BigInt(-7) && same(0).as<ts::BigInt>() == ts::BigInt());
  CHECK(same(big) == ts::Any(big) && same(big) != ts::Any(ts::BigInt(std::vector<std::int64_t>{1, 0, 0, -1})));
  CHECK(ts::BigInt(std::vector<std::int64_t>{5, 0, 0}) == ts::BigInt(5) && ts::BigInt(std::vector<std::int64_t>{-1, -1}) == ts::BigInt(-1));
  CHECK_EQ(CHECK_THROWS(ts::OverflowError, same(big).as<std::int64_t>()),
           big.to_string() + " is not between -9223372036854775808 and 9223372036854775807");
  CHECK_THROWS(ts::ValueError, same(big).as<std::uint32_t>());
  CHECK_EQ(same(big).as<double>(), -6277101735386680763835789423207666416102355444464034512896.0);
  const ts::BigInt huge([] {
    std::vector<std::int64_t> words(17, 0);
    words.push_back(1);
    return words;
  }());
  CHECK_THROWS(ts::OverflowError, same(huge).as<double>());
  const ts::Function narrow = [](std::int32_t x) { return x; };
  CHECK_THROWS(ts::OverflowError, narrow(huge));
}

TEST(numbers_are_never_cut_short) {
  const ts::Function narrow = ts::Function::named("narrow", {"x"}, [](std::int32_t x) { return x; });
  CHECK_EQ(narrow(INT32_MIN).as<std::int64_t>(), std::int64_t{INT32_MIN});
  for (const std::int64_t wide : {std::int64_t{INT32_MAX} + 1, std::int64_t{INT32_MIN} - 1, INT64_MAX, INT64_MIN}) {
    CHECK_THROWS(ts::OverflowError, narrow(wide));
  }
  CHECK_THROWS(ts::OverflowError, narrow(UINT64_MAX));
  const ts::Function largest = [] { return UINT64_MAX; };
  CHECK(largest().as<std::uint64_t>() == UINT64_MAX);
  CHECK_THROWS(ts::OverflowError, largest().as<std::int64_t>());
}

TEST(memory_of_a_device_is_passed_on_and_not_read) {
  ts::register_testing_funcs();
  const ts::Any remote = (*ts::get_global_func("testing.device_tensor"))(ts::Device("cuda:1"), 5);
  CHECK_THROWS(ts::TypeError, remote.as<ts::Tensor>());
  const ts::Function same = [](const ts::Any& x) { return x; };
  CHECK(same(remote) == remote && same(remote).raw().payload == remote.raw().payload);
  const ts::Function wants = [](const ts::Tensor& tensor) { return tensor.ndim(); };
  CHECK_THROWS(ts::TypeError, wants(remote));
}

TEST_MAIN
