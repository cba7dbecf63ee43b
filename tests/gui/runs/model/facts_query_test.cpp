#include "gui/runs/model/facts_query.h"

#include <gtest/gtest.h>

#include <QSignalSpy>

#include "tests/gui/support/live_bench.h"

namespace dasgd::gui {
namespace {

using Facts = std::vector<RunFacts>;

TEST(FactsQuery, TellsOfTheWantedRunsInTheirOrder) {
    LiveBench bench;
    const QString first = bench.workspace.record({.steps = 8}), second = bench.workspace.record({.steps = 8}),
                  third = bench.workspace.record({.steps = 8});
    bench.know();
    FactsQuery query;
    QSignalSpy arrived(&query, &FactsQuery::arrived);
    bench.refresh(query);
    EXPECT_EQ(arrived.count(), 0) << "nobody has asked";
    query.want({second, first, third});
    bench.refresh(query);
    ASSERT_EQ(arrived.count(), 1);
    const auto facts = arrived[0][0].value<Facts>();
    ASSERT_EQ(facts.size(), 2U);
    EXPECT_EQ(facts[0].detail.row.runId, second.toStdString());
    EXPECT_EQ(facts[1].detail.row.runId, first.toStdString());
    EXPECT_EQ(facts[0].detail.host, "test");
    EXPECT_TRUE(facts[0].files.folder.endsWith(second)) << facts[0].files.folder.toStdString();
    bench.refresh(query);
    EXPECT_EQ(arrived.count(), 1) << "nothing was committed";
    query.want({QStringLiteral("gone"), third});
    bench.refresh(query);
    ASSERT_EQ(arrived.count(), 2);
    EXPECT_EQ(arrived[1][0].value<Facts>().size(), 1U) << "what is not in the store is left out";
}

}  // namespace
}  // namespace dasgd::gui
