/// \file
/// Tensors handed over by DLPack: who owns the structure until somebody takes it.
///
/// The structures are those of `dlpack.h`, which is not needed to pass them on: they are only declared here. Include that
/// header, before or after, to look into one.
#pragma once

#include <memory>
#include <type_traits>

#include <tenspan/detail/error.hpp>

struct DLManagedTensor;
struct DLManagedTensorVersioned;

TENSPAN_BEGIN_NAMESPACE
namespace detail {

/// Gives a structure back that nobody took over.
struct DropDLPack {
  void operator()(DLManagedTensorVersioned* managed) const noexcept { tenspan_dlpack_delete(managed, false); }
  void operator()(DLManagedTensor* managed) const noexcept { tenspan_dlpack_delete(managed, true); }
};

template <class Managed>
inline constexpr bool is_legacy = std::is_same_v<Managed, DLManagedTensor>;

}  // namespace detail

/// A tensor on its way to another library; `release()` hands it over. One that stays is given back.
using DLPack = std::unique_ptr<DLManagedTensorVersioned, detail::DropDLPack>;

/// As DLPack, for libraries that know no version of it.
using LegacyDLPack = std::unique_ptr<DLManagedTensor, detail::DropDLPack>;

TENSPAN_END_NAMESPACE
