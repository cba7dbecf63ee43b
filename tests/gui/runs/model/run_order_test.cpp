#include "gui/runs/model/run_order.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

RunItemPtr withLoss(const char* id, std::optional<double> loss, const char* started = "2026-11-21T12:00:00.000Z") {
    storage::RunRow row = makeRun(id, "dasgd")->row;
    row.lossIsNaN = loss && std::isnan(*loss);
    if (!row.lossIsNaN) row.finalLoss = loss;
    row.startedAt = started;
    return makeRunItem(row);
}

QString sorted(std::vector<RunItemPtr> runs, const RunOrder& order) {
    order.sort(runs);
    QString ids;
    for (const RunItemPtr& run : runs) ids += run->id;
    return ids;
}

TEST(RunOrder, NaNAndAbsentNumbersAreAtTheEndBothWays) {
    const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    const std::vector<RunItemPtr> runs{withLoss("n", nan), withLoss("-", std::nullopt), withLoss("3", 3),
                                       withLoss("m", nan), withLoss("i", inf),          withLoss("1", -1)};
    RunOrder order{.column = RunTableModel::FinalLoss, .direction = Qt::AscendingOrder};
    EXPECT_EQ(sorted(runs, order), "13inm-");
    order.direction = Qt::DescendingOrder;
    EXPECT_EQ(sorted(runs, order), "i31nm-");
}

TEST(RunOrder, EqualRunsStandByTheirStartNewestFirst) {
    const std::vector<RunItemPtr> runs{withLoss("a", 1, "2026-11-20T00:00:00.000Z"),
                                       withLoss("b", 1, "2026-11-22T00:00:00.000Z"),
                                       withLoss("c", 1, "2026-11-21T00:00:00.000Z")};
    for (const auto direction : {Qt::AscendingOrder, Qt::DescendingOrder}) {
        EXPECT_EQ(sorted(runs, {.column = RunTableModel::FinalLoss, .direction = direction}), "bca");
    }
    EXPECT_EQ(sorted(runs, {}), "bca") << "by default the newest first";
}

// The instants at which runs were queued do not count.
TEST(RunOrder, WhatWaitsStandsInTheOrderOfItsTurnsAfterWhatHasStarted) {
    const auto waiting = [](const char* id, double turn, const char* queued) {
        storage::RunRow row = withLoss(id, std::nullopt, queued)->row;
        row.status = "queued";
        row.series = std::string(1, 's');
        row.queueTurn = turn;
        return makeRunItem(row);
    };
    const std::vector<RunItemPtr> runs{
        waiting("z", 10, "2026-11-20T00:00:00.001Z"), waiting("y", 9, "2026-11-20T00:00:00.002Z"),
        waiting("x", 2.5, "2026-11-20T00:00:00.003Z"), withLoss("r", std::nullopt, "2026-11-21T00:00:00.000Z")};
    EXPECT_EQ(sorted(runs, {.column = RunTableModel::Started, .direction = Qt::AscendingOrder}), "rxyz");
    EXPECT_EQ(sorted(runs, {}), "xyzr") << "what starts next is above the others both ways";
}

// The commands that put runs into the queue do not count.
TEST(RunOrder, TheWorkspacesQueueHasOneOrder) {
    const auto entry = [](const char* id, double turn, const char* series) {
        storage::RunRow row = withLoss(id, std::nullopt)->row;
        row.status = "queued";
        row.series = series;
        row.queueTurn = turn;
        row.inQueue = true;
        return makeRunItem(row);
    };
    const std::vector<RunItemPtr> runs{entry("x", 2, "a"), entry("y", 0, "z"), entry("z", 1, "")};
    EXPECT_EQ(sorted(runs, {.column = RunTableModel::Started, .direction = Qt::AscendingOrder}), "yzx");
}

TEST(RunOrder, AKeyIsSortedAsNumbersBeforeTexts) {
    const auto with = [](const char* id, const char* delay) {
        return makeRun(id, "dasgd", *delay ? "[algorithm]\ndelay = " + std::string(delay) + "\n" : "");
    };
    const std::vector<RunItemPtr> runs{with("x", "10"), with("y", "9"), with("z", "\"auto\""), with("-", ""),
                                       with("n", "nan")};
    EXPECT_EQ(sorted(runs, {.key = "algorithm.delay", .direction = Qt::AscendingOrder}), "yxzn-");
    EXPECT_EQ(sorted(runs, {.key = "algorithm.delay", .direction = Qt::DescendingOrder}), "xyzn-");
}

}  // namespace
}  // namespace dasgd::gui
