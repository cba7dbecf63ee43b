// Tells the everyday tests from those of `./lab test --full`.
#pragma once

#include <cstdlib>

namespace dasgd::test {

inline bool testsInFull() { return std::getenv("DASGD_TEST_FULL") != nullptr; }

}  // namespace dasgd::test
