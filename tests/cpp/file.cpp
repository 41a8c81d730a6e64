// Files and metadata as C++ containers.
#include <tenspan/tenspan.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "check.hpp"

namespace ts = tenspan;

TEST(metadata_is_a_mapping) {
  ts::Metadata metadata;
  CHECK(metadata.empty());
  metadata.set("name", "tiny");
  metadata.set("layers", 2);
  metadata.set("scale", 0.5);
  metadata.set("flags", {true, false});
  metadata.set_typed("small", 7, "uint16");
  CHECK_EQ(metadata.size(), 5u);
  CHECK_EQ(metadata.get("name").as<std::string>(), "tiny");
  CHECK_EQ(metadata.get("flags").as<std::vector<bool>>().size(), 2u);
  CHECK_EQ(metadata.type_of("small"), "uint16");
  CHECK_EQ(metadata.keys()[1], "layers");
  CHECK(metadata.erase("layers") && !metadata.erase("layers"));
  CHECK_THROWS(ts::KeyError, metadata.get("layers"));
  CHECK(!metadata.find("layers"));
  std::map<std::string, std::string> types;
  for (const auto& [key, value] : metadata) {
    types[key] = value.type_name();
  }
  CHECK_EQ(types.size(), 4u);
  CHECK_EQ(types["scale"], "a float");
  metadata.clear();
  CHECK_EQ(metadata.size(), 0u);
}

TEST(named_values_do_as_metadata) {
  const std::string path = check::temporary("tenspan_named.gguf");
  const std::map<std::string, ts::Any> values = {{"count", 3}, {"general.name", "tiny"}};
  ts::save(path, {{"t", ts::zeros({2})}}, values);
  const ts::Metadata read = ts::open(path).metadata();
  CHECK_EQ(read.get("general.name").as<std::string>(), "tiny");
  CHECK_EQ(read.type_of("count"), "int32");
  CHECK_EQ(ts::Metadata::from(values).size(), 2u);
}

TEST(a_file_is_a_mapping) {
  const std::string path = check::temporary("tenspan_file.gguf");
  ts::Metadata metadata;
  metadata.set("general.name", "tiny");
  std::map<std::string, ts::Tensor> tensors;
  tensors.emplace("a", ts::full({2, 32}, 1));
  tensors.emplace("b", ts::quantize(std::vector<float>(64, 2.0f), "q4_0"));
  ts::SaveOptions options;
  options.alignment = 64;
  ts::save(path, tensors, metadata, options);
  ts::validate_file(path);
  const ts::File file = ts::open(path);
  CHECK_EQ(file.format(), "gguf");
  CHECK_EQ(file.alignment(), 64u);
  CHECK_EQ(file.path(), path);
  CHECK_EQ(file.metadata().get("general.name").as<std::string>(), "tiny");
  CHECK_EQ(file.size(), 2u);
  for (const auto& [name, tensor] : file) {
    CHECK_EQ(tensor.name().value_or(""), name);
    CHECK(tensor.to_vector<float>()[0] == (name == "a" ? 1.0f : 2.0f));
    CHECK_EQ(tensor.data_ptr() % 64, file.get("a").data_ptr() % 64);
  }
  const std::string copy = check::temporary("tenspan_file_copy.gguf");
  ts::save(copy, file, file.metadata());
  CHECK_EQ(ts::open(std::filesystem::path(copy)).keys(), file.keys());
}

TEST(a_damaged_file_is_an_error_with_an_offset) {
  const std::string path = check::temporary("tenspan_damaged.gguf");
  std::ofstream(path, std::ios::binary) << "GGUF\x03";
  const std::string message = CHECK_THROWS(ts::InvalidFileError, ts::open(path));
  CHECK(message.find_first_of("0123456789") != std::string::npos);
}

TEST(the_library_and_its_headers_are_of_one_version) {
  CHECK_EQ(ts::version(), TENSPAN_VERSION_STRING);
  CHECK_EQ(TENSPAN_VERSION, TENSPAN_VERSION_MAJOR * 10000 + TENSPAN_VERSION_MINOR * 100 + TENSPAN_VERSION_PATCH);
  CHECK_EQ(tenspan_abi_version(), std::uint32_t{TENSPAN_ABI_VERSION});
}

TEST(threads_can_be_limited) {
  const std::uint32_t before = ts::get_num_threads();
  ts::set_num_threads(1);
  CHECK_EQ(ts::get_num_threads(), 1u);
  ts::set_num_threads(before);
}

TEST_MAIN
