/// \file
/// Sequences: Array, which never changes, List, which everybody who holds it may change, and Shape; and vectors.
#pragma once

#include <array>
#include <initializer_list>
#include <iterator>
#include <vector>

#include <tenspan/kernel/span.hpp>
#include <tenspan/kernel/text.hpp>

TENSPAN_KERNEL_BEGIN
namespace abi {

inline SequenceCell& sequence_of(const Any& held) noexcept { return cell_of<SequenceCell>(held.raw()); }

inline void free_buffer(void* buffer) { std::free(buffer); }

/// The deleter of arrays and lists made here, whoever changed them since.
inline void delete_sequence(void* object, int flags) {
  if ((flags & 1) != 0) {
    auto& cell = *reinterpret_cast<SequenceCell*>(static_cast<char*>(object) + sizeof(Header));
    for (std::int64_t i = 0; i < cell.size; ++i) {
      release(cell.data[i]);
    }
    if (cell.deleter != nullptr && cell.data != nullptr) {
      cell.deleter(cell.data);
    }
  }
  if ((flags & 2) != 0) {
    free_space(object);
  }
}

/// An array with room for items, which stand behind it.
inline Any make_array(std::size_t room) {
  if (room > (std::size_t{1} << 48)) {
    throw std::bad_alloc();
  }
  char* const object =
      static_cast<char*>(allocate(type_array, sizeof(Header) + sizeof(SequenceCell) + room * sizeof(Value), &delete_sequence));
  auto* const cell = ::new (object + sizeof(Header)) SequenceCell{};
  cell->data = reinterpret_cast<Value*>(cell + 1);
  cell->capacity = static_cast<std::int64_t>(room);
  return Any::adopt(value_of(reinterpret_cast<Header*>(object)));
}

inline Any make_list() {
  char* const object = static_cast<char*>(allocate(type_list, sizeof(Header) + sizeof(SequenceCell), &delete_sequence));
  auto* const cell = ::new (object + sizeof(Header)) SequenceCell{};
  // Others put buffers of their own in place and keep this function: it must take what `operator new` gives, as `free` does.
  cell->deleter = &free_buffer;
  return Any::adopt(value_of(reinterpret_cast<Header*>(object)));
}

/// Makes room for more items of a list.
inline void reserve(SequenceCell& cell, std::size_t wanted) {
  const auto room = static_cast<std::size_t>(cell.capacity < 0 ? 0 : cell.capacity);
  if (wanted <= room) {
    return;
  }
  std::size_t capacity = wanted > room * 2 ? wanted : room * 2;
  capacity = capacity < 4 ? 4 : capacity;
  auto* const buffer = capacity > (std::size_t{1} << 48) ? nullptr : static_cast<Value*>(std::malloc(capacity * sizeof(Value)));
  if (buffer == nullptr) {
    throw std::bad_alloc();
  }
  if (cell.data != nullptr) {
    std::memcpy(buffer, cell.data, static_cast<std::size_t>(cell.size) * sizeof(Value));
    if (cell.deleter != nullptr) {
      cell.deleter(cell.data);
    }
  }
  cell.data = buffer;
  cell.capacity = static_cast<std::int64_t>(capacity);
  cell.deleter = &free_buffer;
}

inline bool is_sequence(const Value& value) noexcept { return value.type == type_array || value.type == type_list; }

inline Span<const Value> items(const Value& value) noexcept {
  const auto& cell = cell_of<SequenceCell>(value);
  return {cell.data, cell.data == nullptr || cell.size < 0 ? 0 : static_cast<std::size_t>(cell.size)};
}

/// An array of what a sequence holds now.
inline Any copied(const Value& sequence) {
  const Span<const Value> all = items(sequence);
  Any made = make_array(all.size());
  SequenceCell& cell = sequence_of(made);
  for (const Value& item : all) {
    retain(item);
    cell.data[cell.size++] = item;
  }
  return made;
}

[[noreturn]] inline void throw_position(std::int64_t position, std::int64_t size) {
  throw IndexError("position " + std::to_string(position) + " of a list of " + std::to_string(size));
}

/// Reads something inside of a container, with errors that say where.
template <class T>
T read_inside(const Value& value, const char* what, const std::string& which) {
  std::optional<T> found;
  try {
    found = Convert<T>::read(value);
  } catch (const Error& error) {
    throw Error(error.kind(), what + which + ": " + error.what());
  }
  if (!found) {
    throw TypeError(what + which + " wants " + Convert<T>::wanted() + ", found " + describe(value));
  }
  return *std::move(found);
}

/// Looks at every item of a sequence of a type.
template <class T>
void expect_items(const Value& sequence) {
  if constexpr (!std::is_same_v<T, Any>) {
    const Span<const Value> all = items(sequence);
    for (std::size_t i = 0; i < all.size(); ++i) {
      (void)read_inside<T>(all[i], "item ", std::to_string(i));
    }
  }
}

}  // namespace abi

