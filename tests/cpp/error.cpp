// Errors, and exceptions of callbacks on their way through the library.
#include <tenspan/tenspan.hpp>

#include <cstdio>
#include <stdexcept>
#include <string>

#include "check.hpp"

namespace ts = tenspan;

TEST(each_kind_has_a_class) {
  try {
    (void)ts::zeros({2}).reshape({3});
    CHECK(false);
  } catch (const ts::ShapeMismatchError& error) {
    CHECK_EQ(static_cast<int>(error.kind()), static_cast<int>(ts::ErrorKind::ShapeMismatch));
    CHECK_EQ(error.kind_name(), "ShapeMismatch");
  }
  CHECK_THROWS(ts::Error, ts::zeros({2}).reshape({3}));
  CHECK_THROWS(std::runtime_error, ts::zeros({2}).reshape({3}));
  CHECK_THROWS(ts::BlockMismatchError, ts::zeros({31}, "q4_0"));
  CHECK_THROWS(ts::IndexError, ts::zeros({2}).select(0, 5));
  CHECK_THROWS(ts::OSError, ts::open("/nowhere/at/all.gguf"));
  CHECK_THROWS(ts::MemoryError, ts::zeros({1ull << 60}, "uint8"));
}

TEST(messages_name_what_was_found) {
  const std::string message = CHECK_THROWS(ts::ValueError, ts::zeros({2}, "float31"));
  CHECK(message.find("float31") != std::string::npos);
}

TEST(a_refused_requantization_names_both_types) {
  const ts::Tensor a = ts::quantize(std::vector<float>(32, 1.0f), "q8_0");
  const ts::Tensor b = ts::zeros({32}, "q4_0");
  const std::string message = CHECK_THROWS(ts::RequantizeRefusedError, ts::copy(a, b));
  CHECK(message.find("q8_0") != std::string::npos && message.find("q4_0") != std::string::npos);
  ts::copy(a, b, {true});
  ts::CopyOptions options;
  options.allow_requantize = true;
  ts::copy(a, b, options);
  CHECK_EQ(b.to_vector<float>()[0], 1.0f);
}

TEST(a_missing_key_names_the_nearest) {
  const ts::Context context(1 << 12);
  (void)context.tensor({1}, "float32", "weight");
  const std::string message = CHECK_THROWS(ts::KeyError, context.get("wieght"));
  CHECK(message.find("weight") != std::string::npos);
  CHECK(!context.find("wieght") && context.find("weight"));
  CHECK(context.contains("weight") && !context.contains("bias"));
}

namespace {
struct Mine : std::runtime_error {
  explicit Mine(int n) : std::runtime_error("mine"), number(n) {}
  int number;
};
}  // namespace

/// Quantizes a small file with a callback, and returns how often it was called.
static int quantize_with(const ts::Progress& progress) {
  const std::string from = check::temporary("tenspan_error_from.safetensors");
  const std::string to = check::temporary("tenspan_error_to.gguf");
  const std::vector<float> row(64, 1.0f);
  const ts::Tensor weights = ts::cast(row, "float32").reshape({2, 32});
  ts::save(from, {{"a", weights}, {"b", weights}});
  int calls = 0;
  ts::QuantizeFileOptions options;
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    ++calls;
    CHECK(done <= total);
    if (progress) {
      progress(done, total);
    }
  };
  const std::vector<ts::TensorReport> reports = ts::quantize_file(from, to, "q8_0", options);
  CHECK_EQ(reports.size(), 2u);
  CHECK_EQ(reports[0].name, "a");
  CHECK_EQ(reports[0].from, "float32");
  CHECK_EQ(reports[0].to, "q8_0");
  CHECK_EQ(reports[0].shape, (std::vector<std::uint64_t>{2, 32}));
  CHECK_EQ(reports[0].nbytes, 68u);
  const std::vector<ts::TensorReport> again = ts::quantize_file(from, to, ts::DType("q4_0"));
  CHECK_EQ(again[1].to, "q4_0");
  return calls;
}

TEST(a_callback_is_called) { CHECK(quantize_with(nullptr) >= 2); }

TEST(what_a_callback_throws_comes_back_as_the_same_exception) {
  try {
    quantize_with([](std::uint64_t, std::uint64_t) { throw Mine(42); });
    CHECK(false);
  } catch (const Mine& mine) {
    CHECK_EQ(mine.number, 42);
  }
  try {
    quantize_with([](std::uint64_t, std::uint64_t) { throw 7; });
    CHECK(false);
  } catch (int number) {
    CHECK_EQ(number, 7);
  }
  try {
    quantize_with([](std::uint64_t, std::uint64_t) { (void)ts::zeros({2}).reshape({3}); });
    CHECK(false);
  } catch (const ts::ShapeMismatchError&) {
  }
}

