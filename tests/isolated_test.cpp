// Reports of tests that run in processes of their own: a program that cannot fail would hide all others' faults.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/dasgd_program.h"

namespace dasgd::test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

Ended sample(const std::vector<std::string>& arguments, const Environment& environment = {}) {
    const TempDir folder;
    const auto program = std::filesystem::canonical("/proc/self/exe").replace_filename("isolated_sample");
    return StartedProgram(folder.path(), arguments, environment, program).wait();
}

TEST(Isolated, CountsWhatPassedFailedAndWasSkipped) {
    const Ended all = sample({"--isolate", "--gtest_filter=-*Many*"}, {{"DASGD_TEST_LIMIT_S", "1"}});
    EXPECT_EQ(all.exit, 1);
    EXPECT_THAT(all.out, EndsWith("\nisolated tests: 4 passed, 4 failed, 1 skipped\n"));
    EXPECT_THAT(all.out, HasSubstr("FAILED: Sample.Fails ended with 1\n"));
    EXPECT_THAT(all.out, HasSubstr("words of the one that fails"));
    EXPECT_THAT(all.out, HasSubstr("skipped: Sample.IsSkipped: no such device\n"));
    EXPECT_THAT(all.out, HasSubstr("FAILED: Sample.Crashes ended by Killed\n"));
    EXPECT_THAT(all.out, HasSubstr("FAILED: Sample.EndsTheProcess ended without a verdict\n"));
    EXPECT_THAT(all.out, HasSubstr("FAILED: Sample.Hangs took longer than 1 s\n"));
    EXPECT_THAT(all.out, HasSubstr("slow: Sample.Hangs 1."));
    EXPECT_THAT(all.out, Not(HasSubstr("slow: Sample.Passes")));
}

TEST(Isolated, RunsWhatTheFilterAndTheShardChoose) {
    const Ended some = sample({"--isolate", "--gtest_filter=*Passes*"});
    EXPECT_EQ(some.exit, 0) << some.out;
    EXPECT_THAT(some.out, EndsWith("isolated tests: 4 passed, 0 failed, 0 skipped\n"));
    const Ended half =
        sample({"--gtest_filter=*Passes*", "--isolate"}, {{"GTEST_TOTAL_SHARDS", "2"}, {"GTEST_SHARD_INDEX", "1"}});
    EXPECT_THAT(half.out, EndsWith("isolated tests: 2 passed, 0 failed, 0 skipped\n"));
}

// A list of tests that is cut leaves tests out, and nobody misses them.
TEST(Isolated, RunsEveryTestOfALongList) {
    EXPECT_THAT(sample({"--isolate", "--gtest_filter=*Many*"}).out,
                EndsWith("isolated tests: 350 passed, 0 failed, 0 skipped\n"));
}

TEST(Isolated, TestsOfTheListAreLeftToTheFullRun) {
    ::unsetenv("DASGD_TEST_FULL");  // with which `./lab test --full` runs this test too
    const TempDir folder;
    const std::string list = (folder / "list").string();
    writeText(list,
              "# comment\n\nNumbers/Many.*\nSample.Passes sanitizers\n"
              "Sample.Hangs\nSample.Fails\nSample.Crashes\nSample.EndsTheProcess\n");
    const Ended some = sample({"--isolate"}, {{"DASGD_LONG_TESTS", list}});
    EXPECT_EQ(some.exit, 0) << some.out;
    EXPECT_THAT(some.out, EndsWith("isolated tests: 4 passed, 0 failed, 1 skipped\n"));
    const Environment full{{"DASGD_LONG_TESTS", list}, {"DASGD_TEST_FULL", "1"}, {"DASGD_TEST_LIMIT_S", "1"}};
    EXPECT_THAT(sample({"--isolate"}, full).out, EndsWith("isolated tests: 354 passed, 4 failed, 1 skipped\n"));
    EXPECT_THAT(sample({"--isolate", "--gtest_filter=*Many*"}, {{"DASGD_LONG_TESTS", list}}).out,
                EndsWith("isolated tests: 350 passed, 0 failed, 0 skipped\n"))
        << "who names tests wants them";
    EXPECT_NE(sample({"--isolate"}, {{"DASGD_LONG_TESTS", (folder / "none").string()}}).exit, 0);
}

TEST(Isolated, OfNoTestsIsAFault) { EXPECT_EQ(sample({"--isolate", "--gtest_filter=Nothing*"}).exit, 1); }

TEST(Isolated, WithoutTheWordIsPlainGoogleTest) {
    const Ended plain = sample({"--gtest_filter=Sample.Passes*"});
    EXPECT_EQ(plain.exit, 1) << "both in one process";
    EXPECT_THAT(plain.out, Not(HasSubstr("isolated tests")));
}

}  // namespace
}  // namespace dasgd::test
