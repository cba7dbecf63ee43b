// A process for every test, forked off one that is loaded already: loading LibTorch takes longer than most tests. ctest
// starts the programs of the tests this way (resources/cmake/Dasgd.cmake); by hand they are plain GoogleTest programs.
#pragma once

#include <functional>

namespace dasgd::test {

// True if the arguments hold `--isolate`, which is taken out of them.
bool takeIsolate(int& argc, char** argv);

// Lets every test that the flags of GoogleTest choose (initialised, no thread started) be run by `runChosen` in a
// child. A test fails that ends its process, leaves no verdict or takes longer than DASGD_TEST_LIMIT_S (by default 180
// s). Prints what the failed ones printed, why others were skipped, the slowest as "slow: Suite.Test 2.5 s", and last
// "isolated tests: 3 passed, 0 failed, 1 skipped". Answers the program's exit status: 1 where one failed or none was
// chosen. Without a filter and without DASGD_TEST_FULL the tests of tests/long_tests.txt, or of the list that
// DASGD_LONG_TESTS names, are left out.
int runIsolated(const std::function<int()>& runChosen);

}  // namespace dasgd::test
