// Who keeps what alive, and what copies and moves of handles are.
#include <tenspan/tenspan.hpp>

#include <cstdio>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

#include "check.hpp"

namespace ts = tenspan;

TEST(a_view_outlives_the_tensor_it_was_made_from) {
  std::optional<ts::Tensor> row;
  {
    const ts::Tensor t = ts::full({4, 4}, 3);
    row = t[2];
  }
  CHECK_EQ(row->data<float>()[3], 3.0f);
}

TEST(a_tensor_outlives_its_context) {
  std::optional<ts::Tensor> t;
  {
    const ts::Context context(1 << 16);
    t = context.tensor({8}, "int32", "numbers");
    CHECK_EQ(context.get("numbers").data_ptr(), t->data_ptr());
    CHECK_EQ(context.size(), 1u);
  }
  t->data<std::int32_t>()[7] = 5;
  CHECK_EQ((*t)[7].item().as<int>(), 5);
  CHECK_EQ(t->name().value_or(""), "numbers");
}

TEST(a_tensor_outlives_its_file) {
  const std::string path = check::temporary("tenspan_lifetime.gguf");
  ts::save(path, {{"w", ts::full({2, 32}, 1.5)}, {"b", ts::zeros({3}, "float16")}});
  std::optional<ts::Tensor> t;
  {
    ts::File file = ts::open(path);
    CHECK_EQ(file.keys(), (std::vector<std::string>{"w", "b"}));
    t = file.get("w");
    file.close();
  }
  std::remove(path.c_str());
  CHECK_EQ(t->data<const float>()[63], 1.5f);
}

TEST(a_context_refuses_what_it_has_no_room_for) {
  const ts::Context context(256);
  (void)context.tensor({64});
  CHECK_EQ(context.used(), context.capacity());
  const std::string message = CHECK_THROWS(ts::OutOfBudgetError, context.tensor({1}));
  CHECK(message.find("256") != std::string::npos);
  const ts::Context planned(1 << 20, true);
  CHECK(planned.no_alloc());
  const ts::Tensor t = planned.tensor({4});
  CHECK_THROWS(ts::BufferError, t.data<float>());
}

TEST(copies_are_the_same_object_and_moves_leave_nothing) {
  static_assert(std::is_nothrow_move_constructible_v<ts::Tensor> && std::is_copy_constructible_v<ts::Tensor>);
  ts::Tensor a = ts::zeros({2});
  const ts::Tensor b = a;
  a.data<float>()[0] = 1;
  CHECK_EQ(b.data<float>()[0], 1.0f);
  const ts::Tensor c = std::move(a);
  CHECK_EQ(c.data_ptr(), b.data_ptr());
  CHECK_THROWS(ts::TypeError, a.shape());  // NOLINT: what was moved from refers to nothing
  a = c;
  CHECK_EQ(a.data_ptr(), b.data_ptr());
  ts::Tensor& same = a;
  a = same;
  CHECK_EQ(a.data<float>()[0], 1.0f);
}

TEST(views_cannot_be_taken_from_a_temporary) {
  using Lvalue = const ts::Tensor&;
  CHECK(noexcept(std::declval<Lvalue>().any()));
  CHECK_EQ(ts::zeros({2}).to_vector<float>().size(), 2u);
}

TEST(iteration_keeps_what_it_goes_through) {
  int rows = 0;
  for (const ts::Tensor& row : ts::full({3, 2}, 1)) {
    CHECK_EQ(row.data<const float>()[1], 1.0f);
    ++rows;
  }
  CHECK_EQ(rows, 3);
  const ts::Tensor t = ts::zeros({3, 2});
  CHECK_EQ(t.len(), 3u);
  CHECK_THROWS(ts::IndexError, t[3]);
  for (const ts::Tensor& row : ts::zeros({0, 2})) {
    (void)row;
    CHECK(false);
  }
}

TEST(tensors_go_between_threads) {
  const ts::Tensor t = ts::zeros({1000}, "int64");
  std::vector<std::thread> threads;
  for (int n = 0; n < 4; ++n) {
    threads.emplace_back([t, n] {
      for (std::size_t i = 0; i < 250; ++i) {
        const ts::Tensor part = t.rows(static_cast<std::uint64_t>(n) * 250, static_cast<std::uint64_t>(n) * 250 + 250);
        part.data<std::int64_t>()[i] = n;
      }
      CHECK_THROWS(ts::ShapeMismatchError, t.reshape({7}));
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK_EQ(t.data<std::int64_t>()[999], 3);
}

TEST_MAIN
