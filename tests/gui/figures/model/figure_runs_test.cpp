#include "gui/figures/model/figure_runs.h"

#include <gtest/gtest.h>

#include "gui/data/filter/filter_expression.h"
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

TEST(FigureRuns, AFilterIsKeptWhereItChoosesJustTheRunsThatAreShown) {
    std::vector<RunItemPtr> all{makeRun("a", "dasgd"), makeRun("b", "dasgd"), makeRun("c", "sync_sgd"),
                                makeRun("d", "dasgd", "", 1, "queued")};
    const QStringList both{QStringLiteral("a"), QStringLiteral("b")};
    const QString filter = QStringLiteral("algorithm = dasgd");
    FigureSpec spec;
    takeRuns(spec, both, filter, all);
    EXPECT_EQ(spec.filter, filter);
    EXPECT_TRUE(spec.runs.isEmpty());
    takeRuns(spec, both + QStringList{QStringLiteral("d")}, filter, all);
    EXPECT_EQ(spec.filter, filter) << "a run that waits is in neither";
    takeRuns(spec, QStringList{QStringLiteral("a")}, filter, all);
    EXPECT_EQ(spec.runs, QStringList{QStringLiteral("a")}) << "the filter would bring b";
    EXPECT_TRUE(spec.filter.isEmpty());
    takeRuns(spec, both, QStringLiteral("algorithm = ("), all);
    EXPECT_EQ(spec.runs, both) << "no filter";
    takeRuns(spec, both, QString(), all);
    EXPECT_EQ(spec.runs, both);
}

TEST(FigureRuns, AFigureIsSwitchedBetweenItsRunsAndTheirExperiments) {
    std::vector<RunItemPtr> all{makeRun("a", "dasgd"), makeRun("b", "dasgd"), makeRun("c", "sync_sgd")};
    FigureSpec spec;
    spec.filter = QStringLiteral("algorithm = dasgd");
    const auto pinned = pinnedFigure(spec, all);
    ASSERT_TRUE(pinned.has_value()) << pinned.error().message;
    EXPECT_EQ(pinned->runs, (QStringList{QStringLiteral("a"), QStringLiteral("b")}));
    EXPECT_TRUE(pinned->filter.isEmpty());
    all.push_back(makeRun("e", "dasgd"));
    EXPECT_EQ(runsOf(*pinned, all)->runs.size(), 2U) << "none is added";
    const auto following = followingFigure(*pinned, all);
    ASSERT_TRUE(following.has_value()) << following.error().message;
    EXPECT_EQ(following->filter, experimentFilter(QString::fromStdString(all.front()->row.experiment)));
    EXPECT_EQ(runsOf(*following, all)->runs.size(), 4U);
    spec.filter = QStringLiteral("algorithm = adam");
    EXPECT_FALSE(pinnedFigure(spec, all).has_value());
}

}  // namespace
}  // namespace dasgd::gui
