// Memory at addresses: who frees it and when, and blocks in place.
#include <tenspan/tenspan.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "check.hpp"

namespace ts = tenspan;

TEST(a_pointer_tells_its_dtype) {
  double values[6] = {0, 1, 2, 3, 4, 5};
  const ts::Tensor t = ts::Tensor::from_pointer(values, {2, 3});
  CHECK_EQ(t.dtype(), ts::DType("float64"));
  CHECK_EQ(t[1].to_vector<int>(), (std::vector<int>{3, 4, 5}));
  CHECK(!t.readonly());
  const double* constant = values;
  CHECK(ts::Tensor::from_pointer(constant, {6}).readonly());
}

/// A callable that can be moved, not copied, and is called without the address.
struct MoveOnly {
  std::unique_ptr<std::vector<float>> owned;
  int* calls;
  void operator()() const { ++*calls; }
};

TEST(any_callable_frees) {
  int calls = 0;
  float value = 3;
  const auto typed = [&calls](float* data) { calls += data == nullptr ? 0 : static_cast<int>(*data); };
  { const ts::Tensor t = ts::Tensor::from_pointer(&value, {1}, "float32", {}, typed); }
  CHECK_EQ(calls, 3);
  { const ts::Tensor t = ts::Tensor::from_pointer(const_cast<const float*>(&value), {1}, "float32", {}, typed); }
  CHECK_EQ(calls, 6);
  auto values = std::make_unique<std::vector<float>>(4, 7.0f);
  float* first = values->data();
  { const ts::Tensor t = ts::Tensor::from_pointer(first, {4}, "float32", {}, MoveOnly{std::move(values), &calls}); }
  CHECK_EQ(calls, 7);
  std::function<void(void*)> function = [&calls](void*) { ++calls; };
  { const ts::Tensor t = ts::Tensor::from_pointer(&value, {1}, "float32", {}, function); }
  CHECK_EQ(calls, 8);
  function = nullptr;
  { const ts::Tensor t = ts::Tensor::from_pointer(&value, {1}, "float32", {}, function); }
  void (*none)(void*) = nullptr;
  { const ts::Tensor t = ts::Tensor::from_pointer(&value, {1}, "float32", {}, none); }
  auto shared = std::make_shared<std::vector<float>>(3, 1.0f);
  {
    const ts::Tensor t = ts::Tensor::from_pointer(shared->data(), {3}, "float32", {}, [shared] {});
    CHECK_EQ(shared.use_count(), 2);
  }
  CHECK_EQ(shared.use_count(), 1);
  void* heap = std::malloc(16);
  CHECK_EQ(ts::Tensor::from_pointer(heap, {16}, "uint8", {}, std::free).size(), 16u);
  auto array = std::make_unique<float[]>(8);
  CHECK_EQ(ts::Tensor::from_pointer(array.release(), {8}, "float32", {}, std::default_delete<float[]>()).size(), 8u);
}

TEST(elements_between_multiples_are_copied_not_viewed) {
  std::uint32_t words[4] = {0, 0, 0, 0};
  void* odd = reinterpret_cast<unsigned char*>(words) + 1;
  const ts::Tensor t = ts::Tensor::from_pointer(odd, {3}, "float32");
  CHECK_THROWS(ts::BufferError, t.data<float>());
  CHECK_THROWS(ts::BufferError, t.view<const float>());
  ts::copy(ts::full({3}, 1.5), t);
  CHECK_EQ(t.to_vector<float>(), (std::vector<float>{1.5f, 1.5f, 1.5f}));
  const ts::Tensor between = ts::Tensor::from_pointer(words, {2}, "float32", {6});
  CHECK_THROWS(ts::BufferError, between.view<float>());
  CHECK_EQ(t.bytes().size(), 12u);
}

