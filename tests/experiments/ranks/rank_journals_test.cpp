// Journals of the ranks of a process: one each, or one that all share.
#include "experiments/ranks/rank_journals.h"

#include <gtest/gtest.h>

#include "tests/support/journals.h"
#include "tests/support/temp_dir.h"

namespace dasgd::experiments {
namespace {

constexpr const char* kRun = "r";

TEST(RankJournals, EachRankHasOneUnlessTheyShareTheFirstOnes) {
    for (const bool shared : {false, true}) {
        const test::TempDir folder;
        const storage::WorkspacePaths paths{folder.path()};
        {
            RankJournals journals;
            const Status opened = journals.open(paths, kRun, {2, 3}, shared);
            ASSERT_TRUE(opened) << opened.error().message;
            for (const int rank : {2, 3}) journals.of(Rank(rank)).metric({.name = "m", .step = rank});
            EXPECT_EQ(journals.find(Rank(4)), nullptr);
        }
        const auto first = test::readAll(paths.journal(kRun, 2));
        ASSERT_EQ(first.size(), shared ? 2U : 1U);
        EXPECT_EQ(first[0].metric.step, 2);
        EXPECT_EQ(first[0].rank.value_or(2), 2);
        EXPECT_EQ(std::filesystem::exists(paths.journal(kRun, 3)), !shared);
        if (shared) {
            EXPECT_EQ(first[1].rank, 3);
        } else {
            EXPECT_EQ(test::readAll(paths.journal(kRun, 3)).at(0).metric.step, 3);
        }
    }
}

TEST(RankJournals, AJournalThatIsThereAlreadyIsAnError) {
    const test::TempDir folder;
    const storage::WorkspacePaths paths{folder.path()};
    RankJournals first, second;
    ASSERT_TRUE(first.open(paths, kRun, {0}, false));
    EXPECT_FALSE(second.open(paths, kRun, {0}, false));
    EXPECT_EQ(second.find(Rank(0)), nullptr);
}

}  // namespace
}  // namespace dasgd::experiments
