/// \file
/// Mappings that cross borders: Map, which never changes, and Dict, which everybody who holds it may change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <tenspan/detail/array.hpp>
#include <tenspan/detail/elements.hpp>

TENSPAN_BEGIN_NAMESPACE

template <class K = Any, class V = Any>
class Map;
template <class K = Any, class V = Any>
class Dict;

namespace detail {

/// A map object of entries, by the name of its constructor in the dispatch table.
inline Any mapping_of(const char* constructor, const std::vector<Any>& entries) {
  return call<Any>(method(constructor), entries);
}

template <class K, class V>
std::string mapping_wanted(const char* what) {
  const bool any = std::is_same_v<K, Any> && std::is_same_v<V, Any>;
  return any ? what : what + (" (each key " + Convert<K>::wanted() + ", each value " + Convert<V>::wanted() + ")");
}

/// A mapping of the type wanted: the same one, or a copy of one of the other type.
template <class K, class V>
Any own_mapping(const Any& value, std::int32_t type, const char* constructor) {
  const Any entries = entries_of(value);
  expect_entries<K, V>(items(entries));
  return has_type(value, type) ? value : call<Any>(method(constructor), entries);
}

template <class K, class V>
struct Kind<Map<K, V>> {
  static bool matches(const Any& value) { return is_mapping(value); }
  static std::string wanted() { return mapping_wanted<K, V>("a map"); }
  static Any own(const Any& value) { return own_mapping<K, V>(value, type_index::map, "Map.new"); }
};

template <class K, class V>
struct Kind<Dict<K, V>> {
  static bool matches(const Any& value) { return is_mapping(value); }
  static std::string wanted() { return mapping_wanted<K, V>("a dict"); }
  static Any own(const Any& value) { return own_mapping<K, V>(value, type_index::dict, "Dict.new"); }
};

/// Goes through the pairs of a map in place, and keeps it alive.
template <class K, class V>
class PairIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = std::pair<K, V>;
  using difference_type = std::ptrdiff_t;
  using pointer = const value_type*;
  using reference = value_type;

  /// One past the last pair of any map.
  PairIterator() = default;
  explicit PairIterator(Any map) : map_(std::move(map)), left_(cell().size), at_(is_small() ? 0 : cell().head) {}

  value_type operator*() const {
    const tenspan_pair& pair = *reinterpret_cast<const tenspan_pair*>(place());
    return {Any::view(pair.key).template as<K>(), Any::view(pair.value).template as<V>()};
  }
  PairIterator& operator++() {
    if (--left_ != 0) {
      at_ = is_small() ? at_ + 1 : *reinterpret_cast<const std::uint64_t*>(place() + sizeof(tenspan_pair) + sizeof(std::uint64_t));
    }
    return *this;
  }
  PairIterator operator++(int) {
    PairIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const PairIterator& a, const PairIterator& b) { return a.left_ == b.left_; }
  friend bool operator!=(const PairIterator& a, const PairIterator& b) { return a.left_ != b.left_; }

 private:
  /// Places of a dense map stand in blocks of 16: their marks of a byte each, then pairs that know those before and after them.
  static constexpr std::uint64_t block_places = 16;
  static constexpr std::uint64_t place_bytes = sizeof(tenspan_pair) + 2 * sizeof(std::uint64_t);

  [[nodiscard]] const tenspan_table_cell& cell() const { return cell_of<tenspan_table_cell>(map_.raw()); }
  [[nodiscard]] bool is_small() const { return (cell().slots >> 63) != 0; }
  [[nodiscard]] const char* place() const {
    if (is_small()) {
      return cell().data + at_ * sizeof(tenspan_pair);
    }
    const char* block = cell().data + at_ / block_places * (block_places + block_places * place_bytes);
    return block + block_places + at_ % block_places * place_bytes;
  }

  Any map_;
  std::uint64_t left_ = 0;
  std::uint64_t at_ = 0;
};

