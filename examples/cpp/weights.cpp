// Tells what quantizing has done to a model: weights <original> <quantized>, one JSON object per tensor.

#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>

// [use]
#include <tenspan/tenspan.hpp>

void report(const std::string& name, const tenspan::Tensor& tensor, double rmse, std::uint32_t checksum);
std::uint32_t crc32(tenspan::span<const float> floats);

void compare(const char* original, const char* quantized) {
  const tenspan::File before = tenspan::open(original);
  const tenspan::File after = tenspan::open(quantized);
  for (const auto& [name, tensor] : after) {
    const double rmse = tenspan::quantization_error(before.get(name), tensor).rmse;
    const tenspan::Tensor floats = tenspan::dequantize(tensor);
    report(name, tensor, rmse, crc32(floats.data<const float>()));  // a span, not a copy
  }
}
// [/use]

void report(const std::string& name, const tenspan::Tensor& tensor, double rmse, std::uint32_t checksum) {
  std::string shape;
  for (const std::uint64_t length : tensor.shape()) {
    shape += (shape.empty() ? "" : ",") + std::to_string(length);
  }
  std::printf("{\"name\":\"%s\",\"dtype\":\"%s\",\"shape\":[%s],\"nbytes\":%llu,\"rmse\":%.17g,\"checksum\":%u}\n", name.c_str(),
              tensor.dtype().name().c_str(), shape.c_str(), static_cast<unsigned long long>(tensor.nbytes()), rmse, checksum);
}

// The CRC-32 of zip files.
std::uint32_t crc32(tenspan::span<const float> floats) {
  static std::uint32_t table[256];
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) {
      rest = (rest & 1) != 0 ? rest >> 1 ^ 0xedb88320u : rest >> 1;
    }
    table[byte] = rest;
  }
  const unsigned char* const bytes = reinterpret_cast<const unsigned char*>(floats.data());
  std::uint32_t crc = 0xffffffffu;
  for (std::size_t i = 0; i < floats.size() * sizeof(float); ++i) {
    crc = table[(crc ^ bytes[i]) & 255u] ^ crc >> 8;
  }
  return ~crc;
}

int main(int count, char** arguments) {
  if (count != 3) {
    std::fputs("usage: weights <original> <quantized>\n", stderr);
    return 2;
  }
  try {
    compare(arguments[1], arguments[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
