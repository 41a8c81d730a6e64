// A class that says how its objects are shown, compared, ordered and hashed, also as keys of maps; and one compared by its structure.
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/extra/dataclass.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>

#include <cctype>
#include <string>

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

namespace {

std::string lower(const ffi::String& text) {
  std::string low;
  for (const char* at = text.data(); at != text.data() + text.size(); ++at) low += static_cast<char>(std::tolower(*at));
  return low;
}

int64_t sum_of(const std::string& text) {
  int64_t sum = 7;
  for (const char letter : text) sum = sum * 31 + letter;
  return sum;
}

class WordObj : public ffi::Object {
 public:
  ffi::String text;
  ffi::Any inside;

  explicit WordObj(ffi::String text, ffi::Any inside) : text(std::move(text)), inside(std::move(inside)) {}

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("hooks.Word", WordObj, ffi::Object);
};

class Word : public ffi::ObjectRef {
 public:
  explicit Word(ffi::String text, ffi::Any inside) { data_ = ffi::make_object<WordObj>(std::move(text), std::move(inside)); }
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Word, ffi::ObjectRef, WordObj);
};

ffi::String show(const WordObj* word, const ffi::Function& text_of) {
  return "<" + word->text + " " + text_of(word->inside).cast<ffi::String>() + ">";
}

bool same(const WordObj* a, const WordObj* b, const ffi::Function& same_inside) {
  if (a->text == "broken" || b->text == "broken") TVM_FFI_THROW(ValueError) << "a broken word";
  return lower(a->text) == lower(b->text) && same_inside(a->inside, b->inside).cast<bool>();
}

int32_t order(const WordObj* a, const WordObj* b, const ffi::Function& order_inside) {
  const int order = lower(a->text).compare(lower(b->text));
  return order != 0 ? (order < 0 ? -1 : 1) : order_inside(a->inside, b->inside).cast<int32_t>();
}

int64_t hash(const WordObj* word, const ffi::Function& hash_inside) {
  return sum_of(lower(word->text)) ^ hash_inside(word->inside).cast<int64_t>();
}

// As the key of a map what is inside does not count.
int64_t key_hash(const ffi::Any& key) {
  const WordObj* word = key.as<WordObj>();
  if (word->text == "broken") TVM_FFI_THROW(ValueError) << "a broken key";
  return sum_of(lower(word->text));
}

bool key_same(const ffi::Any& a, const ffi::Any& b) { return lower(a.as<WordObj>()->text) == lower(b.as<WordObj>()->text); }

// Compared and not hashed.
class LooseObj : public ffi::Object {
 public:
  int64_t value = 0;

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("hooks.Loose", LooseObj, ffi::Object);
};

// Compared by its structure, without the note.
class TreeObj : public ffi::Object {
 public:
  ffi::Any left;
  ffi::Any right;
  ffi::String note;

  static constexpr bool _type_mutable = true;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("hooks.Tree", TreeObj, ffi::Object);
};

Word word(ffi::String text, ffi::Any inside) { return Word(std::move(text), std::move(inside)); }

ffi::Any look_up(ffi::Map<ffi::Any, ffi::Any> map, ffi::Any key) { return map.Get(key).value_or(ffi::Any()); }

ffi::Map<ffi::Any, ffi::Any> numbered(ffi::Array<ffi::Any> keys) {
  ffi::Map<ffi::Any, ffi::Any> map;
  int64_t position = 0;
  for (const ffi::Any& key : keys) map.Set(key, position++);
  return map;
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(word, word);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(look_up, look_up);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(numbered, numbered);

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<WordObj>().def(refl::init<ffi::String, ffi::Any>()).def_rw("text", &WordObj::text).def_rw("inside", &WordObj::inside);
  refl::TypeAttrDef<WordObj>()
      .def("__ffi_repr__", show)
      .def("__ffi_eq__", same)
      .def("__ffi_compare__", order)
      .def("__ffi_hash__", hash)
      // A plain function of C++, and a function object: both are allowed.
      .native_fn_attr<&key_hash>(ffi::type_attr::kAnyHash)
      .def("__any_equal__", key_same);
  refl::ObjectDef<LooseObj>().def_rw("value", &LooseObj::value);
  refl::TypeAttrDef<LooseObj>().def("__ffi_compare__", [](const LooseObj* a, const LooseObj* b, const ffi::Function&) {
    return static_cast<int32_t>(a->value % 10 - b->value % 10);
  });
  refl::ObjectDef<TreeObj>()
      .def_rw("left", &TreeObj::left)
      .def_rw("right", &TreeObj::right)
      .def_rw("note", &TreeObj::note, refl::AttachFieldFlag::SEqHashIgnore());
}
