/// \file
/// Tensors and `std::mdspan`, each over the elements of the other.
///
/// Nothing here names the standard's header but where it exists: whatever has the interface of `std::mdspan` will do, such as
/// the one of Kokkos for compilers that have none.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tenspan/detail/error.hpp>
#include <tenspan/span.hpp>

#if __cplusplus >= 202002L
#include <version>
#endif
#if defined(__cpp_lib_mdspan)
#include <mdspan>
#endif

TENSPAN_BEGIN_NAMESPACE
namespace detail {

template <class View, class = void>
struct is_mdspan : std::false_type {};
template <class View>
struct is_mdspan<View, std::void_t<typename View::extents_type, typename View::mapping_type, typename View::index_type,
                                   decltype(std::declval<const View&>().data_handle())>>
    : std::is_pointer<typename View::data_handle_type> {};

/// The `std::mdspan` over elements `T` with a rank and a layout, `layout_right` for void.
template <class T, std::size_t rank, class Layout, class = void>
struct MdspanOf {
  static_assert(sizeof(Layout*) == 0, "this standard library has no std::mdspan; name the type of the view: as_mdspan<View>()");
};
#if defined(__cpp_lib_mdspan)
template <class T, std::size_t rank, class Layout>
struct MdspanOf<T, rank, Layout, std::enable_if_t<std::is_object_v<T>>> {
  using type = std::mdspan<T, std::dextents<std::size_t, rank>, std::conditional_t<std::is_void_v<Layout>, std::layout_right, Layout>>;
};
#endif

/// Lengths of a view and its strides in bytes.
struct Dimensions {
  std::vector<std::uint64_t> shape;
  std::vector<std::int64_t> strides;
};

template <class View>
Dimensions dimensions_of(const View& view) {
  Dimensions dimensions;
  if constexpr (View::rank() != 0) {
    if (!view.is_strided()) {
      throw_named("NotContiguous", "the elements of the view do not lie at equal distances");
    }
    for (std::size_t axis = 0; axis < View::rank(); ++axis) {
      dimensions.shape.push_back(static_cast<std::uint64_t>(view.extent(axis)));
      dimensions.strides.push_back(static_cast<std::int64_t>(view.stride(axis)) *
                                   static_cast<std::int64_t>(sizeof(typename View::element_type)));
    }
  }
  return dimensions;
}

/// Whether no two positions are the same element and all strides are positive, as `layout_stride` asks.
inline bool is_unique(span<const std::uint64_t> shape, span<const std::int64_t> strides) {
  std::vector<std::pair<std::int64_t, std::uint64_t>> axes;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 0) {
      return true;
    }
    if (shape[axis] > 1) {
      axes.emplace_back(strides[axis], shape[axis]);
    }
  }
  std::sort(axes.begin(), axes.end());
  std::int64_t reach = 1;
  for (const auto& [stride, length] : axes) {
    if (stride < reach) {
      return false;
    }
    reach = stride * static_cast<std::int64_t>(length);
  }
  return true;
}

template <class Index>
constexpr std::uint64_t most_of() {
  return static_cast<std::uint64_t>(std::numeric_limits<Index>::max());
}

template <class View>
void check_extents(span<const std::uint64_t> shape, std::uint64_t size) {
  constexpr std::uint64_t most = most_of<typename View::index_type>();
  if (shape.size() != View::rank()) {
    throw_named("ShapeMismatch", "the view has " + std::to_string(View::rank()) + " dimensions, the tensor " +
                                     std::to_string(shape.size()));
  }
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const auto fixed = View::static_extent(axis);
    if (fixed != static_cast<decltype(fixed)>(-1) && static_cast<std::uint64_t>(fixed) != shape[axis]) {
      throw_named("ShapeMismatch", "the view has length " + std::to_string(fixed) + " along dimension " + std::to_string(axis) +
                                       ", the tensor " + std::to_string(shape[axis]));
    }
    if (shape[axis] > most || size > most) {
      throw_named("OverflowError", std::to_string(size) + " elements are more than the index type of the view counts");
    }
  }
}

/// A view of the elements at `data`, of `size` of them. Strides are bytes.
template <class View>
View mdspan_over(typename View::element_type* data, span<const std::uint64_t> shape, span<const std::int64_t> strides,
                 std::uint64_t size) {
  using Index = typename View::index_type;
  using Mapping = typename View::mapping_type;
  constexpr std::size_t rank = View::rank();
  constexpr std::int64_t item = static_cast<std::int64_t>(sizeof(typename View::element_type));
  check_extents<View>(shape, size);
  std::array<Index, rank> lengths{};
  std::array<Index, rank> steps{};
  const auto refuse = [&](std::size_t axis) {
    throw_named("NotContiguous", "the layout of the view has no stride of " + std::to_string(strides[axis]) +
                                     " bytes along dimension " + std::to_string(axis) + "; use view() or contiguous()");
  };
  // Where there is nothing to step over, a stride is never used, but must be one that the layout allows.
  std::uint64_t packed = 1;
  for (std::size_t axis = rank; axis-- > 0;) {
    lengths[axis] = static_cast<Index>(shape[axis]);
    steps[axis] = static_cast<Index>(size == 0 ? packed : 1);
    packed *= std::max<std::uint64_t>(shape[axis], 1);
    if (size != 0 && shape[axis] > 1) {
      const std::int64_t step = strides[axis] / item;
      if (strides[axis] % item != 0 || step <= 0 || static_cast<std::uint64_t>(step) > most_of<Index>()) {
        refuse(axis);
      }
      steps[axis] = static_cast<Index>(step);
    }
  }
  const typename View::extents_type extents(lengths);
  if constexpr (std::is_constructible_v<Mapping, const typename View::extents_type&, const std::array<Index, rank>&>) {
    if (!is_unique(shape, strides)) {
      throw_named("NotContiguous", "positions of the tensor share elements, which no std::mdspan allows; use view()");
    }
    return View(data, Mapping(extents, steps));
  } else {
    const Mapping mapping(extents);
    if constexpr (rank != 0) {
      for (std::size_t axis = 0; axis < rank; ++axis) {
        if (size != 0 && shape[axis] > 1 && mapping.stride(axis) != steps[axis]) {
          refuse(axis);
        }
      }
    }
    return View(data, mapping);
  }
}

}  // namespace detail
TENSPAN_END_NAMESPACE
