// Kernels over tensors.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/dtype.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>

#include <cstdlib>
#include <numeric>

namespace ffi = tvm::ffi;

namespace {

void check_floats(const ffi::TensorView& x) {
  TVM_FFI_ICHECK_EQ(x.ndim(), 1) << "a vector wanted";
  if (x.dtype().code != kDLFloat || x.dtype().bits != 32) TVM_FFI_THROW(TypeError) << "float32 wanted, found " << x.dtype();
}

void add_one(ffi::TensorView x, ffi::TensorView y) {
  check_floats(x);
  check_floats(y);
  if (x.size(0) != y.size(0)) {
    TVM_FFI_THROW(ValueError) << "the lengths " << x.size(0) << " and " << y.size(0) << " differ";
  }
  const auto* from = static_cast<const float*>(x.data_ptr());
  auto* to = static_cast<float*>(y.data_ptr());
  for (int64_t i = 0; i < x.size(0); ++i) to[i] = from[i] + 1;
}

void scale(ffi::TensorView x, double factor, ffi::TensorView y) {
  check_floats(x);
  check_floats(y);
  const auto* from = static_cast<const float*>(x.data_ptr());
  auto* to = static_cast<float*>(y.data_ptr());
  for (int64_t i = 0; i < x.size(0); ++i) to[i] = static_cast<float>(from[i * x.stride(0)] * factor);
}

double sum(ffi::Tensor x) {
  TVM_FFI_ICHECK(x.IsContiguous());
  const auto* from = static_cast<const float*>(x.data_ptr());
  return std::accumulate(from, from + x.numel(), 0.0);
}

struct Malloc {
  void AllocData(DLTensor* tensor) { tensor->data = std::malloc(ffi::GetDataSize(*tensor) + 1); }
  void FreeData(DLTensor* tensor) { std::free(tensor->data); }
};

// A tensor that the module makes and frees itself.
ffi::Tensor count_up(int64_t n) {
  ffi::Tensor made = ffi::Tensor::FromNDAlloc(Malloc(), ffi::Shape({n}), DLDataType{kDLFloat, 32, 1}, DLDevice{kDLCPU, 0});
  auto* to = static_cast<float*>(made.data_ptr());
  for (int64_t i = 0; i < n; ++i) to[i] = static_cast<float>(i);
  return made;
}

ffi::Array<int64_t> describe(ffi::TensorView x) {
  ffi::Array<int64_t> all{x.ndim(), x.dtype().code, x.dtype().bits, x.device().device_type};
  for (int64_t i = 0; i < x.ndim(); ++i) all.push_back(x.size(i));
  for (int64_t i = 0; i < x.ndim(); ++i) all.push_back(x.stride(i));
  return all;
}

auto echo(ffi::Tensor x) { return x; }

auto maybe(ffi::Optional<ffi::Tensor> x) { return x.has_value() ? x.value().numel() : -1; }

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_one, add_one);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(scale, scale);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(sum, sum);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(count_up, count_up);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(describe, describe);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(echo, echo);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(maybe, maybe);
