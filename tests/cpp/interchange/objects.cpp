// Text, sequences, shapes, tensors, errors and functions that both sides make, read and change.
#include "peer.hpp"

#include <numeric>

using TheirArray = peer::Array<peer::Any>;
using TheirList = peer::List<peer::Any>;

TEST(text_and_bytes_of_every_length) {
  for (std::size_t length = 0; length < 300; length += length < 20 ? 1 : 37) {
    std::string text(length, 'a');
    for (std::size_t i = 0; i < length; ++i) {
      text[i] = static_cast<char>('a' + i % 26);
    }
    CHECK_EQ(std::string(theirs_as<peer::String>(text)), text);
    CHECK_EQ(theirs_as<peer::String>(text).c_str()[length], '\0');
    CHECK_EQ(ours(peer::Any(peer::String(text))).as<std::string>(), text);
    CHECK_EQ(ours(peer::Any(peer::String(std::string(text)))).as<std::string>(), text);
    CHECK_EQ(std::string(theirs_as<peer::Bytes>(ts::BytesView(text))), text);
    CHECK_EQ(ours(peer::Any(peer::Bytes(text))).as<std::vector<std::uint8_t>>().size(), length);
    CHECK_EQ(peer::AnyHash()(theirs(text)), peer::AnyHash()(peer::Any(peer::String(text))));
    CHECK_EQ(ours(peer::AnyView(text.c_str())).as<std::string>(), text);
  }
}

TEST(arrays_of_both) {
  for (const std::int64_t count : {0, 1, 3, 4, 5, 1000}) {
    std::vector<ts::Any> items;
    for (std::int64_t i = 0; i < count; ++i) {
      items.push_back(i % 2 == 0 ? ts::Any(i) : ts::Any("item number " + std::to_string(i)));
    }
    TheirArray array = theirs_as<TheirArray>(ts::Array<>(items));
    CHECK_EQ(array.size(), items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      CHECK(same(items[i], array[static_cast<std::int64_t>(i)]));
    }
    // They are the only holder and change it in place, or make another when there is no room.
    for (std::int64_t i = 0; i < 9; ++i) {
      array.push_back(peer::String("pushed " + std::to_string(i)));
      items.push_back("pushed " + std::to_string(i));
    }
    if (count > 0) {
      array.Set(0, 5.5);
      items[0] = 5.5;
    }
    CHECK(ts::equal(ours(array), ts::Array<>(items)));
    CHECK(ours(array).as<ts::Array<>>() == ts::Array<>(items));
  }
}

TEST(both_change_one_list_in_turn) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Numbers numbers(seed);
    const ts::List<> list = seed % 2 == 0 ? ts::List<>() : ours(TheirList()).as<ts::List<>>();
    TheirList same_list = theirs_as<TheirList>(list);
    std::vector<ts::Any> model;
    for (std::int64_t step = 0; step < 2000; ++step) {
      const ts::Any value = step % 3 == 0 ? ts::Any(step) : ts::Any("value of step " + std::to_string(step));
      const auto at = static_cast<std::int64_t>(numbers.below(model.size() + 1));
      switch (numbers.below(model.size() > 60 ? 10 : 7)) {
        case 0:
          list.push(value);
          model.push_back(value);
          break;
        case 1:
          same_list.push_back(theirs(value));
          model.push_back(value);
          break;
        case 2:
          list.insert(static_cast<std::uint64_t>(at), value);
          model.insert(model.begin() + at, value);
          break;
        case 3:
          same_list.insert(same_list.begin() + at, theirs(value));
          model.insert(model.begin() + at, value);
          break;
        case 4:
          if (!model.empty()) {
            const auto last = at % static_cast<std::int64_t>(model.size());
            list.set(last, value);
            model[static_cast<std::size_t>(last)] = value;
          }
          break;
        case 5:
          if (!model.empty()) {
            const auto last = at % static_cast<std::int64_t>(model.size());
            same_list.Set(last, theirs(value));
            model[static_cast<std::size_t>(last)] = value;
          }
          break;
        case 6:
          if (numbers.below(40) == 0) {
            same_list.reserve(static_cast<std::int64_t>(numbers.below(200)));
          }
          break;
        case 7:
          list.splice(static_cast<std::uint64_t>(at / 2), static_cast<std::uint64_t>(at));
          model.erase(model.begin() + at / 2, model.begin() + at);
          break;
        case 8:
          same_list.erase(same_list.begin() + at / 2, same_list.begin() + at);
          model.erase(model.begin() + at / 2, model.begin() + at);
          break;
        default:
          if (numbers.below(2) == 0) {
            list.clear();
          } else {
            same_list.clear();
          }
          model.clear();
      }
      if (step % 50 == 0 || step > 1990) {
        const ts::Array<> now = list.snapshot();
        CHECK_EQ(now.size(), model.size());
        CHECK_EQ(same_list.size(), model.size());
        for (std::size_t i = 0; i < model.size(); ++i) {
          CHECK(same(model[i], theirs(now.items()[i])) && same(model[i], same_list[static_cast<std::int64_t>(i)]));
        }
      }
    }
  }
}

