// Numbers, text, bytes, and values of one kind or another.
#include <tenspan/kernel.hpp>

namespace kernel = tenspan::kernel;
using kernel::Any;
using kernel::Bytes;
using kernel::String;

namespace {

std::string kind_of(std::variant<std::int64_t, double, std::string, Bytes> value) {
  static const char* const names[] = {"an integer", "a float", "a string of some length", "bytes"};
  return names[value.index()];
}

Any pick(std::int64_t which) {
  switch (which) {
    case 0: return nullptr;
    case 1: return 1;
    case 2: return true;
    case 3: return 2.5;
    case 4: return "short";
    case 5: return String("a text of more than seven bytes");
    case 6: return Bytes("bytes of more than seven");
    case 7: return kernel::dtype_of<float>;
    case 8: return kernel::Device{};
    default: TENSPAN_THROW(IndexError) << "there is no value " << which;
  }
  return nullptr;
}

Bytes twice(const Bytes& bytes) {
  const std::string all(bytes.view());
  return Bytes(all + all);
}

std::optional<std::int64_t> or_none(std::int64_t x) { return x < 0 ? std::nullopt : std::optional<std::int64_t>(x); }

}  // namespace

TENSPAN_EXPORT(nothing, [] {});
TENSPAN_EXPORT(add, [](std::int64_t a, std::int64_t b) { return a + b; }, "Adds two numbers.", "a", "b");
TENSPAN_EXPORT(half, [](double x) { return x / 2; });
TENSPAN_EXPORT(negate, [](bool x) { return !x; });
TENSPAN_EXPORT(greet, [](std::string_view name) { return "hello " + std::string(name); });
TENSPAN_EXPORT(length, [](const String& text) { return text.size(); });
TENSPAN_EXPORT(twice, twice);
TENSPAN_EXPORT(standard, [](const std::string& text) { return text + "!"; });
TENSPAN_EXPORT(or_seven, [](std::optional<std::int64_t> x) { return x.value_or(7); });
TENSPAN_EXPORT(or_none, or_none);
TENSPAN_EXPORT(kind_of, kind_of);
TENSPAN_EXPORT(pick, pick);
TENSPAN_EXPORT(echo, [](Any x) { return x; });
TENSPAN_EXPORT(bits, [](kernel::DType dtype) { return dtype.bits; });
TENSPAN_EXPORT(float_of, [](std::uint8_t bits) { return kernel::DType{kernel::DType::Float, bits, 1}; });
TENSPAN_EXPORT(device_type, [](kernel::Device device) { return device.type; });
TENSPAN_EXPORT(main, [](std::int64_t x) { return x + 100; });
TENSPAN_EXPORT(byte, [](std::uint8_t x) { return x; });
TENSPAN_EXPORT(large, [](std::uint64_t x) { return x; });
// Any number of arguments of any kind.
TENSPAN_EXPORT(count, [](kernel::Span<const Any> arguments) { return arguments.size(); });
