// Numbers, text, bytes, and values of one kind or another.
#include <tvm/ffi/any.h>
#include <tvm/ffi/container/variant.h>
#include <tvm/ffi/device.h>
#include <tvm/ffi/dtype.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/string.h>

#include <string>

namespace ffi = tvm::ffi;

namespace {

ffi::String kind_of(ffi::Variant<int64_t, double, ffi::String, ffi::Bytes> value) {
  if (value.as<int64_t>()) return "an integer";
  if (value.as<double>()) return "a float";
  if (value.as<ffi::String>()) return "a string of some length";
  return "bytes";
}

ffi::Any pick(int64_t which) {
  switch (which) {
    case 0: return ffi::Any(nullptr);
    case 1: return 1;
    case 2: return true;
    case 3: return 2.5;
    case 4: return ffi::String("short");
    case 5: return ffi::String("a text of more than seven bytes");
    case 6: return ffi::Bytes("bytes of more than seven", 24);
    case 7: return DLDataType{kDLFloat, 32, 1};
    case 8: return DLDevice{kDLCPU, 0};
    default: TVM_FFI_THROW(IndexError) << "there is no value " << which;
  }
  TVM_FFI_UNREACHABLE();
}

auto nothing() {}

auto add(int64_t a, int64_t b) { return a + b; }

auto half(double x) { return x / 2; }

auto negate(bool x) { return !x; }

auto greet(const ffi::String& name) { return ffi::String("hello " + std::string(name)); }

auto length(const ffi::String& text) { return static_cast<int64_t>(text.size()); }

auto twice(const ffi::Bytes& bytes) {
  std::string all(bytes.data(), bytes.size());
  return ffi::Bytes(all + all);
}

auto standard(const std::string& text) { return text + "!"; }

auto or_seven(ffi::Optional<int64_t> x) { return x.value_or(7); }

ffi::Optional<int64_t> or_none(int64_t x) {
  if (x < 0) return std::nullopt;
  return x;
}

auto echo(ffi::Any x) { return x; }

auto bits(DLDataType dtype) { return static_cast<int64_t>(dtype.bits); }

auto float_of(int64_t bits) { return DLDataType{kDLFloat, static_cast<uint8_t>(bits), 1}; }

auto device_type(DLDevice device) { return static_cast<int64_t>(device.device_type); }

auto main_(int64_t x) { return x + 100; }

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(nothing, nothing);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(add, add);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(half, half);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(negate, negate);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(greet, greet);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(length, length);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(twice, twice);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(standard, standard);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(or_seven, or_seven);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(or_none, or_none);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(kind_of, kind_of);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(pick, pick);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(echo, echo);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(bits, bits);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(float_of, float_of);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(device_type, device_type);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(main, main_);
// Any number of arguments of any kind.
extern "C" TVM_FFI_DLL_EXPORT int __tvm_ffi_count(void*, const TVMFFIAny*, int32_t count, TVMFFIAny* result) {
  *result = TVMFFIAny{kTVMFFIInt, {0}, {count}};
  return 0;
}
