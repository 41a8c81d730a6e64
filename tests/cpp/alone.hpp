/// \file
/// Tests that run in a process of their own each, with a deadline: what crashes or hangs fails its test and no other.
#pragma once

#if defined(__unix__) || defined(__APPLE__)
#include <sys/wait.h>
#include <unistd.h>
#define TENSPAN_TESTS_FORK 1
#endif

#include <cstdio>
#include <cstdlib>
#include <string>

#include "check.hpp"

namespace check {

/// Seconds after which a process is stuck.
constexpr unsigned deadline = 60;

/// Runs a test in a child, which ends with the number of its failures; where there are no children, here.
inline void run_alone(const char* name, void (*body)()) {
#ifdef TENSPAN_TESTS_FORK
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    alarm(deadline);
    const int before = failures();
    try {
      body();
    } catch (const std::exception& exception) {
      fail(name, 0, std::string("an exception left the test: ") + exception.what());
    }
    std::fflush(nullptr);
    _exit(failures() == before ? 0 : 1);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) {
    return fail(name, 0, "there is no process for this test");
  }
  if (WIFSIGNALED(status)) {
    return fail(name, 0, "signal " + std::to_string(WTERMSIG(status)) + " ended the process");
  }
  if (WEXITSTATUS(status) != 0) {
    ++failures();
  }
#else
  static_cast<void>(name);
  body();
#endif
}

}  // namespace check

/// A test in a process of its own.
#define TEST_ALONE(name)                                       \
  static void name##_alone();                                  \
  TEST(name) { check::run_alone(#name, &(name##_alone)); }     \
  static void name##_alone()
