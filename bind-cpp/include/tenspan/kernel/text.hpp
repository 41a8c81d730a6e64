/// \file
/// Text and bytes: `String` and `Bytes`, which hold the caller's object, and the types of the standard library.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include <tenspan/kernel/convert.hpp>

TENSPAN_KERNEL_BEGIN
namespace abi {

/// Up to seven bytes stand in the value itself, the rest is an object of the runtime.
inline Value write_characters(std::string_view text, std::int32_t small, int (*make)(const Text*, Value*)) {
  if (text.size() <= 7) {
    Value value{small, static_cast<std::uint32_t>(text.size()), 0};
    if (!text.empty()) {
      std::memcpy(&value.payload, text.data(), text.size());
    }
    return value;
  }
  const Text bytes = text_of(text);
  Value value{type_none, 0, 0};
  check(make(&bytes, &value));
  return value;
}

}  // namespace abi

/// Text that is held as others hold it: copies are the same text.
class String {
 public:
  String() : String(std::string_view()) {}
  String(std::string_view text) : held_(Any::adopt(abi::write_characters(text, abi::type_small_string, text.size() <= 7 ? nullptr : abi::api().StringFromByteArray))) {}
  String(const char* text) : String(std::string_view(text)) {}
  String(const std::string& text) : String(std::string_view(text)) {}
  // A template, because nearly everything becomes an Any.
  template <class A, class = std::enable_if_t<std::is_same_v<A, Any>>>
  explicit String(A held) : held_(std::move(held)) {}

  /// \return The text, as long-lived as this.
  [[nodiscard]] std::string_view view() const noexcept { return abi::characters(held_.raw()); }
  operator std::string_view() const noexcept { return view(); }
  [[nodiscard]] std::string str() const { return std::string(view()); }
  [[nodiscard]] std::size_t size() const noexcept { return view().size(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] const Any& held() const noexcept { return held_; }

  friend bool operator==(const String& a, const String& b) noexcept { return a.view() == b.view(); }
  friend bool operator!=(const String& a, const String& b) noexcept { return a.view() != b.view(); }
  friend bool operator<(const String& a, const String& b) noexcept { return a.view() < b.view(); }
  friend String operator+(const String& a, std::string_view b) { return String(a.str().append(b)); }
  friend std::ostream& operator<<(std::ostream& out, const String& text) { return out << text.view(); }

 private:
  Any held_;
};

/// Bytes that are held as others hold them.
class Bytes {
 public:
  Bytes() : Bytes(std::string_view()) {}
  explicit Bytes(std::string_view bytes)
      : held_(Any::adopt(abi::write_characters(bytes, abi::type_small_bytes, bytes.size() <= 7 ? nullptr : abi::api().BytesFromByteArray))) {}
  Bytes(const void* data, std::size_t size) : Bytes(std::string_view(static_cast<const char*>(data), size)) {}
  // A template, because nearly everything becomes an Any.
  template <class A, class = std::enable_if_t<std::is_same_v<A, Any>>>
  explicit Bytes(A held) : held_(std::move(held)) {}

  [[nodiscard]] std::string_view view() const noexcept { return abi::characters(held_.raw()); }
  [[nodiscard]] const std::uint8_t* data() const noexcept { return reinterpret_cast<const std::uint8_t*>(view().data()); }
  [[nodiscard]] std::size_t size() const noexcept { return view().size(); }
  [[nodiscard]] const Any& held() const noexcept { return held_; }

  friend bool operator==(const Bytes& a, const Bytes& b) noexcept { return a.view() == b.view(); }
  friend bool operator!=(const Bytes& a, const Bytes& b) noexcept { return a.view() != b.view(); }

