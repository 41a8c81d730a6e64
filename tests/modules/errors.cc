// Everything that goes wrong in a kernel, and what functions say of themselves.
#define TVM_FFI_DLL_EXPORT_INCLUDE_METADATA 1
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

#include <stdexcept>
#include <string>

namespace ffi = tvm::ffi;

namespace {

auto raise(const ffi::String& kind, const ffi::String& message) {
  throw ffi::Error(kind, message, "");
}

auto value_error(int64_t x) { TVM_FFI_THROW(ValueError) << "bad " << x; }

auto check(int64_t x) {
  TVM_FFI_ICHECK(x > 0) << "a positive number wanted";
  return x;
}

auto check_less(int64_t x) {
  TVM_FFI_ICHECK_LT(x, 10);
  return x;
}

int64_t standard(const std::string& what) { throw std::runtime_error(what); }

int64_t range(int64_t x) { throw std::out_of_range("position " + std::to_string(x)); }

int64_t wrong_result(ffi::Function f) { return f().cast<int64_t>(); }

ffi::Any through(ffi::Function f) { return f(); }

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(raise, raise);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(value_error, value_error);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(check, check);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(check_less, check_less);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(standard, standard);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(range, range);
// A value of another kind than the caller wants to have.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(wrong_result, wrong_result);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(through, through);
TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC(value_error, "Raises a ValueError that holds the number.");
