// Inputs on which libraries of this kind are known to crash, to write where they must not, or to give wrong numbers: each
// in a process of its own, and each with the very exception or the exact numbers.
#include <tenspan/tenspan.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "alone.hpp"

namespace ts = tenspan;

/// A pointer that no program gets from anyone.
static float* at(std::uint64_t address) {
  return reinterpret_cast<float*>(static_cast<std::uintptr_t>(address));
}

static ts::Tensor counting(std::uint64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 0.0f);
  return ts::Tensor::from_vector(std::move(values));
}

TEST_ALONE(bytes_of_a_tensor_with_gaps_are_those_of_its_elements_or_refused) {
  const ts::Tensor t = counting(8);
  for (const std::int64_t step : {2, -1}) {
    const ts::Tensor apart = t.slice(0, std::nullopt, std::nullopt, step);
    CHECK_THROWS(ts::NotContiguousError, apart.bytes());
    CHECK_THROWS(ts::NotContiguousError, apart.data<float>());
    CHECK_EQ(apart.tobytes(), apart.contiguous().tobytes());
    CHECK_EQ(apart.to_vector<int>(), step == 2 ? (std::vector<int>{0, 2, 4, 6}) : (std::vector<int>{7, 6, 5, 4, 3, 2, 1, 0}));
  }
}

TEST_ALONE(memory_that_is_read_only_stays_so_however_it_is_reached) {
  const std::vector<float> values{1, 2};
  const ts::Tensor seen = ts::Tensor::from_pointer(values.data(), {2});
  const std::array<ts::Tensor, 5> reached{seen, seen.rows(0, 2), seen.reshape({1, 2}).reshape({2}), ts::Tensor::from_dlpack(seen.to_dlpack()),
                                          ts::zeros({2}).as_readonly()};
  for (const ts::Tensor& t : reached) {
    CHECK(t.readonly());
    CHECK_THROWS(ts::ReadOnlyError, ts::copy(ts::zeros({2}), t));
    CHECK_THROWS(ts::ReadOnlyError, ts::cast(ts::zeros({2}), "float32", t));
    CHECK_THROWS(ts::ReadOnlyError, t.data<float>());
    CHECK_THROWS(ts::ReadOnlyError, t.view<float>());
  }
  CHECK_EQ(values, (std::vector<float>{1, 2}));
}

TEST_ALONE(an_address_that_no_process_has_is_a_value_error) {
  for (const std::uint64_t address : {std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{7}, std::uint64_t{1} << 63}) {
    CHECK_THROWS(ts::ValueError, ts::Tensor::from_pointer(at(address), {4}));
  }
  CHECK_EQ(ts::Tensor::from_pointer(at(0), {0, 4}).size(), 0u);
}

TEST_ALONE(a_shape_that_reaches_past_the_end_of_memory_is_an_overflow_error) {
  constexpr std::uint64_t large = std::uint64_t{1} << 40;
  CHECK_THROWS(ts::OverflowError, ts::Tensor::from_pointer(at(4096), {large, large}));
  CHECK_THROWS(ts::OverflowError, ts::Tensor::from_pointer(at(4096), {std::uint64_t{1} << 62, 4}));
  CHECK_THROWS(ts::OverflowError, ts::Tensor::from_pointer(at(4096), {3}, "float32", {std::int64_t{1} << 62}));
  CHECK_THROWS(ts::OverflowError, ts::zeros({large, large}));
}

TEST_ALONE(whole_numbers_past_two_to_the_53_are_exact) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  CHECK_EQ(ts::full({2}, most, "uint64").to_vector<std::uint64_t>()[1], most);
  CHECK_EQ(ts::full({1}, most, "uint64").item().as<std::uint64_t>(), most);
  for (const std::int64_t value : {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min(), (std::int64_t{1} << 53) + 1}) {
    CHECK_EQ(ts::full({2}, value, "int64").to_vector<std::int64_t>()[1], value);
    CHECK_EQ(ts::full({1}, value, "int64").item().as<std::int64_t>(), value);
  }
}

TEST_ALONE(one_is_one_in_every_dtype) {
  for (const ts::DType& dtype : ts::dtypes()) {
    if (!dtype.can_decode() || dtype.needs_importance()) {
      continue;
    }
    const double first = ts::dequantize(ts::full({dtype.block_len()}, 1, dtype), "float64").to_vector<double>()[0];
    CHECK(std::fabs(first - 1) <= (dtype.is_quantized() ? 0.3 : 0.0));
  }
}

TEST_ALONE(no_shape_makes_elements_out_of_none) {
  const ts::Tensor none = ts::zeros({0});
  CHECK_THROWS(ts::OverflowError, none.reshape({std::int64_t{1} << 32, std::int64_t{1} << 32}));
  CHECK_THROWS(ts::OverflowError, none.reshape({std::int64_t{1} << 62, 4}));
  CHECK_THROWS(ts::ShapeMismatchError, none.reshape({1}));
  CHECK_THROWS(ts::IndexError, none.select(0, 0));
}

