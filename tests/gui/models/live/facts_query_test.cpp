#include "gui/models/live/facts_query.h"

#include <gtest/gtest.h>

#include <QSignalSpy>

#include "tests/gui/support/live_bench.h"

namespace dasgd::gui {
namespace {

using Details = std::vector<storage::RunDetail>;

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
    const auto details = arrived[0][0].value<Details>();
    ASSERT_EQ(details.size(), 2U);
    EXPECT_EQ(details[0].row.runId, second.toStdString());
    EXPECT_EQ(details[1].row.runId, first.toStdString());
    EXPECT_EQ(details[0].host, "test");
    bench.refresh(query);
    EXPECT_EQ(arrived.count(), 1) << "nothing was committed";
    query.want({QStringLiteral("gone"), third});
    bench.refresh(query);
    ASSERT_EQ(arrived.count(), 2);
    EXPECT_EQ(arrived[1][0].value<Details>().size(), 1U) << "what is not in the store is left out";
}

}  // namespace
}  // namespace dasgd::gui
