/// \file
/// A call of a method of the spec: arguments are borrowed where they can be, the result is read.
#pragma once

#include <string>
#include <string_view>

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

/// Calls a method and reads its result.
template <class Result, class... Arguments>
Result call(std::int32_t method, const Arguments&... arguments) {
  constexpr std::size_t count = sizeof...(Arguments);
  const Argument held[count + 1] = {argument(arguments)..., Argument()};
  tenspan_any raw[count + 1];
  for (std::size_t i = 0; i <= count; ++i) {
    raw[i] = held[i].raw();
  }
  tenspan_any result{0, 0, 0};
  check(tenspan_call(method, raw, static_cast<std::int32_t>(count), &result));
  const Any owned = Any::adopt(result);
  if constexpr (!std::is_void_v<Result>) {
    return owned.as<Result>();
  }
}

}  // namespace detail
TENSPAN_END_NAMESPACE
