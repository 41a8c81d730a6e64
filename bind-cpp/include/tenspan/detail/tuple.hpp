/// \file
/// Arrays of a fixed number of items, each with a type of its own.
#pragma once

#include <cstddef>
#include <string>
#include <tuple>
#include <utility>

#include <tenspan/detail/array.hpp>

TENSPAN_BEGIN_NAMESPACE

template <class... Ts>
class Tuple;

namespace detail {

template <class... Ts>
struct Kind<Tuple<Ts...>> {
  static bool matches(const Any& value) { return is_list(value) && items(settled(value)).size() == sizeof...(Ts); }
  static std::string wanted() {
    std::string each;
    ((each += (each.empty() ? "" : ", ") + Convert<Ts>::wanted()), ...);
    return "an array of " + std::to_string(sizeof...(Ts)) + " items" + (each.empty() ? each : " (" + each + ")");
  }
  static Any own(const Any& value) {
    Any array = settled(value);
    std::size_t at = 0;
    const auto check_next = [&array, &at](auto* type) {
      const std::size_t i = at++;
      expect<std::remove_pointer_t<decltype(type)>>(items(array)[i], [i] { return "item " + std::to_string(i); });
    };
    (check_next(static_cast<Ts*>(nullptr)), ...);
    return array;
  }
};

}  // namespace detail

/// An Array of a fixed number of items, each with a type of its own. Takes part in structured bindings.
/// \tparam Ts  Types that the items are read as.
template <class... Ts>
class Tuple : public detail::Container {
 public:
  /// Name of the type wherever values of it are told apart.
  static constexpr std::string_view type_key = "tenspan.Array";

  /// Takes over an object; for the conversions.
  /// \param any  Value that holds an array of that many items.
  Tuple(detail::Adopt, Any any) noexcept : Container(detail::Adopt(), std::move(any)) {}

  /// \param items  The items in order.
  explicit Tuple(const Ts&... items) : Container(detail::Adopt(), make(items...)) {}

  /// \return Number of items.
  [[nodiscard]] static constexpr std::size_t size() noexcept { return sizeof...(Ts); }

  /// \tparam I  Position.
  /// \return The item there.
  template <std::size_t I>
  [[nodiscard]] std::tuple_element_t<I, std::tuple<Ts...>> get() const {
    return detail::items(held())[I].template as<std::tuple_element_t<I, std::tuple<Ts...>>>();
  }

  /// \return The items.
  [[nodiscard]] std::tuple<Ts...> to_tuple() const { return to_tuple(std::index_sequence_for<Ts...>()); }

 private:
  template <std::size_t... I>
  [[nodiscard]] std::tuple<Ts...> to_tuple(std::index_sequence<I...>) const {
    return std::tuple<Ts...>(get<I>()...);
  }

  static Any make(const Ts&... items) {
    const Any all[sizeof...(Ts) + 1] = {detail::Convert<Ts>::write(items)..., Any()};
    return Any::list(all, sizeof...(Ts));
  }
};

namespace detail {

template <class... Ts>
struct Convert<std::tuple<Ts...>> {
  static Any write(const std::tuple<Ts...>& items) {
    return std::apply([](const Ts&... each) { return Tuple<Ts...>(each...).any(); }, items);
  }
  static bool matches(const Any& value) { return Kind<Tuple<Ts...>>::matches(value); }
  static std::string wanted() { return Kind<Tuple<Ts...>>::wanted(); }
  static std::tuple<Ts...> read(const Any& value) { return value.as<Tuple<Ts...>>().to_tuple(); }
};

}  // namespace detail

TENSPAN_END_NAMESPACE

template <class... Ts>
struct std::tuple_size<tenspan::Tuple<Ts...>> : std::integral_constant<std::size_t, sizeof...(Ts)> {};
template <std::size_t I, class... Ts>
struct std::tuple_element<I, tenspan::Tuple<Ts...>> : std::tuple_element<I, std::tuple<Ts...>> {};
