/// \file
/// The tables behind maps and dicts, read and changed in place: up to four pairs in a row, or a dense table.
///
/// ```text
/// block      16 marks, then 16 items of 48 bytes
/// item       key, value, position of the pair before and after it in order
/// mark       0xff empty; bit 7 clear at the first pair of a chain; bits 0–6 say which of the jumps leads to the next
/// ```
#pragma once

#include <vector>

#include <tenspan/kernel/key.hpp>

TENSPAN_KERNEL_BEGIN
namespace abi {

struct Item {
  Pair pair;
  std::uint64_t before;
  std::uint64_t after;
};

inline constexpr std::uint64_t small_mark = std::uint64_t{1} << 63;
inline constexpr std::uint64_t most_small = 4;
inline constexpr std::uint64_t nowhere = ~std::uint64_t{0};
inline constexpr std::uint64_t block_slots = 16;
inline constexpr std::size_t block_bytes = block_slots * (1 + sizeof(Item));
inline constexpr std::uint8_t mark_empty = 0xff, mark_reserved = 0xfe, mark_body = 0x80, mark_jump = 0x7f;

/// How far the next place of a chain is.
inline std::uint64_t jump_of(std::uint8_t mark) noexcept {
  static constexpr std::uint64_t far[] = {
      8515, 19110, 42778, 96141, 216153, 486591, 1092981, 2458653, 5532801, 12442566, 27993903, 62983476, 141717030,
      318844378, 717352503, 1614057336, 3631522476, 8170957530, 18384510628, 41364789378, 93070452520, 209408356380,
      471168559170, 1060128894105, 2385289465695, 5366898840628, 12075518705635, 27169915244790, 61132312065111,
      137547689707000, 309482283181501, 696335127828753, 1566753995631385, 3525196511162271, 7931691992677701,
      17846306936293605, 40154190677507445, 90346928918121501, 203280589587557251, 457381325854679626,
      1029107982097042876, 2315492959180353330, 5209859154120846435};
  const std::uint64_t n = mark & mark_jump;
  if (n < 16) {
    return n;
  }
  if (n < 83) {
    return (n - 10) * (n - 9) / 2;
  }
  return n < 126 ? far[n - 83] : 0;
}

/// A table, seen through its cell. Whoever changes one is the only one who looks at it.
class Table {
 public:
  explicit Table(TableCell* cell) noexcept : cell_(cell) {}

  [[nodiscard]] std::uint64_t size() const noexcept { return cell_->size; }
  [[nodiscard]] bool is_small() const noexcept { return (cell_->slots & small_mark) != 0; }
  [[nodiscard]] std::uint64_t first() const noexcept { return is_small() ? 0 : cell_->head; }
  [[nodiscard]] std::uint64_t following(std::uint64_t at) const noexcept { return is_small() ? at + 1 : item(at).after; }
  [[nodiscard]] Pair& pair(std::uint64_t at) const noexcept {
    return is_small() ? static_cast<Pair*>(cell_->data)[at] : item(at).pair;
  }

  /// The position of a key, or nowhere.
  [[nodiscard]] std::uint64_t find(const Value& key) const noexcept {
    if (is_small()) {
      for (std::uint64_t i = 0; i < cell_->size; ++i) {
        if (same_key(pair(i).key, key)) {
          return i;
        }
      }
      return nowhere;
    }
    if (cell_->size == 0 || cell_->slots == 0) {
      return nowhere;
    }
    std::uint64_t at = home(key);
    if ((mark(at) & mark_body) != 0) {
      return nowhere;
    }
    while (true) {
      if (same_key(pair(at).key, key)) {
        return at;
      }
      if (jump_of(mark(at)) == 0) {
        return nowhere;
      }
      at = step(at, mark(at));
    }
  }

  /// Sets the value of a key and takes both over. What was not needed is dropped; an old key keeps its place.
  void set(Any key, Any value) {
    const std::uint64_t at = find(key.raw());
    if (at != nowhere) {
      const Any old = Any::adopt(std::exchange(pair(at).value, value.take()));
      return;
    }
    const Pair added{key.raw(), value.raw()};
    if (is_small() && cell_->size < (cell_->slots & ~small_mark)) {
      pair(cell_->size) = added;
      ++cell_->size;
    } else {
      if (is_small()) {
        grow(cell_->size + 1);
      }
      insert(added);
    }
    // The table owns both now.
    key.take();
    value.take();
  }

