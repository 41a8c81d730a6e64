// What calls through the value ABI cost in C++: nanoseconds of each, the least of many short samples of the thread's CPU time, printed
// as one JSON object. Names that begin with `limit` are what the same program needs without the library.
#include <tenspan/tenspan.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

namespace ts = tenspan;

static double now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

/// Keeps the compiler from knowing a value.
template <class T>
static void hide(T& value) {
  asm volatile("" : "+m"(value) : : "memory");
}

/// Prints one member of the object.
static void print(const char* name, double least, double bar) {
  static bool first = true;
  std::printf("%s\n  \"%s\": {\"ns\": %.2f", first ? "{" : ",", name, least);
  first = false;
  if (bar > 0) {
    std::printf(", \"bar\": %.2f, \"met\": %s", bar, least <= bar ? "true" : "false");
  }
  std::printf("}");
}

template <class Body>
static void measure(const char* name, const Body& body, double bar = 0) {
  constexpr int samples = 501;
  int calls = 1;
  const auto sample = [&] {
    const double before = now();
    for (int i = 0; i < calls; ++i) {
      body(i);
    }
    return now() - before;
  };
  // The first call looks things up.
  (void)sample();
  while (std::min(sample(), sample()) < 20e3) {
    calls *= 2;
  }
  std::vector<double> times;
  for (int i = 0; i < samples; ++i) {
    times.push_back(sample() / calls);
  }
  print(name, *std::min_element(times.begin(), times.end()), bar);
}

struct Pair : ts::Object {
  TENSPAN_OBJECT_REF(Pair, "testing.IntPair", ts::Object);
  TENSPAN_READONLY_FIELD(a, std::int64_t);
  TENSPAN_METHOD(sum, std::int64_t());
};

static std::int64_t plus(std::int64_t a, std::int64_t b) { return a + b; }

int main() {
  std::int64_t (*pointer)(std::int64_t, std::int64_t) = &plus;
  hide(pointer);
  std::int64_t sum = 0;
  measure("limit: through a pointer", [&](int i) {
    sum += pointer(i, 2);
    hide(sum);
  });
  std::function<std::int64_t(std::int64_t, std::int64_t)> standard = &plus;
  measure("limit: std::function", [&](int i) {
    sum += standard(i, 2);
    hide(sum);
  });
  const ts::TypedFunction<std::int64_t(std::int64_t, std::int64_t)> typed = [](std::int64_t a, std::int64_t b) { return a + b; };
  const auto call_typed = [&](int i) {
    sum += typed(i, 2);
    hide(sum);
  };
  measure("typed f(int, int)", call_typed, 6);
  const ts::TypedFunction<double(double)> real = [](double x) { return x * 2; };
  measure("typed f(float)", [&](int i) {
    double x = real(i);
    hide(x);
  });
  const ts::Function packed = [](std::int64_t a, std::int64_t b) { return a + b; };
  measure("f(int, int) to a value", [&](int i) {
    ts::Any result = packed(i, 2);
    sum += result.as<std::int64_t>();
    hide(sum);
  });
  const ts::TypedFunction<void()> nothing = [] {};
  measure("typed f()", [&](int) { nothing(); });
  const ts::Tensor tensor = ts::zeros({2, 2});
  const ts::TypedFunction<void(ts::Tensor)> taking = [](const ts::Any&) {};
  measure("typed f(tensor)", [&](int) { taking(tensor); });
  const ts::TypedFunction<std::string(std::string)> echo = [](const std::string& text) { return text; };
  measure("typed echo of a short string", [&](int) { (void)echo("hello"); });
  ts::register_testing_funcs();
  const auto add_one = ts::get_global<std::int64_t(std::int64_t)>("testing.add_one");
  measure("typed call of a Rust function", [&](int i) {
    sum += add_one(i);
    hide(sum);
  });
  const ts::Array<std::int64_t> array{1, 2, 3, 4, 5, 6, 7, 8};
  measure("Array[i]", [&](int i) {
    sum += array[i & 7];
    hide(sum);
  });
  const ts::List<std::int64_t> list{1, 2, 3, 4, 5, 6, 7, 8};
  measure("List[i]", [&](int i) {
    sum += list[i & 7];
    hide(sum);
  });
  const ts::Map<std::string, std::int64_t> map{{"k1", 1}, {"k2", 2}, {"k3", 3}, {"k4", 4}, {"k5", 5}};
  const std::string key = "k3";
  measure("Map[k]", [&](int) {
    sum += map[key];
    hide(sum);
  });
  const Pair pair = Pair::create(1, 2);
  measure("object: a field", [&](int) {
    sum += pair.a();
    hide(sum);
  });
  measure("object: a field by its name", [&](int) {
    sum += pair.get<std::int64_t>("a");
    hide(sum);
  });
  measure("object: a method", [&](int) {
    sum += pair.sum();
    hide(sum);
  });
  measure("object: construction", [&](int i) { (void)Pair::create(i, 2); });
  const ts::Any held = pair;
  measure("object: a value as a reference", [&](int) { (void)held.as<Pair>(); });
  const ts::Function failing = [](std::int64_t) -> std::int64_t { throw ts::ValueError("no"); };
  measure("error through a function and back", [&](int i) {
    try {
      failing(i);
    } catch (const ts::ValueError&) {
    }
  });
  measure("limit: throw and catch", [&](int i) {
    try {
      if (i >= 0) {
        throw ts::ValueError("no");
      }
    } catch (const ts::ValueError&) {
    }
  });
  measure("error of the library", [&](int) {
    try {
      (void)list[99];
    } catch (const ts::IndexError&) {
    }
  });
  std::printf("\n}\n");
  return sum == 42 ? 1 : 0;
}
