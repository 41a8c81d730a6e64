// Modules that other linkers made: their tables stand elsewhere in the file, in another order and form.
//
//   linkers <folder of the modules>…
#include <tenspan/tenspan.hpp>

#include <cstdio>
#include <string>
#include <vector>

#include "check.hpp"

namespace ts = tenspan;

namespace {

std::vector<std::string> folders;

}  // namespace

TEST(functions_are_found_and_called) {
  for (const std::string& folder : folders) {
    const ts::Module plain = ts::load_module(folder + "/plain.so");
    CHECK_EQ(plain.keys(), (std::vector<std::string>{"add", "add_one", "fails", "imported_half"}));
    CHECK_EQ(plain["add"](2, 3).as<int>(), 5);
    const ts::Tensor sums = ts::empty({2});
    plain["add_one"](ts::asarray(std::vector<float>{1, 2}), sums);
    CHECK_EQ(sums.to_vector<float>(), (std::vector<float>{2, 3}));
    CHECK_THROWS(ts::TypeError, plain["add"](2));
  }
}

TEST(exceptions_pass) {
  for (const std::string& folder : folders) {
    const ts::Module errors = ts::load_module(folder + "/errors.so");
    CHECK_EQ(errors["check"](1).as<int>(), 1);
    CHECK_THROWS(ts::InternalError, errors["check"](0));
    CHECK_EQ(CHECK_THROWS(ts::ValueError, errors["value_error"](7)), "bad 7");
    CHECK_EQ(CHECK_THROWS(ts::ValueError, errors["through"]([]() -> int { throw ts::ValueError("no luck"); })), "no luck");
  }
}

int main(int count, char** arguments) {
  folders.assign(arguments + 1, arguments + count);
  if (folders.empty()) {
    std::fprintf(stderr, "linkers <folder of the modules>…\n");
    return 2;
  }
  return check::run();
}
