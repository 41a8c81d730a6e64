/// \file
/// How C++ types are read from values and become values: one `Convert` per type. Numbers, booleans and values as they are.
#pragma once

#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>

#include <tenspan/kernel/error.hpp>

TENSPAN_KERNEL_BEGIN

/// How a type is read from a value and written as one. Specialise it for types of your own:
/// ```cpp
/// static std::string wanted();                       // what messages say was wanted: "an integer"
/// static std::string schema();                       // what metadata says: R"({"type":"int"})"
/// static std::optional<T> read(const abi::Value&);   // nothing for a value of another kind; throws for a wrong one
/// static abi::Value write(const T&);                 // an owned value
/// ```
template <class T, class = void>
struct Convert;

namespace abi {

/// The bytes of text or bytes, wherever they stand.
inline std::string_view characters(const Value& value) noexcept {
  switch (value.type) {
    case type_small_string:
    case type_small_bytes:
      return {reinterpret_cast<const char*>(&value.payload), value.small_size};
    case type_string:
    case type_bytes: {
      const Text& text = cell_of<Text>(value);
      return text.size == 0 ? std::string_view() : std::string_view(text.data, text.size);
    }
    case type_raw_string:
      return reinterpret_cast<const char*>(value.payload);
    case type_byte_array: {
      const Text& text = *reinterpret_cast<const Text*>(value.payload);
      return text.size == 0 ? std::string_view() : std::string_view(text.data, text.size);
    }
    default:
      return {};
  }
}

inline bool is_text(const Value& value) noexcept {
  return value.type == type_small_string || value.type == type_string || value.type == type_raw_string;
}
inline bool is_bytes(const Value& value) noexcept {
  return value.type == type_small_bytes || value.type == type_bytes || value.type == type_byte_array;
}

inline double real_of(const Value& value) noexcept {
  double real = 0;
  std::memcpy(&real, &value.payload, sizeof real);
  return real;
}

/// What messages call the values of a type.
inline std::string type_name(std::int32_t type) {
  switch (type) {
    case type_none:
      return "None";
    case type_int:
    case type_big_int:
      return "an integer";
    case type_bool:
      return "a boolean";
    case type_float:
      return "a float";
    case type_pointer:
      return "a pointer";
    case type_dtype:
      return "a dtype";
    case type_device:
      return "a device";
    case type_raw_string:
    case type_small_string:
    case type_string:
      return "a string";
    case type_byte_array:
    case type_small_bytes:
    case type_bytes:
      return "bytes";
    case type_error:
      return "an error";
    case type_function:
      return "a function";
    case type_shape:
      return "a shape";
    case type_dl_tensor:
    case type_tensor:
      return "a tensor";
    case type_array:
    case type_list:
      return "a list";
    case type_map:
    case type_dict:
      return "a mapping";
    default: {
      const TypeInfo* const info = type < type_dynamic ? nullptr : api().GetTypeInfo(type);
      return info == nullptr ? "an object" : std::string(info->key.data, info->key.size);
    }
  }
}

/// A value in a message: what it is, and for numbers and short text which.
inline std::string describe(const Value& value) {
  switch (value.type) {
    case type_int:
      return "the integer " + std::to_string(static_cast<std::int64_t>(value.payload));
    case type_float: {
      std::ostringstream out;
      out.precision(17);
      out << "the float " << real_of(value);
      return out.str();
    }
    default:
      if (is_text(value) && characters(value).size() <= 32) {
        return "the string \"" + std::string(characters(value)) + "\"";
      }
      return type_name(value.type);
  }
}

/// A value that is lent in a form of its own, as the value it stands for.
inline Value settled(const Value& value) noexcept {
  if (value.type == type_movable) {
    return value_of(*reinterpret_cast<Header**>(value.payload));
  }
  return value;
}

}  // namespace abi

/// Reads a value, or throws.
template <class T>
T read(const abi::Value& value) {
  std::optional<T> found = Convert<T>::read(value);
  if (!found) {
    throw TypeError("wanted " + Convert<T>::wanted() + ", found " + abi::describe(value));
  }
  return *std::move(found);
}

template <class T>
abi::Value write(const T& value) {
  return Convert<T>::write(value);
}

template <class T, class>
Any::Any(const T& value) : raw_(Convert<std::decay_t<T>>::write(value)) {}

template <class T>
bool Any::is() const {
  try {
    return Convert<T>::read(raw_).has_value();
  } catch (const Error&) {
    return false;
  }
}

template <class T>
T Any::as() const {
  return kernel::read<T>(raw_);
}

/// Any value, as it is.
template <>
struct Convert<Any> {
  static std::string wanted() { return "a value"; }
  static std::string schema() { return R"({"type":"Any"})"; }
  static std::optional<Any> read(const abi::Value& value) {
    if (value.type > abi::type_device && value.type < abi::type_small_string) {
      abi::Value owned{0, 0, 0};
      abi::check(abi::api().AnyViewToOwnedAny(&value, &owned));
      return Any::adopt(owned);
    }
    return Any::share(value);
  }
  static abi::Value write(const Any& value) { return Any(value).take(); }
};

template <>
struct Convert<std::nullptr_t> {
  static std::string wanted() { return "None"; }
  static std::string schema() { return R"({"type":"None"})"; }
  static std::optional<std::nullptr_t> read(const abi::Value& value) {
    return value.type == abi::type_none ? std::optional<std::nullptr_t>(nullptr) : std::nullopt;
  }
  static abi::Value write(std::nullptr_t) { return {abi::type_none, 0, 0}; }
};

