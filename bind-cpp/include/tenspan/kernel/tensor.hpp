/// \file
/// Tensors as arguments (`TensorView`), and tensors that a kernel keeps or makes (`Tensor`).
#pragma once

#include <initializer_list>
#include <vector>

#include <tenspan/kernel/dtype.hpp>
#include <tenspan/kernel/span.hpp>

TENSPAN_KERNEL_BEGIN

/// The caller's tensor, for the time of a call. Copies nothing, owns nothing.
class TensorView {
 public:
  TensorView() = default;
  explicit TensorView(const abi::Tensor* tensor) noexcept : tensor_(tensor) {}

  [[nodiscard]] Span<const std::int64_t> shape() const noexcept {
    return {tensor_->shape, static_cast<std::size_t>(tensor_->ndim)};
  }
  /// \return Steps along the dimensions, in elements; empty when the tensor says none, and is contiguous then.
  [[nodiscard]] Span<const std::int64_t> strides() const noexcept {
    return {tensor_->strides, tensor_->strides == nullptr ? 0 : static_cast<std::size_t>(tensor_->ndim)};
  }
  [[nodiscard]] std::int64_t ndim() const noexcept { return tensor_->ndim; }
  [[nodiscard]] DType dtype() const noexcept { return {tensor_->dtype.code, tensor_->dtype.bits, tensor_->dtype.lanes}; }
  [[nodiscard]] Device device() const noexcept { return {tensor_->device.type, tensor_->device.id}; }

  /// \return The number of elements.
  [[nodiscard]] std::int64_t size() const noexcept {
    std::int64_t count = 1;
    for (const std::int64_t length : shape()) {
      count *= length;
    }
    return count;
  }
  /// \return The number of elements, as NumPy and PyTorch call it.
  [[nodiscard]] std::int64_t numel() const noexcept { return size(); }
  /// \param dimension  Which, from the end when negative. \return Its length. \throws IndexError  There is no such dimension.
  [[nodiscard]] std::int64_t size(std::int64_t dimension) const { return tensor_->shape[position(dimension)]; }
  /// \param dimension  Which, from the end when negative. \return Elements from one position to the next.
  [[nodiscard]] std::int64_t stride(std::int64_t dimension) const {
    const std::int64_t at = position(dimension);
    if (tensor_->strides != nullptr) {
      return tensor_->strides[at];
    }
    std::int64_t step = 1;
    for (std::int64_t i = ndim() - 1; i > at; --i) {
      step *= tensor_->shape[i];
    }
    return step;
  }
  /// \return Bytes of all elements, when they stand side by side.
  [[nodiscard]] std::size_t nbytes() const noexcept { return static_cast<std::size_t>(size()) * dtype().bytes(); }

  /// \return Whether the elements stand side by side in row-major order.
  [[nodiscard]] bool is_contiguous() const noexcept {
    if (tensor_->strides == nullptr) {
      return true;
    }
    std::int64_t step = 1;
    bool contiguous = true;
    for (std::int64_t i = ndim() - 1; i >= 0; --i) {
      if (tensor_->shape[i] == 0) {
        return true;
      }
      contiguous = contiguous && (tensor_->shape[i] == 1 || tensor_->strides[i] == step);
      step *= tensor_->shape[i];
    }
    return contiguous;
  }

  /// \return The address of the first element, whatever its type and device.
  [[nodiscard]] void* data_ptr() const noexcept { return static_cast<char*>(tensor_->data) + tensor_->byte_offset; }

  /// The address of the first element; mind the strides.
  /// \tparam T  Type of the elements, which must be that of the tensor. \throws TypeError  It is another one.
  template <class T>
  [[nodiscard]] T* data() const {
    expect_dtype<T>();
    return static_cast<T*>(data_ptr());
  }
  /// The elements side by side.
  /// \tparam T  Type of the elements. \throws Error  They are of another type, have gaps, or are on another device.
  template <class T>
  [[nodiscard]] Span<T> span() const {
    T* const first = data<T>();
    if (!is_contiguous()) {
      throw ValueError("the elements of the tensor do not stand side by side");
    }
    if (!device().is_cpu()) {
      throw ValueError("the tensor is not in the memory of the processor");
    }
    return {first, static_cast<std::size_t>(size())};
  }
  /// One element. \param positions  One for each dimension, which are not checked.
  template <class T, class... I>
  [[nodiscard]] T& at(I... positions) const {
    const std::int64_t all[] = {static_cast<std::int64_t>(positions)..., 0};
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < sizeof...(I); ++i) {
      offset += all[i] * stride(static_cast<std::int64_t>(i));
    }
    return data<T>()[offset];
  }

  /// \throws TypeError  The elements are of another type than `T`.
  template <class T>
  void expect_dtype() const {
    if (!(dtype() == dtype_of<T>)) {
      throw_dtype(dtype_of<T>);
    }
  }

  [[nodiscard]] const abi::Tensor* dl_tensor() const noexcept { return tensor_; }

 private:
  [[noreturn]] TENSPAN_KERNEL_COLD void throw_dtype(const DType& wanted) const {
    throw TypeError("wanted elements of " + wanted.name() + ", the tensor has " + dtype().name());
  }
  [[nodiscard]] std::int64_t position(std::int64_t dimension) const {
    const std::int64_t at = dimension < 0 ? dimension + ndim() : dimension;
    if (at < 0 || at >= ndim()) {
      throw IndexError("dimension " + std::to_string(dimension) + " of a tensor with " + std::to_string(ndim()));
    }
    return at;
  }

 protected:
  const abi::Tensor* tensor_ = nullptr;
};

