/// \file
/// Tuples and pairs: arrays of a fixed length whose items have types of their own.
#pragma once

#include <tuple>
#include <utility>

#include <tenspan/kernel/sequence.hpp>

TENSPAN_KERNEL_BEGIN

template <class... T>
struct Convert<std::tuple<T...>> {
  static std::string wanted() { return "a list of " + std::to_string(sizeof...(T)) + " items"; }
  static std::string schema() {
    std::string all;
    ((all += (all.empty() ? "" : ",") + Convert<T>::schema()), ...);
    return R"({"type":"Tuple","args":[)" + all + "]}";
  }
  static std::optional<std::tuple<T...>> read(const abi::Value& lent) {
    const abi::Value value = abi::settled(lent);
    if (!abi::is_sequence(value)) {
      return std::nullopt;
    }
    const Span<const abi::Value> items = abi::items(value);
    if (items.size() != sizeof...(T)) {
      throw TypeError("wanted " + wanted() + ", found a list of " + std::to_string(items.size()));
    }
    return read_all(items, std::index_sequence_for<T...>());
  }
  static abi::Value write(const std::tuple<T...>& tuple) { return write_all(tuple, std::index_sequence_for<T...>()); }

 private:
  template <std::size_t... I>
  static std::tuple<T...> read_all(const Span<const abi::Value>& items, std::index_sequence<I...>) {
    (void)items;
    return std::tuple<T...>{abi::read_inside<T>(items[I], "item ", std::to_string(I))...};
  }
  template <std::size_t... I>
  static abi::Value write_all(const std::tuple<T...>& tuple, std::index_sequence<I...>) {
    (void)tuple;
    const std::initializer_list<Any> all{Any::adopt(Convert<T>::write(std::get<I>(tuple)))...};
    return Any(Array<Any>(all).held()).take();
  }
};

template <class A, class B>
struct Convert<std::pair<A, B>> {
  using Both = Convert<std::tuple<A, B>>;
  static std::string wanted() { return Both::wanted(); }
  static std::string schema() { return Both::schema(); }
  static std::optional<std::pair<A, B>> read(const abi::Value& value) {
    std::optional<std::tuple<A, B>> both = Both::read(value);
    return both ? std::optional<std::pair<A, B>>(std::in_place, std::get<0>(*std::move(both)), std::get<1>(*std::move(both)))
                : std::nullopt;
  }
  static abi::Value write(const std::pair<A, B>& pair) { return Both::write({pair.first, pair.second}); }
};

TENSPAN_KERNEL_END
