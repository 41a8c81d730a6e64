// Containers: read in place, changed through the library.
#include <tenspan/tenspan.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "check.hpp"

namespace ts = tenspan;

TEST(arrays_are_read_in_place) {
  const ts::Array<std::int64_t> numbers{1, 2, 3};
  CHECK_EQ(numbers.size(), 3u);
  CHECK_EQ(numbers[0], 1);
  CHECK_EQ(numbers[-1], 3);
  CHECK_EQ(CHECK_THROWS(ts::IndexError, numbers[3]), "position 3 is outside of an array of 3 items");
  CHECK_THROWS(ts::IndexError, numbers[-4]);
  CHECK_THROWS(ts::IndexError, numbers[INT64_MIN]);
  std::int64_t sum = 0;
  for (const std::int64_t number : numbers) {
    sum += number;
  }
  CHECK_EQ(sum, 6);
  CHECK_EQ(numbers.to_vector(), (std::vector<std::int64_t>{1, 2, 3}));
  CHECK_EQ(numbers.index_of(2).value(), 1u);
  CHECK(!numbers.index_of(9));
  CHECK(ts::Array<>().empty());
  const ts::Array<> mixed{1, "two", 3.0, nullptr, ts::Array<>{true}};
  CHECK_EQ(mixed[1].as<std::string>(), "two");
  CHECK_EQ(mixed[4].as<ts::Array<bool>>()[0], true);
  CHECK_EQ(mixed.items().size(), 5u);
}

TEST(items_of_another_kind_are_named) {
  const ts::Any mixed = ts::Array<>{1, "two"};
  CHECK(mixed.is<ts::Array<std::int64_t>>());
  CHECK_EQ(CHECK_THROWS(ts::TypeError, mixed.as<ts::Array<std::int64_t>>()), "item 1 wants an integer, found a string");
  CHECK_EQ(CHECK_THROWS(ts::TypeError, ts::Any(1).as<ts::Array<std::string>>()),
           "wanted an array (each item a string), found an integer");
  const ts::Any map = ts::Map<>{{"a", 1}, {2, 3}};
  CHECK_EQ(CHECK_THROWS(ts::TypeError, map.as<ts::Map<std::string, int>>()), "key 1 wants a string, found an integer");
  const ts::Any pair = ts::Array<>{1, "x", 2};
  CHECK_THROWS(ts::TypeError, pair.as<ts::Tuple<int, std::string>>());
  const ts::Any swapped = ts::Array<>{"x", 1};
  CHECK_EQ(CHECK_THROWS(ts::TypeError, swapped.as<ts::Tuple<int, std::string>>()), "item 0 wants an integer, found a string");
  CHECK_THROWS(ts::OverflowError, ts::Any(ts::Array<>{300}).as<ts::Array<std::int8_t>>()[0]);
}

TEST(lists_are_shared) {
  const ts::List<std::string> list{"a", "b"};
  const ts::List<std::string> same = list;
  const ts::List<std::string> copy = ts::Any(ts::Array<>{"a", "b"}).as<ts::List<std::string>>();
  list.push("a text that is long enough for an object");
  list.set(0, "x");
  CHECK_EQ(same.to_vector(), (std::vector<std::string>{"x", "b", "a text that is long enough for an object"}));
  CHECK_EQ(copy.size(), 2u);
  list.insert(1, "between");
  list.insert(99, "last");
  CHECK_EQ(same[1], "between");
  CHECK_EQ(same.remove(), "last");
  CHECK_EQ(same.remove(0), "x");
  CHECK_EQ(list.splice(0, 2), (std::vector<std::string>{"between", "b"}));
  CHECK_EQ(list.size(), 1u);
  CHECK_EQ(CHECK_THROWS(ts::IndexError, list[5]), "position 5 is outside of a list of 1 item");
  CHECK_THROWS(ts::IndexError, list.set(-2, "x"));
  list.clear();
  CHECK_THROWS(ts::IndexError, list.remove());
  CHECK(same.empty());
}

TEST(a_list_may_change_while_it_is_gone_through) {
  const ts::List<int> list{1, 2, 3};
  int seen = 0;
  for (const int item : list) {
    list.clear();
    seen += item;
  }
  CHECK_EQ(seen, 6);
  CHECK_EQ(list.size(), 0u);
}

TEST(maps_of_every_size_keep_their_order) {
  for (const std::int64_t count : {0, 1, 3, 4, 5, 8, 17, 100, 1000}) {
    std::vector<std::pair<std::string, std::int64_t>> entries;
    for (std::int64_t i = 0; i < count; ++i) {
      entries.emplace_back("key " + std::to_string(i * 7919 % 1009), i);
    }
    const ts::Map<std::string, std::int64_t> map(entries.begin(), entries.end());
    CHECK_EQ(map.size(), entries.size());
    std::size_t at = 0;
    for (const auto& [key, value] : map) {
      CHECK_EQ(key, entries[at].first);
      CHECK_EQ(value, entries[at].second);
      CHECK_EQ(map[key], value);
      ++at;
    }
    CHECK_EQ(at, entries.size());
    CHECK(!map.has("nothing"));
    CHECK(!map.find("nothing"));
  }
}