TEST(blocks_lie_where_they_are) {
  for (const ts::DType& dtype : ts::dtypes()) {
    if (!dtype.is_quantized() || dtype.needs_importance()) {
      continue;
    }
    const std::uint64_t columns = 2 * dtype.block_len();
    const std::uint64_t row = 2 * dtype.block_bytes();
    const std::size_t gap = static_cast<std::size_t>(row) + 6;
    std::vector<unsigned char> memory(3 * gap + 1, 0xa5);
    int freed = 0;
    {
      // Rows with gaps between, at an odd address.
      const ts::Tensor t = ts::Tensor::from_pointer(memory.data() + 1, {3, columns}, dtype,
                                                    {static_cast<std::int64_t>(gap), static_cast<std::int64_t>(dtype.block_bytes())},
                                                    [&freed](void*) { ++freed; });
      CHECK_EQ(t.dtype(), dtype);
      CHECK(!t.is_contiguous());
      std::vector<float> weights(3 * static_cast<std::size_t>(columns));
      for (std::size_t i = 0; i < weights.size(); ++i) {
        weights[i] = std::sin(static_cast<float>(i));
      }
      const ts::Tensor floats = ts::Tensor::from_vector(std::move(weights), {3, columns});
      ts::copy(floats, t);
      const ts::Tensor packed = ts::quantize(floats, dtype.name());
      CHECK_EQ(t.to_vector<float>(), packed.to_vector<float>());
      CHECK_EQ(t.contiguous().tobytes(), packed.tobytes());
      CHECK_EQ(t[2].data_ptr(), t.data_ptr() + 2 * gap);
    }
    CHECK_EQ(freed, 1);
    for (std::size_t at = 0; at < 3; ++at) {
      CHECK_EQ(static_cast<int>(memory[at * gap]), 0xa5);
      CHECK_EQ(static_cast<int>(memory[at * gap + gap - 1]), 0xa5);
    }
  }
  unsigned char bytes[64] = {};
  CHECK_THROWS(ts::BlockMismatchError, ts::Tensor::from_pointer(bytes, {33}, "q4_0"));
  CHECK_THROWS(ts::Error, ts::Tensor::from_pointer(bytes, {2, 32}, "q4_0", {36}));
}

TEST(tensors_go_on_any_thread_in_any_order) {
  std::atomic<int> freed{0};
  std::vector<float> memory(1024, 1.0f);
  std::vector<ts::Tensor> tensors;
  for (int n = 0; n < 64; ++n) {
    const ts::Tensor root = ts::Tensor::from_pointer(memory.data(), {4, 256}, "float32", {}, [&freed] { ++freed; });
    tensors.push_back(root[1]);
    tensors.push_back(root.transpose());
    tensors.push_back(ts::Tensor::from_dlpack(root.to_dlpack()));
    tensors.push_back(root);
  }
  std::shuffle(tensors.begin(), tensors.end(), std::minstd_rand(7));
  std::vector<std::thread> threads;
  for (std::size_t part = 0; part < 4; ++part) {
    threads.emplace_back([mine = std::vector<ts::Tensor>(tensors.begin() + static_cast<std::ptrdiff_t>(part * 64),
                                                         tensors.begin() + static_cast<std::ptrdiff_t>(part * 64 + 64))]() mutable {
      for (ts::Tensor& tensor : mine) {
        CHECK_EQ(tensor.size() % 256, 0u);
        const ts::Tensor gone = std::move(tensor);
      }
    });
  }
  CHECK(freed == 0);
  tensors.clear();
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK_EQ(freed.load(), 64);
}

/// Bytes of this process in memory; 0 where the system does not tell.
static long resident() {
  long pages = 0;
  long all = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld %ld", &all, &pages) != 2) {
      pages = 0;
    }
    std::fclose(file);
  }
  return pages * 4096;
}

static void there_and_back(std::vector<float>& memory, int times, long& freed) {
  for (int n = 0; n < times; ++n) {
    const ts::Tensor t = ts::Tensor::from_pointer(memory.data(), {8, 32}, "float32", {}, [&freed] { ++freed; });
    const ts::Tensor view = t.slice(1, std::nullopt, std::nullopt, 2)[3];
    const ts::Tensor back = ts::Tensor::from_dlpack(view.to_dlpack());
    const ts::DLPack unused = back.to_dlpack();
    const ts::Tensor taken = ts::Tensor::from_vector(std::vector<float>(64));
    if (n % 10 == 0) {
      CHECK_THROWS(ts::ValueError, ts::Tensor::from_pointer(static_cast<float*>(nullptr), {2}, "float32", {}, [&freed] { ++freed; }));
    }
  }
}

TEST(round_trips_leave_nothing) {
  constexpr int times = 100000;
  std::vector<float> memory(256);
  long freed = 0;
  there_and_back(memory, times / 10, freed);
  const long before = resident();
  there_and_back(memory, times, freed);
  const long grown = resident() - before;
  CHECK_EQ(freed, (times + times / 10) * 11L / 10);
#if !defined(__SANITIZE_ADDRESS__)
  // One block of eight bytes per round trip would be more.
  CHECK(grown < 800000);
#else
  static_cast<void>(grown);
#endif
}

TEST_MAIN