  /// Takes a key and its value out. \return Whether there was such a key.
  bool remove(const Value& key) {
    const std::uint64_t at = find(key);
    if (at == nowhere) {
      return false;
    }
    const Pair taken = pair(at);
    if (is_small()) {
      Pair* const row = static_cast<Pair*>(cell_->data);
      std::memmove(static_cast<void*>(row + at), row + at + 1, (cell_->size - at - 1) * sizeof(Pair));
    } else {
      take_out(at);
    }
    --cell_->size;
    const Any old_key = Any::adopt(taken.key);
    const Any old_value = Any::adopt(taken.value);
    return true;
  }

  /// Gives up all pairs and the memory they stand in.
  void destroy() noexcept {
    std::uint64_t at = first();
    for (std::uint64_t left = cell_->size; left > 0; --left) {
      const Pair taken = pair(at);
      at = following(at);
      release(taken.key);
      release(taken.value);
    }
    cell_->size = 0;
    release_data();
  }

  /// Moves all pairs into a dense table with more places than twice as many as wanted.
  void grow(std::uint64_t wanted) {
    while (true) {
      TableCell larger = dense(wanted);
      Table table(&larger);
      bool done = true;
      std::uint64_t at = first();
      for (std::uint64_t left = cell_->size; done && left > 0; --left) {
        const std::uint64_t next = following(at);
        done = table.place(pair(at));
        at = next;
      }
      if (done) {
        release_data();
        *cell_ = larger;
        return;
      }
      std::free(larger.data);
      wanted *= 2;
    }
  }

 private:
  [[nodiscard]] char* block(std::uint64_t at) const noexcept {
    return static_cast<char*>(cell_->data) + at / block_slots * block_bytes;
  }
  [[nodiscard]] std::uint8_t& mark(std::uint64_t at) const noexcept {
    return reinterpret_cast<std::uint8_t*>(block(at))[at % block_slots];
  }
  [[nodiscard]] Item& item(std::uint64_t at) const noexcept {
    return reinterpret_cast<Item*>(block(at) + block_slots)[at % block_slots];
  }
  [[nodiscard]] std::uint64_t home(const Value& key) const noexcept {
    return (11400714819323198485u * hash_of(key)) >> (cell_->shift & 63);
  }
  [[nodiscard]] std::uint64_t step(std::uint64_t at, std::uint8_t mark) const noexcept {
    return (at + jump_of(mark)) % cell_->slots;
  }
  void set_jump(std::uint64_t at, std::uint8_t jump) const noexcept {
    mark(at) = static_cast<std::uint8_t>((mark(at) & mark_body) | jump);
  }

  static TableCell dense(std::uint64_t wanted) {
    std::uint64_t slots = 2;
    std::uint32_t bits = 1;
    while (slots < 2 * (wanted + 1)) {
      slots *= 2;
      ++bits;
      if (bits > 40) {
        throw std::bad_alloc();
      }
    }
    const std::uint64_t blocks = (slots + block_slots - 1) / block_slots;
    char* const data = static_cast<char*>(std::malloc(blocks * block_bytes));
    if (data == nullptr) {
      throw std::bad_alloc();
    }
    for (std::uint64_t i = 0; i < blocks; ++i) {
      std::memset(data + i * block_bytes, mark_empty, block_slots);
    }
    return TableCell{data, 0, slots, &free_data, 64 - bits, 0, nowhere, nowhere};
  }
  static void free_data(void* data) { std::free(data); }

  void release_data() noexcept {
    if (cell_->deleter != nullptr && cell_->data != nullptr) {
      cell_->deleter(std::exchange(cell_->data, nullptr));
    }
    cell_->deleter = nullptr;
  }

  /// Adds a pair whose key is not there.
  void insert(const Pair& added) {
    const bool full = static_cast<double>(cell_->size + 1) > static_cast<double>(cell_->slots) * 0.99;
    bool placed = !full && place(added);
    while (!placed) {
      grow(cell_->slots / 2 + 1);
      placed = place(added);
    }
  }