TEST(tracebacks_name_the_functions_that_an_error_left) {
  const ts::Function inner = ts::Function::named("test.inner", {}, [](int n) { return ts::List<int>{1, 2}[n]; });
  const int line = __LINE__ - 1;
  const ts::Function outer = ts::Function::named("test.outer", {}, [inner](int n) { return inner(n); });
  CHECK_EQ(outer(1).as<int>(), 2);
  try {
    outer(7);
    CHECK(false);
  } catch (const ts::IndexError& error) {
    const std::string lines = error.traceback();
    const std::string first = "position.rs\", line ";
    const std::string second = "error.cpp\", line " + std::to_string(line) + ", in test.inner\n";
    const std::size_t a = lines.find(first);
    const std::size_t b = lines.find(second);
    const std::size_t c = lines.find(", in test.outer\n");
    CHECK(a != std::string::npos && b != std::string::npos && c != std::string::npos && a < b && b < c);
    CHECK_EQ(lines.substr(0, 8), "  File \"");
  }
}

TEST(tracebacks_begin_where_an_error_was_thrown) {
  const std::string here = "  File \"" + std::string(__FILE__) + "\", line " + std::to_string(__LINE__ + 1) + ", in <native>\n";
  CHECK_EQ(ts::ValueError("fresh").traceback(), here);
  const ts::Function failing = ts::Function::named("test.throws", {}, [] {
    throw ts::ValueError("on purpose");
  });
  const std::string thrown = std::string(__FILE__) + "\", line " + std::to_string(__LINE__ - 2) + ", in <native>\n";
  try {
    failing();
    CHECK(false);
  } catch (const ts::ValueError& error) {
    const std::string lines = error.traceback();
    const std::size_t first = lines.find(thrown);
    const std::size_t second = lines.find(", in test.throws\n");
    CHECK(first != std::string::npos && second != std::string::npos && first < second);
  }
  // A subclass of the user's has the line of its own constructor.
  struct Mine : ts::ValueError {
    Mine() : ts::ValueError("mine") {}
  };
  CHECK(Mine().traceback().find(std::to_string(__LINE__ - 2)) != std::string::npos);
}

TEST(a_key_error_has_its_key) {
  const ts::Map<> map{{"a", 1}};
  const ts::Dict<> dict;
  for (const ts::Any& key : {ts::Any("a text of some length"), ts::Any(5), ts::Any(true), ts::Any(), ts::Any{1, "x"}}) {
    try {
      (void)map[key];
      CHECK(false);
    } catch (const ts::KeyError& error) {
      CHECK(error.key() == key);
    }
    try {
      (void)dict[key];
      CHECK(false);
    } catch (const ts::Error& error) {
      CHECK(error.key() == key && error.kind() == ts::ErrorKind::KeyError);
    }
  }
  CHECK(ts::KeyError("made here").key().is_none() && ts::ValueError("x").key().is_none());
}

TEST(a_nested_exception_is_the_cause) {
  const ts::Function failing = ts::Function::named("test.failing", {}, [] {
    try {
      try {
        throw std::out_of_range("innermost");
      } catch (...) {
        std::throw_with_nested(ts::KeyError("middle"));
      }
    } catch (...) {
      std::throw_with_nested(ts::ValueError("outermost"));
    }
  });
  try {
    failing();
    CHECK(false);
  } catch (const ts::ValueError& error) {
    // The same exception: what is nested in it is still there.
    CHECK_THROWS(ts::KeyError, std::rethrow_if_nested(error));
  }
  // In another language, or in one more library, only the error object is there.
  tenspan_any result{0, 0, 0};
  const ts::Any function = failing;
  CHECK_EQ(ts::detail::cell_of<tenspan_function_cell>(function.raw()).safe_call(ts::detail::object_of(function.raw()), nullptr, 0, &result), -1);
  bool copied = false;
  ts::detail::check(tenspan_take_error([](void*) {}, [](void*, void* to) { *static_cast<bool*>(to) = true; }, &copied, &result));
  CHECK(!copied);
  const ts::detail::Counted object(result);
  try {
    std::rethrow_exception(ts::detail::make_named("ValueError", "outermost", object));
  } catch (const ts::ValueError& error) {
    const std::optional<ts::Error> middle = error.cause();
    CHECK(middle && middle->kind_name() == "KeyError" && std::string(middle->what()) == "middle");
    const std::optional<ts::Error> innermost = middle->cause();
    CHECK(innermost && innermost->kind() == ts::ErrorKind::IndexError && !innermost->cause());
    CHECK(error.traceback().find("in test.failing") != std::string::npos);
  }
}

