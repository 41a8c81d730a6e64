/// \file
/// Element types and devices, as DLPack numbers them.
#pragma once

#include <complex>

#include <tenspan/kernel/text.hpp>

TENSPAN_KERNEL_BEGIN

/// An element type: kind, bits, and elements per unit.
struct DType {
  /// What the numbers of `code` mean.
  enum Code : std::uint8_t { Int = 0, UInt = 1, Float = 2, Handle = 3, BFloat = 4, Complex = 5, Bool = 6 };

  std::uint8_t code = Float;
  std::uint8_t bits = 32;
  std::uint16_t lanes = 1;

  /// \param name  A name such as `float32`. \throws Error  There is no such type.
  static DType named(std::string_view name) {
    const abi::Text text = abi::text_of(name);
    abi::DataType raw{};
    abi::check(abi::api().DataTypeFromString(&text, &raw));
    return {raw.code, raw.bits, raw.lanes};
  }
  /// \return The name.
  [[nodiscard]] std::string name() const {
    const abi::DataType raw{code, bits, lanes};
    abi::Value text{0, 0, 0};
    abi::check(abi::api().DataTypeToString(&raw, &text));
    return String(Any::adopt(text)).str();
  }
  /// \return Bytes of one element.
  [[nodiscard]] std::size_t bytes() const noexcept { return (std::size_t{bits} * lanes + 7) / 8; }

  friend bool operator==(const DType& a, const DType& b) noexcept {
    return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
  }
  friend bool operator!=(const DType& a, const DType& b) noexcept { return !(a == b); }
  friend std::ostream& operator<<(std::ostream& out, const DType& dtype) { return out << dtype.name(); }
};

/// The element type of a C++ type; specialise it for types of your own, such as halves.
template <class T, class = void>
struct DTypeOf;

template <class T>
struct DTypeOf<T, std::enable_if_t<is_integer<T>>> {
  static constexpr DType value{std::is_signed_v<T> ? DType::Int : DType::UInt, sizeof(T) * 8, 1};
};
template <class T>
struct DTypeOf<T, std::enable_if_t<std::is_floating_point_v<T>>> {
  static constexpr DType value{DType::Float, sizeof(T) * 8, 1};
};
template <>
struct DTypeOf<bool> {
  static constexpr DType value{DType::Bool, 8, 1};
};
template <class T>
struct DTypeOf<std::complex<T>> {
  static constexpr DType value{DType::Complex, sizeof(T) * 16, 1};
};

/// The element type of a C++ type.
template <class T>
inline constexpr DType dtype_of = DTypeOf<std::remove_cv_t<T>>::value;

/// Where memory is.
struct Device {
  std::int32_t type = 1;
  std::int32_t id = 0;

  [[nodiscard]] bool is_cpu() const noexcept { return type == 1; }
  friend bool operator==(const Device& a, const Device& b) noexcept { return a.type == b.type && a.id == b.id; }
  friend bool operator!=(const Device& a, const Device& b) noexcept { return !(a == b); }
  friend std::ostream& operator<<(std::ostream& out, const Device& device) {
    return out << "device " << device.type << ":" << device.id;
  }
};

template <>
struct Convert<DType> {
  static std::string wanted() { return "a dtype or its name"; }
  static std::string schema() { return R"({"type":"DataType"})"; }
  static std::optional<DType> read(const abi::Value& value) {
    if (abi::is_text(value)) {
      return DType::named(abi::characters(value));
    }
    if (value.type != abi::type_dtype) {
      return std::nullopt;
    }
    const std::uint64_t raw = value.payload;
    return DType{static_cast<std::uint8_t>(raw), static_cast<std::uint8_t>(raw >> 8), static_cast<std::uint16_t>(raw >> 16)};
  }
  static abi::Value write(const DType& dtype) {
    return {abi::type_dtype, 0, dtype.code | std::uint64_t{dtype.bits} << 8 | std::uint64_t{dtype.lanes} << 16};
  }
};

template <>
struct Convert<Device> {
  static std::string wanted() { return "a device"; }
  static std::string schema() { return R"({"type":"Device"})"; }
  static std::optional<Device> read(const abi::Value& value) {
    if (value.type != abi::type_device) {
      return std::nullopt;
    }
    return Device{static_cast<std::int32_t>(value.payload), static_cast<std::int32_t>(value.payload >> 32)};
  }
  static abi::Value write(const Device& device) {
    const auto id = std::uint64_t{static_cast<std::uint32_t>(device.id)} << 32;
    return {abi::type_device, 0, id | static_cast<std::uint32_t>(device.type)};
  }
};

static_assert(sizeof(DType) == 4 && sizeof(Device) == 8, "layout of dtypes and devices");

TENSPAN_KERNEL_END
