/// \file
/// Definitions of the members of Tensor that make one, where the class is complete.
#pragma once

#include <tenspan/detail/tensor.hpp>
#include <tenspan/tensor.hpp>

TENSPAN_BEGIN_NAMESPACE
namespace detail {

/// Whatever owns memory of a tensor, and how it is given back.
struct Owner {
  void* data;
  std::function<void(void*)> deleter;

  static void drop(void* owner) {
    const std::unique_ptr<Owner> owned(static_cast<Owner*>(owner));
    if (owned->deleter) {
      owned->deleter(owned->data);
    }
  }
};

inline Tensor Members<Tensor>::from_pointer(void* data, const Sequence<std::uint64_t>& shape, const DType& dtype,
                                            const Sequence<std::int64_t>& strides, std::function<void(void*)> deleter) {
  void* owner = new Owner{data, std::move(deleter)};
  return over(data, shape.items(), dtype.any().raw(), strides.items(), false, owner, &Owner::drop).as<Tensor>();
}

inline Tensor Members<Tensor>::from_pointer(const void* data, const Sequence<std::uint64_t>& shape, const DType& dtype,
                                            const Sequence<std::int64_t>& strides, std::function<void(void*)> deleter) {
  void* owner = new Owner{const_cast<void*>(data), std::move(deleter)};
  return over(data, shape.items(), dtype.any().raw(), strides.items(), true, owner, &Owner::drop).as<Tensor>();
}

template <class T>
Tensor Members<Tensor>::from_vector(std::vector<T>&& values, const Sequence<std::uint64_t>& shape) {
  static_assert(is_element<T> && !std::is_same_v<T, bool>, "no dtype has elements of this type side by side in a vector");
  std::vector<T>* owner = new std::vector<T>(std::move(values));
  return over_elements(owner->data(), owner->size(), shape, owner, [](void* vector) {
           delete static_cast<std::vector<T>*>(vector);
         }).template as<Tensor>();
}

template <class T>
Tensor Members<Tensor>::from_span(span<T> values, const Sequence<std::uint64_t>& shape) {
  static_assert(is_element<std::remove_cv_t<T>>, "no dtype has elements of this type");
  return over_elements(values.data(), values.size(), shape, nullptr, [](void*) {}).template as<Tensor>();
}

template <class T>
struct is_vector : std::false_type {};
template <class T>
struct is_vector<std::vector<T>> : std::true_type {};

template <class Source>
Tensor Members<Tensor>::from(Source&& source) {
  using Range = std::remove_reference_t<Source>;
  using Element = element_of<Range>;
  if constexpr (std::is_same_v<std::remove_cv_t<Range>, std::initializer_list<std::remove_cv_t<Element>>>) {
    return from_vector(std::vector<std::remove_cv_t<Element>>(source));
  } else if constexpr (!std::is_lvalue_reference_v<Source> && is_vector<Range>::value) {
    return from_vector(std::move(source));
  } else {
    return from_span(span<Element>(std::data(source), std::size(source)));
  }
}

}  // namespace detail

/// A tensor of the elements of a container, which it owns: a vector that is given away is taken over, anything else copied.
/// \param values  Elements side by side, such as a `std::vector<float>`.
/// \param dtype   Type to convert to; that of the elements when omitted.
/// \return A tensor of one dimension.
/// \throws Error  Its kind() tells what went wrong.
template <class Source, std::enable_if_t<detail::is_memory<Source>::value, int> = 0>
[[nodiscard]] Tensor asarray(Source&& values, const std::optional<DType>& dtype = std::nullopt) {
  using Element = std::remove_cv_t<detail::element_of<Source>>;
  constexpr bool is_given = !std::is_lvalue_reference_v<Source> && detail::is_vector<std::remove_cv_t<Source>>::value;
  const Tensor given = Tensor::from(std::forward<Source>(values));
  if (is_given && (!dtype || given.dtype() == *dtype)) {
    return given;
  }
  return cast(given, dtype ? *dtype : detail::plain(detail::type_index::dtype, detail::dtype_of<Element>()).template as<DType>());
}

TENSPAN_END_NAMESPACE
