/// \file
/// The handwritten members of Tensor: its memory as C++ sees it, and memory of C++ as tensors.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tenspan/detail/dtype.hpp>
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
  static Any own(const Any& value) {
    tenspan_any result{0, 0, 0};
    check(tenspan_tensor(&value.raw(), &result));
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
  /// \param data     Address of the first element.
  /// \param shape    Elements along each dimension, outermost first.
  /// \param dtype    Type of the elements.
  /// \param strides  Bytes from one position to the next along each dimension; packed when empty.
  /// \param deleter  Called with `data` once, when the last tensor over the memory goes, or when this throws; may be
  ///                 empty when the memory outlives all of them. Any thread may call it.
  /// \return A tensor that can be written.
  /// \throws Error  Shape, strides or dtype do not fit together.
  static Tensor from_pointer(void* data, const Sequence<std::uint64_t>& shape, const DType& dtype,
                             const Sequence<std::int64_t>& strides = {}, std::function<void(void*)> deleter = {});

  /// A read-only tensor over memory of the caller, without a copy.
  /// \param data     Address of the first element.
  /// \param shape    Elements along each dimension, outermost first.
  /// \param dtype    Type of the elements.
  /// \param strides  Bytes from one position to the next along each dimension; packed when empty.
  /// \param deleter  As for memory that can be written.
  /// \return A tensor that refuses to be written.
  /// \throws Error  Shape, strides or dtype do not fit together.
  static Tensor from_pointer(const void* data, const Sequence<std::uint64_t>& shape, const DType& dtype,
                             const Sequence<std::int64_t>& strides = {}, std::function<void(void*)> deleter = {});

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
  /// a vector that is given away is taken over, a list in braces is copied.
  template <class Source>
  static constexpr bool is_source = is_memory<Source>::value;

  /// \param source  Container of elements side by side, or list of them.
  /// \return A tensor of one dimension.
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
    return info;
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
