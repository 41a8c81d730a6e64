// Tensors and std::mdspan, each over the elements of the other.
#include <tenspan/tenspan.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "check.hpp"

#if defined(__cpp_lib_mdspan)
namespace md = std;
#else
#include "stand_in/mdspan.hpp"
namespace md = stand_in;
#endif

namespace ts = tenspan;

inline constexpr std::size_t any_length = static_cast<std::size_t>(-1);
template <class T>
using Matrix = md::mdspan<T, md::extents<std::size_t, any_length, any_length>>;
template <class T>
using ColumnMajor = md::mdspan<T, md::extents<std::int32_t, any_length, any_length>, md::layout_left>;
template <class T>
using Strided = md::mdspan<T, md::extents<std::size_t, any_length, any_length>, md::layout_stride>;
template <class T>
using Narrow = md::mdspan<T, md::extents<std::int8_t, any_length>>;
template <class T>
using Scalar = md::mdspan<T, md::extents<int>>;
template <class T>
using TwoByAny = md::mdspan<T, md::extents<int, 2, any_length>>;

template <class View>
static auto& element(const View& view, std::size_t i, std::size_t j) {
  return view.data_handle()[i * static_cast<std::size_t>(view.stride(0)) + j * static_cast<std::size_t>(view.stride(1))];
}

static ts::Tensor numbers() {
  std::vector<float> values(12);
  std::iota(values.begin(), values.end(), 0.0f);
  return ts::Tensor::from_vector(std::move(values), {3, 4});
}

TEST(a_view_is_the_memory_itself) {
  const ts::Tensor t = numbers();
  const auto view = t.as_mdspan<Matrix<float>>();
  CHECK_EQ(view.extent(0), 3u);
  CHECK_EQ(view.extent(1), 4u);
  CHECK_EQ(element(view, 2, 1), 9.0f);
  element(view, 2, 1) = 90;
  CHECK_EQ(t[2][1].item().as<float>(), 90.0f);
  CHECK_EQ(t.as_readonly().dtype(), ts::DType("float32"));
  const ts::Tensor readonly = t.as_readonly();
  CHECK_THROWS(ts::ReadOnlyError, readonly.as_mdspan<Matrix<float>>());
  CHECK_EQ(element(readonly.as_mdspan<Matrix<const float>>(), 2, 1), 90.0f);
  CHECK_THROWS(ts::DTypeMismatchError, t.as_mdspan<Matrix<double>>());
#if defined(__cpp_lib_mdspan)
  CHECK_EQ((t.as_mdspan<float, 2>()[std::array<int, 2>{2, 1}]), 90.0f);
  CHECK_EQ((t.as_mdspan<const float, 2, std::layout_stride>()[std::array<int, 2>{2, 1}]), 90.0f);
#endif
}

TEST(a_layout_takes_the_strides_that_it_can_have) {
  const ts::Tensor t = numbers();
  const ts::Tensor turned = t.transpose();
  CHECK_THROWS(ts::NotContiguousError, turned.as_mdspan<Matrix<float>>());
  CHECK_EQ(element(turned.as_mdspan<ColumnMajor<float>>(), 3, 2), 11.0f);
  CHECK_THROWS(ts::NotContiguousError, t.as_mdspan<ColumnMajor<float>>());
  const ts::Tensor every_other = t.slice(1, std::nullopt, std::nullopt, 2);
  CHECK_THROWS(ts::NotContiguousError, every_other.as_mdspan<Matrix<float>>());
  CHECK_EQ(element(every_other.as_mdspan<Strided<float>>(), 1, 1), 6.0f);
  CHECK_EQ(element(turned.as_mdspan<Strided<float>>(), 3, 2), 11.0f);
  const ts::Tensor backwards = t.slice(0, std::nullopt, std::nullopt, -1);
  CHECK_THROWS(ts::NotContiguousError, backwards.as_mdspan<Strided<float>>());
  float value = 1;
  const ts::Tensor repeated = ts::Tensor::from_pointer(&value, {2, 2}, "float32", {0, 0});
  CHECK_THROWS(ts::NotContiguousError, repeated.as_mdspan<Strided<float>>());
  float window[4] = {0, 1, 2, 3};
  const ts::Tensor windows = ts::Tensor::from_pointer(window, {3, 2}, "float32", {4, 4});
  const std::string message = CHECK_THROWS(ts::NotContiguousError, windows.as_mdspan<Strided<float>>());
  CHECK(message.find("share") != std::string::npos);
}

TEST(lengths_of_the_view_hold) {
  const ts::Tensor t = numbers();
  const ts::Tensor row = t[0];
  CHECK_THROWS(ts::ShapeMismatchError, row.as_mdspan<Matrix<float>>());
  CHECK_THROWS(ts::ShapeMismatchError, t.as_mdspan<TwoByAny<float>>());
  const ts::Tensor two = t.rows(0, 2);
  CHECK_EQ(element(two.as_mdspan<TwoByAny<float>>(), 1, 3), 7.0f);
  const ts::Tensor many = ts::zeros({128});
  CHECK_THROWS(ts::OverflowError, many.as_mdspan<Narrow<float>>());
  const ts::Tensor few = ts::zeros({127});
  CHECK_EQ(static_cast<int>(few.as_mdspan<Narrow<float>>().extent(0)), 127);
  const ts::Tensor scalar = ts::full({}, 3);
  CHECK_EQ(*scalar.as_mdspan<Scalar<float>>().data_handle(), 3.0f);
  for (const ts::Sequence<std::uint64_t>& shape : {ts::Sequence<std::uint64_t>{0, 4}, ts::Sequence<std::uint64_t>{3, 0}}) {
    const ts::Tensor none = ts::zeros(shape);
    CHECK_EQ(none.as_mdspan<Matrix<float>>().extent(0), shape.items()[0]);
    CHECK_EQ(none.as_mdspan<Strided<float>>().extent(1), shape.items()[1]);
  }
}

TEST(a_tensor_lies_over_a_view) {
  std::array<int, 6> values{0, 1, 2, 3, 4, 5};
  using Lengths = typename ColumnMajor<int>::extents_type;
  const ColumnMajor<int> view(values.data(), typename ColumnMajor<int>::mapping_type(Lengths(std::array<int, 2>{2, 3})));
  const ts::Tensor t = ts::Tensor::from_mdspan(view);
  CHECK_EQ(t.shape(), (std::vector<std::uint64_t>{2, 3}));
  CHECK_EQ(t.strides(), (std::vector<std::int64_t>{4, 8}));
  CHECK_EQ(t.to_vector<int>(), (std::vector<int>{0, 2, 4, 1, 3, 5}));
  CHECK(!t.readonly() && !t.copied());
  t.view<int>()(1, 2) = 50;
  CHECK_EQ(values[5], 50);
  const ColumnMajor<const int> constant(values.data(), view.mapping());
  CHECK(ts::Tensor::from_mdspan(constant).readonly());
  int freed = 0;
  { const ts::Tensor owned = ts::Tensor::from_mdspan(view, [&freed](int* first) { freed += *first + 1; }); }
  CHECK_EQ(freed, 1);
}

TEST(a_view_stands_for_a_tensor) {
  std::array<float, 12> values{};
  const ts::Tensor t = numbers();
  const ts::Tensor target = ts::Tensor::from_pointer(values.data(), {3, 4});
  const auto view = target.as_mdspan<Matrix<float>>();
  ts::copy(t, view);
  CHECK_EQ(values[11], 11.0f);
  CHECK_EQ(ts::cast(view, "int8").to_vector<int>()[5], 5);
}

TEST_MAIN
