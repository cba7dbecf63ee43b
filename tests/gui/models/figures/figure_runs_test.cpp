#include "gui/models/figures/figure_runs.h"

#include <gtest/gtest.h>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

TEST(FigureRuns, NamedRunsKeepTheirOrderAndMissingOnesAreSaid) {
    const std::vector<RunItemPtr> all{makeRun("run-1", "dasgd"), makeRun("run-2", "sync_sgd"),
                                      makeRun("other", "dasgd")};
    FigureSpec spec;
    spec.runs = QStringList{QStringLiteral("run-2"), QStringLiteral("oth"), QStringLiteral("gone")};
    const auto found = runsOf(spec, all);
    ASSERT_TRUE(found.has_value());
    ASSERT_EQ(found->runs.size(), 2U);
    EXPECT_EQ(found->runs[0]->id, QStringLiteral("run-2"));
    EXPECT_EQ(found->missing, QStringList{QStringLiteral("gone")});
    spec.runs = QStringList{QStringLiteral("run")};
    EXPECT_NE(runsOf(spec, all).error().message.find("several runs begin with run"), std::string::npos);
}

TEST(FigureRuns, AWholeIdCountsBeforeTheBeginningOfAnother) {
    const std::vector<RunItemPtr> all{makeRun("run-10", "dasgd"), makeRun("run-1", "dasgd")};
    FigureSpec spec;
    spec.runs = QStringList{QStringLiteral("run-1")};
    const auto found = runsOf(spec, all);
    ASSERT_TRUE(found.has_value()) << found.error().message;
    ASSERT_EQ(found->runs.size(), 1U);
    EXPECT_EQ(found->runs[0]->id, QStringLiteral("run-1"));
}

TEST(FigureRuns, AFilterFindsWhatHasBegun) {
    const std::vector<RunItemPtr> all{makeRun("b", "dasgd"), makeRun("a", "dasgd"), makeRun("c", "sync_sgd"),
                                      makeRun("d", "dasgd", "", 1, "queued")};
    FigureSpec spec;
    spec.filter = QStringLiteral("algorithm = dasgd");
    const auto found = runsOf(spec, all);
    ASSERT_TRUE(found.has_value());
    ASSERT_EQ(found->runs.size(), 2U);
    EXPECT_EQ(found->runs[0]->id, QStringLiteral("a"));
    spec.filter = QStringLiteral("delya >= 3");
    EXPECT_EQ(runsOf(spec, all).error().message.rfind("\"filter\": at character 1", 0), 0U);
}

TEST(FigureRuns, AnExperimentsFigureFindsItsRuns) {
    const std::vector<RunItemPtr> all{makeRun("a", "dasgd"), makeRun("b", "sync_sgd")};
    EXPECT_EQ(runsOf(figureOfExperiment(all[0]), all)->runs.size(), 2U);
    EXPECT_TRUE(figureOfExperiment(nullptr).filter.isEmpty());
}

TEST(FigureRuns, TheKeyOfACurveIsThatOfItsConfiguration) {
    const auto a = makeRun("a", "dasgd", "[algorithm]\nname = \"dasgd\"\ndelay = 1\n[train]\nseed = 1\n");
    const auto b = makeRun("b", "dasgd", "[algorithm]\nname = \"dasgd\"\ndelay = 1\n[train]\nseed = 2\n", 2);
    const auto c = makeRun("c", "dasgd", "[algorithm]\nname = \"dasgd\"\ndelay = 3\n[train]\nseed = 1\n");
    EXPECT_EQ(curveKey(*a), curveKey(*b));
    EXPECT_NE(curveKey(*a), curveKey(*c));
    EXPECT_TRUE(curveKey(*a).startsWith(QLatin1String("sweep/")));
}

}  // namespace
}  // namespace dasgd::gui