/// Goes through pairs as they were, keys and values in turn in an array.
template <class K, class V>
class EntryIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = std::pair<K, V>;
  using difference_type = std::ptrdiff_t;
  using pointer = const value_type*;
  using reference = value_type;

  /// One past the last pair.
  EntryIterator() = default;
  explicit EntryIterator(Any entries) : entries_(std::move(entries)), left_(items(entries_).size() / 2) {}

  value_type operator*() const {
    const span<const Any> all = items(entries_);
    const std::size_t at = all.size() - 2 * left_;
    return {all[at].template as<K>(), all[at + 1].template as<V>()};
  }
  EntryIterator& operator++() {
    --left_;
    return *this;
  }
  EntryIterator operator++(int) {
    EntryIterator before = *this;
    --left_;
    return before;
  }
  friend bool operator==(const EntryIterator& a, const EntryIterator& b) { return a.left_ == b.left_; }
  friend bool operator!=(const EntryIterator& a, const EntryIterator& b) { return a.left_ != b.left_; }

 private:
  Any entries_;
  std::size_t left_ = 0;
};

/// What maps and dicts can both be asked, by the names of their methods in the dispatch table.
template <class Class, class K, class V>
class Mapping : public Container {
 public:
  using key_type = K;
  using mapped_type = V;
  using value_type = std::pair<K, V>;

  /// \return Number of keys.
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(cell_of<tenspan_table_cell>(held().raw()).size); }
  /// \return Whether there are no keys.
  [[nodiscard]] bool empty() const { return size() == 0; }
  /// \param key  The key; its type counts: 1, `true` and 1.0 are three keys.
  /// \return Its value.
  /// \throws KeyError  There is no such key; the message has it.
  [[nodiscard]] V get(const K& key) const {
    static const std::int32_t method_ = method(Class::get_entry);
    return call<V>(method_, *this, key);
  }
  /// \param key  The key.
  /// \return Its value.
  /// \throws KeyError  There is no such key.
  [[nodiscard]] V operator[](const K& key) const { return get(key); }
  /// \param key  The key.
  /// \return Whether there is such a key.
  [[nodiscard]] bool has(const K& key) const {
    static const std::int32_t method_ = method(Class::has_entry);
    return call<bool>(method_, *this, key);
  }
  /// \return The keys in order.
  [[nodiscard]] std::vector<K> keys() const {
    static const std::int32_t method_ = method(Class::keys_entry);
    return call<std::vector<K>>(method_, *this);
  }
  /// \return Keys and values in order.
  [[nodiscard]] std::vector<std::pair<K, V>> entries() const {
    const Any all = entries_of(held());
    return std::vector<std::pair<K, V>>(EntryIterator<K, V>(all), EntryIterator<K, V>());
  }
  /// \return The values in the order of their keys.
  [[nodiscard]] std::vector<V> values() const {
    static const std::int32_t method_ = method(Class::values_entry);
    return call<std::vector<V>>(method_, *this);
  }

 protected:
  using Container::Container;
};

}  // namespace detail

/// Values by key that never change, in the order in which the keys were first set. Copies are the same map.
///
/// A map from elsewhere is looked through once, when it becomes a `Map<K, V>`.
/// \tparam K  Type that the keys are read as.
/// \tparam V  Type that the values are read as.
template <class K, class V>
class Map : public detail::Mapping<Map<K, V>, K, V> {
  using Base = detail::Mapping<Map<K, V>, K, V>;
  friend Base;
  static constexpr const char* get_entry = "Map.get";
  static constexpr const char* has_entry = "Map.has";
  static constexpr const char* keys_entry = "Map.keys";
  static constexpr const char* values_entry = "Map.values";

 public:
  /// Name of the type wherever values of it are told apart.
  static constexpr std::string_view type_key = "tenspan.Map";
  using iterator = detail::PairIterator<K, V>;

  /// Takes over an object; for the conversions.
  /// \param any  Value that holds a map.
  Map(detail::Adopt, Any any) noexcept : Base(detail::Adopt(), std::move(any)) {}

  /// \param entries  Keys and values; the last value of a key counts.
  Map(std::initializer_list<std::pair<K, V>> entries = {}) : Map(entries.begin(), entries.end()) {}
  /// \param first  First of the pairs of keys and values.
  /// \param last   One past the last.
  template <class Iterator, class = detail::if_iterator<Iterator>>
  Map(Iterator first, Iterator last)
      : Map(detail::Adopt(), detail::mapping_of("Map.new", detail::entries_of<K, V>(first, last))) {}

  /// \param key  The key.
  /// \return Its value, if there is one.
  [[nodiscard]] std::optional<V> find(const K& key) const {
    return this->has(key) ? std::optional<V>(this->get(key)) : std::nullopt;
  }
  /// \return The first pair, read in place.
  [[nodiscard]] iterator begin() const { return iterator(this->held()); }
  /// \return One past the last.
  [[nodiscard]] iterator end() const { return iterator(); }
};

