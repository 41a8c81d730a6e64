// Memory of tensors as C++ sees it, and memory of C++ as tensors.
#include <tenspan/tenspan.hpp>

#include <array>
#include <complex>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "check.hpp"

namespace ts = tenspan;

template <class T>
static std::uint64_t address(const T* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

TEST(data_is_the_memory_itself) {
  const ts::Tensor t = ts::zeros({2, 3});
  ts::span<float> view = t.data<float>();
  CHECK_EQ(view.size(), 6u);
  CHECK_EQ(address(view.data()), t.data_ptr());
  view[4] = 7;
  CHECK_EQ(t[1][1].item().as<double>(), 7.0);
  CHECK_EQ(t.data<const float>()[4], 7.0f);
}

TEST(data_of_another_type_is_refused) {
  const ts::Tensor t = ts::zeros({2}, "int32");
  CHECK_EQ(t.data<std::int32_t>().size(), 2u);
  const std::string message = CHECK_THROWS(ts::DTypeMismatchError, t.data<float>());
  CHECK(message.find("int32") != std::string::npos && message.find("float32") != std::string::npos);
  CHECK_THROWS(ts::DTypeMismatchError, t.data<std::uint32_t>());
}

TEST(read_only_elements_are_seen_as_const) {
  const ts::Tensor t = ts::zeros({2}).as_readonly();
  CHECK_THROWS(ts::ReadOnlyError, t.data<float>());
  CHECK_THROWS(ts::ReadOnlyError, t.view<float>());
  CHECK_EQ(t.data<const float>().size(), 2u);
  CHECK_EQ(t.view<const float>()(1), 0.0f);
}

TEST(gaps_are_refused_as_a_span_and_seen_by_positions) {
  const ts::Tensor t = ts::asarray({{1, 2, 3}, {4, 5, 6}}, ts::DType("float32"));
  const ts::Tensor turned = t.transpose();
  CHECK_THROWS(ts::NotContiguousError, turned.data<float>());
  CHECK_THROWS(ts::NotContiguousError, turned.bytes());
  const ts::StridedView<float> view = turned.view<float>();
  CHECK_EQ(view.ndim(), 2u);
  CHECK_EQ(view(2, 1), 6.0f);
  CHECK_EQ(view.at(0, 1), 4.0f);
  CHECK_THROWS(ts::IndexError, view.at(3, 0));
  CHECK_THROWS(ts::IndexError, view.at(0));
  view(2, 1) = 60;
  CHECK_EQ(t.data<float>()[5], 60.0f);
  const ts::Tensor backwards = t.slice(1, std::nullopt, std::nullopt, -1);
  const ts::StridedView<const float> reversed = backwards.view<const float>();
  CHECK_EQ(reversed(0, 0), 3.0f);
  CHECK_EQ(reversed(1, 2), 4.0f);
}

TEST(bytes_of_a_quantized_tensor_are_its_blocks) {
  const ts::Tensor t = ts::quantize(std::vector<float>(64, 127.0f), "q8_0");
  CHECK_EQ(t.bytes().size(), 68u);
  CHECK_EQ(address(t.bytes().data()), t.data_ptr());
  CHECK_EQ(t.to_vector<float>(), std::vector<float>(64, 127.0f));
}

template <class T>
static void round_trip(const char* name, T one) {
  const ts::Tensor t = ts::zeros({3}, name);
  CHECK_EQ(t.data<T>().size(), 3u);
  t.data<T>()[1] = one;
  CHECK(t.to_vector<T>()[1] == one);
  CHECK(t.to_vector<T>()[2] == T{});
  CHECK_EQ(t.nbytes(), 3 * sizeof(T));
  const std::vector<T> values{one, T{}};
  const ts::Tensor seen = ts::Tensor::from_span(ts::span<const T>(values));
  CHECK_EQ(seen.dtype(), ts::DType(name));
  CHECK(seen.readonly());
}

TEST(every_plain_type_has_a_dtype) {
  round_trip<double>("float64", 1.5);
  round_trip<float>("float32", 1.5f);
  round_trip<std::int8_t>("int8", -3);
  round_trip<std::int16_t>("int16", -300);
  round_trip<std::int32_t>("int32", -70000);
  round_trip<std::int64_t>("int64", std::numeric_limits<std::int64_t>::min());
  round_trip<std::uint8_t>("uint8", 200);
  round_trip<std::uint16_t>("uint16", 60000);
  round_trip<std::uint32_t>("uint32", 4000000000u);
  round_trip<std::uint64_t>("uint64", std::numeric_limits<std::uint64_t>::max());
  round_trip<std::complex<float>>("complex64", {1, -2});
  round_trip<std::complex<double>>("complex128", {1, -2});
  const ts::Tensor flags = ts::zeros({3}, "bool");
  flags.data<bool>()[1] = true;
  CHECK_EQ(flags.to_vector<std::uint8_t>(), (std::vector<std::uint8_t>{0, 1, 0}));
  CHECK(flags.to_vector<bool>()[1]);
  const ts::Tensor half = ts::full({2}, 1.0, "float16");
  CHECK_EQ(half.data<ts::float16>()[0].bits, 0x3c00);
  const ts::Tensor brain = ts::full({2}, 1.0, "bfloat16");
  CHECK_EQ(brain.data<ts::bfloat16>()[0].bits, 0x3f80);
  CHECK_EQ(ts::full({1}, 1.0, "float8_e4m3fn").to_vector<ts::float8_e4m3fn>()[0].bits, 0x38);
  CHECK_EQ(ts::full({1}, 1.0, "float8_e5m2").to_vector<ts::float8_e5m2>()[0].bits, 0x3c);
  CHECK_THROWS(ts::DTypeMismatchError, half.data<ts::bfloat16>());
}

TEST(every_dtype_makes_tensors) {
  CHECK(ts::dtypes().size() >= 44u);
  for (const ts::DType& dtype : ts::dtypes()) {
    const std::uint64_t n = dtype.block_len();
    const ts::Tensor t = ts::zeros({2, n}, dtype);
    CHECK_EQ(t.nbytes(), 2 * dtype.block_bytes());
    CHECK_EQ(t.bytes().size(), 2 * dtype.block_bytes());
    CHECK_EQ(t.dtype(), dtype);
    const ts::Tensor empty = ts::zeros({0, n}, dtype);
    CHECK_EQ(empty.bytes().size(), 0u);
    if (dtype.can_decode()) {
      CHECK_EQ(ts::dequantize(t).to_vector<float>().size(), 2 * n);
      CHECK(empty.to_vector<float>().empty());
    }
  }
}

TEST(scalars_and_empty_tensors_have_memory_too) {
  const ts::Tensor scalar = ts::zeros({});
  CHECK_EQ(scalar.ndim(), 0u);
  scalar.data<float>()[0] = 4;
  CHECK_EQ(scalar.view<float>()(), 4.0f);
  CHECK_EQ(scalar.to_vector<int>(), std::vector<int>{4});
  const ts::Tensor empty = ts::zeros({3, 0, 2});
  CHECK(empty.data<float>().empty());
  CHECK(empty.to_vector<float>().empty());
  const ts::Tensor none = ts::Tensor::from_vector(std::vector<float>());
  CHECK_EQ(none.shape(), std::vector<std::uint64_t>{0});
}

TEST(a_pointer_is_used_without_a_copy_and_given_back_once) {
  int given_back = 0;
  void* got = nullptr;
  float values[6] = {0, 1, 2, 3, 4, 5};
  {
    const ts::Tensor t = ts::Tensor::from_pointer(values, {2, 3}, "float32", {}, [&](void* data) {
      ++given_back;
      got = data;
    });
    CHECK_EQ(t.data_ptr(), address(values));
    CHECK(!t.copied() && !t.readonly());
    const ts::Tensor row = t[1];
    t.data<float>()[3] = 30;
    CHECK_EQ(row.data<float>()[0], 30.0f);
  }
  CHECK_EQ(given_back, 1);
  CHECK_EQ(got, static_cast<void*>(values));
  CHECK_EQ(values[3], 30.0f);
}

TEST(a_view_of_a_pointer_keeps_it) {
  int given_back = 0;
  std::array<float, 4> values{1, 2, 3, 4};
  std::optional<ts::Tensor> row;
  {
    const ts::Tensor t = ts::Tensor::from_pointer(values.data(), {2, 2}, "float32", {}, [&](void*) { ++given_back; });
    row = t[1];
  }
  CHECK_EQ(given_back, 0);
  CHECK_EQ(row->data<float>()[1], 4.0f);
  row.reset();
  CHECK_EQ(given_back, 1);
}

TEST(a_pointer_that_fits_nothing_is_given_back_at_once) {
  int given_back = 0;
  float value = 0;
  const auto count = [&](void*) { ++given_back; };
  CHECK_THROWS(ts::ValueError, ts::Tensor::from_pointer(&value, {2, 2}, "float32", {4}, count));
  CHECK_EQ(given_back, 1);
  CHECK_THROWS(ts::ValueError, ts::Tensor::from_pointer(static_cast<void*>(nullptr), {2}, "float32", {}, count));
  CHECK_EQ(given_back, 2);
  CHECK_THROWS(ts::BlockMismatchError, ts::Tensor::from_pointer(&value, {31}, "q4_0", {}, count));
  CHECK_EQ(given_back, 3);
  CHECK_THROWS(ts::OverflowError, ts::Tensor::from_pointer(&value, {1ull << 40, 1ull << 40}, "float32", {}, count));
  CHECK_EQ(given_back, 4);
}

TEST(strides_reach_where_they_say) {
  float values[6] = {0, 1, 2, 3, 4, 5};
  const ts::Tensor turned = ts::Tensor::from_pointer(values, {3, 2}, "float32", {4, 12});
  CHECK_EQ(turned.to_vector<int>(), (std::vector<int>{0, 3, 1, 4, 2, 5}));
  const ts::Tensor backwards = ts::Tensor::from_pointer(values + 5, {6}, "float32", {-4});
  CHECK_EQ(backwards.to_vector<int>(), (std::vector<int>{5, 4, 3, 2, 1, 0}));
  const ts::Tensor repeated = ts::Tensor::from_pointer(values + 2, {3}, "float32", {0});
  CHECK_EQ(repeated.to_vector<int>(), (std::vector<int>{2, 2, 2}));
}

TEST(a_const_pointer_is_read_only) {
  const float values[2] = {1, 2};
  const ts::Tensor t = ts::Tensor::from_pointer(values, {2}, "float32");
  CHECK(t.readonly());
  CHECK_THROWS(ts::ReadOnlyError, ts::copy(ts::zeros({2}), t));
}

TEST(a_vector_is_taken_over) {
  std::vector<double> values{1, 2, 3, 4};
  const std::uint64_t at = address(values.data());
  const ts::Tensor t = ts::Tensor::from_vector(std::move(values), {2, 2});
  CHECK_EQ(t.data_ptr(), at);
  CHECK_EQ(t.shape(), (std::vector<std::uint64_t>{2, 2}));
  CHECK_EQ(t[1].to_vector<int>(), (std::vector<int>{3, 4}));
  CHECK_THROWS(ts::ShapeMismatchError, ts::Tensor::from_vector(std::vector<float>(5), {2, 2}));
}

TEST(containers_stand_for_tensors) {
  std::vector<float> values{1.5f, -2.5f};
  const std::vector<float> constant{1, 2};
  std::array<int, 2> array{5, 6};
  ts::copy(array, values);
  CHECK_EQ(values, (std::vector<float>{5, 6}));
  CHECK_THROWS(ts::ReadOnlyError, ts::copy(array, constant));
  CHECK_EQ(ts::cast(constant, "int16").to_vector<int>(), (std::vector<int>{1, 2}));
  CHECK_EQ(ts::cast({1.0f, 2.0f}, "int16").to_vector<int>(), (std::vector<int>{1, 2}));
  CHECK_EQ(ts::cast(std::vector<float>{7}, "int16").to_vector<int>(), std::vector<int>{7});
  const ts::span<float> part(values.data(), 1);
  ts::copy(ts::full({1}, 9), part);
  CHECK_EQ(values[0], 9.0f);
  std::vector<float> decoded(32);
  ts::dequantize(ts::quantize(std::vector<float>(32, 2.0f), "q4_0"), "float32", {{}, decoded});
  CHECK_EQ(decoded[31], 2.0f);
  std::vector<float> rows(64);
  ts::DequantizeOptions options;
  options.rows = {2, 0};
  options.out = ts::span<float>(rows);
  const ts::Tensor made = ts::dequantize(ts::quantize(ts::full({3, 32}, 2.0f), "q4_0"), "float32", options);
  CHECK_EQ(rows[63], 2.0f);
  CHECK_EQ(made.shape(), (std::vector<std::uint64_t>{2, 32}));
}

TEST(an_array_of_a_container_is_its_own) {
  std::vector<std::int16_t> values{1, 2, 3};
  const ts::Tensor copy = ts::asarray(values);
  CHECK(copy.dtype() == "int16" && copy.copied());
  CHECK(copy.data_ptr() != address(values.data()));
  CHECK(ts::asarray(values, ts::DType("float32")).dtype() == "float32");
  const std::uint64_t at = address(values.data());
  const ts::Tensor taken = ts::asarray(std::move(values));
  CHECK_EQ(taken.data_ptr(), at);
  CHECK(!taken.copied());
  const double fixed[] = {0.5, 1.5};
  CHECK_EQ(ts::asarray(fixed).to_vector<double>(), (std::vector<double>{0.5, 1.5}));
}

TEST(spans_convert_as_they_should) {
  std::vector<int> values{1, 2, 3};
  const ts::span<int> writable(values);
  const ts::span<const int> readable = writable;
  CHECK_EQ(readable.size(), 3u);
  CHECK_EQ(readable.subspan(1, 2).front(), 2);
  CHECK_EQ(readable.back(), 3);
  int sum = 0;
  for (const int value : readable) {
    sum += value;
  }
  CHECK_EQ(sum, 6);
  static_assert(!std::is_convertible_v<ts::span<const int>, ts::span<int>>);
  static_assert(!std::is_constructible_v<ts::span<int>, std::vector<int>&&>);
#if defined(__cpp_lib_span)
  const std::span<const int> theirs = readable;
  const ts::span<const int> ours = theirs;
  CHECK_EQ(ours.data(), values.data());
#endif
}

TEST_MAIN
