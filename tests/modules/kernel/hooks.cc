// A class that says how its objects are shown, compared, ordered and hashed, also as keys of maps.
#include <cctype>

#include <tenspan/kernel.hpp>

namespace kernel = tenspan::kernel;
using kernel::Any;
using kernel::Ref;

namespace {

std::string lower(const std::string& text) {
  std::string low;
  for (const char letter : text) low += static_cast<char>(std::tolower(letter));
  return low;
}

std::int64_t sum_of(const std::string& text) {
  std::int64_t sum = 7;
  for (const char letter : text) sum = sum * 31 + letter;
  return sum;
}

struct Word : kernel::Object {
  std::string text;
  Any inside;

  Word(std::string letters, Any value) : text(std::move(letters)), inside(std::move(value)) {}
};

// A key that asks a function of anybody before it is hashed or compared.
struct Asking : kernel::Object {
  std::int64_t number;
  kernel::Function ask;

  Asking(std::int64_t own, kernel::Function asked) : number(own), ask(std::move(asked)) {}
};

struct Loose : kernel::Object {
  std::int64_t value = 0;
};

using Inside = const kernel::Function&;

std::string show(const Ref<Word>& word, Inside text_of) { return "<" + word->text + " " + text_of(word->inside).as<std::string>() + ">"; }

bool same(const Ref<Word>& a, const Ref<Word>& b, Inside same_inside) {
  TENSPAN_CHECK_KIND(ValueError, a->text != "broken" && b->text != "broken") << "a broken word";
  return lower(a->text) == lower(b->text) && same_inside(a->inside, b->inside).as<bool>();
}

int order(const Ref<Word>& a, const Ref<Word>& b, Inside order_inside) {
  const int order = lower(a->text).compare(lower(b->text));
  return order != 0 ? order : order_inside(a->inside, b->inside).as<int>();
}

std::int64_t hash(const Ref<Word>& word, Inside hash_inside) { return sum_of(lower(word->text)) ^ hash_inside(word->inside).as<std::int64_t>(); }

// As the key of a map what is inside does not count.
std::int64_t key_hash(const Ref<Word>& word) {
  TENSPAN_CHECK_KIND(ValueError, word->text != "broken") << "a broken key";
  return sum_of(lower(word->text));
}

}  // namespace

TENSPAN_OBJECT(Word, "kernel_hooks.Word")
    .init<std::string, Any>()
    .field("text", &Word::text)
    .field("inside", &Word::inside)
    .attribute("__ffi_repr__", show)
    .attribute("__ffi_eq__", same)
    .attribute("__ffi_compare__", order)
    .attribute("__ffi_hash__", hash)
    .attribute("__any_hash__", key_hash)
    .attribute("__any_equal__", [](const Ref<Word>& a, const Ref<Word>& b) { return lower(a->text) == lower(b->text); });
TENSPAN_OBJECT(Loose, "kernel_hooks.Loose").field("value", &Loose::value).attribute("__ffi_compare__", [](const Ref<Loose>& a, const Ref<Loose>& b, Inside) {
  return static_cast<int>(a->value % 10 - b->value % 10);
});

TENSPAN_OBJECT(Asking, "kernel_hooks.Asking")
    .init<std::int64_t, kernel::Function>()
    .readonly("number", &Asking::number)
    .attribute("__any_hash__",
               [](const Ref<Asking>& key) {
                 key->ask("hash", key->number);
                 return std::int64_t{5};
               })
    .attribute("__any_equal__", [](const Ref<Asking>& a, const Ref<Asking>& b) {
      b->ask("equal", b->number);
      return a->number == b->number;
    });

TENSPAN_EXPORT(asking, [](std::int64_t number, const kernel::Function& ask) { return kernel::make<Asking>(number, ask); });
TENSPAN_EXPORT(word, [](const std::string& text, const Any& inside) { return kernel::make<Word>(text, inside); });
TENSPAN_EXPORT(look_up, [](const kernel::Map<Any, Any>& map, const Any& key) {
  return map.get(key).value_or(Any());
});
TENSPAN_EXPORT(numbered, [](const kernel::Array<Any>& keys) {
  kernel::Dict<Any, Any> dict;
  std::int64_t position = 0;
  for (const Any& key : keys) dict.set(key, Any(position++));
  return dict;
});
