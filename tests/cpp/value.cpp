// Values of any kind: what they are made from, what they are read as, when they are equal.
#include <tenspan/tenspan.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <map>
#include <string>

#include "check.hpp"

namespace ts = tenspan;
using ts::Any;

TEST(numbers_read_back) {
  CHECK_EQ(Any(5).as<int>(), 5);
  CHECK_EQ(Any(-5L).as<std::int8_t>(), -5);
  CHECK_EQ(Any(2.5).as<double>(), 2.5);
  CHECK_EQ(Any(2.5f).as<float>(), 2.5f);
  CHECK_EQ(Any(7).as<double>(), 7.0);
  CHECK(Any(true).as<bool>());
  CHECK(Any().is_none() && Any(nullptr).is_none() && Any(std::nullopt).is_none());
  for (const std::uint64_t big : {std::uint64_t{1} << 63, std::numeric_limits<std::uint64_t>::max()}) {
    CHECK_EQ(Any(big).as<std::uint64_t>(), big);
    CHECK_THROWS(ts::OverflowError, Any(big).as<std::int64_t>());
  }
  CHECK_EQ(Any(std::numeric_limits<std::int64_t>::min()).as<std::int64_t>(), std::numeric_limits<std::int64_t>::min());
}

TEST(numbers_that_do_not_fit_are_refused) {
  const std::string message = CHECK_THROWS(ts::OverflowError, Any(300).as<std::int8_t>());
  CHECK_EQ(message, "300 is not between -128 and 127");
  CHECK_THROWS(ts::ValueError, Any(-1).as<std::uint64_t>());
  CHECK_THROWS(ts::ValueError, Any(-1).as<std::uint8_t>());
}

TEST(another_kind_is_refused_by_name) {
  const std::string message = CHECK_THROWS(ts::TypeError, Any("x").as<int>());
  CHECK_EQ(message, "wanted an integer, found a string");
  CHECK_THROWS(ts::TypeError, Any(1).as<std::string>());
  CHECK_THROWS(ts::TypeError, Any(1).as<ts::Tensor>());
  CHECK_THROWS(ts::TypeError, Any(2.5).as<int>());
  CHECK_THROWS(ts::TypeError, Any(1).as<std::vector<int>>());
  CHECK_THROWS(ts::TypeError, Any(ts::zeros({1})).as<ts::Metadata>());
  CHECK_THROWS(ts::TypeError, Any(ts::Metadata()).as<ts::File>());
}

TEST(text_of_every_length_reads_back) {
  for (std::size_t length = 0; length < 20; ++length) {
    const std::string text(length, 'a');
    CHECK_EQ(Any(text).as<std::string>(), text);
    CHECK_EQ(Any(text.c_str()).as<std::string>(), text);
    CHECK(Any(text) == Any(std::string_view(text)));
  }
  CHECK_EQ(Any(std::string("a\0b", 3)).as<std::string>(), std::string("a\0b", 3));
  CHECK_EQ(Any("grüße").as<std::string>(), "grüße");
  CHECK_THROWS(ts::ValueError, Any("\xff"));
}

TEST(lists_nest) {
  const Any list{1, "two", {3.0, {true, nullptr}}};
  const std::vector<Any> items = list.as<std::vector<Any>>();
  CHECK_EQ(items.size(), 3u);
  CHECK_EQ(items[1].as<std::string>(), "two");
  CHECK(items[2].as<std::vector<Any>>()[1].as<std::vector<Any>>()[1].is_none());
  CHECK_EQ(Any(std::vector<int>{1, 2}).as<std::vector<double>>(), (std::vector<double>{1, 2}));
  CHECK_EQ(Any(std::vector<std::vector<int>>{{1}, {}}).as<std::vector<std::vector<int>>>().size(), 2u);
  CHECK(Any(std::vector<int>{}).as<std::vector<int>>().empty());
}

