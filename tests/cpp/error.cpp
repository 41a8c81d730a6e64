// Errors, and exceptions of callbacks on their way through the library.
#include <tenspan/tenspan.hpp>

#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "check.hpp"

namespace ts = tenspan;

static std::string temporary(const char* name) {
  return (std::filesystem::temp_directory_path() / name).string();
}

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
  const std::string from = temporary("tenspan_error_from.safetensors");
  const std::string to = temporary("tenspan_error_to.gguf");
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
