/// \file
/// What `std::mdspan` shows of itself, for compilers whose library has none: enough to compile and run against.
#pragma once

#include <array>
#include <cstddef>

namespace stand_in {

inline constexpr std::size_t dynamic_extent = static_cast<std::size_t>(-1);

template <class Index, std::size_t... lengths>
class extents {
 public:
  using index_type = Index;
  using rank_type = std::size_t;

  constexpr extents() = default;
  template <class Other>
  constexpr explicit extents(const std::array<Other, sizeof...(lengths)>& given) : extents_() {
    for (std::size_t axis = 0; axis < sizeof...(lengths); ++axis) {
      extents_[axis] = static_cast<Index>(given[axis]);
    }
  }

  static constexpr std::size_t rank() { return sizeof...(lengths); }
  static constexpr std::size_t static_extent(std::size_t axis) {
    constexpr std::size_t fixed[] = {lengths..., 0};
    return fixed[axis];
  }
  constexpr Index extent(std::size_t axis) const { return extents_[axis]; }

 private:
  std::array<Index, sizeof...(lengths)> extents_{};
};

/// Mappings that are told by the order in which the strides grow.
template <class Extents, bool from_the_right>
class packed_mapping {
 public:
  using extents_type = Extents;
  using index_type = typename Extents::index_type;

  constexpr packed_mapping() = default;
  constexpr packed_mapping(const Extents& given) : extents_(given) {}

  constexpr const Extents& extents() const { return extents_; }
  static constexpr bool is_strided() { return true; }
  constexpr index_type stride(std::size_t axis) const {
    index_type product = 1;
    for (std::size_t other = 0; other < Extents::rank(); ++other) {
      if (from_the_right ? other > axis : other < axis) {
        product = static_cast<index_type>(product * extents_.extent(other));
      }
    }
    return product;
  }

 private:
  Extents extents_;
};

struct layout_right {
  template <class Extents>
  using mapping = packed_mapping<Extents, true>;
};
struct layout_left {
  template <class Extents>
  using mapping = packed_mapping<Extents, false>;
};
struct layout_stride {
  template <class Extents>
  class mapping {
   public:
    using extents_type = Extents;
    using index_type = typename Extents::index_type;

    constexpr mapping() = default;
    template <class Other>
    constexpr mapping(const Extents& given, const std::array<Other, Extents::rank()>& strides) : extents_(given) {
      for (std::size_t axis = 0; axis < Extents::rank(); ++axis) {
        strides_[axis] = static_cast<index_type>(strides[axis]);
      }
    }

    constexpr const Extents& extents() const { return extents_; }
    static constexpr bool is_strided() { return true; }
    constexpr index_type stride(std::size_t axis) const { return strides_[axis]; }

   private:
    Extents extents_;
    std::array<index_type, Extents::rank()> strides_{};
  };
};

template <class T, class Extents, class Layout = layout_right>
class mdspan {
 public:
  using element_type = T;
  using extents_type = Extents;
  using layout_type = Layout;
  using mapping_type = typename Layout::template mapping<Extents>;
  using index_type = typename Extents::index_type;
  using data_handle_type = T*;

  constexpr mdspan() = default;
  constexpr mdspan(T* data, const mapping_type& mapping) : data_(data), mapping_(mapping) {}

  static constexpr std::size_t rank() { return Extents::rank(); }
  static constexpr std::size_t static_extent(std::size_t axis) { return Extents::static_extent(axis); }
  constexpr index_type extent(std::size_t axis) const { return mapping_.extents().extent(axis); }
  constexpr index_type stride(std::size_t axis) const { return mapping_.stride(axis); }
  constexpr bool is_strided() const { return mapping_.is_strided(); }
  constexpr T* data_handle() const { return data_; }
  constexpr const mapping_type& mapping() const { return mapping_; }

 private:
  T* data_ = nullptr;
  mapping_type mapping_;
};

}  // namespace stand_in
