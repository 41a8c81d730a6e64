/// \file
/// Mappings: Map, which never changes, and Dict, which everybody who holds it may change; and those of the standard library.
#pragma once

#include <initializer_list>
#include <iterator>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include <tenspan/kernel/sequence.hpp>
#include <tenspan/kernel/table.hpp>

TENSPAN_KERNEL_BEGIN
namespace abi {

inline Table table_of(const Any& held) noexcept { return Table(&cell_of<TableCell>(held.raw())); }
inline Table table_of(const Value& value) noexcept { return Table(&cell_of<TableCell>(value)); }

inline bool is_mapping(const Value& value) noexcept { return value.type == type_map || value.type == type_dict; }

inline std::string key_text(const Value& key) {
  return is_text(key) ? "\"" + std::string(characters(key)) + "\"" : describe(key);
}

/// Looks at every pair of a mapping, in order.
template <class K, class V, class F>
void for_each_pair(const Value& mapping, F&& body) {
  const Table table = table_of(mapping);
  std::uint64_t at = table.first();
  for (std::uint64_t left = table.size(); left > 0; --left) {
    const Pair& pair = table.pair(at);
    K key = read_inside<K>(pair.key, "a key", "");
    V value = read_inside<V>(pair.value, "the value of ", key_text(pair.key));
    body(std::move(key), std::move(value));
    at = table.following(at);
  }
}

/// A mapping of the other type with the same pairs.
inline Any copied_table(const Value& mapping, std::int32_t type) {
  Any made = make_table(type);
  Table to = table_of(made);
  for_each_pair<Any, Any>(mapping, [&to](Any key, Any value) { to.set(std::move(key), std::move(value)); });
  return made;
}

}  // namespace abi

namespace detail {

/// Goes through the pairs of a mapping in order. The mapping must not change meanwhile.
template <class K, class V>
class PairIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = std::pair<K, V>;
  using difference_type = std::ptrdiff_t;
  using pointer = const value_type*;
  using reference = value_type;

  PairIterator(abi::Table table, std::uint64_t left) : table_(table), left_(left), at_(left == 0 ? 0 : table.first()) {}
  value_type operator*() const {
    const abi::Pair& pair = table_.pair(at_);
    return {kernel::read<K>(pair.key), kernel::read<V>(pair.value)};
  }
  PairIterator& operator++() {
    --left_;
    at_ = left_ == 0 ? 0 : table_.following(at_);
    return *this;
  }
  friend bool operator==(const PairIterator& a, const PairIterator& b) { return a.left_ == b.left_; }
  friend bool operator!=(const PairIterator& a, const PairIterator& b) { return a.left_ != b.left_; }

 private:
  abi::Table table_;
  std::uint64_t left_;
  std::uint64_t at_;
};

/// What maps and dicts can both be asked.
template <class K, class V>
class Mapping : public ObjectRef {
 public:
  using key_type = K;
  using mapped_type = V;
  using value_type = std::pair<K, V>;

  [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(table().size()); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  /// \param key  The key; its type counts: 1, `true` and 1.0 are three keys.
  [[nodiscard]] bool has(const K& key) const { return place(key) != abi::nowhere; }
  /// \return The value of a key. \throws KeyError  There is no such key.
  [[nodiscard]] V operator[](const K& key) const {
    const Any wanted = Any::adopt(Convert<K>::write(key));
    const std::uint64_t at = table().find(wanted.raw());
    if (at == abi::nowhere) {
      throw KeyError(abi::key_text(wanted.raw()));
    }
    return abi::read_inside<V>(table().pair(at).value, "the value of ", abi::key_text(wanted.raw()));
  }
  /// \return The value of a key, or nothing.
  [[nodiscard]] std::optional<V> get(const K& key) const { return has(key) ? std::optional<V>((*this)[key]) : std::nullopt; }
  [[nodiscard]] PairIterator<K, V> begin() const { return {table(), table().size()}; }
  [[nodiscard]] PairIterator<K, V> end() const { return {table(), 0}; }

 protected:
  using ObjectRef::ObjectRef;

  [[nodiscard]] abi::Table table() const noexcept { return abi::table_of(this->held()); }
  [[nodiscard]] std::uint64_t place(const K& key) const {
    const Any wanted = Any::adopt(Convert<K>::write(key));
    return table().find(wanted.raw());
  }
  void put(const K& key, const V& value) {
    table().set(Any::adopt(Convert<K>::write(key)), Any::adopt(Convert<V>::write(value)));
  }
};

template <class K, class V>
std::string wanted_pairs(const char* what) {
  const bool any = std::is_same_v<K, Any> && std::is_same_v<V, Any>;
  return any ? what : std::string(what) + " (each key " + Convert<K>::wanted() + ", each value " + Convert<V>::wanted() + ")";
}

template <class K, class V>
std::string schema_of_pairs(const char* type) {
  return std::string(R"({"type":")") + type + R"(","args":[)" + Convert<K>::schema() + "," + Convert<V>::schema() + "]}";
}

/// A mapping of a type: the same one, or a copy of one of the other type.
template <class K, class V>
std::optional<Any> read_mapping(const abi::Value& lent, std::int32_t type) {
  const abi::Value value = abi::settled(lent);
  if (!abi::is_mapping(value)) {
    return std::nullopt;
  }
  if (!std::is_same_v<K, Any> || !std::is_same_v<V, Any>) {
    abi::for_each_pair<K, V>(value, [](K, V) {});
  }
  return value.type == type ? Any::share(value) : abi::copied_table(value, type);
}

}  // namespace detail

/// Values by key that never change, in the order in which the keys were first set.
template <class K = Any, class V = Any>
class Map : public detail::Mapping<K, V> {
  using Base = detail::Mapping<K, V>;

