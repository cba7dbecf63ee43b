#include "gui/data/feed/pulse_query.h"

#include <gtest/gtest.h>

#include "tests/gui/support/live_bench.h"

namespace dasgd::gui {
namespace {

TEST(PulseQuery, SaysHowFarTheWatchedRunAndTheStoreAre) {
    LiveBench bench;
    const QString id = bench.workspace.record({.ranks = 2, .steps = 20});
    PulseQuery query;
    std::vector<Pulse> pulses;
    QObject::connect(&query, &PulseQuery::arrived, &query, [&](const Pulse& pulse) { pulses.push_back(pulse); });
    bench.refresh(query);
    ASSERT_EQ(pulses.size(), 1U);
    EXPECT_EQ(pulses[0].runId, QString());
    EXPECT_GT(pulses[0].databaseBytes, 0);

    bench.store.setWatch({id, {}});
    bench.refresh(query);
    ASSERT_EQ(pulses.size(), 2U);
    EXPECT_EQ(pulses[1].runId, id);
    EXPECT_TRUE(pulses[1].live) << "not known yet, so it may be going on";
    EXPECT_GT(pulses[1].spans, 0);
    EXPECT_GT(pulses[1].newest, 0);
    EXPECT_GT(pulses[1].extent.end, pulses[1].extent.start);
    EXPECT_GT(pulses[1].databaseBytes, 0);

    bench.know();
    bench.store.touch();
    bench.refresh(query);
    EXPECT_FALSE(pulses.back().live);

    bench.store.setWatch({QString(), {}});
    bench.refresh(query);
    EXPECT_EQ(pulses.back().runId, QString());
    EXPECT_EQ(pulses.back().spans, 0);
}

}  // namespace
}  // namespace dasgd::gui