  /// Puts a pair into its chain. False, with nothing changed, when the chain finds no place.
  bool place(const Pair& added) {
    const std::uint64_t start = home(added.key);
    std::uint64_t at = start;
    if (mark(start) == mark_empty) {
      mark(start) = 0;
    } else if ((mark(start) & mark_body) == 0) {
      std::uint64_t last = start;
      while (jump_of(mark(last)) != 0) {
        last = step(last, mark(last));
      }
      const std::uint8_t jump = free_after(last, at);
      if (jump == 0) {
        return false;
      }
      mark(at) = mark_body;
      set_jump(last, jump);
    } else {
      if (!move_away(start)) {
        return false;
      }
      mark(start) = 0;
    }
    const std::uint64_t before = cell_->tail;
    item(at) = Item{added, before, nowhere};
    (before == nowhere ? cell_->head : item(before).after) = at;
    cell_->tail = at;
    ++cell_->size;
    return true;
  }

  /// The nearest empty place that a jump leads to; 0 when there is none.
  std::uint8_t free_after(std::uint64_t from, std::uint64_t& at) const noexcept {
    for (std::uint8_t jump = 1; jump < 126; ++jump) {
      at = step(from, jump);
      if (mark(at) == mark_empty) {
        return jump;
      }
    }
    return 0;
  }

  /// Moves a pair that stands in the way, and those behind it in its chain. False, with all as before, when one finds no place.
  bool move_away(std::uint64_t from) {
    struct Moved {
      std::uint64_t from, to;
      std::uint8_t mark;
    };
    std::uint64_t end = home(item(from).pair.key);
    while (step(end, mark(end)) != from) {
      end = step(end, mark(end));
    }
    const std::uint64_t before = end;
    const std::uint8_t before_mark = mark(end);
    std::vector<Moved> moved;
    for (std::uint64_t at = from;;) {
      std::uint64_t to = 0;
      const std::uint8_t jump = free_after(end, to);
      if (jump == 0) {
        for (std::size_t i = moved.size(); i-- > 0;) {
          relocate(moved[i].to, moved[i].from);
          mark(moved[i].to) = mark_empty;
          mark(moved[i].from) = moved[i].mark;
        }
        mark(before) = before_mark;
        return false;
      }
      const std::uint8_t old = mark(at);
      relocate(at, to);
      mark(to) = mark_body;
      mark(at) = at == from ? mark_reserved : mark_empty;
      set_jump(end, jump);
      moved.push_back({at, to, old});
      end = to;
      if (jump_of(old) == 0) {
        return true;
      }
      at = step(at, old);
    }
  }

  void relocate(std::uint64_t from, std::uint64_t to) noexcept {
    item(to) = item(from);
    (item(to).before == nowhere ? cell_->head : item(item(to).before).after) = to;
    (item(to).after == nowhere ? cell_->tail : item(item(to).after).before) = to;
  }

  /// Closes the gap that a pair leaves: the last of its chain fills it.
  void take_out(std::uint64_t at) noexcept {
    const Item taken = item(at);
    std::uint64_t previous = nowhere;
    std::uint64_t last = home(taken.pair.key);
    while (jump_of(mark(last)) != 0) {
      previous = last;
      last = step(last, mark(last));
    }
    (taken.before == nowhere ? cell_->head : item(taken.before).after) = taken.after;
    (taken.after == nowhere ? cell_->tail : item(taken.after).before) = taken.before;
    if (last != at) {
      relocate(last, at);
    }
    mark(last) = mark_empty;
    if (previous != nowhere) {
      set_jump(previous, 0);
    }
  }

  TableCell* cell_;
};

/// The deleter of maps and dicts made here, whoever changed them since.
inline void delete_table(void* object, int flags) {
  if ((flags & 1) != 0) {
    Table(reinterpret_cast<TableCell*>(static_cast<char*>(object) + sizeof(Header))).destroy();
  }
  if ((flags & 2) != 0) {
    free_space(object);
  }
}

/// A map or dict with no pairs. A small one has room for the fields of a dense one, because a dict becomes dense where it stands.
inline Any make_table(std::int32_t type) {
  constexpr std::size_t shared = sizeof(Header) + 32;
  char* const object = static_cast<char*>(allocate(type, shared + most_small * sizeof(Pair), &delete_table));
  std::memset(object + sizeof(Header), 0, 32 + most_small * sizeof(Pair));
  auto* const cell = reinterpret_cast<TableCell*>(object + sizeof(Header));
  cell->data = object + shared;
  cell->slots = small_mark | most_small;
  return Any::adopt(value_of(reinterpret_cast<Header*>(object)));
}

}  // namespace abi
TENSPAN_KERNEL_END
