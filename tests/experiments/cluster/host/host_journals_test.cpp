#include "experiments/cluster/host/host_journals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/transport/curve/run_secret.h"
#include "tests/support/runs.h"

namespace dasgd::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(HostJournalsTest, JournalsThatNobodyWritesAreLeft) {
    test::OneRun run(3);
    EXPECT_TRUE(journalsLeft(run.store.paths()).empty()) << "their ranks still write";
    run.journals[1].reset();
    EXPECT_THAT(journalsLeft(run.store.paths()), ElementsAre(Pair(run.runId, ElementsAre(1))));
}

// Two workspaces of this host stand for two hosts; the processes are real.
TEST(HostJournalsTest, BringsAJournalFromOneWorkspaceToTheOther) {
    test::OneRun home(2);
    home.finish("interrupted", "the process that ran it died");
    const test::TempDir other;
    const storage::WorkspacePaths there{other / "w"};
    test::orDie(storage::prepareWorkspace(there.root));
    std::filesystem::create_directories(there.run(home.runId));
    {
        const auto journal = test::newJournal(there.journal(home.runId, 1));
        for (std::int64_t step = 0; step < 100; ++step) journal->span({.step = step, .start = step, .end = step + 1});
        journal->state(RankState::Failed, 100, "rank 0 did not answer");
    }
    JournalsRequest request{.workspace = home.store.paths().root.string(),
                            .run = home.runId,
                            .secret = RunSecret::make().value().hex(),
                            .address = "127.0.0.1",
                            .endpoint = {},
                            .ranks = {1}};
    HostJournals collecting(test::kProgram), sending(test::kProgram);
    EXPECT_THAT(collecting.collected().error().message, HasSubstr("nothing is being collected"));
    request.endpoint = test::orDie(collecting.collect(request));
    request.workspace = there.root.string();
    test::orDie(sending.forward(request));
    std::optional<std::vector<int>> ranks;
    ASSERT_TRUE(test::eventually([&] {
        ranks = test::orDie(collecting.collected());
        return ranks.has_value();
    }));
    EXPECT_THAT(*ranks, ElementsAre(1));
    EXPECT_TRUE(journalsLeft(there).empty());
    std::int64_t spans = 0;
    auto reader = home.reader();
    test::orDie(reader.spans().each(home.runId, [&](const storage::SpanRow&) { return ++spans > 0; }));
    EXPECT_EQ(spans, 100);
}

TEST(HostJournalsTest, ARunThatIsNotThereIsSaid) {
    const test::OneRun run;
    HostJournals collecting(test::kProgram);
    const auto endpoint = collecting.collect({.workspace = run.store.paths().root.string(),
                                              .run = "20260101-000000-dasgd-0000",
                                              .secret = RunSecret::make().value().hex(),
                                              .address = "127.0.0.1",
                                              .endpoint = {},
                                              .ranks = {1}});
    ASSERT_FALSE(endpoint);
    EXPECT_THAT(endpoint.error().message, HasSubstr("does not take in records of 20260101"));
}

}  // namespace
}  // namespace dasgd::experiments
