// Callbacks, closures and functions by name.
#include <tenspan/kernel.hpp>

namespace kernel = tenspan::kernel;
using kernel::Any;
using kernel::Function;
using kernel::TypedFunction;

namespace {

// What an error of a callback says, as the module sees it.
std::string caught(const Function& f) {
  try {
    f();
  } catch (const kernel::Error& error) {
    return error.kind() + ": " + error.what();
  }
  return "nothing";
}

std::vector<Any> map(const Function& f, const std::vector<Any>& items) {
  std::vector<Any> all;
  for (const Any& item : items) all.push_back(f(item));
  return all;
}

Function compose(Function f, Function g) {
  return Function::of([f, g](kernel::Span<const Any> arguments) { return f(g.call_packed(arguments.data(), arguments.size())); });
}

}  // namespace

TENSPAN_EXPORT(apply, [](Function f, Any x) { return f(x); });
TENSPAN_EXPORT(call, [](Function f) { return f(); });
TENSPAN_EXPORT(typed, [](TypedFunction<std::int64_t(std::int64_t, std::int64_t)> f) { return f(3, 4); });
TENSPAN_EXPORT(map, map);
TENSPAN_EXPORT(adder, [](std::int64_t n) { return [n](std::int64_t x) { return x + n; }; });
TENSPAN_EXPORT(compose, compose);
TENSPAN_EXPORT(caught, caught);
TENSPAN_EXPORT(by_name, [](std::string_view name, Any x) { return Function::named(name)(x); });
TENSPAN_EXPORT(same, [](Function f) { return f; });
TENSPAN_EXPORT(standard, [](std::function<std::int64_t(std::int64_t, std::int64_t)> f) { return f(3, 4); });

TENSPAN_GLOBAL("kernels.triple", [](std::int64_t x) { return 3 * x; });
