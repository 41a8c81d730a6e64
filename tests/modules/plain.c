/* Functions in C alone: the calling convention of the ABI by hand. */
#include <stdint.h>
#include <tvm/ffi/c_api.h>

/* The sum of two integers. */
TVM_FFI_DLL_EXPORT int __tvm_ffi_add(void* self, const TVMFFIAny* args, int32_t count, TVMFFIAny* result) {
  (void)self;
  if (count != 2) {
    TVMFFIErrorSetRaisedFromCStr("TypeError", "add takes 2 arguments");
    return -1;
  }
  if (args[0].type_index != kTVMFFIInt || args[1].type_index != kTVMFFIInt) {
    const char* parts[] = {"add takes ", "integers", 0, "!"};
    TVMFFIErrorSetRaisedFromCStrParts("TypeError", parts, 4);
    return -1;
  }
  result->type_index = kTVMFFIInt;
  result->zero_padding = 0;
  result->v_int64 = args[0].v_int64 + args[1].v_int64;
  return 0;
}

/* Adds one to every float of x, into y. */
TVM_FFI_DLL_EXPORT int __tvm_ffi_add_one(void* self, const TVMFFIAny* args, int32_t count, TVMFFIAny* result) {
  (void)self;
  (void)count;
  (void)result;
  const DLTensor* tensors[2];
  for (int i = 0; i < 2; ++i) {
    if (args[i].type_index == kTVMFFITensor) {
      /* The tensor stands behind the header of its object. */
      tensors[i] = (const DLTensor*)((const char*)args[i].v_obj + sizeof(TVMFFIObject));
    } else if (args[i].type_index == kTVMFFIDLTensorPtr) {
      tensors[i] = (const DLTensor*)args[i].v_ptr;
    } else {
      TVMFFIErrorSetRaisedFromCStr("TypeError", "add_one takes tensors");
      return -1;
    }
  }
  const float* x = (const float*)((const char*)tensors[0]->data + tensors[0]->byte_offset);
  float* y = (float*)((char*)tensors[1]->data + tensors[1]->byte_offset);
  for (int64_t i = 0; i < tensors[0]->shape[0]; ++i) y[i] = x[i] + 1;
  return 0;
}

/* Fails without saying why, which is against the convention. */
TVM_FFI_DLL_EXPORT int __tvm_ffi_fails(void* self, const TVMFFIAny* args, int32_t count, TVMFFIAny* result) {
  (void)self;
  (void)args;
  (void)count;
  (void)result;
  return -1;
}

/* Declared here: the header with these is one for C++. */
int TVMFFIEnvModLookupFromImports(TVMFFIObjectHandle context, const char* name, TVMFFIObjectHandle* out);
int TVMFFIEnvModRegisterSystemLibSymbol(const char* name, void* symbol);

/* By this the runtime knows the module. */
TVM_FFI_DLL_EXPORT void* __tvm_ffi__library_ctx = 0;

/* Calls the function `half` of an imported module. */
TVM_FFI_DLL_EXPORT int __tvm_ffi_imported_half(void* self, const TVMFFIAny* args, int32_t count, TVMFFIAny* result) {
  (void)self;
  TVMFFIObjectHandle half;
  if (TVMFFIEnvModLookupFromImports(__tvm_ffi__library_ctx, "half", &half) != 0) return -1;
  return TVMFFIFunctionCall(half, (TVMFFIAny*)args, count, result);
}

static int four(void* self, const TVMFFIAny* args, int32_t count, TVMFFIAny* result) {
  (void)self;
  (void)args;
  (void)count;
  result->type_index = kTVMFFIInt;
  result->zero_padding = 0;
  result->v_int64 = 4;
  return 0;
}

/* A part of the program that registers its functions itself. */
__attribute__((constructor)) static void start(void) {
  TVMFFIEnvModRegisterSystemLibSymbol("__tvm_ffi_modules.four", (void*)(uintptr_t)four);
}
