// A program of several concepts: runs the tests of the one that is named, or all of them.
#include "check.hpp"

int main(int count, char** arguments) {
  return check::run(count > 1 ? arguments[1] : "");
}
