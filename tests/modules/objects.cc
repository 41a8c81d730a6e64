// Classes that the module defines, registers and makes objects of.
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>

namespace ffi = tvm::ffi;

namespace {

class PairObj : public ffi::Object {
 public:
  int64_t a;
  int64_t b;

  PairObj(int64_t a, int64_t b) : a(a), b(b) {}

  int64_t sum() const { return a + b; }

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("modules.Pair", PairObj, ffi::Object);
};

class Pair : public ffi::ObjectRef {
 public:
  Pair(int64_t a, int64_t b) { data_ = ffi::make_object<PairObj>(a, b); }
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Pair, ffi::ObjectRef, PairObj);
};

class TripleObj : public PairObj {
 public:
  ffi::String name;

  TripleObj(int64_t a, int64_t b, ffi::String name) : PairObj(a, b), name(std::move(name)) {}

  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("modules.Triple", TripleObj, PairObj);
};

class Triple : public Pair {
 public:
  Triple(int64_t a, int64_t b, ffi::String name) : Pair(ffi::UnsafeInit{}) { data_ = ffi::make_object<TripleObj>(a, b, std::move(name)); }
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Triple, Pair, TripleObj);
};

Pair pair(int64_t a, int64_t b) { return Pair(a, b); }

Triple triple(int64_t a, int64_t b, ffi::String name) { return Triple(a, b, std::move(name)); }

int64_t sum(Pair pair) { return pair->a + pair->b; }

ffi::String name_of(Triple triple) { return triple->name; }

Pair swap(Pair pair) { return Pair(pair->b, pair->a); }

ffi::Array<Pair> pairs(int64_t n) {
  ffi::Array<Pair> all;
  for (int64_t i = 0; i < n; ++i) all.push_back(Pair(i, 2 * i));
  return all;
}

int64_t sums(ffi::Array<Pair> pairs) {
  int64_t total = 0;
  for (const Pair& pair : pairs) total += pair->sum();
  return total;
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(pair, pair);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(triple, triple);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(sum, sum);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(name, name_of);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(swap, swap);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(pairs, pairs);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(sums, sums);

TVM_FFI_STATIC_INIT_BLOCK() {
  namespace refl = tvm::ffi::reflection;
  refl::ObjectDef<PairObj>()
      .def(refl::init<int64_t, int64_t>())
      .def_rw("a", &PairObj::a, "The first number.")
      .def_ro("b", &PairObj::b, "The second number.")
      .def("sum", &PairObj::sum, "Both together.");
  refl::ObjectDef<TripleObj>().def(refl::init<int64_t, int64_t, ffi::String>()).def_ro("name", &TripleObj::name);
}
