// Kernels over tensors.
#include <tenspan/kernel.hpp>

#include <numeric>

namespace kernel = tenspan::kernel;
using kernel::Tensor;
using kernel::TensorView;

namespace {

void add_one(TensorView x, TensorView y) {
  TENSPAN_CHECK_EQ(x.ndim(), 1) << "a vector wanted";
  TENSPAN_CHECK_KIND(ValueError, x.size(0) == y.size(0)) << "the lengths " << x.size(0) << " and " << y.size(0) << " differ";
  const auto from = x.span<const float>();
  const auto to = y.span<float>();
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = from[i] + 1;
}

void scale(TensorView x, double factor, TensorView y) {
  const auto to = y.span<float>();
  for (std::int64_t i = 0; i < x.size(0); ++i) to[static_cast<std::size_t>(i)] = static_cast<float>(x.at<const float>(i) * factor);
}

double sum(Tensor x) {
  const auto all = x.span<const float>();
  return std::accumulate(all.begin(), all.end(), 0.0);
}

Tensor count_up(std::int64_t n) {
  Tensor made = Tensor::empty({n}, kernel::dtype_of<float>);
  float next = 0;
  for (float& element : made.span<float>()) element = next++;
  return made;
}

std::vector<std::int64_t> describe(TensorView x) {
  std::vector<std::int64_t> all{x.ndim(), x.dtype().code, x.dtype().bits, x.device().type};
  for (std::int64_t i = 0; i < x.ndim(); ++i) all.push_back(x.size(i));
  for (std::int64_t i = 0; i < x.ndim(); ++i) all.push_back(x.stride(i));
  return all;
}

Tensor echo(Tensor x) { return x; }

std::int64_t maybe(std::optional<Tensor> x) { return x ? x->numel() : -1; }

}  // namespace

TENSPAN_EXPORT(add_one, add_one, "Adds one to each element.", "x", "y");
TENSPAN_EXPORT(scale, scale);
TENSPAN_EXPORT(sum, sum);
TENSPAN_EXPORT(count_up, count_up);
TENSPAN_EXPORT(describe, describe);
TENSPAN_EXPORT(echo, echo);
TENSPAN_EXPORT(maybe, maybe);