/// Goes through the items of a sequence by their positions.
template <class Sequence>
class ItemIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = typename Sequence::value_type;
  using difference_type = std::ptrdiff_t;
  using pointer = const value_type*;
  using reference = value_type;

  ItemIterator(const Sequence* sequence, std::int64_t at) : sequence_(sequence), at_(at) {}
  value_type operator*() const { return (*sequence_)[at_]; }
  ItemIterator& operator++() {
    ++at_;
    return *this;
  }
  /// The end moves when a list grows or shrinks meanwhile.
  friend bool operator!=(const ItemIterator& a, const ItemIterator& b) {
    return a.at_ < static_cast<std::int64_t>(a.sequence_->size()) && a.at_ != b.at_;
  }
  friend bool operator==(const ItemIterator& a, const ItemIterator& b) { return !(a != b); }

 private:
  const Sequence* sequence_;
  std::int64_t at_;
};

namespace detail {

/// What arrays and lists can both be asked.
template <class Class, class T>
class Sequence : public ObjectRef {
 public:
  using value_type = T;

  [[nodiscard]] std::size_t size() const noexcept { return abi::items(raw()).size(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  /// \param position  From 0, or from the end when negative. \return The item. \throws IndexError  There is none.
  [[nodiscard]] T operator[](std::int64_t position) const {
    return abi::read_inside<T>(abi::items(raw())[at(position)], "item ", std::to_string(position));
  }
  [[nodiscard]] ItemIterator<Class> begin() const { return {static_cast<const Class*>(this), 0}; }
  [[nodiscard]] ItemIterator<Class> end() const { return {static_cast<const Class*>(this), static_cast<std::int64_t>(size())}; }

 protected:
  using ObjectRef::ObjectRef;

  [[nodiscard]] std::size_t at(std::int64_t position) const {
    const auto count = static_cast<std::int64_t>(size());
    const std::int64_t found = position < 0 ? position + count : position;
    if (found < 0 || found >= count) {
      abi::throw_position(position, count);
    }
    return static_cast<std::size_t>(found);
  }
};

}  // namespace detail

/// Values in order that never change. Copies are the same array.
template <class T = Any>
class Array : public detail::Sequence<Array<T>, T> {
  using Base = detail::Sequence<Array<T>, T>;

 public:
  Array() : Base(abi::make_array(0)) {}
  Array(std::initializer_list<T> items) : Array(items.begin(), items.end()) {}
  Array(const std::vector<T>& items) : Array(items.begin(), items.end()) {}
  template <class I, class = typename std::iterator_traits<I>::iterator_category>
  Array(I begin, I end) : Base(abi::make_array(static_cast<std::size_t>(std::distance(begin, end)))) {
    abi::SequenceCell& cell = abi::sequence_of(this->held());
    for (; begin != end; ++begin) {
      cell.data[cell.size] = Convert<T>::write(*begin);
      ++cell.size;
    }
  }
  explicit Array(Any held) : Base(std::move(held)) {}
};

/// Values in order that everybody who holds the list may change. Copies are the same list.
template <class T = Any>
class List : public detail::Sequence<List<T>, T> {
  using Base = detail::Sequence<List<T>, T>;

 public:
  List() : Base(abi::make_list()) {}
  List(std::initializer_list<T> items) : List(items.begin(), items.end()) {}
  List(const std::vector<T>& items) : List(items.begin(), items.end()) {}
  template <class I, class = typename std::iterator_traits<I>::iterator_category>
  List(I begin, I end) : List() {
    for (; begin != end; ++begin) {
      push_back(*begin);
    }
  }
  explicit List(Any held) : Base(std::move(held)) {}

  void push_back(const T& item) {
    Any value = Any::adopt(Convert<T>::write(item));
    abi::SequenceCell& cell = abi::sequence_of(this->held());
    abi::reserve(cell, static_cast<std::size_t>(cell.size) + 1);
    cell.data[cell.size++] = value.take();
  }
  /// \return The last item, which is taken out. \throws IndexError  There is none.
  T pop_back() {
    if (this->empty()) {
      throw IndexError("pop from an empty list");
    }
    abi::SequenceCell& cell = abi::sequence_of(this->held());
    return Any::adopt(cell.data[--cell.size]).template as<T>();
  }
  /// Puts an item in the place of another.
  void set(std::int64_t position, const T& item) {
    Any value = Any::adopt(Convert<T>::write(item));
    abi::Value& place = abi::sequence_of(this->held()).data[this->at(position)];
    const Any old = Any::adopt(std::exchange(place, value.take()));
  }
  void clear() {
    abi::SequenceCell& cell = abi::sequence_of(this->held());
    while (cell.size > 0) {
      const Any old = Any::adopt(cell.data[--cell.size]);
    }
  }
};

/// Lengths along dimensions.
class Shape : public ObjectRef {
 public:
  using value_type = std::int64_t;

  Shape() : Shape(nullptr, 0) {}
  Shape(std::initializer_list<std::int64_t> lengths) : Shape(lengths.begin(), lengths.size()) {}
  Shape(const std::vector<std::int64_t>& lengths) : Shape(lengths.data(), lengths.size()) {}
  Shape(const std::int64_t* lengths, std::size_t count) : ObjectRef(made(lengths, count)) {}
  explicit Shape(Any held) : ObjectRef(std::move(held)) {}

