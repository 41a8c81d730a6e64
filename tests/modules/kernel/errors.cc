// Everything that goes wrong in a kernel.
#include <tenspan/kernel.hpp>

#include <stdexcept>

namespace kernel = tenspan::kernel;

namespace {

void raise(const std::string& kind, const std::string& message) { throw kernel::Error(kind, message); }

std::int64_t check(std::int64_t x) {
  TENSPAN_CHECK(x > 0) << "a positive number wanted";
  return x;
}

std::int64_t check_less(std::int64_t x) {
  TENSPAN_CHECK_LT(x, 10);
  return x;
}

std::int64_t standard(const std::string& what) { throw std::runtime_error(what); }

std::int64_t range(std::int64_t x) { throw std::out_of_range("position " + std::to_string(x)); }

}  // namespace

TENSPAN_EXPORT(raise, raise);
TENSPAN_EXPORT(value_error, [](std::int64_t x) { TENSPAN_THROW(ValueError) << "bad " << x; });
TENSPAN_EXPORT(check, check);
TENSPAN_EXPORT(check_less, check_less);
TENSPAN_EXPORT(standard, standard);
TENSPAN_EXPORT(range, range);
TENSPAN_EXPORT(foreign, [](std::int64_t x) { throw x; });
TENSPAN_EXPORT(memory, [] { throw std::bad_alloc(); });
// A value of another kind than the caller wants to have.
TENSPAN_EXPORT(wrong_result, [](kernel::Function f) { return f.call<std::int64_t>(); });
TENSPAN_EXPORT(through, [](kernel::Function f) { return f(); });