 private:
  Any held_;
};

template <>
struct Convert<String> {
  static std::string wanted() { return "a string"; }
  static std::string schema() { return R"({"type":"ffi.String"})"; }
  static std::optional<String> read(const abi::Value& lent) {
    const abi::Value value = abi::settled(lent);
    if (value.type == abi::type_raw_string) {
      return String(abi::characters(value));
    }
    return abi::is_text(value) ? std::optional<String>(String(Any::share(value))) : std::nullopt;
  }
  static abi::Value write(const String& text) { return Any(text.held()).take(); }
};

template <>
struct Convert<Bytes> {
  static std::string wanted() { return "bytes"; }
  static std::string schema() { return R"({"type":"ffi.Bytes"})"; }
  static std::optional<Bytes> read(const abi::Value& lent) {
    const abi::Value value = abi::settled(lent);
    if (value.type == abi::type_byte_array) {
      return Bytes(abi::characters(value));
    }
    return abi::is_bytes(value) ? std::optional<Bytes>(Bytes(Any::share(value))) : std::nullopt;
  }
  static abi::Value write(const Bytes& bytes) { return Any(bytes.held()).take(); }
};

/// A view of the caller's text: it lives as long as the call.
template <>
struct Convert<std::string_view> {
  static std::string wanted() { return "a string"; }
  static std::string schema() { return R"({"type":"ffi.String"})"; }
  static std::optional<std::string_view> read(const abi::Value& value) {
    if (value.type == abi::type_movable) {
      return read(abi::settled(value));
    }
    return abi::is_text(value) ? std::optional<std::string_view>(abi::characters(value)) : std::nullopt;
  }
  static abi::Value write(std::string_view text) { return Any(String(text).held()).take(); }
};

template <>
struct Convert<std::string> {
  static std::string wanted() { return "a string"; }
  static std::string schema() { return R"({"type":"ffi.String"})"; }
  static std::optional<std::string> read(const abi::Value& value) {
    const std::optional<std::string_view> text = Convert<std::string_view>::read(value);
    return text ? std::optional<std::string>(*text) : std::nullopt;
  }
  static abi::Value write(const std::string& text) { return Convert<std::string_view>::write(text); }
};

template <>
struct Convert<const char*> {
  static std::string wanted() { return "a string"; }
  static std::string schema() { return R"({"type":"ffi.String"})"; }
  static abi::Value write(const char* text) { return Convert<std::string_view>::write(text); }
};

template <>
struct Convert<char*> : Convert<const char*> {};

/// The first alternative that a value can be had as.
template <class... T>
struct Convert<std::variant<T...>> {
  static std::string wanted() {
    std::string all;
    ((all += (all.empty() ? "" : " or ") + Convert<T>::wanted()), ...);
    return all;
  }
  static std::string schema() {
    std::string all;
    ((all += (all.empty() ? "" : ",") + Convert<T>::schema()), ...);
    return R"({"type":"Union","args":[)" + all + "]}";
  }
  static std::optional<std::variant<T...>> read(const abi::Value& value) {
    std::optional<std::variant<T...>> found;
    (try_one<T>(value, found) || ...);
    return found;
  }
  static abi::Value write(const std::variant<T...>& value) {
    return std::visit([](const auto& one) { return Convert<std::decay_t<decltype(one)>>::write(one); }, value);
  }

 private:
  template <class One>
  static bool try_one(const abi::Value& value, std::optional<std::variant<T...>>& found) {
    // A number is not read as one of another kind while another alternative has its own kind.
    if (std::is_floating_point_v<One> && value.type != abi::type_float && (is_integer<T> || ...)) {
      return false;
    }
    if (is_integer<One> && value.type == abi::type_bool && (std::is_same_v<T, bool> || ...)) {
      return false;
    }
    if (std::is_same_v<One, bool> && value.type == abi::type_int && (is_integer<T> || ...)) {
      return false;
    }
    std::optional<One> one = Convert<One>::read(value);
    if (one) {
      found.emplace(*std::move(one));
    }
    return found.has_value();
  }
};

TENSPAN_KERNEL_END
