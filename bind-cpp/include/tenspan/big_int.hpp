/// \file
/// Whole numbers of any size.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tenspan/any.hpp>
#include <tenspan/span.hpp>

TENSPAN_BEGIN_NAMESPACE

class BigInt;

namespace detail {

// Declared first: to compare two numbers the compiler looks for ways to make values of them.
template <>
struct Convert<BigInt> {
  static Any write(const BigInt& number);
  static bool matches(const Any& value) { return Convert<std::int64_t>::matches(value); }
  static std::string wanted() { return "an integer"; }
  static BigInt read(const Any& value);
};

}  // namespace detail

/// A whole number of any size, as Python and JavaScript have it. It is held, compared and passed on; C++ has no arithmetic for it.
class BigInt {
 public:
  /// Zero.
  BigInt() = default;
  /// \param value  The number.
  template <class T, std::enable_if_t<detail::is_number<T>, int> = 0>
  BigInt(T value) : words_{static_cast<std::int64_t>(value)} {
    if constexpr (std::is_unsigned_v<T> && sizeof(T) == 8) {
      words_.push_back(0);
    }
    trim();
  }
  /// \param words  Words in two's complement, least significant first; none are 0.
  explicit BigInt(std::vector<std::int64_t> words) : words_(std::move(words)) { trim(); }

  /// \return The words in two's complement, least significant first; none that only repeats the sign.
  [[nodiscard]] span<const std::int64_t> words() const noexcept { return {words_.data(), words_.size()}; }
  /// \return Whether the number is less than 0.
  [[nodiscard]] bool is_negative() const noexcept { return !words_.empty() && words_.back() < 0; }
  /// \return The number in digits.
  [[nodiscard]] std::string to_string() const {
    tenspan_any result{0, 0, 0};
    detail::check(tenspan_digits(words_.data(), words_.size(), &result));
    return Any::adopt(result).as<std::string>();
  }

  /// \param a  Number.
  /// \param b  Number.
  /// \return Whether they are the same.
  [[nodiscard]] friend bool operator==(const BigInt& a, const BigInt& b) { return a.words_ == b.words_; }
  /// \param a  Number.
  /// \param b  Number.
  /// \return Whether they differ.
  [[nodiscard]] friend bool operator!=(const BigInt& a, const BigInt& b) { return !(a == b); }

 private:
  void trim() {
    while (words_.size() > 1 && words_.back() == (words_[words_.size() - 2] < 0 ? -1 : 0)) {
      words_.pop_back();
    }
    if (words_.size() == 1 && words_[0] == 0) {
      words_.clear();
    }
  }

  std::vector<std::int64_t> words_;
};

namespace detail {

inline Any Convert<BigInt>::write(const BigInt& number) {
  tenspan_any result{0, 0, 0};
  check(tenspan_integer(number.words().data(), number.words().size(), &result));
  return Any::adopt(result);
}

inline BigInt Convert<BigInt>::read(const Any& value) {
  if (!has_type(value, type_index::big_int)) {
    return BigInt(static_cast<std::int64_t>(value.raw().payload));
  }
  const tenspan_big_int_cell& cell = cell_of<tenspan_big_int_cell>(value.raw());
  const std::int64_t* const words = &cell.value[0];
  return BigInt(std::vector<std::int64_t>(words, words + cell.words));
}

}  // namespace detail
TENSPAN_END_NAMESPACE
