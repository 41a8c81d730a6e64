// What printed cases are made of: values to compare, checks, files, logs. Results go to the file that
// TENSPAN_CASE_LOG names. Every program prints a line per case and a closing line.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tenspan/tenspan.hpp>

namespace cases {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Bytes, told apart from lists of small numbers.
using Bytes = std::vector<std::uint8_t>;

struct Log;

/// A value of any kind. Whole numbers and numbers with a point are equal when they are the same number; `nan` equals `nan`.
class Value {
 public:
  enum class Kind { null, boolean, whole, real, complex, text, bytes, list, map };

  Value() = default;
  Value(std::nullptr_t) {}
  Value(std::nullopt_t) {}
  Value(bool value) : kind_(Kind::boolean), magnitude_(value ? 1 : 0) {}
  Value(double value) : kind_(Kind::real), real_(value) {}
  Value(std::complex<double> value) : kind_(Kind::complex), real_(value.real()), imaginary_(value.imag()) {}
  Value(const char* text) : kind_(Kind::text), text_(text) {}
  Value(std::string text) : kind_(Kind::text), text_(std::move(text)) {}
  Value(std::string_view text) : kind_(Kind::text), text_(text) {}
  Value(const Bytes& bytes) : kind_(Kind::bytes), text_(bytes.begin(), bytes.end()) {}
  Value(const tenspan::DType& dtype) : Value(std::string(dtype.name())) {}
  Value(const tenspan::Any& any) : Value(from_any(any)) {}
  Value(const tenspan::BigInt& number) : Value(number.to_string()) {}
  Value(const Log& log);

  /// A container or a function.
  template <class T, std::enable_if_t<std::is_base_of_v<tenspan::detail::Handle, T> && !std::is_same_v<T, tenspan::Tensor>, int> = 0>
  Value(const T& handle) : Value(handle.any()) {}

  template <class T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, int> = 0>
  Value(T value) : kind_(Kind::whole) {
    if constexpr (std::is_signed_v<T>) {
      negative_ = value < 0;
      magnitude_ = negative_ ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    } else {
      magnitude_ = value;
    }
  }

  template <class T>
  Value(const std::optional<T>& value) : Value(value ? Value(*value) : Value()) {}

  template <class T, std::enable_if_t<!std::is_same_v<T, std::uint8_t>, int> = 0>
  Value(const std::vector<T>& items) : kind_(Kind::list), items_(items.begin(), items.end()) {}

  static Value map_of(std::initializer_list<std::pair<const char*, Value>> entries) {
    Value value;
    value.kind_ = Kind::map;
    for (const auto& [key, item] : entries) {
      value.items_.push_back(Value(std::vector<Value>{Value(key), item}));
    }
    return value;
  }

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] const std::vector<Value>& items() const { return items_; }
  [[nodiscard]] bool is_number() const { return kind_ == Kind::whole || kind_ == Kind::real; }

  [[nodiscard]] double number() const {
    if (kind_ == Kind::whole) {
      const double size = static_cast<double>(magnitude_);
      return negative_ ? -size : size;
    }
    return real_;
  }

  friend bool operator==(const Value& a, const Value& b) {
    if (a.kind_ != b.kind_) {
      return a.is_number() && b.is_number() && same_number(a, b);
    }
    switch (a.kind_) {
      case Kind::real:
        return same_real(a.real_, b.real_);
      case Kind::complex:
        return same_real(a.real_, b.real_) && same_real(a.imaginary_, b.imaginary_);
      case Kind::whole:
        return a.magnitude_ == b.magnitude_ && (a.negative_ == b.negative_ || a.magnitude_ == 0);
      default:
        return a.magnitude_ == b.magnitude_ && a.text_ == b.text_ && a.items_ == b.items_;
    }
  }

  [[nodiscard]] bool is_near(const Value& other, double tolerance) const {
    if (kind_ == Kind::list && other.kind_ == Kind::list) {
      bool near = items_.size() == other.items_.size();
      for (std::size_t i = 0; near && i < items_.size(); ++i) {
        near = items_[i].is_near(other.items_[i], tolerance);
      }
      return near;
    }
    if (kind_ == Kind::complex && other.kind_ == Kind::complex) {
      return Value(real_).is_near(Value(other.real_), tolerance) &&
             Value(imaginary_).is_near(Value(other.imaginary_), tolerance);
    }
    if (!is_number() || !other.is_number() || !std::isfinite(number()) || !std::isfinite(other.number())) {
      return *this == other;
    }
    const double size = std::fmax(1.0, std::fmax(std::fabs(number()), std::fabs(other.number())));
    return std::fabs(number() - other.number()) <= tolerance * size;
  }

