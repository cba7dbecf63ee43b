// The program around the tests that need nothing else.
#include <gtest/gtest.h>

#include "tests/support/isolated/isolated_tests.h"

int main(int argc, char** argv) {
    const bool isolate = dasgd::test::takeIsolate(argc, argv);
    testing::InitGoogleTest(&argc, argv);
    const auto run = [] { return RUN_ALL_TESTS(); };
    return isolate ? dasgd::test::runIsolated(run) : run();
}
