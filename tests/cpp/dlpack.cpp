// Tensors handed over by DLPack, and taken.
#if __has_include(<dlpack/dlpack.h>)
#include <dlpack/dlpack.h>
#else
#include "stand_in/dlpack.h"
#endif

#include <tenspan/tenspan.hpp>

#include <cstdint>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "check.hpp"

namespace ts = tenspan;

/// A library that hands over what it owns, and counts what comes back.
struct Producer {
  std::vector<float> values{0, 1, 2, 3, 4, 5};
  std::vector<std::int64_t> shape{2, 3};
  std::vector<std::int64_t> strides{3, 1};
  int given_back = 0;

  template <class Managed>
  Managed make() {
    Managed managed{};
    managed.dl_tensor.data = values.data();
    managed.dl_tensor.device.device_type = kDLCPU;
    managed.dl_tensor.ndim = 2;
    managed.dl_tensor.dtype.code = 2;
    managed.dl_tensor.dtype.bits = 32;
    managed.dl_tensor.dtype.lanes = 1;
    managed.dl_tensor.shape = shape.data();
    managed.dl_tensor.strides = strides.data();
    managed.manager_ctx = this;
    managed.deleter = [](Managed* self) { ++static_cast<Producer*>(self->manager_ctx)->given_back; };
    return managed;
  }

  DLManagedTensorVersioned versioned() {
    DLManagedTensorVersioned managed = make<DLManagedTensorVersioned>();
    managed.version.major = 1;
    return managed;
  }
};

TEST(what_is_handed_over_keeps_the_memory) {
  ts::DLPack managed;
  {
    const ts::Tensor t = ts::full({2, 3}, 4);
    managed = t.slice(1, std::nullopt, std::nullopt, -1).to_dlpack();
    CHECK_EQ(static_cast<void*>(static_cast<float*>(managed->dl_tensor.data) - 2), static_cast<void*>(t.data<float>().data()));
  }
  CHECK_EQ(managed->version.major, 1u);
  CHECK_EQ(managed->flags, 0u);
  CHECK_EQ(managed->dl_tensor.ndim, 2);
  CHECK_EQ(managed->dl_tensor.shape[1], 3);
  CHECK_EQ(managed->dl_tensor.strides[0], 3);
  CHECK_EQ(managed->dl_tensor.strides[1], -1);
  CHECK_EQ(static_cast<float*>(managed->dl_tensor.data)[-2], 4.0f);
  DLManagedTensorVersioned* taken = managed.release();
  taken->deleter(taken);
}

TEST(a_tensor_comes_back_over_the_same_memory) {
  const ts::Tensor t = ts::zeros({4}, "bfloat16");
  const ts::Tensor back = ts::Tensor::from_dlpack(t.to_dlpack());
  CHECK_EQ(back.data_ptr(), t.data_ptr());
  CHECK_EQ(back.dtype(), ts::DType("bfloat16"));
  CHECK(!back.readonly());
  CHECK(ts::Tensor::from_dlpack(t.as_readonly().to_dlpack()).readonly());
  CHECK(ts::Tensor::from_dlpack(t.to_dlpack_legacy()).readonly());
  CHECK_THROWS(ts::BufferError, t.as_readonly().to_dlpack_legacy());
  const ts::Tensor blocks = ts::Tensor::from_dlpack(ts::zeros({2, 64}, "q8_0").to_dlpack());
  CHECK_EQ(blocks.dtype(), ts::DType("uint8"));
  CHECK_EQ(blocks.shape(), (std::vector<std::uint64_t>{2, 68}));
}

