/// \file
/// Definitions of the members of Tensor that make one, where the class is complete.
#pragma once

#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <tenspan/detail/tensor.hpp>
#include <tenspan/tensor.hpp>

TENSPAN_BEGIN_NAMESPACE
namespace detail {

template <class T>
DType dtype_of_elements() {
  return plain(type_index::dtype, dtype_of<std::remove_cv_t<T>>()).template as<DType>();
}

template <class T, class Deleter>
Tensor Members<Tensor>::from_pointer(T* data, const Sequence<std::uint64_t>& shape, const DType& dtype,
                                     const Sequence<std::int64_t>& strides, Deleter&& deleter) {
  using Owned = Owner<T, std::decay_t<Deleter>>;
  Owned* owner = new Owned(data, std::forward<Deleter>(deleter));
  return over(data, shape.items(), dtype.any().raw(), strides.items(), std::is_const_v<T>, owner, &Owned::drop).template as<Tensor>();
}

template <class T, std::enable_if_t<is_element<std::remove_cv_t<T>>, int>>
Tensor Members<Tensor>::from_pointer(T* data, const Sequence<std::uint64_t>& shape) {
  return from_pointer(data, shape, dtype_of_elements<T>());
}

template <class View, class Deleter, std::enable_if_t<is_mdspan<View>::value, int>>
Tensor Members<Tensor>::from_mdspan(const View& view, Deleter&& deleter) {
  using T = typename View::element_type;
  static_assert(is_element<std::remove_cv_t<T>>, "no dtype has elements of this type");
  const Dimensions dimensions = dimensions_of(view);
  return from_pointer(view.data_handle(), dimensions.shape, dtype_of_elements<T>(), dimensions.strides,
                      std::forward<Deleter>(deleter));
}

inline Tensor Members<Tensor>::from_dlpack(DLManagedTensorVersioned* managed) { return imported(managed, false).as<Tensor>(); }

inline Tensor Members<Tensor>::from_dlpack(DLManagedTensor* managed) { return imported(managed, true).as<Tensor>(); }

template <class Managed>
Tensor Members<Tensor>::from_dlpack(std::unique_ptr<Managed, DropDLPack>&& managed) {
  Tensor tensor = from_dlpack(managed.get());
  static_cast<void>(managed.release());
  return tensor;
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

template <class T>
struct is_braced : std::false_type {};
template <class T>
struct is_braced<std::initializer_list<T>> : std::true_type {};

template <class Source>
Tensor Members<Tensor>::from(Source&& source) {
  using Range = std::remove_reference_t<Source>;
  if constexpr (is_mdspan<std::decay_t<Source>>::value) {
    return from_mdspan(source);
  } else if constexpr (is_braced<std::remove_cv_t<Range>>::value) {
    return from_vector(std::vector<typename Range::value_type>(source));
  } else if constexpr (!std::is_lvalue_reference_v<Source> && is_vector<Range>::value) {
    return from_vector(std::move(source));
  } else {
    return from_span(span<element_of<Range>>(std::data(source), std::size(source)));
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
  return cast(given, dtype ? *dtype : detail::dtype_of_elements<Element>());
}

TENSPAN_END_NAMESPACE
