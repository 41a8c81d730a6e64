/// \file
/// Whatever owns memory of a tensor, and how it is given back.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include <tenspan/version.hpp>

TENSPAN_BEGIN_NAMESPACE
namespace detail {

/// The deleter of memory that outlives all tensors over it.
struct Borrowed {
  void operator()(const void*) const noexcept {}
};

template <class Deleter, class = void>
struct can_be_empty : std::is_pointer<Deleter> {};
template <class Deleter>
struct can_be_empty<Deleter, std::void_t<decltype(std::declval<const Deleter&>().operator bool())>> : std::true_type {};

/// An address and the callable that frees it: called once, with the address, or with nothing when it takes nothing.
template <class T, class Deleter>
class Owner {
 public:
  template <class Callable>
  Owner(T* data, Callable&& deleter) : data_(data), deleter_(std::forward<Callable>(deleter)) {}

  static void drop(void* owner) noexcept {
    const std::unique_ptr<Owner> owned(static_cast<Owner*>(owner));
    owned->free();
  }

 private:
  using Mutable = std::remove_const_t<T>*;

  static_assert(std::is_invocable_v<Deleter&, T*> || std::is_invocable_v<Deleter&, Mutable> || std::is_invocable_v<Deleter&>,
                "a deleter is called with the address, or with nothing");

  void free() {
    if constexpr (can_be_empty<Deleter>::value) {
      if (!static_cast<bool>(deleter_)) {
        return;
      }
    }
    if constexpr (std::is_invocable_v<Deleter&, T*>) {
      deleter_(data_);
    } else if constexpr (std::is_invocable_v<Deleter&, Mutable>) {
      deleter_(const_cast<Mutable>(data_));
    } else {
      deleter_();
    }
  }

  T* data_;
  Deleter deleter_;
};

}  // namespace detail
TENSPAN_END_NAMESPACE