/// A tensor that may be kept and returned. Copies share their elements.
class Tensor : public TensorView {
 public:
  Tensor() = default;
  explicit Tensor(Any held) : held_(std::move(held)) { tensor_ = held_.is_none() ? nullptr : &abi::cell_of<abi::Tensor>(held_.raw()); }

  /// A tensor whose elements are not set: from the allocator that the caller has set, so that it is one of the caller's framework, or else
  /// in the memory of the processor.
  /// \throws ValueError  A length is negative, or the device needs an allocator and there is none.
  static Tensor empty(const std::vector<std::int64_t>& shape, DType dtype, Device device = {});
  /// A tensor like another one, whose elements are not set.
  static Tensor empty_like(const TensorView& other) {
    return empty({other.shape().begin(), other.shape().end()}, other.dtype(), other.device());
  }

  [[nodiscard]] const Any& held() const noexcept { return held_; }
  explicit operator bool() const noexcept { return tensor_ != nullptr; }

 private:
  Any held_;
};

namespace abi {

/// The tensor behind a value, or nothing.
inline const Tensor* tensor_of(const Value& lent) noexcept {
  const Value value = settled(lent);
  if (value.type == type_tensor) {
    return &cell_of<Tensor>(value);
  }
  return value.type == type_dl_tensor ? reinterpret_cast<const Tensor*>(value.payload) : nullptr;
}

/// The space of a tensor that is made here: its header, then shape, strides and elements.
inline void delete_tensor(void* object, int flags) {
  if ((flags & 2) != 0) {
    free_space(object);
  }
}

inline kernel::Tensor make_tensor(const std::vector<std::int64_t>& shape, DType dtype) {
  constexpr std::size_t alignment = 64;
  std::size_t bytes = dtype.bytes();
  for (const std::int64_t length : shape) {
    if (__builtin_mul_overflow(bytes, static_cast<std::size_t>(length), &bytes)) {
      throw std::bad_alloc();
    }
  }
  const std::size_t before = sizeof(Header) + sizeof(Tensor) + shape.size() * 2 * sizeof(std::int64_t);
  if (__builtin_add_overflow(bytes, before + alignment, &bytes)) {
    throw std::bad_alloc();
  }
  char* const object = static_cast<char*>(allocate(type_tensor, bytes, &delete_tensor));
  auto* const cell = ::new (object + sizeof(Header)) Tensor{};
  auto* const lengths = reinterpret_cast<std::int64_t*>(cell + 1);
  std::int64_t* const strides = lengths + shape.size();
  std::int64_t step = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    lengths[i] = shape[i];
    strides[i] = step;
    step *= shape[i];
  }
  const auto end = reinterpret_cast<std::uintptr_t>(strides + shape.size());
  cell->data = reinterpret_cast<void*>((end + alignment - 1) / alignment * alignment);
  cell->device = {1, 0};
  cell->ndim = static_cast<std::int32_t>(shape.size());
  cell->dtype = {dtype.code, dtype.bits, dtype.lanes};
  cell->shape = lengths;
  cell->strides = strides;
  return kernel::Tensor(Any::adopt(value_of(reinterpret_cast<Header*>(object))));
}

}  // namespace abi

inline Tensor Tensor::empty(const std::vector<std::int64_t>& shape, DType dtype, Device device) {
  for (const std::int64_t length : shape) {
    if (length < 0) {
      throw ValueError("the length " + std::to_string(length) + " of a tensor is negative");
    }
  }
  const bool has_allocator = abi::api().EnvGetDLPackManagedTensorAllocator != nullptr && abi::api().EnvGetDLPackManagedTensorAllocator() != nullptr;
  if (!has_allocator && device.is_cpu()) {
    return abi::make_tensor(shape, dtype);
  }
  if (!has_allocator) {
    throw ValueError("there is no allocator for tensors on " + std::to_string(device.type) + ":" + std::to_string(device.id));
  }
  abi::Tensor wanted{};
  wanted.device = {device.type, device.id};
  wanted.ndim = static_cast<std::int32_t>(shape.size());
  wanted.dtype = {dtype.code, dtype.bits, dtype.lanes};
  wanted.shape = const_cast<std::int64_t*>(shape.data());
  void* made = nullptr;
  abi::check(abi::api().EnvTensorAlloc(&wanted, &made));
  return Tensor(Any::adopt(abi::value_of(static_cast<abi::Header*>(made))));
}

template <>
struct Convert<TensorView> {
  static std::string wanted() { return "a tensor"; }
  static std::string schema() { return R"({"type":"Tensor"})"; }
  static std::optional<TensorView> read(const abi::Value& value) {
    const abi::Tensor* const tensor = abi::tensor_of(value);
    return tensor == nullptr ? std::nullopt : std::optional<TensorView>(TensorView(tensor));
  }
};

template <>
struct Convert<Tensor> {
  static std::string wanted() { return "a tensor that may be kept"; }
  static std::string schema() { return R"({"type":"Tensor"})"; }
  static std::optional<Tensor> read(const abi::Value& lent) {
    const abi::Value value = abi::settled(lent);
    return value.type == abi::type_tensor ? std::optional<Tensor>(Tensor(Any::share(value))) : std::nullopt;
  }
  static abi::Value write(const Tensor& tensor) { return Any(tensor.held()).take(); }
};

TENSPAN_KERNEL_END
