#include "gui/scaling/model/times_query.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/gui/support/live_bench.h"
#include "tests/gui/support/scaling_runs.h"

namespace dasgd::gui {
namespace {

TEST(TimesQuery, TimesOfManyRunsComeInPartsEachOnce) {
    LiveBench bench;
    QStringList ids;
    for (int i = 0; i < 30; ++i) {
        ids << QString::fromStdString(test::recordScaling(bench.workspace.store(), {.seed = i, .stepMs = 10.0 + i}));
    }
    TimesQuery query;
    std::map<std::string, double> stepMs;
    std::size_t delivered = 0;
    QObject::connect(&query, &TimesQuery::arrived, &query, [&](const TimesBatch& batch) {
        delivered += batch.size();
        for (const auto& [run, times] : batch) stepMs[run] = times.stepMs.value_or(0);
    });
    query.request(ids);
    ASSERT_TRUE(eventually([&] {
        bench.refresh(query);
        return stepMs.size() == 30;
    }));
    EXPECT_EQ(stepMs.at(ids[7].toStdString()), 17);
    bench.refresh(query);
    EXPECT_EQ(delivered, 30U);
}

}  // namespace
}  // namespace dasgd::gui