  /// The value as the library takes it.
  [[nodiscard]] tenspan::Any any() const {
    switch (kind_) {
      case Kind::null:
        return tenspan::Any();
      case Kind::boolean:
        return tenspan::Any(magnitude_ != 0);
      case Kind::whole:
        return negative_ ? tenspan::Any(static_cast<std::int64_t>(0 - magnitude_)) : tenspan::Any(magnitude_);
      case Kind::real:
        return tenspan::Any(real_);
      case Kind::complex:
        return tenspan::Any(std::complex<double>(real_, imaginary_));
      case Kind::text:
        return tenspan::Any(text_);
      case Kind::bytes:
        return tenspan::Any(tenspan::BytesView(std::string_view(text_)));
      default: {
        std::vector<tenspan::Any> values;
        for (const Value& item : items_) {
          values.push_back(item.any());
        }
        return tenspan::Any(values);
      }
    }
  }

  [[nodiscard]] std::string show() const {
    std::ostringstream out;
    out.precision(17);
    switch (kind_) {
      case Kind::null:
        return "null";
      case Kind::boolean:
        return magnitude_ != 0 ? "true" : "false";
      case Kind::whole:
        out << (negative_ ? "-" : "") << magnitude_;
        return out.str();
      case Kind::real:
        out << real_;
        return out.str();
      case Kind::complex:
        out << "complex(" << real_ << ", " << imaginary_ << ")";
        return out.str();
      case Kind::text:
        return "\"" + text_ + "\"";
      case Kind::bytes:
        out << text_.size() << " bytes:";
        for (const char byte : text_) {
          out << ' ' << static_cast<int>(static_cast<unsigned char>(byte));
        }
        return out.str();
      default:
        for (const Value& item : items_) {
          out << (out.tellp() == 0 ? "" : ", ") << item.show();
        }
        return "[" + out.str() + "]";
    }
  }

  /// The sum of two whole numbers that are not negative.
  [[nodiscard]] Value plus(const Value& other) const { return Value(magnitude_ + other.magnitude_); }

 private:
  static bool same_real(double a, double b) {
    return std::equal_to<double>()(a, b) || (std::isnan(a) && std::isnan(b));
  }

  static bool same_number(const Value& a, const Value& b) {
    const Value& whole = a.kind_ == Kind::whole ? a : b;
    const Value& real = a.kind_ == Kind::whole ? b : a;
    // Past 2^64 a number with a point is no whole number that a case can write.
    if (!same_real(whole.number(), real.real_) || std::fabs(real.real_) >= 18446744073709551616.0) {
      return false;
    }
    return static_cast<std::uint64_t>(std::fabs(real.real_)) == whole.magnitude_;
  }

  static Value from_any(const tenspan::Any& any) {
    if (any.is_none()) {
      return Value();
    }
    if (any.is<bool>() && any.raw().type_index == tenspan::Any(true).raw().type_index) {
      return Value(any.as<bool>());
    }
    if (any.is<tenspan::Function>()) {
      return Value("a function");
    }
    if (any.is<tenspan::Map<>>()) {
      std::vector<Value> pairs;
      for (const auto& [key, value] : any.as<tenspan::Dict<>>()) {
        pairs.push_back(Value(std::vector<Value>{Value(key), Value(value)}));
      }
      return Value(pairs);
    }
    if (any.is<std::int64_t>()) {
      // Past the largest number with a sign there are some without.
      try {
        return Value(any.as<std::int64_t>());
      } catch (const tenspan::Error&) {
        const tenspan::BigInt number = any.as<tenspan::BigInt>();
        const bool is_u64 = number.words().size() == 2 && number.words()[1] == 0;
        return is_u64 ? Value(any.as<std::uint64_t>()) : Value(number);
      }
    }
    if (any.is<double>()) {
      return Value(any.as<double>());
    }
    if (any.is<std::complex<double>>()) {
      return Value(any.as<std::complex<double>>());
    }
    if (any.is<std::string>()) {
      return Value(any.as<std::string>());
    }
    if (any.is<tenspan::BytesView>()) {
      const tenspan::BytesView found = any.as<tenspan::BytesView>();
      const auto* const data = static_cast<const std::uint8_t*>(static_cast<const void*>(found.data()));
      return Value(Bytes(data, data + found.size()));
    }
    if (any.is<std::vector<tenspan::Any>>()) {
      return Value(any.as<std::vector<tenspan::Any>>());
    }
    if (any.is<Bytes>()) {
      return Value(any.as<Bytes>());
    }
    return Value("a value that no case compares: " + any.type_name());
  }

