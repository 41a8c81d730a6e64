/// \file
/// The handwritten members of Tensor: its memory as C++ sees it, and memory of C++ as tensors.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tenspan/detail/dlpack.hpp>
#include <tenspan/detail/dtype.hpp>
#include <tenspan/detail/mdspan.hpp>
#include <tenspan/detail/owner.hpp>
#include <tenspan/detail/sequence.hpp>
#include <tenspan/detail/strided.hpp>
#include <tenspan/dtype.hpp>
#include <tenspan/span.hpp>

TENSPAN_BEGIN_NAMESPACE

class Tensor;

namespace detail {

template <>
struct Kind<Tensor> {
  static bool matches(const Any& value) { return has_type(value, type_index::tensor); }
  static std::string wanted() { return "a tensor"; }
  /// A tensor of the library is one already, which the function that deletes it tells; one of a module is wrapped.
  static Any own(const Any& value) {
    static std::atomic<void (*)(void*, int)> known{nullptr};
    if (object_of(value.raw())->deleter == known.load(std::memory_order_relaxed)) {
      return value;
    }
    tenspan_any result{0, 0, 0};
    check(tenspan_tensor(&value.raw(), &result));
    known.store(object_of(result)->deleter, std::memory_order_relaxed);
    return Any::adopt(result);
  }
};

/// Elements of a range whose elements stand side by side and can be those of a tensor.
template <class Range>
using element_of = std::remove_pointer_t<decltype(std::data(std::declval<std::remove_reference_t<Range>&>()))>;

template <class Range, class = void>
struct is_memory : std::false_type {};
template <class Range>
struct is_memory<Range, std::void_t<element_of<Range>>> : std::bool_constant<is_element<std::remove_cv_t<element_of<Range>>>> {};

template <>
class Members<Tensor> : public Handle {
 public:
  /// The elements side by side.
  ///
  /// The view lives as long as this tensor or another one over the same memory: keep one of them.
  /// \tparam T  Type of the elements; `const` when they are only read.
  /// \return A view of all elements in row-major order.
  /// \throws DTypeMismatchError   The tensor has elements of another type.
  /// \throws NotContiguousError   There are gaps between the elements; see view().
  /// \throws ReadOnlyError        The tensor is read-only and `T` is not `const`.
  template <class T>
  [[nodiscard]] span<T> data() const& {
    const tenspan_info info = checked<T>();
    if (!info.contiguous) {
      throw_named("NotContiguous", "the elements do not stand side by side; use view() or contiguous()");
    }
    return {static_cast<T*>(info.data), static_cast<std::size_t>(info.size)};
  }
  template <class T>
  span<T> data() const&& = delete;

  /// The elements by their positions, whatever the strides.
  ///
  /// The view lives as long as this tensor or another one over the same memory: keep one of them.
  /// \tparam T  Type of the elements; `const` when they are only read.
  /// \return A view of all elements.
  /// \throws DTypeMismatchError  The tensor has elements of another type.
  /// \throws ReadOnlyError       The tensor is read-only and `T` is not `const`.
  template <class T>
  [[nodiscard]] StridedView<T> view() const& {
    const tenspan_info info = checked<T>();
    return {static_cast<T*>(info.data), {info.shape, info.ndim}, {info.strides, info.ndim}};
  }
  template <class T>
  StridedView<T> view() const&& = delete;

  /// The elements as a `std::mdspan`, or a view of another library with its interface.
  ///
  /// The view lives as long as this tensor or another one over the same memory: keep one of them.
  /// \tparam View  Type of the view, such as `std::mdspan<const float, std::dextents<int, 2>, std::layout_stride>`.
  /// \return A view of all elements.
  /// \throws DTypeMismatchError  The tensor has elements of another type.
  /// \throws ShapeMismatchError  The tensor has another number of dimensions, or another length where the view has a fixed one.
  /// \throws NotContiguousError  The layout of the view cannot have the strides of the tensor; none has negative ones or zeros.
  /// \throws ReadOnlyError       The tensor is read-only and the elements of the view are not `const`.
  /// \throws OverflowError       The index type of the view does not count that far.
  template <class View, std::enable_if_t<is_mdspan<View>::value, int> = 0>
  [[nodiscard]] View as_mdspan() const& {
    const tenspan_info info = checked<typename View::element_type>();
    return mdspan_over<View>(static_cast<typename View::element_type*>(info.data), {info.shape, info.ndim},
                             {info.strides, info.ndim}, info.size);
  }
  template <class View, std::enable_if_t<is_mdspan<View>::value, int> = 0>
  View as_mdspan() const&& = delete;

