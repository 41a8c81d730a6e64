// Values between tenspan and the public headers of the value ABI that both follow, in one program.
#pragma once

#include <tenspan/tenspan.hpp>
#include <tvm/ffi/tvm_ffi.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "../check.hpp"

namespace ts = tenspan;
namespace peer = tvm::ffi;

/// A value of ours as theirs; both count the same object.
inline peer::Any theirs(const ts::Any& value) {
  TVMFFIAny raw;
  static_assert(sizeof(raw) == sizeof(value.raw()), "values have the same size");
  std::memcpy(&raw, &value.raw(), sizeof(raw));
  return peer::Any(peer::AnyView::CopyFromTVMFFIAny(raw));
}

template <class T>
T theirs_as(const ts::Any& value) {
  return theirs(value).cast<T>();
}

/// A value of theirs as ours.
inline ts::Any ours(const peer::AnyView& value) {
  const TVMFFIAny raw = value.CopyToTVMFFIAny();
  tenspan_any same;
  std::memcpy(&same, &raw, sizeof(same));
  tenspan_any result{0, 0, 0};
  ts::detail::check(tenspan_own(&same, &result));
  return ts::Any::adopt(result);
}

/// Whether both hold the same bits: the same object, or the same plain value.
inline bool same(const ts::Any& a, const peer::Any& b) {
  const ts::Any other = ours(b);
  return std::memcmp(&a.raw(), &other.raw(), sizeof(tenspan_any)) == 0;
}

/// Numbers that look random and are the same in each run.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed * 2 + 1) {}
  std::uint64_t below(std::uint64_t limit) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return (state_ >> 33) % limit;
  }

 private:
  std::uint64_t state_;
};

/// Different keys of one kind each, made by a number.
struct KeyKind {
  const char* name;
  std::function<ts::Any(std::int64_t)> make;
};

inline std::vector<KeyKind> key_kinds() {
  static std::vector<ts::Function> functions;
  return {
      {"small whole numbers", [](std::int64_t i) { return ts::Any(i); }},
      {"large whole numbers", [](std::int64_t i) { return ts::Any(i * 0x123456789abcdf - 0x7000000000000000); }},
      {"numbers beyond 64 bits", [](std::int64_t i) { return ts::Any(UINT64_MAX - static_cast<std::uint64_t>(i)); }},
      {"numbers with a point", [](std::int64_t i) { return ts::Any(static_cast<double>(i) / 3 - 100); }},
      {"short text", [](std::int64_t i) { return ts::Any("k" + std::to_string(i)); }},
      {"long text", [](std::int64_t i) { return ts::Any("a key with a long enough name " + std::to_string(i * i)); }},
      {"text of every length", [](std::int64_t i) { return ts::Any(std::string(static_cast<std::size_t>(i % 40), 'x') + std::to_string(i)); }},
      {"bytes", [](std::int64_t i) { return ts::Any(ts::BytesView(&i, sizeof(i))); }},
      {"short bytes", [](std::int64_t i) { return ts::Any(ts::BytesView(&i, 4)); }},
      {"functions",
       [](std::int64_t i) {
         while (functions.size() <= static_cast<std::size_t>(i)) {
           functions.push_back([] {});
         }
         return ts::Any(functions[static_cast<std::size_t>(i)]);
       }},
      {"kinds in turn",
       [](std::int64_t i) {
         switch (i % 5) {
           case 0:
             return ts::Any(i);
           case 1:
             return ts::Any(static_cast<double>(i - 1));
           case 2:
             return ts::Any(std::to_string(i - 2));
           case 3:
             return ts::Any(ts::BytesView(std::to_string(i - 3)));
           default:
             return i < 10 ? ts::Any(i < 5) : ts::Any("another long text as a key " + std::to_string(i));
         }
       }},
  };
}

/// Asks that the pairs of a mapping are these, in this order, for us, for them, and by key.
template <class Theirs>
void expect_pairs(const ts::Any& mapping, const std::vector<std::pair<ts::Any, ts::Any>>& pairs, const char* what) {
  const Theirs seen = theirs_as<Theirs>(mapping);
  bool good = seen.size() == pairs.size();
  std::size_t at = 0;
  for (const auto& [key, value] : seen) {
    good = good && at < pairs.size() && same(pairs[at].first, key) && same(pairs[at].second, value);
    ++at;
  }
  good = good && at == pairs.size();
  at = 0;
  const ts::Any entries = ts::detail::entries_of(mapping);
  for (const ts::Any& one : ts::detail::items(entries)) {
    const auto& pair = pairs[at / 2];
    good = good && same(at % 2 == 0 ? pair.first : pair.second, theirs(one));
    ++at;
  }
  good = good && at == pairs.size() * 2;
  const ts::Map<> map = mapping.as<ts::Map<>>();
  for (const auto& [key, value] : pairs) {
    const auto found = seen.Get(theirs(key));
    good = good && found.has_value() && same(value, *found) && map.has(key) && map[key].raw().payload == value.raw().payload;
  }
  const ts::Any missing = "a key that is not there";
  good = good && !seen.Get(theirs(missing)).has_value() && !map.has(missing);
  if (!good) {
    check::fail(__FILE__, __LINE__, std::string("pairs differ: ") + what + ", " + std::to_string(pairs.size()));
  }
}