  Kind kind_ = Kind::null;
  bool negative_ = false;
  std::uint64_t magnitude_ = 0;
  double real_ = 0;
  double imaginary_ = 0;
  std::string text_;
  std::vector<Value> items_;
};

inline bool operator!=(const Value& a, const Value& b) { return !(a == b); }

/// What callbacks were called with.
struct Log {
  std::vector<Value> calls;

  void add(std::initializer_list<Value> values) { calls.push_back(Value(std::vector<Value>(values))); }
  [[nodiscard]] std::size_t size() const { return calls.size(); }
};

inline Value::Value(const Log& log) : Value(log.calls) {}

inline Value complex(double re, double im) { return Value(std::complex<double>(re, im)); }
inline Value plus(const Value& a, const Value& b) { return a.plus(b); }
inline Value last(const Log& log) { return log.calls.empty() ? Value() : log.calls.back(); }
inline Value list(std::initializer_list<Value> items) { return Value(std::vector<Value>(items)); }
inline Value empty() { return Value(std::vector<Value>()); }
inline Value map(std::initializer_list<std::pair<const char*, Value>> entries) { return Value::map_of(entries); }
inline Bytes bytes(std::initializer_list<std::uint8_t> items) { return Bytes(items); }
inline tenspan::Any any(const Value& value) { return value.any(); }

inline std::vector<std::pair<std::string, tenspan::Tensor>> named(
    std::initializer_list<std::pair<std::string, tenspan::Tensor>> entries) {
  return {entries};
}

/// Texts that a loop goes through.
inline std::vector<std::string> texts(std::initializer_list<std::string> items) { return items; }

inline Value range(std::int64_t start, std::int64_t stop) {
  std::vector<Value> items;
  for (std::int64_t item = start; item < stop; ++item) {
    items.emplace_back(item);
  }
  return Value(items);
}

inline Value repeat(const Value& value, std::size_t times) { return Value(std::vector<Value>(times, value)); }

template <class T, class = void>
struct has_len : std::false_type {};
template <class T>
struct has_len<T, std::void_t<decltype(std::declval<const T&>().len())>> : std::true_type {};

/// Elements of a list, an iterable, a mapping or a log.
template <class T>
std::uint64_t len(const T& value) {
  if constexpr (has_len<T>::value) {
    return value.len();
  } else if constexpr (std::is_same_v<T, tenspan::Any> || std::is_same_v<T, Value>) {
    return Value(value).items().size();
  } else {
    return value.size();
  }
}

template <class Map>
auto keys(const Map& map) {
  return map.keys();
}

/// The function to try things with that is registered as `testing.name`.
inline tenspan::Function native(const std::string& name) {
  tenspan::register_testing_funcs();
  return *tenspan::get_global_func("testing." + name);
}

inline void fill(const tenspan::Dict<>& dict, std::int64_t count) {
  for (std::int64_t key = 0; key < count; ++key) {
    dict.set(key, key * key);
  }
}

template <class T>
Value item(const T& value, std::size_t position) {
  if constexpr (std::is_same_v<T, Bytes>) {
    return position < value.size() ? Value(static_cast<int>(value[position])) : Value();
  } else {
    const Value all(value);
    return position < all.items().size() ? all.items()[position] : Value();
  }
}

/// An options struct with some members set.
template <class Options, class Set>
Options with(Set&& set) {
  Options options{};
  set(options);
  return options;
}

/// Destroys an object now.
template <class T>
void release(T gone) {
  static_cast<void>(gone);
}

/// Throws an error of a kind, as a callback of a user would.
[[noreturn]] inline void fail(const char* kind, const char* message) { tenspan::detail::throw_named(kind, message); }

inline const std::filesystem::path& vectors() {
  static const std::filesystem::path folder = CASES_VECTORS;
  return folder;
}

/// The path of a file of tests/vectors.
inline std::string vector(const std::string& name) { return (vectors() / name).string(); }

/// A path that no file has yet, in a folder of its own.
inline std::string temp(const std::string& name) {
  static unsigned count = 0;
  const char* const folder = std::getenv("CASES_TEMP");
  const std::filesystem::path base = folder != nullptr ? folder : std::filesystem::temp_directory_path();
  std::filesystem::path own;
  do {
    own = base / ("tenspan-case-" + std::to_string(std::random_device{}()) + "-" + std::to_string(count++));
  } while (!std::filesystem::create_directories(own));
  return (own / name).string();
}

inline Bytes read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

inline void write(const std::string& path, const Bytes& data) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(data.data()), static_cast<std::streamsize>(data.size()));
}

inline bool exists(const std::string& path) { return std::filesystem::exists(path); }

