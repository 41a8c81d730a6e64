// Tensors that outlive main: static ones, and those of threads that end later than it.
#include <tenspan/tenspan.hpp>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <vector>

namespace ts = tenspan;

static int given_back = 0;

/// Made first, so destroyed last: by then every tensor has given its memory back.
struct Judge {
  ~Judge() {
    if (given_back != 5) {
      std::fprintf(stderr, "%d of 5 deleters were called\n", given_back);
      std::_Exit(1);
    }
  }
};

static const Judge judge;
static float memory[8] = {0, 1, 2, 3, 4, 5, 6, 7};

static ts::Tensor owned() {
  return ts::Tensor::from_pointer(memory, {8}, "float32", {}, [] { ++given_back; });
}

/// What uses the library while it is destroyed.
struct Late {
  std::optional<ts::Tensor> tensor;
  ~Late() {
    // Errors, casts and new tensors work this late too.
    if (tensor->to_vector<int>()[7] != 7 || ts::zeros({2})[0].item().as<double>() != 0) {
      std::_Exit(2);
    }
    try {
      static_cast<void>(tensor->reshape({3}));
      std::_Exit(3);
    } catch (const ts::ShapeMismatchError&) {
    }
  }
};

static std::vector<ts::Tensor> tensors;
static Late late;
static ts::DLPack on_its_way;

int main() {
  tensors.push_back(owned());
  tensors.push_back(owned().slice(0, 2));
  tensors.push_back(tensors[0]);
  late.tensor = owned();
  on_its_way = owned().to_dlpack();
  static thread_local std::optional<ts::Tensor> of_this_thread;
  of_this_thread = owned();
  std::atexit([] { static_cast<void>(ts::cast(late.tensor.value(), "int8")); });
  return 0;
}
