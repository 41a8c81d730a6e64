/// \file
/// A call of a method of the spec: arguments are borrowed where they can be, the result is read.
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <tenspan/any.hpp>
#include <tenspan/detail/handle.hpp>

TENSPAN_BEGIN_NAMESPACE
namespace detail {

/// Finds a method by its spec name. Callers keep the index in a function-local static.
inline std::int32_t method(std::string_view name) {
  const std::uint32_t found = tenspan_abi_version();
  if (found != TENSPAN_ABI_VERSION) {
    throw_named("InternalError", "the headers of tenspan want version " + std::to_string(TENSPAN_ABI_VERSION) +
                                     " of the functions in libtenspan.so, found version " + std::to_string(found));
  }
  const std::int32_t index = tenspan_method(name.data(), name.size());
  if (index < 0) {
    throw_named("InternalError", "this libtenspan.so is older than its headers: it has no `" + std::string(name) + "`");
  }
  return index;
}

/// An argument in its C layout, for the time of a call.
class Argument {
 public:
  Argument() noexcept = default;
  Argument(const Any& value) noexcept : raw_(value.raw()) {}
  Argument(const Handle& object) noexcept : raw_(object.any().raw()) {}
  Argument(const BytesView& bytes) noexcept : raw_{type_index::byte_array, 0, reinterpret_cast<std::uint64_t>(&bytes.raw())} {}

  template <class T, std::enable_if_t<!std::is_base_of_v<Handle, T> && !std::is_same_v<T, Any> && !std::is_same_v<T, BytesView> &&
                                          (std::is_same_v<T, std::nullptr_t> || !std::is_convertible_v<const T&, std::string_view>) &&
                                          can_write<T>::value,
                                      int> = 0>
  Argument(const T& value) : owned_(Convert<T>::write(value)), raw_(owned_.raw()) {}
  template <class T, std::enable_if_t<!std::is_same_v<T, Any> && !std::is_same_v<T, BytesView> && !std::is_base_of_v<Handle, T> &&
                                          !std::is_same_v<T, std::nullptr_t> && std::is_convertible_v<const T&, std::string_view>,
                                      int> = 0>
  Argument(const T& text) : owned_(Convert<std::string_view>::write(text)), raw_(owned_.raw()) {}

  Argument(const Argument&) = delete;
  Argument& operator=(const Argument&) = delete;

  [[nodiscard]] const tenspan_any& raw() const noexcept { return raw_; }

 private:
  Any owned_;
  tenspan_any raw_{0, 0, 0};
};

template <class T>
Argument argument(const T& value) {
  return Argument(value);
}

template <class T>
Argument argument(const std::optional<T>& value) {
  return value ? argument(*value) : Argument();
}

/// An argument as its caller writes it into the row of arguments.
template <class T, class = void>
class Passed {
 public:
  explicit Passed(const T& value) : held_(argument(value)) {}
  void put(tenspan_any& slot) const noexcept { detail::put(slot, held_.raw()); }

 private:
  const Argument held_;
};

template <class T>
class Passed<T, std::enable_if_t<is_plain<T>>> {
 public:
  explicit Passed(T value) noexcept : value_(value) {}
  void put(tenspan_any& slot) const noexcept { Plain<T>::write(slot, value_); }

 private:
  const T value_;
};

template <class T>
class Passed<T, std::enable_if_t<std::is_same_v<T, Any> || std::is_base_of_v<Handle, T>>> {
 public:
  explicit Passed(const T& value) noexcept : raw_(raw_of(value)) {}
  void put(tenspan_any& slot) const noexcept { detail::put(slot, raw_); }

 private:
  static const tenspan_any& raw_of(const Any& value) noexcept { return value.raw(); }
  static const tenspan_any& raw_of(const Handle& object) noexcept { return object.any().raw(); }

  const tenspan_any& raw_;
};

/// Reads a result that is not plain as it is.
template <class Result>
TENSPAN_COLD Result taken_unusual(const tenspan_any& result) {
  const Any owned = Any::adopt(result);
  return owned.as<Result>();
}

/// Reads the result of a call, which is the reader's to release.
template <class Result>
Result taken(const tenspan_any& result) {
  if constexpr (is_plain<Result>) {
    Result plain{};
    // What it takes to read another kind stands elsewhere, or the compiler moves a part of it before this.
    return Plain<Result>::read(result, plain) ? plain : taken_unusual<Result>(result);
  }
  if constexpr (std::is_void_v<Result>) {
    release(result);
  } else if constexpr (std::is_same_v<Result, Any>) {
    return Any::adopt(result);
  } else {
    const Any owned = Any::adopt(result);
    return owned.as<Result>();
  }
}

template <class Result, class Entry, class... Arguments, std::size_t... I>
Result pass(const Entry& entry, std::index_sequence<I...>, const Arguments&... arguments) {
  [[maybe_unused]] const std::tuple<Passed<std::decay_t<const Arguments>>...> held(arguments...);
  // An array has an element, though there be no argument.
  tenspan_any raw[sizeof...(Arguments) == 0 ? 1 : sizeof...(Arguments)];
  if constexpr (sizeof...(Arguments) == 0) {
    put(raw[0], type_index::none, 0);
  } else {
    (std::get<I>(held).put(raw[I]), ...);
  }
  tenspan_any result;
  put(result, type_index::none, 0);
  check(entry(raw, static_cast<std::int32_t>(sizeof...(Arguments)), &result));
  return taken<Result>(result);
}

/// Calls a method and reads its result.
template <class Result, class... Arguments>
Result call(std::int32_t method, const Arguments&... arguments) {
  const auto entry = [method](const tenspan_any* args, std::int32_t count, tenspan_any* result) {
    return tenspan_call(method, args, count, result);
  };
  return pass<Result>(entry, std::index_sequence_for<Arguments...>(), arguments...);
}

}  // namespace detail
TENSPAN_END_NAMESPACE