/// Values by key, in the order in which the keys were first set; everybody who holds the dict sees its changes, in whatever language.
/// Copies are the same dict.
/// \tparam K  Type that the keys are read as, and of those that are set.
/// \tparam V  Type that the values are read as, and of those that are set.
template <class K, class V>
class Dict : public detail::Mapping<Dict<K, V>, K, V> {
  using Base = detail::Mapping<Dict<K, V>, K, V>;
  friend Base;
  static constexpr const char* get_entry = "Dict.get";
  static constexpr const char* has_entry = "Dict.has";
  static constexpr const char* keys_entry = "Dict.keys";
  static constexpr const char* values_entry = "Dict.values";

 public:
  /// Name of the type wherever values of it are told apart.
  static constexpr std::string_view type_key = "tenspan.Dict";
  using iterator = detail::EntryIterator<K, V>;

  /// Takes over an object; for the conversions.
  /// \param any  Value that holds a dict.
  Dict(detail::Adopt, Any any) noexcept : Base(detail::Adopt(), std::move(any)) {}

  /// \param entries  Keys and values; the last value of a key counts.
  Dict(std::initializer_list<std::pair<K, V>> entries = {}) : Dict(entries.begin(), entries.end()) {}
  /// \param first  First of the pairs of keys and values.
  /// \param last   One past the last.
  template <class Iterator, class = detail::if_iterator<Iterator>>
  Dict(Iterator first, Iterator last)
      : Dict(detail::Adopt(), detail::mapping_of("Dict.new", detail::entries_of<K, V>(first, last))) {}

  /// \return Number of keys, as it is now.
  [[nodiscard]] std::size_t size() const {
    static const std::int32_t method_ = detail::method("Dict.size");
    return static_cast<std::size_t>(detail::call<std::uint64_t>(method_, *this));
  }
  /// \return Whether there are no keys.
  [[nodiscard]] bool empty() const { return size() == 0; }
  /// \param key  The key.
  /// \return Its value, if there is one.
  [[nodiscard]] std::optional<V> find(const K& key) const {
#if !defined(TENSPAN_NO_EXCEPTIONS)
    // Another thread may take the key out between the two looks.
    while (this->has(key)) {
      try {
        return this->get(key);
      } catch (const KeyError&) {
      }
    }
    return std::nullopt;
#else
    return this->has(key) ? std::optional<V>(this->get(key)) : std::nullopt;
#endif
  }
  /// \param key    The key; one that is there already keeps its place in the order.
  /// \param value  Its new value.
  void set(const K& key, const V& value) const {
    static const std::int32_t method_ = detail::method("Dict.set");
    detail::call<void>(method_, *this, key, value);
  }
  /// \param key  Taken out with its value.
  /// \return Whether there was such a key.
  bool remove(const K& key) const {
    static const std::int32_t method_ = detail::method("Dict.remove");
    return detail::call<bool>(method_, *this, key);
  }
  /// Takes all keys out.
  void clear() const {
    static const std::int32_t method_ = detail::method("Dict.clear");
    detail::call<void>(method_, *this);
  }
  /// \return The first of the pairs that there are now; what is changed while they are gone through does not show.
  [[nodiscard]] iterator begin() const { return iterator(detail::entries_of(this->held())); }
  /// \return One past the last.
  [[nodiscard]] iterator end() const { return iterator(); }
};

namespace detail {

/// Maps of the standard library travel as Map.
template <class Standard>
struct ConvertMap {
  using K = typename Standard::key_type;
  using V = typename Standard::mapped_type;
  static Any write(const Standard& map) { return Map<K, V>(map.begin(), map.end()).any(); }
  static bool matches(const Any& value) { return is_mapping(value); }
  static std::string wanted() { return mapping_wanted<K, V>("a map"); }
  static Standard read(const Any& value) {
    Standard map;
    const Any entries = entries_of(value);
    const span<const Any> all = items(entries);
    for (std::size_t i = 0; i + 1 < all.size(); i += 2) {
      map.emplace(all[i].template as<K>(), all[i + 1].template as<V>());
    }
    return map;
  }
};

template <class K, class V>
struct Convert<std::map<K, V>> : ConvertMap<std::map<K, V>> {};
template <class K, class V>
struct Convert<std::unordered_map<K, V>> : ConvertMap<std::unordered_map<K, V>> {};

}  // namespace detail

TENSPAN_END_NAMESPACE