  /// The elements as a `std::mdspan`, where the standard library has it.
  /// \tparam T       Type of the elements; `const` when they are only read.
  /// \tparam rank    Number of dimensions.
  /// \tparam Layout  `std::layout_right` unless named.
  /// \return A view of all elements.
  /// \throws Error  As as_mdspan() of a view that is named.
  template <class T, std::size_t rank, class Layout = void>
  [[nodiscard]] auto as_mdspan() const& {
    return as_mdspan<typename MdspanOf<T, rank, Layout>::type>();
  }
  template <class T, std::size_t rank, class Layout = void>
  auto as_mdspan() const&& = delete;

  /// The tensor on its way to another library by DLPack, without a copy: `release()` hands it over. It keeps the memory alive.
  /// A quantized tensor goes as the bytes of its rows.
  /// \return The structure, with a flag when it may not be written.
  /// \throws BufferError  The tensor has no memory, or strides that are no whole number of elements.
  [[nodiscard]] DLPack to_dlpack() const { return DLPack(exported<DLManagedTensorVersioned>()); }

  /// As to_dlpack(), for libraries that know no version of DLPack.
  /// \return The structure.
  /// \throws BufferError  As to_dlpack(); also when the tensor is read-only, which the structure cannot tell.
  [[nodiscard]] LegacyDLPack to_dlpack_legacy() const { return LegacyDLPack(exported<DLManagedTensor>()); }

  /// A tensor over what another library hands over by DLPack, without a copy. It is taken over on success; when this
  /// throws it still belongs to the caller.
  /// \param managed  A structure that nobody has taken over.
  /// \return A tensor, read-only when a flag says so.
  /// \throws BufferError  Another major version of DLPack, or memory that the CPU does not read.
  /// \throws TypeError    Elements of a type that tenspan does not have.
  static Tensor from_dlpack(DLManagedTensorVersioned* managed);

  /// As from_dlpack() of a structure with a version. This one cannot tell whether it may be written, so the tensor is read-only.
  /// \param managed  A structure that nobody has taken over.
  /// \return A read-only tensor.
  /// \throws Error  As from_dlpack() of a structure with a version.
  static Tensor from_dlpack(DLManagedTensor* managed);

  /// As from_dlpack() of the structure that is owned.
  /// \param managed  Empty on success, unchanged when this throws.
  /// \return A tensor.
  /// \throws Error  As from_dlpack() of the structure.
  template <class Managed>
  static Tensor from_dlpack(std::unique_ptr<Managed, DropDLPack>&& managed);

  /// The packed bytes of a tensor of any dtype, quantized ones included.
  ///
  /// The view lives as long as this tensor or another one over the same memory: keep one of them.
  /// \return A view of `nbytes()` bytes.
  /// \throws NotContiguousError  There are gaps between the elements.
  [[nodiscard]] span<const unsigned char> bytes() const& {
    const tenspan_info info = describe();
    check_memory(info);
    if (!info.contiguous) {
      throw_named("NotContiguous", "the elements do not stand side by side; use contiguous()");
    }
    return {static_cast<const unsigned char*>(info.data), static_cast<std::size_t>(info.nbytes)};
  }
  span<const unsigned char> bytes() const&& = delete;