/// Checks of one case. Counts what was looked at: a case that looks at nothing has shown nothing.
class Check {
 public:
  void equal(const Value& found, const Value& wanted, int line) {
    look(found == wanted, line, "found " + found.show() + ", wanted " + wanted.show());
  }
  void differs(const Value& found, const Value& other, int line) { look(found != other, line, found.show() + " is not wanted"); }
  void less(const Value& found, const Value& limit, int line) {
    look(found.number() < limit.number(), line, found.show() + " is not less than " + limit.show());
  }
  void greater(const Value& found, const Value& limit, int line) {
    look(found.number() > limit.number(), line, found.show() + " is not greater than " + limit.show());
  }
  void near(const Value& found, const Value& wanted, double tolerance, int line) {
    look(found.is_near(wanted, tolerance), line, found.show() + " is not near " + wanted.show());
  }

  template <class Work>
  void throws(const std::string& kind, const std::string& part, int line, Work&& work) {
    try {
      work();
    } catch (const tenspan::Error& error) {
      const std::string message = error.what();
      look(error.kind_name() == kind, line, error.kind_name() + " was thrown, wanted " + kind + ": " + message);
      look(message.find(part) != std::string::npos, line, "\"" + part + "\" is not in \"" + message + "\"");
      return;
    }
    look(false, line, kind + " was expected, nothing was thrown");
  }

  /// Goes through values; a failure names the one it happened with.
  template <class Work>
  void each(const char* name, std::initializer_list<const char*> values, Work&& work) {
    const std::string outside = values_;
    for (const char* const value : values) {
      values_ = outside + (outside.empty() ? "with " : ", ") + name + " = " + value;
      work(std::string(value));
    }
    values_ = outside;
  }

  /// The values gone through now.
  [[nodiscard]] const std::string& values() const { return values_; }

  [[nodiscard]] bool has_looked() const { return looked_; }

 private:
  void look(bool holds, int line, const std::string& message) {
    looked_ = true;
    if (!holds) {
      throw std::logic_error("line " + std::to_string(line) + ": " + message);
    }
  }

  bool looked_ = false;
  std::string values_;
};

/// The cases of one concept.
class Suite {
 public:
  explicit Suite(const char* concept_name) : concept_(concept_name) {}

  /// Runs a case; `fails` says why it is known to fail, and then it must.
  void run(const std::string& name, const char* fails, const std::function<void(Check&)>& body) {
    std::string failure;
    Check check;
    try {
      body(check);
      failure = check.has_looked() ? "" : "the case looked at nothing";
    } catch (const std::exception& error) {
      failure = error.what();
      failure = failure.empty() ? "an error without message" : failure;
      failure += check.values().empty() ? "" : " (" + check.values() + ")";
    }
    const bool passed = failure.empty();
    const char* const result = fails == nullptr ? (passed ? "passed" : "failed") : (passed ? "passed unexpectedly" : "failed as expected");
    const bool good = passed == (fails == nullptr);
    ++(good ? good_ : bad_);
    std::printf("%s %s: %s%s%s\n", good ? "ok    " : "FAILED", concept_, escaped(name).c_str(), good ? "" : ": ",
                good ? "" : (passed ? "passes, though it is skipped" : failure.c_str()));
    record(name, result);
  }

  int finish() const {
    std::printf("%s: %u cases as expected, %u not\n", concept_, good_, bad_);
    return bad_ == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
  }

 private:
  void record(const std::string& name, const char* result) const {
    if (const char* const path = std::getenv("TENSPAN_CASE_LOG")) {
      std::ofstream file(path, std::ios::app);
      file << "{\"concept\":\"" << concept_ << "\",\"case\":\"" << escaped(name) << "\",\"result\":\"" << result << "\"}\n";
    }
  }

  /// A text as JSON has it.
  static std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
      if (static_cast<unsigned char>(c) < 0x20) {
        char code[8];
        std::snprintf(code, sizeof(code), "\\u%04x", static_cast<unsigned>(c));
        out += code;
        continue;
      }
      if (c == '"' || c == '\\') {
        out.push_back('\\');
      }
      out.push_back(c);
    }
    return out;
  }

  const char* concept_;
  unsigned good_ = 0;
  unsigned bad_ = 0;
};

/// Runs the cases of a concept and returns what the program ends with.
using Run = int (*)();

/// The concepts of this program, by name.
inline std::map<std::string, Run>& suites() {
  static std::map<std::string, Run> all;
  return all;
}

struct Registered {
  Registered(const char* name, Run run) { suites().emplace(name, run); }
};

}  // namespace cases

/// What stands before the body that runs the cases of a concept.
#define CASES(name)                                               \
  static int run_##name();                                        \
  static const ::cases::Registered registered_##name(#name, &run_##name); \
  static int run_##name()
