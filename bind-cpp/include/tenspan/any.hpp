/// \file
/// The value that can hold anything that crosses a border.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tenspan/detail/plain.hpp>
#include <tenspan/error.hpp>

TENSPAN_BEGIN_NAMESPACE

class Any;

namespace detail {

/// How a C++ type becomes a value (`write`) and comes from one (`read`). Specialised in `value.hpp`, `callback.hpp` and
/// by printed headers.
template <class T, class = void>
struct Convert;

template <class T, class = void>
struct can_write : std::false_type {};
template <class T>
struct can_write<T, std::void_t<decltype(Convert<T>::write(std::declval<const T&>()))>> : std::true_type {};

/// Whether a `T` read from a value looks into that value.
template <class T>
inline constexpr bool is_view = false;
template <>
inline constexpr bool is_view<std::string_view> = true;

}  // namespace detail

/// A value of any kind: none, a boolean, a number, text, bytes, a dtype, a tensor, a list, a function, an object.
///
/// 16 bytes. Copies count a reference; small values are held inside.
class Any {
 public:
  /// None.
  Any() noexcept = default;
  /// None.
  Any(std::nullptr_t) noexcept {}

  /// A value from a C++ one: number, text, vector, map entries, DType, Tensor, callable.
  /// \param value  What to hold.
  template <class T, std::enable_if_t<!std::is_same_v<std::decay_t<T>, Any> && detail::can_write<std::decay_t<T>>::value, int> = 0>
  Any(T&& value) : Any(detail::Convert<std::decay_t<T>>::write(value)) {}

  /// A list.
  /// \param items  Its items; lists may hold lists.
  Any(std::initializer_list<Any> items) : Any(list(items.begin(), items.size())) {}

  // Field by field: see put().
  Any(const Any& other) noexcept {
    detail::put(raw_, other.raw_);
    detail::retain(raw_);
  }
  Any(Any&& other) noexcept {
    detail::put(raw_, other.raw_);
    detail::put(other.raw_, detail::type_index::none, 0);
  }
  Any& operator=(Any other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~Any() { detail::release(raw_); }

  /// Takes over a value in its C layout.
  /// \param raw  Value whose count the caller gives up.
  /// \return The owner.
  static Any adopt(const tenspan_any& raw) noexcept {
    Any any;
    detail::put(any.raw_, raw);
    return any;
  }

  /// A value in its C layout, seen as a value where it stands.
  /// \param raw  Value that someone owns for as long as it is looked at.
  /// \return The same bytes.
  static const Any& view(const tenspan_any& raw) noexcept { return reinterpret_cast<const Any&>(raw); }

  /// A list of values that stand side by side.
  /// \param items  First item.
  /// \param size   Number of items.
  /// \return The list.
  static Any list(const Any* items, std::size_t size);

  /// \return Whether there is no value.
  [[nodiscard]] bool is_none() const noexcept { return raw_.type_index == detail::type_index::none; }

  /// \tparam T  Type such as `std::int64_t`, `std::string`, `Tensor`, `std::vector<float>`.
  /// \return Whether as<T>() can succeed; items of lists are not looked at.
  template <class T>
  [[nodiscard]] bool is() const {
    return detail::Convert<T>::matches(*this);
  }

  /// \tparam T  Type such as `std::int64_t`, `std::string`, `Tensor`, `std::vector<float>`.
  /// \return The value as a `T`.
  /// \throws TypeError      The value is of another kind.
  /// \throws OverflowError  The value is a number that `T` does not hold.
  template <class T>
  [[nodiscard]] T as() const& {
    if constexpr (detail::is_plain<T>) {
      T plain{};
      if (detail::Plain<T>::read(raw_, plain)) {
        return plain;
      }
    }
    if (!is<T>()) {
      refuse<T>();
    }
    return detail::Convert<T>::read(*this);
  }
  template <class T>
  [[nodiscard]] T as() const&& {
    static_assert(!detail::is_view<T>, "the value that the view would look at goes at the end of the statement");
    return static_cast<const Any&>(*this).as<T>();
  }

  /// \return What messages call the kind of the value, such as `a string`.
  [[nodiscard]] std::string type_name() const { return detail::text_of(tenspan_type_name(raw_.type_index)); }

  /// \return The value in its C layout; this object keeps its count.
  [[nodiscard]] const tenspan_any& raw() const noexcept { return raw_; }

  /// Gives the value away.
  /// \return The value in its C layout, with its count.
  [[nodiscard]] tenspan_any into_raw() noexcept { return std::exchange(raw_, tenspan_any{0, 0, 0}); }

 private:
  template <class T>
  [[noreturn]] TENSPAN_COLD void refuse() const {
    detail::throw_named("TypeError", "wanted " + detail::Convert<T>::wanted() + ", found " + type_name());
  }

  tenspan_any raw_{0, 0, 0};
};

static_assert(sizeof(Any) == sizeof(tenspan_any), "a list of values is an array of their C layouts");

inline Any Any::list(const Any* items, std::size_t size) {
  if (size > INT32_MAX) {
    detail::throw_named("OverflowError", "a list of more than 2^31 items");
  }
  tenspan_any result{0, 0, 0};
  // A value and its C layout are the same bytes, as asserted above.
  detail::check(tenspan_array(reinterpret_cast<const tenspan_any*>(items), static_cast<std::int32_t>(size), &result));
  return adopt(result);
}

TENSPAN_END_NAMESPACE

#include <tenspan/detail/value.hpp>
