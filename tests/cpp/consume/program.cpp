// What every way of finding tenspan must build and run.
#include <tenspan/tenspan.hpp>

#include <cstdio>

int main() {
  const tenspan::Tensor t = tenspan::quantize(std::vector<float>(256, 1.0f), "q4_k");
  std::printf("tenspan %s: %s, %llu bytes\n", tenspan::version().c_str(), t.dtype().name().c_str(),
              static_cast<unsigned long long>(t.nbytes()));
  return t.nbytes() == 144 ? 0 : 1;
}
