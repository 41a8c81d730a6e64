/// \file
/// The few macros that the tests need: a test is a function, a failed check names its line and goes on.
#pragma once

#include <cstdio>
#include <exception>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

namespace check {

struct Test {
  const char* file;
  const char* name;
  void (*body)();
};

inline std::vector<Test>& tests() {
  static std::vector<Test> all;
  return all;
}

inline int& failures() {
  static int count = 0;
  return count;
}

struct Registered {
  Registered(const char* file, const char* name, void (*body)()) { tests().push_back({file, name, body}); }
};

inline void fail(const char* file, int line, const std::string& what) {
  ++failures();
  std::fprintf(stderr, "%s:%d: %s\n", file, line, what.c_str());
}

template <class T, class = void>
struct Shown {
  static void print(std::ostream& out, const T&) { out << "?"; }
};
template <class T>
struct Shown<T, decltype(void(std::declval<std::ostream&>() << std::declval<const T&>()))> {
  static void print(std::ostream& out, const T& value) { out << value; }
};
template <class T>
struct Shown<std::vector<T>, void> {
  static void print(std::ostream& out, const std::vector<T>& values) {
    out << "[";
    for (const T& value : values) {
      Shown<T>::print(out, value);
      out << " ";
    }
    out << "]";
  }
};

template <class A, class B>
void equal(const A& a, const B& b, const char* text, const char* file, int line) {
  if (a == b) {
    return;
  }
  std::ostringstream out;
  out << text << ": ";
  Shown<A>::print(out, a);
  out << " is not ";
  Shown<B>::print(out, b);
  fail(file, line, out.str());
}

/// Runs `body` and returns the message of the exception it must throw.
template <class Exception, class Body>
std::string thrown(const Body& body, const char* text, const char* file, int line) {
  try {
    body();
  } catch (const Exception& exception) {
    return exception.what();
  } catch (const std::exception& other) {
    fail(file, line, std::string(text) + ": another exception was thrown: " + other.what());
    return {};
  }
  fail(file, line, std::string(text) + ": nothing was thrown");
  return {};
}

/// A path in the folder for temporary files.
inline std::string temporary(const char* name) {
  return (std::filesystem::temp_directory_path() / name).string();
}

/// Runs the tests of a concept, which is the name of a file without its suffix; all of them when it is empty.
inline int run(const std::string& concept_name = {}) {
  std::size_t count = 0;
  for (const Test& test : tests()) {
    if (!concept_name.empty() && std::filesystem::path(test.file).stem() != concept_name) {
      continue;
    }
    ++count;
    const int before = failures();
    try {
      test.body();
    } catch (const std::exception& exception) {
      fail(test.name, 0, std::string("an exception left the test: ") + exception.what());
    }
    std::printf("%s %s\n", failures() == before ? "ok  " : "FAIL", test.name);
  }
  std::printf("%zu tests, %d failures\n", count, failures());
  return failures() == 0 && count != 0 ? 0 : 1;
}

}  // namespace check

#define TEST(name)                                                      \
  static void name();                                                   \
  static const check::Registered registered_##name(__FILE__, #name, &(name)); \
  static void name()
#define CHECK(condition) \
  ((condition) ? void() : check::fail(__FILE__, __LINE__, "not true: " #condition))
#define CHECK_EQ(a, b) check::equal((a), (b), #a, __FILE__, __LINE__)
#define CHECK_THROWS(Exception, ...) \
  check::thrown<Exception>([&] { (void)(__VA_ARGS__); }, #__VA_ARGS__, __FILE__, __LINE__)
// Sources that are compiled as one have the main of tests.cpp.
#ifdef TENSPAN_TESTS_AS_ONE
#define TEST_MAIN
#else
#define TEST_MAIN \
  int main() { return check::run(); }
#endif
