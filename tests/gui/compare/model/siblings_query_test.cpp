#include "gui/compare/model/siblings_query.h"

#include <gtest/gtest.h>

#include "core/base/metric_names.h"
#include "tests/gui/support/live_bench.h"

namespace dasgd::gui {
namespace {

CurveStyle plain(const RunItem&) { return {}; }

class SiblingsQueryTest : public ::testing::Test {
protected:
    std::vector<RunItemPtr> all() {
        bench_.know();
        std::vector<RunItemPtr> runs;
        for (const auto& [id, run] : bench_.store.runs()) runs.push_back(run);
        return runs;
    }
    LiveBench bench_;
    SiblingsQuery query_;
};

TEST_F(SiblingsQueryTest, SiblingsDifferInTheSeedAlone) {
    const QString id = bench_.workspace.record({.seed = 1, .steps = 40});
    const std::vector<RunItemPtr> alone = all();
    EXPECT_FALSE(siblingsOf(*alone.front(), alone, plain)) << "one run has no mean";
    bench_.workspace.record({.seed = 2, .steps = 40});
    bench_.workspace.record({.seed = 3, .steps = 20, .status = "stopped"});
    bench_.workspace.record({.seed = 1, .delay = 2, .steps = 40});
    bench_.workspace.record({.experiment = "another", .seed = 4, .steps = 40});
    const std::vector<RunItemPtr> runs = all();
    const auto group = siblingsOf(*bench_.store.runs().at(id), runs, plain);
    ASSERT_TRUE(group);
    EXPECT_EQ(group->runs.size(), 3U);
    EXPECT_EQ(group->finished(), 2U);
    ASSERT_EQ(leftOut({*group}, Members::Finished).size(), 1);
    EXPECT_TRUE(leftOut({*group}, Members::Finished).front().contains(QStringLiteral("seed 3 was stopped")));
}

TEST_F(SiblingsQueryTest, EachHasTheCurveThatItWants) {
    const QString id = bench_.workspace.record({.seed = 1, .steps = 40});
    bench_.workspace.record({.seed = 2, .steps = 40});
    const std::vector<RunItemPtr> runs = all();
    const auto group = siblingsOf(*bench_.store.runs().at(id), runs, plain);
    ASSERT_TRUE(group);
    const int first = 0, second = 0;
    const CompareCurveKey loss{metrics::kTrainLoss, XAxis::Step}, speed{metrics::kSamplesPerS, XAxis::Wall};
    query_.want(&first, SiblingsQuery::Want{*group, loss});
    query_.want(&second, SiblingsQuery::Want{*group, speed});
    EXPECT_EQ(query_.curveOf(&first), nullptr);
    ASSERT_TRUE(eventually([&] {
        bench_.refresh(query_);
        return query_.curveOf(&first) && query_.curveOf(&second);
    }));
    EXPECT_EQ(query_.curveOf(&first)->mean.most(), 2);
    EXPECT_NE(query_.curveOf(&first), query_.curveOf(&second));
    query_.want(&second, SiblingsQuery::Want{*group, loss});
    EXPECT_EQ(query_.curveOf(&second), query_.curveOf(&first)) << "what is there is not read again";
    query_.want(&first, std::nullopt);
    EXPECT_EQ(query_.curveOf(&first), nullptr);
}

}  // namespace
}  // namespace dasgd::gui
