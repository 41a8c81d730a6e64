// A module of everything that is adjusted, small enough to break each byte of it. Made by
//   g++ -std=c++17 -O1 -s -shared -fPIC -nostdlib -Wl,--hash-style=gnu  -Wl,-z,noseparate-code,-z,max-page-size=4096 small.cc -L. -ltvm_ffi -o gnu.so
// and the same with --hash-style=sysv (sysv.so), and without -ltvm_ffi (apart.so); libtvm_ffi.so may be any library of that soname.
extern "C" {
void TVMFFIErrorSetRaisedFromCStr(const char* kind, const char* message);
__attribute__((weak)) void* TVMFFIEnvGetStream(int type, int id);

struct Value {
  int type;
  unsigned padding;
  long long number;
};

int __tvm_ffi_add(void*, const Value* args, int count, Value* result) {
  if (count != 2) {
    TVMFFIErrorSetRaisedFromCStr("TypeError", "add takes 2 arguments");
    return -1;
  }
  *result = Value{1, 0, args[0].number + args[1].number};
  return 0;
}

int __tvm_ffi_has_streams(void*, const Value*, int, Value* result) {
  *result = Value{2, 0, TVMFFIEnvGetStream != nullptr};
  return 0;
}
}

namespace tvm {
namespace ffi {

// Unique in the process: a static of an inline function.
inline int* unique() {
  static int number = 7;
  return &number;
}

// Weak, of the public headers.
template <class T>
__attribute__((noinline)) int weak(T value) {
  return static_cast<int>(value) + *unique();
}

}  // namespace ffi
}  // namespace tvm

extern "C" int __tvm_ffi_seven(void*, const Value*, int, Value* result) {
  *result = Value{1, 0, tvm::ffi::weak(0)};
  return 0;
}
extern "C" int __tvm_ffi__doc_seven(void*, const Value*, int, Value* result) {
  *result = Value{11, 5, 0x6e65766573};
  return 0;
}