  [[nodiscard]] Span<const std::int64_t> lengths() const noexcept {
    const auto& cell = abi::cell_of<abi::ShapeCell>(raw());
    return {cell.data, cell.size};
  }
  [[nodiscard]] std::size_t size() const noexcept { return lengths().size(); }
  [[nodiscard]] std::int64_t operator[](std::size_t position) const noexcept { return lengths()[position]; }
  [[nodiscard]] const std::int64_t* begin() const noexcept { return lengths().begin(); }
  [[nodiscard]] const std::int64_t* end() const noexcept { return lengths().end(); }

 private:
  static void delete_shape(void* object, int flags) {
    if ((flags & 2) != 0) {
      abi::free_space(object);
    }
  }
  static Any made(const std::int64_t* lengths, std::size_t count) {
    const std::size_t fixed = sizeof(abi::Header) + sizeof(abi::ShapeCell);
    char* const object =
        static_cast<char*>(abi::allocate(abi::type_shape, fixed + count * sizeof(std::int64_t), &delete_shape));
    auto* const own = reinterpret_cast<std::int64_t*>(object + fixed);
    if (count != 0) {
      std::memcpy(own, lengths, count * sizeof(std::int64_t));
    }
    ::new (object + sizeof(abi::Header)) abi::ShapeCell{own, count};
    return Any::adopt(abi::value_of(reinterpret_cast<abi::Header*>(object)));
  }
};

namespace detail {

template <class T>
std::string wanted_items(const char* what) {
  return std::is_same_v<T, Any> ? what : std::string(what) + " (each item " + Convert<T>::wanted() + ")";
}

}  // namespace detail

template <class T>
struct Convert<Array<T>> {
  static std::string wanted() { return detail::wanted_items<T>("a list"); }
  static std::string schema() { return R"({"type":"ffi.Array","args":[)" + Convert<T>::schema() + "]}"; }
  static std::optional<Array<T>> read(const abi::Value& lent) {
    const abi::Value value = abi::settled(lent);
    if (!abi::is_sequence(value)) {
      return std::nullopt;
    }
    abi::expect_items<T>(value);
    return Array<T>(value.type == abi::type_array ? Any::share(value) : abi::copied(value));
  }
  static abi::Value write(const Array<T>& array) { return Any(array.held()).take(); }
};

template <class T>
struct Convert<List<T>> {
  static std::string wanted() { return detail::wanted_items<T>("a list"); }
  static std::string schema() { return R"({"type":"ffi.List","args":[)" + Convert<T>::schema() + "]}"; }
  static std::optional<List<T>> read(const abi::Value& lent) {
    const abi::Value value = abi::settled(lent);
    if (!abi::is_sequence(value)) {
      return std::nullopt;
    }
    abi::expect_items<T>(value);
    if (value.type == abi::type_list) {
      return List<T>(Any::share(value));
    }
    List<Any> copy;
    for (const abi::Value& item : abi::items(value)) {
      copy.push_back(Any::share(item));
    }
    return List<T>(copy.held());
  }
  static abi::Value write(const List<T>& list) { return Any(list.held()).take(); }
};

template <class T>
struct Convert<std::vector<T>> {
  static std::string wanted() { return detail::wanted_items<T>("a list"); }
  static std::string schema() { return R"({"type":"ffi.Array","args":[)" + Convert<T>::schema() + "]}"; }
  static std::optional<std::vector<T>> read(const abi::Value& lent) {
    const abi::Value value = abi::settled(lent);
    if constexpr (is_integer<T>) {
      if (value.type == abi::type_shape) {
        const auto& cell = abi::cell_of<abi::ShapeCell>(value);
        return std::vector<T>(cell.data, cell.data + cell.size);
      }
    }
    if (!abi::is_sequence(value)) {
      return std::nullopt;
    }
    std::vector<T> all;
    const Span<const abi::Value> items = abi::items(value);
    all.reserve(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      all.push_back(abi::read_inside<T>(items[i], "item ", std::to_string(i)));
    }
    return all;
  }
  static abi::Value write(const std::vector<T>& all) { return Any(Array<T>(all).held()).take(); }
};

template <>
struct Convert<Shape> {
  static std::string wanted() { return "a shape or a list of lengths"; }
  static std::string schema() { return R"({"type":"ffi.Shape"})"; }
  static std::optional<Shape> read(const abi::Value& lent) {
    const abi::Value value = abi::settled(lent);
    if (value.type == abi::type_shape) {
      return Shape(Any::share(value));
    }
    const std::optional<std::vector<std::int64_t>> lengths = Convert<std::vector<std::int64_t>>::read(value);
    return lengths ? std::optional<Shape>(Shape(*lengths)) : std::nullopt;
  }
  static abi::Value write(const Shape& shape) { return Any(shape.held()).take(); }
};

TENSPAN_KERNEL_END