 public:
  Map() : Base(abi::make_table(abi::type_map)) {}
  Map(std::initializer_list<std::pair<K, V>> pairs) : Map(pairs.begin(), pairs.end()) {}
  template <class I, class = typename std::iterator_traits<I>::iterator_category>
  Map(I begin, I end) : Map() {
    for (; begin != end; ++begin) {
      const auto& pair = *begin;
      this->put(pair.first, pair.second);
    }
  }
  explicit Map(Any held) : Base(std::move(held)) {}
};

/// Values by key that everybody who holds the dict may change.
template <class K = Any, class V = Any>
class Dict : public detail::Mapping<K, V> {
  using Base = detail::Mapping<K, V>;

 public:
  Dict() : Base(abi::make_table(abi::type_dict)) {}
  Dict(std::initializer_list<std::pair<K, V>> pairs) : Dict() {
    for (const auto& pair : pairs) {
      set(pair.first, pair.second);
    }
  }
  explicit Dict(Any held) : Base(std::move(held)) {}

  /// Sets the value of a key, which keeps its place in the order when it is there.
  void set(const K& key, const V& value) { this->put(key, value); }
  /// Takes a key out. \return Whether it was there.
  bool remove(const K& key) {
    const Any wanted = Any::adopt(Convert<K>::write(key));
    return this->table().remove(wanted.raw());
  }
};

template <class K, class V>
struct Convert<Map<K, V>> {
  static std::string wanted() { return detail::wanted_pairs<K, V>("a mapping"); }
  static std::string schema() { return detail::schema_of_pairs<K, V>("ffi.Map"); }
  static std::optional<Map<K, V>> read(const abi::Value& value) {
    std::optional<Any> held = detail::read_mapping<K, V>(value, abi::type_map);
    return held ? std::optional<Map<K, V>>(Map<K, V>(*std::move(held))) : std::nullopt;
  }
  static abi::Value write(const Map<K, V>& map) { return Any(map.held()).take(); }
};

template <class K, class V>
struct Convert<Dict<K, V>> {
  static std::string wanted() { return detail::wanted_pairs<K, V>("a mapping"); }
  static std::string schema() { return detail::schema_of_pairs<K, V>("ffi.Dict"); }
  static std::optional<Dict<K, V>> read(const abi::Value& value) {
    std::optional<Any> held = detail::read_mapping<K, V>(value, abi::type_dict);
    return held ? std::optional<Dict<K, V>>(Dict<K, V>(*std::move(held))) : std::nullopt;
  }
  static abi::Value write(const Dict<K, V>& dict) { return Any(dict.held()).take(); }
};

namespace detail {

/// `std::map` and `std::unordered_map`: copies of a mapping.
template <class StdMap>
struct ConvertStdMap {
  using K = typename StdMap::key_type;
  using V = typename StdMap::mapped_type;
  static std::string wanted() { return wanted_pairs<K, V>("a mapping"); }
  static std::string schema() { return schema_of_pairs<K, V>("ffi.Map"); }
  static std::optional<StdMap> read(const abi::Value& lent) {
    const abi::Value value = abi::settled(lent);
    if (!abi::is_mapping(value)) {
      return std::nullopt;
    }
    StdMap map;
    abi::for_each_pair<K, V>(value, [&map](K key, V found) { map.emplace(std::move(key), std::move(found)); });
    return map;
  }
  static abi::Value write(const StdMap& map) { return Any(Map<K, V>(map.begin(), map.end()).held()).take(); }
};

}  // namespace detail

template <class K, class V>
struct Convert<std::map<K, V>> : detail::ConvertStdMap<std::map<K, V>> {};
template <class K, class V>
struct Convert<std::unordered_map<K, V>> : detail::ConvertStdMap<std::unordered_map<K, V>> {};

TENSPAN_KERNEL_END