  /// A copy of the elements in row-major order, converted or decoded to `T`.
  /// \tparam T  Number type, `float16` and the like, `bool`, or `std::complex`.
  /// \return The elements.
  /// \throws UnsupportedConversionError  The dtype cannot be converted to `T`.
  template <class T>
  [[nodiscard]] std::vector<T> to_vector() const {
    static_assert(is_element<T>, "no dtype has elements of this type");
    const Argument arguments[] = {Argument(*this), Argument(plain(type_index::dtype, dtype_of<T>()))};
    static const std::int32_t cast = method("cast");
    const tenspan_any raw[] = {arguments[0].raw(), arguments[1].raw()};
    tenspan_any result{0, 0, 0};
    check(tenspan_call(cast, raw, 2, &result));
    const Any packed = Any::adopt(result);
    const tenspan_info info = describe(packed);
    const T* first = static_cast<const T*>(info.data);
    return info.size == 0 ? std::vector<T>() : std::vector<T>(first, first + info.size);
  }

  /// A tensor over memory of the caller, without a copy.
  /// \param data     Address of the first element; the tensor is read-only when it is one of `const`.
  /// \param shape    Elements along each dimension, outermost first.
  /// \param dtype    Type of the elements, block types included.
  /// \param strides  Bytes from one position to the next along each dimension; packed when empty.
  /// \param deleter  Called once, with `data` or with nothing, when the last tensor over the memory goes, or when this throws:
  ///                 `std::free`, or anything that captures what owns the memory. Any thread may call it, also after `main`
  ///                 has ended; it may not throw. None when the memory outlives all tensors over it.
  /// \return A tensor.
  /// \throws Error  Shape, strides or dtype do not fit together.
  template <class T, class Deleter = Borrowed>
  static Tensor from_pointer(T* data, const Sequence<std::uint64_t>& shape, const DType& dtype,
                             const Sequence<std::int64_t>& strides = {}, Deleter&& deleter = Deleter());

  /// A tensor over packed elements of the caller, without a copy. They must outlive it and its views.
  /// \param data   Address of the first element; the tensor is read-only when it is one of `const`.
  /// \param shape  Elements along each dimension, outermost first.
  /// \return A tensor of the dtype of the elements.
  /// \throws Error  The shape is larger than memory can be.
  template <class T, std::enable_if_t<is_element<std::remove_cv_t<T>>, int> = 0>
  static Tensor from_pointer(T* data, const Sequence<std::uint64_t>& shape);

  /// A tensor over the elements of a `std::mdspan` of any layout, or of a view of another library with its interface, without a copy.
  /// \param view     A view of elements; the tensor is read-only when they are `const`.
  /// \param deleter  As that of a pointer; without one the elements must outlive the tensor and its views.
  /// \return A tensor of the same shape and strides.
  /// \throws NotContiguousError  The layout has no strides.
  template <class View, class Deleter = Borrowed, std::enable_if_t<is_mdspan<View>::value, int> = 0>
  static Tensor from_mdspan(const View& view, Deleter&& deleter = Deleter());

  /// A tensor that takes over a vector, without a copy.
  /// \param values  Elements; the vector is moved from.
  /// \param shape   Elements along each dimension; one dimension when empty.
  /// \return A tensor that owns them.
  /// \throws ShapeMismatchError  The shape holds another number of elements.
  template <class T>
  static Tensor from_vector(std::vector<T>&& values, const Sequence<std::uint64_t>& shape = {});

  /// A tensor that looks at elements of the caller, without a copy. They must outlive it and its views.
  /// \param values  Elements; read-only when they are `const`.
  /// \param shape   Elements along each dimension; one dimension when empty.
  /// \return A tensor over them.
  /// \throws ShapeMismatchError  The shape holds another number of elements.
  template <class T>
  static Tensor from_span(span<T> values, const Sequence<std::uint64_t>& shape = {});

  /// What an argument that is "like a tensor" can be made from: a container that stays the caller's is looked at,
  /// and so is a `std::mdspan`; a vector that is given away is taken over, a list in braces is copied.
  template <class Source>
  static constexpr bool is_source = is_memory<Source>::value || is_mdspan<std::decay_t<Source>>::value;

  /// \param source  Container of elements side by side, or list of them, or `std::mdspan`.
  /// \return A tensor of one dimension, or of those of the view.
  template <class Source>
  static Tensor from(Source&& source);

 protected:
  using Handle::Handle;

 private:
  static tenspan_info describe(const Any& tensor) {
    tenspan_info info{};
    check(tenspan_tensor_info(&tensor.raw(), &info));
    return info;
  }

