/// \file
/// How plain C++ types become values and come from them: one `Convert` per type.
#pragma once

#include <complex>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include <tenspan/any.hpp>
#include <tenspan/detail/bytes.hpp>

TENSPAN_BEGIN_NAMESPACE
namespace detail {

inline Any plain(std::int32_t type, std::uint64_t payload) noexcept { return Any::adopt(tenspan_any{type, 0, payload}); }

inline bool has_type(const Any& value, std::int32_t type) noexcept { return value.raw().type_index == type; }

/// The bytes of a text or bytes value, wherever they stand.
inline std::string_view characters(const Any& value) noexcept {
  const tenspan_any& raw = value.raw();
  if (raw.type_index < type_index::object) {
    return {reinterpret_cast<const char*>(&raw.payload), raw.small_size};
  }
  const tenspan_byte_array& bytes = cell_of<tenspan_byte_array>(raw);
  return bytes.size == 0 ? std::string_view() : std::string_view(bytes.data, bytes.size);
}

inline bool is_text(const Any& value) noexcept {
  return has_type(value, type_index::small_string) || has_type(value, type_index::string);
}

inline bool is_bytes(const Any& value) noexcept {
  return has_type(value, type_index::small_bytes) || has_type(value, type_index::bytes);
}

inline bool is_list(const Any& value) noexcept {
  return has_type(value, type_index::array) || has_type(value, type_index::list);
}

inline bool is_mapping(const Any& value) noexcept {
  return has_type(value, type_index::map) || has_type(value, type_index::dict);
}

/// A value that does not change: itself, or an array of what a list holds now.
inline Any settled(const Any& value) {
  if (!has_type(value, type_index::list)) {
    return value;
  }
  tenspan_any result{0, 0, 0};
  check(tenspan_snapshot(&value.raw(), &result));
  return Any::adopt(result);
}

/// Keys and values of a map or a dict in turn, as an array.
inline Any entries_of(const Any& mapping) {
  tenspan_any result{0, 0, 0};
  check(tenspan_snapshot(&mapping.raw(), &result));
  return Any::adopt(result);
}

/// The items of a value that does not change, as long-lived as the value.
inline span<const Any> items(const Any& value) noexcept {
  const tenspan_sequence_cell& cell = cell_of<tenspan_sequence_cell>(value.raw());
  return {reinterpret_cast<const Any*>(cell.data), static_cast<std::size_t>(cell.size)};
}

template <>
struct Convert<Any> {
  static Any write(const Any& value) { return value; }
  static bool matches(const Any&) { return true; }
  static std::string wanted() { return "a value"; }
  static Any read(const Any& value) { return value; }
};

template <>
struct Convert<std::nullptr_t> {
  static Any write(std::nullptr_t) { return Any(); }
};

template <>
struct Convert<std::nullopt_t> {
  static Any write(std::nullopt_t) { return Any(); }
};

template <>
struct Convert<bool> {
  static Any write(bool value) { return plain(type_index::boolean, value ? 1 : 0); }
  static bool matches(const Any& value) { return has_type(value, type_index::boolean); }
  static std::string wanted() { return "a boolean"; }
  static bool read(const Any& value) { return value.raw().payload != 0; }
};

[[noreturn]] TENSPAN_COLD inline void throw_out_of_range(const std::string& number, const std::string& least, const std::string& most) {
  if (least == "0" && number[0] == '-') {
    throw_named("ValueError", number + " is negative");
  }
  throw_named("OverflowError", number + " is not between " + least + " and " + most);
}

template <class T>
struct Convert<T, std::enable_if_t<is_number<T>>> {
  static Any write(T value) {
    if constexpr (std::is_unsigned_v<T> && sizeof(T) == 8) {
      if (value > static_cast<T>(INT64_MAX)) {
        const std::int64_t words[] = {static_cast<std::int64_t>(value), 0};
        tenspan_any result{0, 0, 0};
        check(tenspan_integer(words, 2, &result));
        return Any::adopt(result);
      }
    }
    return plain(type_index::integer, static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
  }
  static bool matches(const Any& value) {
    return has_type(value, type_index::integer) || has_type(value, type_index::big_int) ||
           has_type(value, type_index::boolean);
  }
  static std::string wanted() { return "an integer"; }
  static T read(const Any& value) {
    using limits = std::numeric_limits<T>;
    if (has_type(value, type_index::big_int)) {
      const tenspan_big_int_cell& cell = cell_of<tenspan_big_int_cell>(value.raw());
      const std::int64_t* const words = &cell.value[0];
      const bool is_u64 = cell.words == 2 && words[1] == 0;
      if (!is_u64 || !std::is_unsigned_v<T> || sizeof(T) != 8) {
        tenspan_any digits{0, 0, 0};
        check(tenspan_digits(words, cell.words, &digits));
        throw_out_of_range(std::string(characters(Any::adopt(digits))), std::to_string(limits::min()), std::to_string(limits::max()));
      }
      return static_cast<T>(cell.value[0]);
    }
    const std::int64_t number = static_cast<std::int64_t>(value.raw().payload);
    const T result = static_cast<T>(number);
    if (static_cast<std::int64_t>(result) != number || (result < T{}) != (number < 0)) {
      throw_out_of_range(std::to_string(number), std::to_string(limits::min()), std::to_string(limits::max()));
    }
    return result;
  }
};

template <class T>
struct Convert<T, std::enable_if_t<std::is_floating_point_v<T>>> {
  static Any write(T value) {
    const double wide = static_cast<double>(value);
    std::uint64_t bits = 0;
    static_assert(sizeof(bits) == sizeof(wide), "a double has 64 bits");
    std::memcpy(&bits, &wide, sizeof(bits));
    return plain(type_index::real, bits);
  }
  static bool matches(const Any& value) {
    return has_type(value, type_index::real) || has_type(value, type_index::integer) || has_type(value, type_index::big_int);
  }
  static std::string wanted() { return "a number"; }
  static T read(const Any& value) {
    if (has_type(value, type_index::integer)) {
      return static_cast<T>(static_cast<std::int64_t>(value.raw().payload));
    }
    if (has_type(value, type_index::big_int)) {
      tenspan_any result{0, 0, 0};
      check(tenspan_nearest(&value.raw(), &result));
      return read(Any::adopt(result));
    }
    double wide = 0;
    std::memcpy(&wide, &value.raw().payload, sizeof(wide));
    return static_cast<T>(wide);
  }
};

template <class T>
struct Convert<std::complex<T>> {
  static Any write(const std::complex<T>& value) {
    tenspan_any result{0, 0, 0};
    check(tenspan_complex(static_cast<double>(value.real()), static_cast<double>(value.imag()), &result));
    return Any::adopt(result);
  }
  static bool matches(const Any& value) { return value.type_name() == "tenspan.Complex"; }
  static std::string wanted() { return "a complex number"; }
  static std::complex<T> read(const Any& value) {
    double parts[2] = {0, 0};
    check(tenspan_complex_parts(&value.raw(), parts));
    return {static_cast<T>(parts[0]), static_cast<T>(parts[1])};
  }
};

inline Any write_text(std::string_view text) {
  // Up to seven letters of ASCII are held inside of the value. The library looks at all others: text must be UTF-8.
  if (text.size() < 8) {
    std::uint64_t letters = 0;
    if (!text.empty()) {
      std::memcpy(&letters, text.data(), text.size());
    }
    if ((letters & 0x8080808080808080) == 0) {
      return Any::adopt(tenspan_any{type_index::small_string, static_cast<std::uint32_t>(text.size()), letters});
    }
  }
  tenspan_any result{0, 0, 0};
  check(tenspan_string(text.data(), text.size(), &result));
  return Any::adopt(result);
}

template <>
struct Convert<std::string_view> {
  static Any write(std::string_view text) { return write_text(text); }
  static bool matches(const Any& value) { return is_text(value); }
  static std::string wanted() { return "a string"; }
  static std::string_view read(const Any& value) { return characters(value); }
};

template <>
struct Convert<const char*> {
  static Any write(const char* text) { return write_text(text); }
};

template <>
struct Convert<char*> {
  static Any write(const char* text) { return write_text(text); }
};

template <>
struct Convert<std::string> {
  static Any write(const std::string& text) { return write_text(text); }
  static bool matches(const Any& value) { return is_text(value); }
  static std::string wanted() { return "a string"; }
  static std::string read(const Any& value) { return std::string(characters(value)); }
};

template <>
struct Convert<BytesView> {
  static Any write(const BytesView& bytes) {
    tenspan_any result{0, 0, 0};
    check(tenspan_bytes(bytes.data(), bytes.size(), &result));
    return Any::adopt(result);
  }
  static bool matches(const Any& value) { return is_bytes(value); }
  static std::string wanted() { return "bytes"; }
  static BytesView read(const Any& value) { return BytesView(characters(value)); }
};

template <>
inline constexpr bool is_view<BytesView> = true;

template <class T>
struct Convert<std::optional<T>> {
  template <class U = T>
  static auto write(const std::optional<T>& value) -> decltype(Convert<U>::write(*value)) {
    return value ? Convert<U>::write(*value) : Any();
  }
  static bool matches(const Any& value) { return value.is_none() || Convert<T>::matches(value); }
  static std::string wanted() { return Convert<T>::wanted() + " or none"; }
  static std::optional<T> read(const Any& value) {
    return value.is_none() ? std::nullopt : std::optional<T>(Convert<T>::read(value));
  }
};

template <class First, class Second>
struct Convert<std::pair<First, Second>> {
  template <class U = Second>
  static auto write(const std::pair<First, Second>& pair) -> decltype(Convert<U>::write(pair.second)) {
    const Any both[] = {Convert<First>::write(pair.first), Convert<U>::write(pair.second)};
    return Any::list(both, 2);
  }
};

template <class T>
struct Convert<std::vector<T>> {
  template <class U = T>
  static auto write(const std::vector<T>& values) -> decltype(Convert<U>::write(values[0])) {
    std::vector<Any> list;
    list.reserve(values.size());
    for (const auto& value : values) {
      list.push_back(Convert<U>::write(value));
    }
    return Any::list(list.data(), list.size());
  }
  static bool matches(const Any& value) {
    return is_list(value) || (std::is_same_v<T, std::uint8_t> && is_bytes(value));
  }
  static std::string wanted() { return "a list"; }
  static std::vector<T> read(const Any& value) {
    if constexpr (std::is_same_v<T, std::uint8_t>) {
      if (is_bytes(value)) {
        const std::string_view bytes = characters(value);
        return std::vector<T>(bytes.begin(), bytes.end());
      }
    }
    const Any list = settled(value);
    std::vector<T> values;
    values.reserve(items(list).size());
    for (const Any& item : items(list)) {
      values.push_back(item.as<T>());
    }
    return values;
  }
};

/// Enumerations of the spec travel as their text.
template <class T>
struct Convert<T, std::enable_if_t<std::is_enum_v<T>>> {
  static Any write(T value) { return write_text(to_string(value)); }
  static bool matches(const Any& value) { return is_text(value); }
  static std::string wanted() { return "a string"; }
  static T read(const Any& value) {
    T result{};
    const std::string_view text = characters(value);
    if (!from_string(text, result)) {
      throw_named("ValueError", "`" + std::string(text) + "` is none of the values there are");
    }
    return result;
  }
};

/// Named values travel as a list of names and values in turn.
template <class T>
struct Convert<std::vector<std::pair<std::string, T>>> {
  template <class U = T>
  static auto write(const std::vector<std::pair<std::string, T>>& values) -> decltype(Convert<U>::write(values[0].second)) {
    std::vector<Any> flat;
    flat.reserve(values.size() * 2);
    for (const auto& [name, value] : values) {
      flat.push_back(write_text(name));
      flat.push_back(Convert<U>::write(value));
    }
    return Any::list(flat.data(), flat.size());
  }
  static bool matches(const Any& value) { return is_mapping(value) || is_list(value); }
  static std::string wanted() { return "named values"; }
  static std::vector<std::pair<std::string, T>> read(const Any& value) {
    std::vector<std::pair<std::string, T>> values;
    const Any held = is_mapping(value) ? entries_of(value) : settled(value);
    const span<const Any> flat = items(held);
    if (flat.size() % 2 != 0) {
      throw_named("TypeError", "wanted named values, found a list of " + std::to_string(flat.size()) + " items");
    }
    for (std::size_t i = 0; i + 1 < flat.size(); i += 2) {
      values.emplace_back(flat[i].as<std::string>(), flat[i + 1].as<T>());
    }
    return values;
  }
};

}  // namespace detail

/// Whether two values are equal by what they hold: numbers when kind and value are, so that 1, true and 1.0 differ; text, bytes,
/// containers and tensors by their content, other objects when they are the same. NaN equals itself.
/// \param a  Value.
/// \param b  Value.
/// \return Whether they are.
[[nodiscard]] inline bool operator==(const Any& a, const Any& b) { return tenspan_equal(&a.raw(), &b.raw()); }

/// \param a  Value.
/// \param b  Value.
/// \return Whether they differ.
[[nodiscard]] inline bool operator!=(const Any& a, const Any& b) { return !(a == b); }

inline Any Error::key() const {
  const detail::Counted object = detail::ErrorObject::of(*this);
  tenspan_any result{0, 0, 0};
  if (object.has_object()) {
    detail::check(tenspan_error_key(&object.raw(), &result));
  }
  return Any::adopt(result);
}

TENSPAN_END_NAMESPACE
