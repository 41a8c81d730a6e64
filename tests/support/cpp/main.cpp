// The program of the printed cases: runs those of the concept that is named, or all.
#include "support.hpp"

int main(int count, char** arguments) {
  bool good = true;
  unsigned ran = 0;
  for (const auto& [name, run] : cases::suites()) {
    if (count < 2 || name == arguments[1]) {
      good = run() == EXIT_SUCCESS && good;
      ++ran;
    }
  }
  return good && ran != 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
