#include "gui/figures/export/window_csv.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QTemporaryDir>

#include "gui/data/runs/run_table_model.h"
#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

TEST(WindowCsv, RunsHaveTheColumnsInTheirOrderWithWholeNumbers) {
    storage::RunRow row = makeRun("a", "=cmd()", "[algorithm]\ndelay = 3\n", 1'234'567'891'234)->row;
    row.steps = 5'600'000'123;
    row.bestAccuracy = 0.123456789;
    row.timeSimulated = true;
    const std::vector<RunItemPtr> runs{makeRunItem(row), makeRun("b", "sync_sgd")};
    const QStringList rows = runsTableCsv(runs, {{RunTableModel::Steps, {}},
                                                 {RunTableModel::Algorithm, {}},
                                                 {RunTableModel::kColumns, "algorithm.delay"},
                                                 {RunTableModel::BestAccuracy, {}},
                                                 {RunTableModel::Seed, {}}})
                                 .trimmed()
                                 .split(QLatin1Char('\n'));
    ASSERT_EQ(rows.size(), 3);
    EXPECT_TRUE(rows[0].contains(QStringLiteral("\"algorithm.delay\"")));
    EXPECT_TRUE(rows[0].endsWith(QStringLiteral(",time,run_id")));
    EXPECT_EQ(rows[1], QStringLiteral("5600000123,\"'=cmd()\",\"3\",12.3456789,1234567891234,simulated,\"a\""));
    EXPECT_TRUE(rows[2].endsWith(QStringLiteral(",1,measured,\"b\""))) << rows[2].toStdString();
    EXPECT_TRUE(rows[2].contains(QStringLiteral("\"sync_sgd\",,,"))) << "what is not there is empty, not 0";
}

TEST(WindowCsv, AMetricHasEveryPoint) {
    Series series(Along::Steps);
    std::vector<storage::MetricSample> samples;
    for (int step = 1; step <= 5000; ++step) {
        samples.push_back({.rank = 0, .step = step, .bytesSent = 9'000'000'000 + step, .value = 1.0 / step});
    }
    series.add(samples);
    const QStringList rows = seriesCsv({{"train/loss", QStringLiteral("a"), QStringLiteral("@x"), false, series}})
                                 .trimmed()
                                 .split(QLatin1Char('\n'));
    ASSERT_EQ(rows.size(), 5001);
    EXPECT_TRUE(rows[1].startsWith(QStringLiteral("\"train/loss\",\"a\",\"'@x\",measured,1,")));
    EXPECT_TRUE(rows[5000].contains(QStringLiteral(",9000005000,2e-04,1"))) << rows[5000].toStdString();
}

TEST(WindowCsv, NoFileIsEverReplaced) {
    const QTemporaryDir folder;
    const QString below = folder.filePath(QStringLiteral("tables"));
    const auto first = writeNewCsv(QStringLiteral("one\n"), below, QStringLiteral("runs"));
    const auto second = writeNewCsv(QStringLiteral("two\n"), below, QStringLiteral("runs"));
    ASSERT_TRUE(first && second);
    EXPECT_TRUE(first->endsWith(QStringLiteral("tables/runs.csv")));
    EXPECT_TRUE(second->endsWith(QStringLiteral("tables/runs-2.csv")));
    QFile file(*first);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_EQ(file.readAll(), "one\n");
    const auto wrong = writeNewCsv(QStringLiteral("x"), *first + QStringLiteral("/below"), QStringLiteral("runs"));
    ASSERT_FALSE(wrong.has_value());
    EXPECT_NE(wrong.error().message.find("runs.csv/below"), std::string::npos);
}

}  // namespace
}  // namespace dasgd::gui
