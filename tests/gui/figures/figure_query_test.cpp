#include "gui/figures/figure_query.h"

#include <gtest/gtest.h>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

class FigureQueryTest : public ::testing::Test {
protected:
    FigureQueryTest() {
        QObject::connect(&query_, &FigureQuery::arrived, &query_, [this](const ShownFigurePtr& figure) {
            shown_ = figure;
            ++arrivals_;
        });
        QObject::connect(&query_, &FigureQuery::statesArrived, &query_,
                         [this](const std::vector<FigureState>& states) { states_ = states; });
    }
    Workspace workspace_;
    Feed feed_{workspace_.path()};
    Session session_{feed_};
    FigureQuery& query_ = feed_.query<FigureQuery>();
    ShownFigurePtr shown_;
    std::vector<FigureState> states_;
    int arrivals_ = 0;
};

TEST_F(FigureQueryTest, RedrawsWhenARunIsAdded) {
    workspace_.record({.seed = 1, .steps = 40});
    ASSERT_TRUE(eventually([&] { return session_.runs().rowCount() == 1; }));
    FigureSpec spec;
    spec.filter = QStringLiteral("dasgd");
    query_.show(spec);
    query_.watch({{.name = QStringLiteral("a"), .spec = spec}});
    // The session may know the run before this query does.
    ASSERT_TRUE(eventually([&] { return shown_ && shown_->content.inWords() == QStringLiteral("1 curve, 1 run"); }));
    ASSERT_TRUE(eventually([&] { return states_.size() == 1 && states_.front().runs == 1; }));
    workspace_.record({.seed = 2, .steps = 40});
    ASSERT_TRUE(eventually([&] { return shown_->content.inWords() == QStringLiteral("1 curve, 2 runs"); }));
    ASSERT_TRUE(eventually([&] { return states_.front().runs == 2; }));
}

TEST_F(FigureQueryTest, RunsOfOthersRedrawNothing) {
    workspace_.record({.steps = 40});
    ASSERT_TRUE(eventually([&] { return session_.runs().rowCount() == 1; }));
    FigureSpec spec;
    spec.filter = QStringLiteral("dasgd");
    query_.show(spec);
    ASSERT_TRUE(eventually([&] { return shown_ && shown_->content.inWords() == QStringLiteral("1 curve, 1 run"); }));
    // The end of that run still brings deliveries; the test waits for them.
    int before = 0;
    do {
        before = arrivals_;
        QTest::qWait(1000);
    } while (arrivals_ != before);
    workspace_.record({.algorithm = "sync_sgd", .steps = 40});
    ASSERT_TRUE(eventually([&] { return session_.runs().rowCount() == 2; }));
    QTest::qWait(700);
    EXPECT_EQ(arrivals_, before);
}

TEST_F(FigureQueryTest, AWrongFilterIsDelivered) {
    workspace_.record({.steps = 40});
    ASSERT_TRUE(eventually([&] { return session_.runs().rowCount() == 1; }));
    FigureSpec spec;
    spec.filter = QStringLiteral("delya >= 3");
    query_.show(spec);
    ASSERT_TRUE(eventually([&] { return shown_ != nullptr; }));
    EXPECT_TRUE(shown_->error.contains(QLatin1String("\"filter\"")));
}

}  // namespace
}  // namespace dasgd::gui
