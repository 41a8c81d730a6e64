// Callbacks, closures and functions by name.
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>

namespace ffi = tvm::ffi;

namespace {

ffi::Function adder(int64_t n) {
  return ffi::Function::FromTyped([n](int64_t x) { return x + n; });
}

// What an error of a callback says, as the module sees it.
ffi::String caught(ffi::Function f) {
  try {
    f();
  } catch (const ffi::Error& error) {
    return error.kind() + ": " + error.message();
  }
  return "nothing";
}

ffi::Any apply(ffi::Function f, ffi::Any x) { return f(x); }

ffi::Any call(ffi::Function f) { return f(); }

auto typed(ffi::TypedFunction<int64_t(int64_t, int64_t)> f) { return f(3, 4); }

auto map(ffi::Function f, ffi::Array<ffi::Any> items) {
  return items.Map([&f](const ffi::Any& item) -> ffi::Any { return f(item); });
}

auto compose(ffi::Function f, ffi::Function g) {
  return ffi::Function::FromPacked([f, g](const ffi::AnyView* args, int32_t count, ffi::Any* result) {
    ffi::Any inner;
    g.CallPacked(args, count, &inner);
    *result = f(inner);
  });
}

ffi::Any by_name(const ffi::String& name, ffi::Any x) {
  return ffi::Function::GetGlobalRequired(name)(x);
}

auto same(ffi::Function f) { return f; }

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(apply, apply);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(call, call);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(typed, typed);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(map, map);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(adder, adder);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(compose, compose);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(caught, caught);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(by_name, by_name);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(same, same);

TVM_FFI_STATIC_INIT_BLOCK() {
  namespace refl = tvm::ffi::reflection;
  refl::GlobalDef().def("modules.triple", [](int64_t x) { return 3 * x; }, "Three times a number.");
}