TEST(shapes_of_both) {
  for (const std::vector<std::int64_t>& lengths : {std::vector<std::int64_t>{}, {1}, {2, 3, 4}, {0, -1, INT64_MAX}}) {
    const peer::Shape shape = theirs_as<peer::Shape>(ts::Shape(lengths));
    CHECK_EQ(std::vector<std::int64_t>(shape.begin(), shape.end()), lengths);
    const ts::Shape back = ours(peer::Any(peer::Shape(lengths))).as<ts::Shape>();
    CHECK_EQ(std::vector<std::int64_t>(back.begin(), back.end()), lengths);
  }
}

TEST(tensors_of_ours_are_theirs) {
  const ts::Tensor tensor = ts::zeros({3, 4}, "float64");
  const peer::Tensor same_tensor = theirs_as<peer::Tensor>(tensor);
  CHECK_EQ(reinterpret_cast<std::uint64_t>(same_tensor.data_ptr()), tensor.data_ptr());
  CHECK_EQ(same_tensor.size(0), 3);
  CHECK_EQ(same_tensor.stride(0), 4);
  CHECK(same_tensor.dtype().code == kDLFloat && same_tensor.dtype().bits == 64);
}

TEST(functions_of_both) {
  const ts::Function add = [](std::int64_t a, double b, const std::string& text) { return text + std::to_string(a) + (b > 1 ? "!" : "?"); };
  const peer::Function same_add = theirs_as<peer::Function>(add);
  CHECK_EQ(std::string(same_add(7, 1.5, "lent text").cast<peer::String>()), "lent text7!");
  CHECK_EQ(std::string(same_add(7, 0.5, peer::String("owned and long text")).cast<peer::String>()), "owned and long text7?");
  const peer::Function sum = peer::Function::FromTyped([](const peer::Array<int64_t>& items, const peer::Map<peer::String, int64_t>& by_name) {
    int64_t total = 0;
    for (int64_t item : items) {
      total += item;
    }
    for (const auto& [name, value] : by_name) {
      total += value * static_cast<int64_t>(name.size());
    }
    return total;
  });
  const ts::Function same_sum = ours(peer::Any(sum)).as<ts::Function>();
  CHECK_EQ(same_sum(ts::Array<int>{1, 2, 3}, ts::Map<std::string, int>{{"ab", 10}, {"a long name of a key", 1}}).as<int>(), 46);
  // A callback of theirs through ours, and the other way round.
  const ts::Function apply = [](const ts::Function& f, const ts::Any& x) { return f(x); };
  const peer::Function same_apply = theirs_as<peer::Function>(apply);
  CHECK_EQ(same_apply(peer::Function::FromTyped([](int64_t x) { return x + 1; }), 41).cast<int64_t>(), 42);
  CHECK(!same_sum.name());
}

TEST(what_may_be_taken_is_taken) {
  const ts::Function size = [](const ts::Array<std::int64_t>& items) { return items.size(); };
  const peer::Function same_size = theirs_as<peer::Function>(size);
  peer::Array<int64_t> given{1, 2, 3};
  CHECK_EQ(same_size(peer::RValueRef<peer::Array<int64_t>>(std::move(given))).cast<int64_t>(), 3);
}

TEST(errors_of_both) {
  tenspan_raised raised{};
  const std::string kind = "MyOwnError";
  const std::string message = "what went wrong, told at some length";
  raised.kind = ts::detail::bytes_of(kind);
  raised.message = ts::detail::bytes_of(message);
  raised.deleter = [](void*) {};
  tenspan_any raw{0, 0, 0};
  ts::detail::check(tenspan_error(&raised, &raw));
  const ts::Any cause = ts::Any::adopt(raw);
  raised.cause = cause.raw();
  tenspan_any with_cause{0, 0, 0};
  ts::detail::check(tenspan_error(&raised, &with_cause));
  const ts::Any error = ts::Any::adopt(with_cause);

  peer::Error read = theirs_as<peer::Error>(error);
  CHECK_EQ(read.kind(), kind);
  CHECK_EQ(read.message(), message);
  CHECK(read.cause_chain().has_value());
  CHECK_EQ(read.cause_chain()->message(), message);
  const std::string lines = "  File \"a.cc\", line 3, in f\n";
  const TVMFFIByteArray added{lines.data(), lines.size()};
  read.UpdateBacktrace(&added, kTVMFFIBacktraceUpdateModeReplace);
  read.UpdateBacktrace(&added, kTVMFFIBacktraceUpdateModeAppend);
  CHECK_EQ(read.backtrace(), lines + lines);

  const peer::Error made("ValueError", "a message of theirs that is long enough", "  File \"b.cc\", line 1, in g\n");
  const ts::Function describe = [](const ts::Any& value) { return value.type_name(); };
  CHECK_EQ(describe(ours(peer::Any(made))).as<std::string>(), "an error");
}

TEST(objects_outlive_their_makers) {
  std::vector<peer::Any> held;
  for (int i = 0; i < 100; ++i) {
    const ts::List<> list{ts::Map<>{{"key", ts::Array<>{"a text long enough for an object", i}}}, ts::Dict<>{{i, "value"}}};
    held.push_back(theirs(list));
  }
  std::vector<ts::Any> back;
  for (const peer::Any& one : held) {
    back.push_back(ours(one));
  }
  held.clear();
  int sum = 0;
  for (const ts::Any& one : back) {
    sum += one.as<ts::List<>>()[0].as<ts::Map<>>()["key"].as<ts::Array<>>()[1].as<int>();
  }
  CHECK_EQ(sum, 4950);
}

TEST_MAIN
