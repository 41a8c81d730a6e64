// Containers of each kind, read, changed and made.
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tuple.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

#include <string>

namespace ffi = tvm::ffi;

namespace {

int64_t sum(ffi::Array<int64_t> items) {
  int64_t total = 0;
  for (int64_t item : items) total += item;
  return total;
}

ffi::String join(ffi::Array<ffi::String> items, const ffi::String& between) {
  std::string all;
  for (size_t i = 0; i < items.size(); ++i) all += (i ? std::string(between) : "") + std::string(items[i]);
  return all;
}

ffi::Array<int64_t> range(int64_t n) {
  ffi::Array<int64_t> all;
  for (int64_t i = 0; i < n; ++i) all.push_back(i);
  return all;
}

void fill(ffi::List<ffi::Any> list, int64_t n) {
  for (int64_t i = 0; i < n; ++i) list.push_back(i);
}

ffi::Map<ffi::String, int64_t> lengths(ffi::Array<ffi::String> names) {
  ffi::Map<ffi::String, int64_t> all;
  for (const ffi::String& name : names) all.Set(name, static_cast<int64_t>(name.size()));
  return all;
}

void count(ffi::Dict<ffi::String, int64_t> counts, ffi::Array<ffi::String> names) {
  for (const ffi::String& name : names) {
    auto known = counts.Get(name);
    counts.Set(name, known.has_value() ? known.value() + 1 : 1);
  }
}

int64_t weigh(ffi::Map<ffi::String, ffi::Array<int64_t>> nested) {
  int64_t total = 0;
  for (const auto& [name, items] : nested) total += static_cast<int64_t>(name.size()) * sum(items);
  return total;
}

int64_t volume(ffi::Shape shape) {
  int64_t total = 1;
  for (int64_t length : shape) total *= length;
  return total;
}

auto lookup(ffi::Map<ffi::String, ffi::Any> map, const ffi::String& key) { return map.at(key); }

auto with(ffi::Map<ffi::String, ffi::Any> map, const ffi::String& key, ffi::Any value) {
  map.Set(key, value);
  return map;
}

auto grow(int64_t a, int64_t b) { return ffi::Shape({a, b, a * b}); }

auto swap(ffi::Tuple<int64_t, ffi::String> pair) {
  return ffi::Tuple<ffi::String, int64_t>(pair.get<1>(), pair.get<0>());
}

auto last(ffi::List<int64_t> list) { return list[list.size() - 1]; }

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(sum, sum);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(join, join);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(range, range);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fill, fill);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(lengths, lengths);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(lookup, lookup);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(with, with);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(count, count);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(weigh, weigh);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(volume, volume);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(grow, grow);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(swap, swap);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(last, last);
