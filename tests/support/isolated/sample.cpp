// Tests that end in every way there is, for isolated_test.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

int left = 0;  // by the test before, if both were in one process

TEST(Sample, Passes) { EXPECT_EQ(left++, 0); }
TEST(Sample, PassesToo) { EXPECT_EQ(left++, 0); }
TEST(Sample, Fails) {
    std::puts("words of the one that fails");
    EXPECT_EQ(1, 2);
}
TEST(Sample, IsSkipped) { GTEST_SKIP() << "no such device"; }
TEST(Sample, Crashes) { ::raise(SIGKILL); }
TEST(Sample, EndsTheProcess) { std::exit(0); }
TEST(Sample, Hangs) { ::pause(); }

class OfTwo : public testing::TestWithParam<int> {};
TEST_P(OfTwo, Passes) { EXPECT_LT(GetParam(), 2); }
INSTANTIATE_TEST_SUITE_P(Numbers, OfTwo, testing::Values(0, 1));

// The list of these tests is longer than the output that is kept of one.
class Many : public testing::TestWithParam<int> {};
TEST_P(Many, LongNames) { EXPECT_GE(GetParam(), 0); }
INSTANTIATE_TEST_SUITE_P(Numbers, Many, testing::Range(0, 350),
                         [](const auto& info) { return std::string(200, 'a') + std::to_string(info.param); });

}  // namespace
