// Maps and dicts that both sides read and change.
#include "peer.hpp"

#include <algorithm>

using Pairs = std::vector<std::pair<ts::Any, ts::Any>>;
using TheirMap = peer::Map<peer::Any, peer::Any>;
using TheirDict = peer::Dict<peer::Any, peer::Any>;

static const std::int64_t sizes[] = {0, 1, 2, 3, 4, 5, 6, 8, 9, 15, 16, 17, 31, 33, 100, 1000, 10000};

static Pairs pairs_of(const KeyKind& kind, std::int64_t count) {
  Pairs pairs;
  for (std::int64_t i = 0; i < count; ++i) {
    pairs.emplace_back(kind.make(i), i);
  }
  return pairs;
}

TEST(they_read_our_maps) {
  for (const KeyKind& kind : key_kinds()) {
    for (const std::int64_t count : sizes) {
      const Pairs pairs = pairs_of(kind, count);
      expect_pairs<TheirMap>(ts::Map<>(pairs.begin(), pairs.end()), pairs, kind.name);
    }
  }
}

TEST(we_read_their_maps) {
  for (const KeyKind& kind : key_kinds()) {
    for (const std::int64_t count : sizes) {
      const Pairs pairs = pairs_of(kind, count);
      TheirMap map;
      for (const auto& [key, value] : pairs) {
        map.Set(theirs(key), theirs(value));
      }
      expect_pairs<TheirMap>(ours(map), pairs, kind.name);
      std::vector<std::pair<peer::Any, peer::Any>> all;
      for (const auto& [key, value] : pairs) {
        all.emplace_back(theirs(key), theirs(value));
      }
      expect_pairs<TheirMap>(ours(TheirMap(all.begin(), all.end())), pairs, kind.name);
    }
  }
}

TEST(they_grow_maps_that_we_made) {
  for (const KeyKind& kind : key_kinds()) {
    for (const std::int64_t count : {0, 1, 3, 4, 5, 16, 100}) {
      Pairs pairs = pairs_of(kind, count);
      TheirMap map = theirs_as<TheirMap>(ts::Map<>(pairs.begin(), pairs.end()));
      for (std::int64_t i = count; i < count + 40; ++i) {
        pairs.emplace_back(kind.make(i), i);
        // The only holder changes a map in place when it has room.
        map.Set(theirs(pairs.back().first), theirs(pairs.back().second));
        expect_pairs<TheirMap>(ours(map), pairs, kind.name);
      }
    }
  }
}

TEST(both_change_one_dict_in_turn) {
  for (const KeyKind& kind : key_kinds()) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      Numbers numbers(seed);
      const std::int64_t keys = seed % 2 == 0 ? 8 : 300;
      const ts::Dict<> dict = seed < 4 ? ts::Dict<>() : ours(TheirDict()).as<ts::Dict<>>();
      TheirDict same_dict = theirs_as<TheirDict>(dict);
      Pairs pairs;
      for (std::int64_t step = 0; step < 600; ++step) {
        const ts::Any key = kind.make(static_cast<std::int64_t>(numbers.below(static_cast<std::uint64_t>(keys))));
        const auto known = std::find_if(pairs.begin(), pairs.end(), [&](const auto& pair) { return ts::equal(pair.first, key); });
        // In waves, so that it grows and becomes small again.
        const bool removes = (step / 100) % 2 == 1 ? numbers.below(4) != 0 : numbers.below(4) == 0;
        const bool by_us = numbers.below(2) == 0;
        if (removes && known != pairs.end()) {
          if (by_us) {
            CHECK(dict.remove(key));
          } else {
            same_dict.erase(theirs(key));
          }
          pairs.erase(known);
        } else if (!removes && known == pairs.end()) {
          if (by_us) {
            dict.set(key, step);
          } else {
            same_dict.Set(theirs(key), step);
          }
          pairs.emplace_back(key, step);
        } else if (!removes && by_us) {
          // They move a key that they set again to the end of a dense dict; we keep its place.
          dict.set(key, step);
          known->second = step;
        }
        if (step % 7 == 0 || step > 590) {
          expect_pairs<TheirDict>(dict, pairs, kind.name);
        }
      }
      if (numbers.below(2) == 0) {
        dict.clear();
      } else {
        same_dict.clear();
      }
      expect_pairs<TheirDict>(dict, {}, kind.name);
      dict.set("again", 1);
      same_dict.Set(peer::String("two"), 2);
      expect_pairs<TheirDict>(dict, {{"again", 1}, {"two", 2}}, kind.name);
    }
  }
}

TEST(keys_that_they_set_again_are_read_by_both) {
  const ts::Dict<std::int64_t, std::int64_t> dict;
  TheirDict same_dict = theirs_as<TheirDict>(dict);
  for (std::int64_t i = 0; i < 50; ++i) {
    dict.set(i % 10, i);
    same_dict.Set((i + 5) % 10, -i);
    std::vector<std::int64_t> order;
    for (const auto& [key, value] : same_dict) {
      order.push_back(key.cast<std::int64_t>());
      CHECK_EQ(dict[order.back()], value.cast<std::int64_t>());
    }
    CHECK_EQ(order, dict.keys());
  }
  CHECK_EQ(dict.size(), 10u);
}

TEST(special_keys_are_the_same_for_both) {
  const std::vector<ts::Any> keys = {nullptr, true, false, 1, 1.0, 0.0, -0.0, "1", ts::BytesView("1"), "", ts::BytesView(""),
                                     ts::DType("float32"), ts::Device("cuda:1"), std::numeric_limits<double>::quiet_NaN()};
  Pairs pairs;
  for (const ts::Any& key : keys) {
    pairs.emplace_back(key, static_cast<std::int64_t>(pairs.size()));
  }
  expect_pairs<TheirMap>(ts::Map<>(pairs.begin(), pairs.end()), pairs, "special keys");
  TheirMap map;
  for (const auto& [key, value] : pairs) {
    map.Set(theirs(key), theirs(value));
  }
  expect_pairs<TheirMap>(ours(map), pairs, "special keys");
  // A short text in an object of its own, as they make it from a string that they take over.
  const ts::Dict<> dict{{"short", 1}};
  theirs_as<TheirDict>(dict).Set(peer::String(std::string("short")), 2);
  CHECK_EQ(dict.size(), 1u);
  CHECK_EQ(dict["short"].as<int>(), 2);
}

TEST_MAIN