template <>
struct Convert<bool> {
  static std::string wanted() { return "a boolean"; }
  static std::string schema() { return R"({"type":"bool"})"; }
  static std::optional<bool> read(const abi::Value& value) {
    const bool is_boolean = value.type == abi::type_bool || (value.type == abi::type_int && value.payload <= 1);
    return is_boolean ? std::optional<bool>(value.payload != 0) : std::nullopt;
  }
  static abi::Value write(bool value) { return {abi::type_bool, 0, value ? std::uint64_t{1} : 0}; }
};

[[noreturn]] TENSPAN_KERNEL_COLD inline void throw_out_of_range(const std::string& number, const std::string& least,
                                                                const std::string& most) {
  if (least == "0" && number[0] == '-') {
    throw ValueError(number + " is negative");
  }
  throw OverflowError(number + " is not between " + least + " and " + most);
}

template <class T>
inline constexpr bool is_integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;

/// Whole numbers; one that does not fit is an error.
template <class T>
struct Convert<T, std::enable_if_t<is_integer<T>>> {
  static std::string wanted() { return "an integer"; }
  static std::string schema() { return R"({"type":"int"})"; }
  static std::optional<T> read(const abi::Value& value) {
    using limits = std::numeric_limits<T>;
    if (value.type == abi::type_int || value.type == abi::type_bool) {
      const auto number = static_cast<std::int64_t>(value.payload);
      const T result = static_cast<T>(number);
      if (static_cast<std::int64_t>(result) != number || (result < T{}) != (number < 0)) {
        throw_out_of_range(std::to_string(number), std::to_string(limits::min()), std::to_string(limits::max()));
      }
      return result;
    }
    if (value.type != abi::type_big_int) {
      return std::nullopt;
    }
    const auto& cell = abi::cell_of<abi::BigIntCell>(value);
    if (!std::is_unsigned_v<T> || sizeof(T) != 8 || cell.words != 2 || (&cell.value[0])[1] != 0) {
      throw_out_of_range("a number of more than 64 bits", std::to_string(limits::min()), std::to_string(limits::max()));
    }
    return static_cast<T>(cell.value[0]);
  }
  static abi::Value write(T value) {
    if constexpr (std::is_unsigned_v<T> && sizeof(T) == 8) {
      if (value > static_cast<T>(std::numeric_limits<std::int64_t>::max())) {
        const std::uint64_t words[] = {value, 0};
        const abi::Text bytes{reinterpret_cast<const char*>(words), sizeof words};
        if (abi::api().BigIntFromByteArray == nullptr) {
          throw OverflowError(std::to_string(value) + " is more than this runtime can take");
        }
        abi::Value result{0, 0, 0};
        abi::check(abi::api().BigIntFromByteArray(&bytes, &result));
        return result;
      }
    }
    return {abi::type_int, 0, static_cast<std::uint64_t>(static_cast<std::int64_t>(value))};
  }
};

template <class T>
struct Convert<T, std::enable_if_t<std::is_floating_point_v<T>>> {
  static std::string wanted() { return "a number"; }
  static std::string schema() { return R"({"type":"float"})"; }
  static std::optional<T> read(const abi::Value& value) {
    if (value.type == abi::type_float) {
      return static_cast<T>(abi::real_of(value));
    }
    if (value.type == abi::type_int || value.type == abi::type_bool) {
      return static_cast<T>(static_cast<std::int64_t>(value.payload));
    }
    return std::nullopt;
  }
  static abi::Value write(T value) {
    const auto real = static_cast<double>(value);
    abi::Value result{abi::type_float, 0, 0};
    std::memcpy(&result.payload, &real, sizeof real);
    return result;
  }
};

/// Enumerations travel as their numbers.
template <class T>
struct Convert<T, std::enable_if_t<std::is_enum_v<T>>> {
  using Number = std::underlying_type_t<T>;
  static std::string wanted() { return Convert<Number>::wanted(); }
  static std::string schema() { return Convert<Number>::schema(); }
  static std::optional<T> read(const abi::Value& value) {
    const std::optional<Number> number = Convert<Number>::read(value);
    return number ? std::optional<T>(static_cast<T>(*number)) : std::nullopt;
  }
  static abi::Value write(T value) { return Convert<Number>::write(static_cast<Number>(value)); }
};

/// An address that means something to the callee.
template <>
struct Convert<void*> {
  static std::string wanted() { return "a pointer"; }
  static std::string schema() { return R"({"type":"void*"})"; }
  static std::optional<void*> read(const abi::Value& value) {
    if (value.type == abi::type_none) {
      return static_cast<void*>(nullptr);
    }
    return value.type == abi::type_pointer ? std::optional<void*>(reinterpret_cast<void*>(value.payload)) : std::nullopt;
  }
  static abi::Value write(void* value) { return {abi::type_pointer, 0, reinterpret_cast<std::uint64_t>(value)}; }
};

template <class T>
struct Convert<std::optional<T>> {
  static std::string wanted() { return Convert<T>::wanted() + " or None"; }
  static std::string schema() { return R"({"type":"Optional","args":[)" + Convert<T>::schema() + "]}"; }
  static std::optional<std::optional<T>> read(const abi::Value& value) {
    if (value.type == abi::type_none) {
      return std::optional<std::optional<T>>(std::in_place);
    }
    std::optional<T> found = Convert<T>::read(value);
    return found ? std::optional<std::optional<T>>(std::move(found)) : std::nullopt;
  }
  static abi::Value write(const std::optional<T>& value) {
    return value ? Convert<T>::write(*value) : abi::Value{abi::type_none, 0, 0};
  }
};

template <>
struct Convert<std::nullopt_t> {
  static abi::Value write(std::nullopt_t) { return {abi::type_none, 0, 0}; }
};

TENSPAN_KERNEL_END