TEST(a_missing_key_is_in_the_message) {
  const ts::Map<> map{{"a", 1}, {2, "b"}};
  CHECK_EQ(CHECK_THROWS(ts::KeyError, map["x"]), "there is no key \"x\" in the map");
  CHECK_THROWS(ts::KeyError, map[true]);
  CHECK_EQ(map[2].as<std::string>(), "b");
  CHECK(!map.has(2.0));
  CHECK_EQ(map.find("a").value().as<int>(), 1);
}

TEST(dicts_are_shared) {
  const ts::Dict<std::string, int> dict{{"a", 1}, {"b", 2}};
  const ts::Dict<std::string, int> same = dict;
  dict.set("a", 3);
  for (int i = 0; i < 20; ++i) {
    dict.set("more " + std::to_string(i), i);
  }
  CHECK_EQ(same.size(), 22u);
  CHECK_EQ(same.keys()[0], "a");
  CHECK_EQ(same["a"], 3);
  CHECK(same.remove("b"));
  CHECK(!same.remove("b"));
  CHECK_EQ(CHECK_THROWS(ts::KeyError, dict["b"]), "there is no key \"b\" in the dict");
  int sum = 0;
  for (const auto& [key, value] : dict) {
    dict.clear();
    sum += value;
  }
  CHECK_EQ(sum, 3 + 190);
  CHECK(same.empty() && !same.find("a"));
}

TEST(containers_of_the_standard_library_travel) {
  const std::map<std::string, std::vector<int>> lists{{"a", {1, 2}}, {"b", {}}};
  const ts::Any any = lists;
  CHECK((any.as<std::map<std::string, std::vector<int>>>() == lists));
  CHECK((any.as<std::unordered_map<std::string, std::vector<int>>>().size() == 2));
  const std::tuple<int, std::string, bool> tuple{1, "x", true};
  CHECK((ts::Any(tuple).as<std::tuple<int, std::string, bool>>() == tuple));
  const auto [number, text] = ts::Any(ts::Array<>{5, "five"}).as<ts::Tuple<int, std::string>>();
  CHECK_EQ(number, 5);
  CHECK_EQ(text, "five");
  CHECK_EQ(ts::Any(ts::List<int>{1, 2}).as<std::vector<int>>(), (std::vector<int>{1, 2}));
  CHECK(ts::Any(ts::Tuple<>()).as<ts::Array<>>().empty());
}

TEST(shapes_hold_lengths) {
  const ts::Shape shape{2, 3, -1};
  CHECK_EQ(shape.size(), 3u);
  CHECK_EQ(shape[-1], -1);
  CHECK_THROWS(ts::IndexError, shape[3]);
  CHECK(ts::Any(std::vector<int>{2, 3, -1}).as<ts::Shape>() == shape);
  CHECK(ts::Shape().empty());
}

TEST(containers_compare_by_what_they_hold) {
  CHECK((ts::Array<int>{1, 2} == ts::List<int>{1, 2}));
  CHECK((ts::Array<int>{1, 2} != ts::Array<int>{1, 3}));
  CHECK((ts::Array<>{1} != ts::Array<>{1.0}));
  CHECK((ts::Map<std::string, int>{{"a", 1}, {"b", 2}} == ts::Dict<std::string, int>{{"b", 2}, {"a", 1}}));
  CHECK(ts::equal(ts::Array<>{ts::List<>{1}}, ts::List<>{ts::Array<>{1}}));
  CHECK(ts::Any(ts::Map<>{{1, 2}}) == ts::Any(ts::Dict<>{{1, 2}}));
  const ts::List<> cycle;
  cycle.push(cycle);
  const ts::List<> other;
  other.push(other);
  CHECK(cycle == cycle && cycle == other);
  cycle.clear();
  other.clear();
}

TEST(a_container_that_was_given_away_says_so) {
  ts::Array<int> array{1};
  const ts::Array<int> taken = std::move(array);
  CHECK_EQ(taken[0], 1);
  CHECK_THROWS(ts::ValueError, array.size());
  CHECK_THROWS(ts::ValueError, array.begin());
  ts::Map<> map;
  const ts::Map<> other = std::move(map);
  CHECK_THROWS(ts::ValueError, map.size());
  CHECK_THROWS(ts::ValueError, map.begin());
  ts::Dict<> dict;
  const ts::Dict<> third = std::move(dict);
  CHECK_THROWS(ts::ValueError, dict.begin());
  CHECK_THROWS(ts::TypeError, dict.size());
  array = taken;
  CHECK_EQ(array.size(), 1u);
}

TEST(threads_may_change_one_list_and_one_dict) {
  const ts::List<std::int64_t> list;
  const ts::Dict<std::int64_t, std::string> dict;
  std::vector<std::thread> threads;
  for (std::int64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&list, &dict, t] {
      for (std::int64_t i = 0; i < 500; ++i) {
        list.push(t);
        dict.set(i, "a text long enough to need an object " + std::to_string(t));
        CHECK(dict.find(i).has_value());
        (void)list.to_vector();
        if (i % 50 == 0) {
          for (const auto& [key, value] : dict) {
            CHECK(key >= 0 && !value.empty());
          }
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK_EQ(list.size(), 2000u);
  CHECK_EQ(dict.size(), 500u);
}

TEST_MAIN