TEST(objects_keep_their_identity) {
  const ts::Tensor t = ts::zeros({2});
  const Any any = t;
  CHECK(any.is<ts::Tensor>() && !any.is<ts::DType>());
  CHECK_EQ(any.as<ts::Tensor>().data_ptr(), t.data_ptr());
  CHECK(any == Any(t));
  CHECK(any == Any(ts::zeros({2})) && any != Any(ts::zeros({3})));
  CHECK(Any(ts::DType("q4_k")).as<ts::DType>() == "q4_k");
  CHECK(ts::DType("F32") == ts::DType("float32"));
  CHECK(ts::DType("f16") != "bfloat16");
  CHECK_THROWS(ts::ValueError, ts::DType("float33"));
}

TEST(equality_is_by_value) {
  CHECK(Any(1) != Any(1.0));
  CHECK(Any(1) != Any(true));
  CHECK(Any(1) != Any(2));
  CHECK(Any(std::nan("")) == Any(std::nan("")));
  CHECK(Any("1") != Any(1));
  CHECK((Any{1, "x"} == Any{1, "x"}));
  CHECK((Any{1, "x"} != Any{1.0, "x"}));
  CHECK((Any{1, 2} != Any{1}));
  CHECK(Any(std::complex<double>(1, 2)) == Any(std::complex<float>(1, 2)));
  CHECK(Any(std::uint64_t{1} << 63) == Any(std::uint64_t{1} << 63));
}

TEST(complex_numbers_read_back) {
  const Any item = ts::full({1}, std::complex<double>(1, -2), "complex128").item();
  CHECK(item.as<std::complex<double>>() == std::complex<double>(1, -2));
}

TEST(lists_of_numbers_become_tensors_and_back) {
  const ts::Tensor t = ts::asarray({{1, 2, 3}, {4, 5, 6}});
  CHECK_EQ(t.shape(), (std::vector<std::uint64_t>{2, 3}));
  CHECK((t.tolist() == Any{{1, 2, 3}, {4, 5, 6}}) && t.dtype() == "int64");
  CHECK_THROWS(ts::Error, ts::asarray({{1, 2}, {3}}));
}

TEST(shapes_come_from_anything_that_counts) {
  const int n = 3;
  const std::size_t m = 2;
  CHECK_EQ(ts::zeros({n, m}).size(), 6u);
  const std::vector<int> dims{2, 2};
  CHECK_EQ(ts::zeros(dims).size(), 4u);
  CHECK_EQ(ts::zeros(ts::zeros({2, 5}).shape()).size(), 10u);
  CHECK_EQ(ts::zeros({6}).reshape(ts::zeros({2, 3}).shape()).ndim(), 2u);
  CHECK_EQ(ts::zeros({6}).reshape({-1, 2}).shape()[0], 3u);
  CHECK_THROWS(ts::ValueError, ts::zeros({-1}));
}

TEST(bytes_go_in_and_out) {
  const std::vector<float> floats{1, 2};
  const ts::Tensor t = ts::from_bytes(floats, {2});
  CHECK_EQ(t.to_vector<float>(), floats);
  CHECK(t.copied() && t.data_ptr() != reinterpret_cast<std::uintptr_t>(floats.data()));
  CHECK_EQ(ts::from_bytes(t.tobytes(), {2}).to_vector<float>(), floats);
  CHECK_EQ(ts::from_bytes("abcd", {4}, "uint8").to_vector<int>()[3], 'd');
  CHECK_THROWS(ts::ShapeMismatchError, ts::from_bytes(floats, {3}));
  CHECK(ts::from_bytes(std::string(), {0}).tobytes().empty());
}

TEST(enums_have_names) {
  static_assert(ts::to_string(ts::DTypeName::Q4K) == "q4_k");
  ts::DTypeName name{};
  CHECK(ts::from_string("iq2_xxs", name) && name == ts::DTypeName::Iq2Xxs);
  CHECK(!ts::from_string("IQ2_XXS", name));
  CHECK(ts::DType(ts::to_string(ts::DTypeName::Bfloat16)) == "bfloat16");
}

TEST(copies_of_a_value_count_references) {
  Any a{"a long enough string", ts::zeros({2})};
  Any b = a;
  const Any c = std::move(a);
  CHECK(a.is_none());  // NOLINT: what was moved from is none
  b = c;
  Any& same = b;
  b = same;
  CHECK(b == c);
  CHECK_EQ(b.as<std::vector<Any>>()[0].as<std::string>(), "a long enough string");
}

TEST_MAIN
