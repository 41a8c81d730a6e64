// Classes to derive from, and classes that nothing can be derived from.
#include <tvm/ffi/function.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>

#include <string>

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

namespace {

int64_t alive = 0;

class ShapeObj : public ffi::Object {
 public:
  int64_t sides = 3;
  bool is_filled = false;
  ffi::String name = "a shape without a name";
  ffi::Any tag;

  ShapeObj() { ++alive; }
  ShapeObj(const ShapeObj& other) : ffi::Object(other), sides(other.sides), is_filled(other.is_filled), name(other.name), tag(other.tag) { ++alive; }
  ~ShapeObj() { --alive; }

  int64_t corners() const { return sides; }

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("bases.Shape", ShapeObj, ffi::Object);
};

class Shape : public ffi::ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Shape, ffi::ObjectRef, ShapeObj);
};

class FinalObj : public ffi::Object {
 public:
  int64_t value = 0;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("bases.Final", FinalObj, ffi::Object);
};

class NoDefaultObj : public ffi::Object {
 public:
  int64_t value;
  explicit NoDefaultObj(int64_t value) : value(value) {}
  TVM_FFI_DECLARE_OBJECT_INFO("bases.NoDefault", NoDefaultObj, ffi::Object);
};

class HiddenObj : public ffi::Object {
 public:
  int64_t value = 0;
  std::string hidden = "short";
  TVM_FFI_DECLARE_OBJECT_INFO("bases.Hidden", HiddenObj, ffi::Object);
};

class VirtualObj : public ffi::Object {
 public:
  int64_t value = 0;
  virtual ~VirtualObj() = default;
  TVM_FFI_DECLARE_OBJECT_INFO("bases.Virtual", VirtualObj, ffi::Object);
};

class UnsizedObj : public ffi::Object {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO("bases.Unsized", UnsizedObj, ffi::Object);
};

int64_t count() { return alive; }
int64_t corners(Shape shape) { return shape->corners() + (shape->is_filled ? 100 : 0); }
ffi::String name_of(Shape shape) { return shape->name; }
ffi::ObjectRef unsized_object() { return ffi::ObjectRef(ffi::make_object<UnsizedObj>()); }

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(alive, count);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(corners, corners);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(name, name_of);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(unsized, unsized_object);

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<ShapeObj>()
      .def_rw("sides", &ShapeObj::sides)
      .def_ro("is_filled", &ShapeObj::is_filled, refl::default_value(false))
      .def_rw("name", &ShapeObj::name, refl::default_value(ffi::String("a shape without a name")))
      .def_rw("tag", &ShapeObj::tag, refl::default_value(ffi::Any()))
      .def("corners", &ShapeObj::corners);
  refl::ObjectDef<FinalObj>().def_ro("value", &FinalObj::value);
  refl::ObjectDef<NoDefaultObj>().def(refl::init<int64_t>()).def_ro("value", &NoDefaultObj::value);
  refl::ObjectDef<HiddenObj>().def_ro("value", &HiddenObj::value);
  refl::ObjectDef<VirtualObj>().def_ro("value", &VirtualObj::value);
}
