// The main of every program of tests without Qt. `--isolate` runs each test in a process of its own; `--write-goldens`
// writes the files of tests/golden that are missing, in core_algorithms_test.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "tests/support/isolated/isolated_tests.h"

int main(int argc, char** argv) {
    bool isolate = dasgd::test::takeIsolate(argc, argv);
    testing::InitGoogleTest(&argc, argv);
    if (std::find(argv, argv + argc, std::string_view("--write-goldens")) != argv + argc) {
        ::setenv("DASGD_WRITE_GOLDENS", "1", 1);
        GTEST_FLAG_SET(filter, "*Golden*");
        isolate = true;  // simulated time takes a process of its own
    }
    const auto run = [] { return RUN_ALL_TESTS(); };
    return isolate ? dasgd::test::runIsolated(run) : run();
}