TEST(a_deleter_is_called_once_when_the_last_view_goes) {
  Producer producer;
  DLManagedTensorVersioned managed = producer.versioned();
  std::optional<ts::Tensor> row;
  {
    const ts::Tensor t = ts::Tensor::from_dlpack(&managed);
    CHECK(!t.readonly() && !t.copied());
    row = t[1];
    t.data<float>()[0] = 10;
  }
  CHECK_EQ(producer.values[0], 10.0f);
  CHECK_EQ(producer.given_back, 0);
  CHECK_EQ(row->to_vector<int>(), (std::vector<int>{3, 4, 5}));
  std::thread([last = std::move(*row)]() mutable { const ts::Tensor gone = std::move(last); }).join();
  row.reset();
  CHECK_EQ(producer.given_back, 1);
}

TEST(flags_are_kept) {
  Producer producer;
  DLManagedTensorVersioned managed = producer.versioned();
  managed.flags = 1 | 2;
  {
    const ts::Tensor t = ts::Tensor::from_dlpack(&managed);
    CHECK(t.readonly() && t.copied());
    CHECK_THROWS(ts::ReadOnlyError, t.data<float>());
    CHECK_THROWS(ts::ReadOnlyError, ts::copy(ts::zeros({2, 3}), t));
  }
  DLManagedTensor legacy = producer.make<DLManagedTensor>();
  CHECK(ts::Tensor::from_dlpack(&legacy).readonly());
  CHECK_EQ(producer.given_back, 2);
}

TEST(strides_may_be_missing_and_elements_may_be_none) {
  Producer producer;
  DLManagedTensorVersioned managed = producer.versioned();
  managed.dl_tensor.strides = nullptr;
  managed.dl_tensor.byte_offset = 4;
  producer.shape = {1, 5};
  CHECK_EQ(ts::Tensor::from_dlpack(&managed).to_vector<int>(), (std::vector<int>{1, 2, 3, 4, 5}));
  producer.shape = {2, 0};
  managed.dl_tensor.data = nullptr;
  CHECK_EQ(ts::Tensor::from_dlpack(&managed).size(), 0u);
  managed.deleter = nullptr;
  CHECK_EQ(ts::Tensor::from_dlpack(&managed).ndim(), 2u);
  CHECK_EQ(producer.given_back, 2);
  CHECK_EQ(ts::zeros({3, 0}).to_dlpack()->dl_tensor.data, static_cast<void*>(nullptr));
}

TEST(what_is_refused_still_belongs_to_the_caller) {
  Producer producer;
  DLManagedTensorVersioned managed = producer.versioned();
  managed.version.major = 2;
  CHECK_THROWS(ts::BufferError, ts::Tensor::from_dlpack(&managed));
  managed = producer.versioned();
  managed.dl_tensor.device.device_type = kDLCUDA;
  CHECK_THROWS(ts::BufferError, ts::Tensor::from_dlpack(&managed));
  managed = producer.versioned();
  managed.dl_tensor.dtype.lanes = 4;
  CHECK_THROWS(ts::TypeError, ts::Tensor::from_dlpack(&managed));
  managed = producer.versioned();
  managed.dl_tensor.data = nullptr;
  CHECK_THROWS(ts::ValueError, ts::Tensor::from_dlpack(&managed));
  CHECK_THROWS(ts::ValueError, ts::Tensor::from_dlpack(static_cast<DLManagedTensorVersioned*>(nullptr)));
  CHECK_THROWS(ts::ValueError, ts::Tensor::from_dlpack(static_cast<DLManagedTensor*>(nullptr)));
  CHECK_EQ(producer.given_back, 0);
  ts::DLPack owned = ts::zeros({2}).to_dlpack();
  owned->version.major = 2;
  CHECK_THROWS(ts::BufferError, ts::Tensor::from_dlpack(std::move(owned)));
  CHECK(owned != nullptr);  // NOLINT: what was refused was not moved from
  owned->version.major = 1;
  CHECK_EQ(ts::Tensor::from_dlpack(std::move(owned)).size(), 2u);
  CHECK(owned == nullptr);  // NOLINT: what was taken was
  const ts::Context planned(1 << 10, true);
  CHECK_THROWS(ts::BufferError, planned.tensor({4}).to_dlpack());
}

TEST_MAIN