TEST(exceptions_of_the_standard_library_have_a_kind) {
  // The caller is another library, which knows nothing of these exceptions.
  const auto kind_of = [](const ts::Function& function) {
    const ts::Any any = function;
    tenspan_any result{0, 0, 0};
    (void)ts::detail::cell_of<tenspan_function_cell>(any.raw()).safe_call(ts::detail::object_of(any.raw()), nullptr, 0, &result);
    ts::detail::check(tenspan_take_error([](void*) {}, [](void*, void*) {}, nullptr, &result));
    const ts::detail::Counted object(result);
    const auto& cell = ts::detail::cell_of<tenspan_error_cell>(object.raw());
    return ts::detail::text_of(cell.kind) + ": " + ts::detail::text_of(cell.message);
  };
  CHECK_EQ(kind_of([] { throw std::invalid_argument("a"); }), "ValueError: a");
  CHECK_EQ(kind_of([] { throw std::domain_error("b"); }), "ValueError: b");
  CHECK_EQ(kind_of([] { throw std::out_of_range("c"); }), "IndexError: c");
  CHECK_EQ(kind_of([] { throw std::overflow_error("d"); }), "OverflowError: d");
  CHECK_EQ(kind_of([] { throw std::bad_alloc(); }).substr(0, 13), "MemoryError: ");
  CHECK_EQ(kind_of([] { throw std::logic_error("e"); }), "RuntimeError: e");
  CHECK_EQ(kind_of([] { throw 7; }), "RuntimeError: an exception that is no std::exception");
  CHECK_EQ(kind_of([] { throw ts::NotFiniteError("f"); }), "NotFinite: f");
  CHECK_EQ(kind_of([] { throw ts::RuntimeError("g", "MyKind"); }), "MyKind: g");
}

TEST(an_error_keeps_its_subclass_through_rust_and_back) {
  ts::register_testing_funcs();
  const ts::Function apply = ts::get_global_func("testing.apply").value();
  const ts::Function apply_in_thread = ts::get_global_func("testing.apply_in_thread").value();
  struct Special : ts::KeyError {
    Special() : KeyError("special") {}
    int number = 5;
  };
  for (const ts::Function& through : {apply, apply_in_thread}) {
    try {
      through([] { throw Special(); });
      CHECK(false);
    } catch (const Special& special) {
      CHECK_EQ(special.number, 5);
    }
  }
  const ts::Function raise = ts::get_global_func("testing.raise").value();
  try {
    apply(raise, "UnheardOf", "what");
    CHECK(false);
  } catch (const ts::RuntimeError& error) {
    CHECK_EQ(error.kind_name(), "UnheardOf");
    CHECK(error.traceback().find("in testing.raise") < error.traceback().find("in testing.apply"));
  }
  const ts::Function panic = ts::get_global_func("testing.panic").value();
  CHECK_EQ(CHECK_THROWS(ts::InternalError, panic("ouch")), "a Rust function panicked: ouch");
}

TEST(functions_travel_as_values) {
  const std::function<int(int, int)> add = [](int a, int b) { return a + b; };
  const ts::Any any = add;
  CHECK_EQ(any.type_name(), "a function");
  const auto read = any.as<std::function<int(int, int)>>();
  CHECK_EQ(read(2, 3), 5);
  const auto wrong = any.as<std::function<int(int)>>();
  CHECK_THROWS(ts::TypeError, wrong(2));
  const auto text = any.as<std::function<int(std::string, int)>>();
  CHECK_THROWS(ts::TypeError, text("x", 1));
  const ts::Any thrower = std::function<void()>([] { throw Mine(3); });
  try {
    thrower.as<std::function<void()>>()();
    CHECK(false);
  } catch (const Mine& mine) {
    CHECK_EQ(mine.number, 3);
  }
  CHECK(ts::Any(std::function<void()>()).is_none());
}

TEST(a_function_is_freed_with_its_last_reference) {
  const auto witness = std::make_shared<int>(0);
  {
    const ts::Any function = std::function<int()>([witness] { return *witness; });
    const ts::Any copy = function;
    CHECK_EQ(witness.use_count(), 2);
  }
  CHECK_EQ(witness.use_count(), 1);
}

TEST_MAIN