TEST_ALONE(copies_of_turned_and_thinned_tensors_have_their_numbers) {
  const ts::Tensor t = counting(24).reshape({2, 3, 4});
  const std::array<ts::Tensor, 4> views{t.permute({2, 0, 1}), t.transpose(), t.slice(2, std::nullopt, std::nullopt, 2),
                                        t.slice(1, std::nullopt, std::nullopt, -1)};
  for (const ts::Tensor& view : views) {
    const ts::StridedView<const float> elements = view.view<const float>();
    const ts::Tensor target = ts::zeros(view.shape(), "float64");
    ts::copy(view, target);
    const ts::Tensor packed = view.contiguous();
    const std::vector<std::uint64_t> shape = view.shape();
    std::size_t next = 0;
    for (std::uint64_t i = 0; i < shape[0]; ++i) {
      for (std::uint64_t j = 0; j < shape[1]; ++j) {
        for (std::uint64_t k = 0; k < shape[2]; ++k, ++next) {
          CHECK_EQ(packed.data<float>()[next], elements(i, j, k));
          CHECK_EQ(target.data<double>()[next], static_cast<double>(elements(i, j, k)));
        }
      }
    }
  }
  CHECK_EQ(views[0].view<const float>()(3, 1, 2), 23.0f);
  CHECK_EQ(views[3].view<const float>()(0, 0, 1), 9.0f);
}

TEST_ALONE(products_along_strides_of_any_sign_and_none_are_exact) {
  std::vector<float> values{0, 1, 2, 3, 4, 5, 6, 7};
  const std::vector<float> weights{1, 10, 100, 1000, 1, 10, 100, 1000};
  const auto row = [&](std::size_t first, std::int64_t stride) {
    return ts::Tensor::from_pointer(values.data() + first, {8}, "float32", {stride});
  };
  CHECK_EQ(ts::dot(row(0, 4), weights).as<double>(), 10864.0);
  CHECK_EQ(ts::dot(row(7, -4), weights).as<double>(), 4690.0);
  CHECK_EQ(ts::dot(weights, row(7, -4)).as<double>(), 4690.0);
  CHECK_EQ(ts::dot(row(2, 0), weights).as<double>(), 4444.0);
  CHECK_EQ(ts::dot(counting(8).slice(0, std::nullopt, std::nullopt, 2), ts::full({4}, 1)).as<double>(), 12.0);
}

TEST_ALONE(a_result_that_may_not_be_written_is_refused) {
  const std::vector<float> row(32, 1.0f);
  ts::ProductOptions options;
  options.out = ts::zeros({1}, "float64").as_readonly();
  CHECK_THROWS(ts::ReadOnlyError, ts::dot(row, row, options));
  CHECK_THROWS(ts::ReadOnlyError, ts::matvec(ts::full({1, 32}, 1), row, ts::zeros({1}).as_readonly()));
  CHECK_THROWS(ts::ReadOnlyError, ts::cast(row, "int8", ts::zeros({32}, "int8").as_readonly()));
}

TEST_ALONE(a_result_that_is_too_short_is_refused_and_nothing_behind_it_is_written) {
  std::vector<double> memory(8, 0.0);
  const ts::Tensor rows = ts::full({2, 32}, 1);
  const std::vector<float> row(32, 1.0f);
  ts::ProductOptions options;
  options.out = ts::Tensor::from_pointer(memory.data(), {1});
  CHECK_THROWS(ts::ShapeMismatchError, ts::dot(rows, row, options));
  void* bytes = memory.data();
  CHECK_THROWS(ts::ShapeMismatchError, ts::matvec(rows, row, ts::Tensor::from_pointer(bytes, {1}, "float32")));
  CHECK_THROWS(ts::ShapeMismatchError, ts::cast(row, "int8", ts::Tensor::from_pointer(bytes, {1}, "int8")));
  ts::DequantizeOptions decoded;
  decoded.out = ts::Tensor::from_pointer(bytes, {1}, "float32");
  CHECK_THROWS(ts::ShapeMismatchError, ts::dequantize(ts::quantize(row, "q8_0"), "float32", decoded));
  CHECK_EQ(memory, std::vector<double>(8, 0.0));
}

TEST_ALONE(rows_of_unequal_lengths_and_dtypes_are_refused) {
  CHECK_THROWS(ts::ShapeMismatchError, ts::dot(counting(4), counting(5)));
  const std::string message = CHECK_THROWS(ts::TypeError, ts::dot(ts::zeros({4}, "int8"), ts::zeros({4}, "uint8")));
  CHECK(message.find("int8") != std::string::npos && message.find("uint8") != std::string::npos);
  CHECK_EQ(ts::dot(ts::zeros({0}), ts::zeros({0})).as<double>(), 0.0);
}

TEST_MAIN