  [[nodiscard]] tenspan_info describe() const { return describe(any()); }

  static void check_memory(const tenspan_info& info) {
    if (info.data == nullptr && info.nbytes != 0) {
      throw_named("BufferError", "the tensor has no memory: its context was made without");
    }
  }

  template <class T>
  [[nodiscard]] tenspan_info checked() const {
    using Element = std::remove_cv_t<T>;
    static_assert(is_element<Element>, "no dtype has elements of this type");
    const tenspan_info info = describe();
    if (info.dtype.payload != dtype_of<Element>()) {
      const DType found = Any::adopt(info.dtype).as<DType>();
      const DType wanted = plain(type_index::dtype, dtype_of<Element>()).template as<DType>();
      throw_named("DTypeMismatch", "the elements are " + found.name() + ", not " + wanted.name());
    }
    if (info.readonly && !std::is_const_v<T>) {
      throw_named("ReadOnly", "the tensor is read-only; look at its elements as const");
    }
    check_memory(info);
    if constexpr (alignof(Element) > 1) {
      check_alignment(info, alignof(Element));
    }
    return info;
  }

  static void check_alignment(const tenspan_info& info, std::size_t alignment) {
    bool aligned = info.size == 0 || reinterpret_cast<std::uintptr_t>(info.data) % alignment == 0;
    for (std::uint32_t axis = 0; axis < info.ndim && info.size != 0; ++axis) {
      aligned = aligned && (info.shape[axis] == 1 || info.strides[axis] % static_cast<std::int64_t>(alignment) == 0);
    }
    if (!aligned) {
      throw_named("BufferError", "the elements do not stand at multiples of " + std::to_string(alignment) +
                                     " bytes, which C++ asks for; copy the tensor");
    }
  }

  template <class Managed>
  [[nodiscard]] Managed* exported() const {
    void* managed = nullptr;
    check(tenspan_dlpack_export(&any().raw(), is_legacy<Managed>, &managed));
    return static_cast<Managed*>(managed);
  }

  static Any imported(void* managed, bool legacy) {
    tenspan_any result{0, 0, 0};
    check(tenspan_dlpack_import(managed, legacy, &result));
    return Any::adopt(result);
  }

  static Any over(const void* data, const std::vector<std::uint64_t>& shape, const tenspan_any& dtype,
                  const std::vector<std::int64_t>& strides, bool readonly, void* owner, void (*deleter)(void*)) {
    if (!strides.empty() && strides.size() != shape.size()) {
      deleter(owner);
      throw_named("ValueError", "shape has " + std::to_string(shape.size()) + " dimensions, strides have " +
                                    std::to_string(strides.size()));
    }
    tenspan_memory memory{};
    memory.data = const_cast<void*>(data);
    memory.shape = shape.data();
    memory.strides = strides.empty() ? nullptr : strides.data();
    memory.dtype = dtype;
    memory.owner = owner;
    memory.deleter = deleter;
    memory.ndim = static_cast<std::uint32_t>(shape.size());
    memory.readonly = readonly;
    tenspan_any result{0, 0, 0};
    check(tenspan_tensor_from_memory(&memory, &result));
    return Any::adopt(result);
  }

  template <class T>
  static Any over_elements(T* data, std::size_t size, const Sequence<std::uint64_t>& shape, void* owner, void (*deleter)(void*)) {
    std::vector<std::uint64_t> dims = shape.items();
    if (dims.empty()) {
      dims.push_back(size);
    }
    Any flat = over(data, {size}, plain(type_index::dtype, dtype_of<std::remove_cv_t<T>>()).raw(), {}, std::is_const_v<T>,
                    owner, deleter);
    return dims.size() == 1 && dims[0] == size ? flat : reshaped(flat, dims);
  }

  static Any reshaped(const Any& tensor, const std::vector<std::uint64_t>& dims) {
    static const std::int32_t reshape = method("Tensor.reshape");
    return call<Any>(reshape, tensor, dims);
  }
};

}  // namespace detail
TENSPAN_END_NAMESPACE
