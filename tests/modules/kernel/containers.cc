// Containers of each kind, read, changed and made.
#include <tenspan/kernel.hpp>

namespace kernel = tenspan::kernel;
using kernel::Any;
using kernel::Array;
using kernel::Dict;
using kernel::List;
using kernel::Map;
using kernel::Shape;
using kernel::String;

namespace {

std::int64_t sum(const Array<std::int64_t>& items) {
  std::int64_t total = 0;
  for (const std::int64_t item : items) total += item;
  return total;
}

std::string join(const std::vector<std::string>& items, std::string_view between) {
  std::string all;
  for (std::size_t i = 0; i < items.size(); ++i) all.append(i == 0 ? "" : between).append(items[i]);
  return all;
}

std::vector<std::int64_t> range(std::int64_t n) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < n; ++i) all.push_back(i);
  return all;
}

void fill(List<> list, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) list.push_back(i);
}

Map<String, std::int64_t> lengths(const Array<String>& names) {
  std::vector<std::pair<String, std::int64_t>> all;
  for (const String& name : names) all.emplace_back(name, static_cast<std::int64_t>(name.size()));
  return {all.begin(), all.end()};
}

Map<String, Any> with(const Map<String, Any>& map, const String& key, Any value) {
  std::vector<std::pair<String, Any>> all(map.begin(), map.end());
  all.emplace_back(key, value);
  return {all.begin(), all.end()};
}

void count(Dict<String, std::int64_t> counts, const std::vector<String>& names) {
  for (const String& name : names) counts.set(name, counts.get(name).value_or(0) + 1);
}

std::int64_t weigh(const std::map<std::string, std::vector<std::int64_t>>& nested) {
  std::int64_t total = 0;
  for (const auto& [name, items] : nested) total += static_cast<std::int64_t>(name.size()) * sum(items);
  return total;
}

std::int64_t volume(const Shape& shape) {
  std::int64_t total = 1;
  for (const std::int64_t length : shape) total *= length;
  return total;
}

// A dict of n keys, of which every third is taken out again.
Dict<std::int64_t, std::string> sieve(std::int64_t n) {
  Dict<std::int64_t, std::string> all;
  for (std::int64_t i = 0; i < n; ++i) all.set(i * 7919, std::to_string(i));
  for (std::int64_t i = 0; i < n; i += 3) all.remove(i * 7919);
  return all;
}

}  // namespace

TENSPAN_EXPORT(sum, sum);
TENSPAN_EXPORT(join, join);
TENSPAN_EXPORT(range, range);
TENSPAN_EXPORT(fill, fill);
TENSPAN_EXPORT(lengths, lengths);
TENSPAN_EXPORT(lookup, [](const Map<String, Any>& map, const String& key) { return map[key]; });
TENSPAN_EXPORT(with, with);
TENSPAN_EXPORT(count, count);
TENSPAN_EXPORT(weigh, weigh);
TENSPAN_EXPORT(volume, volume);
TENSPAN_EXPORT(grow, [](std::int64_t a, std::int64_t b) { return Shape{a, b, a * b}; });
TENSPAN_EXPORT(swap, [](std::pair<std::int64_t, String> pair) { return std::make_tuple(pair.second, pair.first); });
TENSPAN_EXPORT(last, [](const List<std::int64_t>& list) { return list[-1]; });
TENSPAN_EXPORT(sieve, sieve);
