#include "gui/timeline/model/beside/runs_beside.h"

#include <gtest/gtest.h>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

// The oldest first, as they were recorded.
std::vector<RunItemPtr> recorded(int count) {
    std::vector<RunItemPtr> runs;
    for (int i = 0; i < count; ++i) {
        RunItem run = *makeRun(runNumber(i), i % 2 == 0 ? "dasgd" : "local_sgd", "", i);
        run.row.startedAt = std::string("2026-11-21T12:00:0").append(std::to_string(i)).append(".000Z");
        runs.push_back(std::make_shared<const RunItem>(run));
    }
    return runs;
}

QStringList idsOf(const RunsBeside& offered) {
    QStringList ids;
    for (const RunItemPtr& run : offered.runs) ids << run->id;
    return ids;
}

TEST(RunsBeside, TheNewestComeFirstAndTheOthersAreCounted) {
    const RunsBeside offered = runsBeside(recorded(9), QStringLiteral("r8"), {}, 3);
    EXPECT_EQ(idsOf(offered), (QStringList{"r7", "r6", "r5"})) << "without the watched one";
    EXPECT_EQ(offered.more, 5U);
}

TEST(RunsBeside, WordsFindAnOlderOne) {
    const auto runs = recorded(9);
    EXPECT_EQ(idsOf(runsBeside(runs, {}, QStringLiteral("LOCAL r1"), 3)), QStringList{"r1"});
    EXPECT_EQ(idsOf(runsBeside(runs, {}, QStringLiteral("r2"), 3)), QStringList{"r2"});
    const RunsBeside some = runsBeside(runs, {}, QStringLiteral("sweep dasgd"), 2);
    EXPECT_EQ(idsOf(some), (QStringList{"r8", "r6"}));
    EXPECT_EQ(some.more, 3U);
    EXPECT_TRUE(runsBeside(runs, {}, QStringLiteral("nothing"), 3).runs.empty());
}

TEST(RunsBeside, WhatWaitsHasNoSpans) {
    const std::vector<RunItemPtr> runs{makeRun("r1", "dasgd", "", 1, "queued"), makeRun("r2", "dasgd")};
    EXPECT_EQ(idsOf(runsBeside(runs, {}, {}, 3)), QStringList{"r2"});
}

TEST(RunsBeside, TheFirstIsTheNewestFinishedOneOfTheSameExperiment) {
    struct Spec {
        const char* experiment;
        const char* status;
    };
    const auto firstOf = [](std::vector<Spec> specs) {
        std::vector<RunItemPtr> runs;
        for (std::size_t i = 0; i < specs.size(); ++i) {
            RunItem run = *makeRun(runNumber(static_cast<int>(i)), "dasgd", "", 1, specs[i].status);
            run.row.experiment = specs[i].experiment;
            run.row.startedAt = std::string("2026-11-21T12:00:0").append(std::to_string(i)).append(".000Z");
            runs.push_back(std::make_shared<const RunItem>(run));
        }
        const RunItemPtr first = firstBeside(runs, QStringLiteral("r0"));
        return first ? first->id : QString();
    };
    EXPECT_EQ(firstOf({{"a", "finished"}, {"a", "finished"}, {"a", "finished"}, {"b", "finished"}, {"a", "failed"}}),
              QStringLiteral("r2"));
    EXPECT_EQ(firstOf({{"a", "finished"}, {"b", "finished"}, {"b", "finished"}, {"a", "failed"}}),
              QStringLiteral("r2"));
    EXPECT_EQ(firstOf({{"a", "finished"}, {"a", "failed"}, {"b", "running"}, {"a", "queued"}}), QStringLiteral("r2"));
    EXPECT_EQ(firstOf({{"a", "finished"}}), QString()) << "never the watched one";
}

}  // namespace
}  // namespace dasgd::gui
