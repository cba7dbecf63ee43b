#include "gui/timeline/model/measure_table.h"

#include <gtest/gtest.h>

#include "gui/kit/words/words.h"

namespace dasgd::gui {
namespace {

Measure example() {
    Measure measure{.range = {0, 100'000'000}, .ranks = 2};
    const auto put = [&](SpanKind kind, Ns mean, Ns most, int rank) {
        const auto place = static_cast<std::size_t>(kind);
        measure.byKind[place] = mean;
        measure.mostByKind[place] = most;
        measure.mostRank[place] = rank;
    };
    put(SpanKind::Forward, 30'000'000, 31'000'000, 1);
    put(SpanKind::Backward, 50'000'000, 50'000'000, 0);
    put(SpanKind::Wait, 5'000'000, 10'000'000, 1);
    put(SpanKind::Transfer, 40'000'000, 45'000'000, 0);
    measure.mean.idle = 15'000'000;
    measure.mean.transfer = 40'000'000;
    measure.mean.hidden = 36'000'000;
    return measure;
}

TEST(MeasureTable, TheLinesOfTheComputeLaneAddUpToTheSelection) {
    const MeasureTable table = tableOf(example());
    double sum = 0, shares = 0;
    for (std::size_t i = 0; i < table.beside; ++i) {
        sum += table.lines[i].meanMs;
        shares += table.lines[i].share;
    }
    EXPECT_DOUBLE_EQ(sum, 100);
    EXPECT_DOUBLE_EQ(shares, 1);
    ASSERT_EQ(table.lines.size(), 6U) << "no line for what did not happen";
    EXPECT_EQ(table.lines[2].most, QStringLiteral("10.0 (rank 1)"));
    EXPECT_EQ(table.lines[table.beside].what, QStringLiteral("transfer"));
    EXPECT_DOUBLE_EQ(table.lines.back().meanMs, 36);
}

TEST(MeasureTable, AsTextItSaysOfHowManyRanksTheMeanIs) {
    const QString text = textOf(tableOf(example()));
    EXPECT_TRUE(text.startsWith(QStringLiteral("what\tmean of 2 ranks, ms\tmost, ms\tshare\n")));
    EXPECT_TRUE(text.contains(QStringLiteral("wait\t5.000000\t10.0 (rank 1)\t0.050000\n")));
}

TEST(MeasureTable, OfNothingAllIsIdle) {
    Measure none{.range = {0, 1'000'000}};
    none.mean.idle = 1'000'000;
    none.ranks = none.workers = 2;
    const MeasureTable table = tableOf(none);
    ASSERT_EQ(table.lines.size(), 1U);
    EXPECT_DOUBLE_EQ(table.lines[0].share, 1);
    // A rank that recorded nothing was not idle.
    none.ranks = 0;
    EXPECT_TRUE(tableOf(none).lines.empty());
    EXPECT_TRUE(textOf(tableOf(none)).startsWith(QStringLiteral("what\tmean of no rank")));
}

TEST(MeasureTable, SaysWhatFreeTransfersWouldSaveOrWhyNot) {
    Measure measure = example();
    EXPECT_EQ(freeTransfersInWords(measure), QString());
    measure.path = CriticalPath{.range = {0, 1'000}, .compute = 600, .transfer = 400, .withoutTransfers = 619};
    EXPECT_EQ(freeTransfersInWords(measure), QStringLiteral("if transfers were free: 38.1 % less"));
    EXPECT_EQ(pathInWords(measure), QStringLiteral("critical path: 60.0 % computing, 40.0 % transfers"));
    measure.path->messages = 1;
    EXPECT_TRUE(freeTransfersInWords(measure).contains(QStringLiteral("not known")));
    measure.path.reset();
    measure.hasLongPath = true;
    EXPECT_TRUE(freeTransfersInWords(measure).contains(grouped(SpanMeasure::kMostOfPath)))
        << freeTransfersInWords(measure).toStdString();
}

TEST(MeasureTable, ReasonsHaveTheirNames) {
    Measure measure = example();
    measure.idle =
        measure.mostIdle = {.transfer = 1, .skew = 2, .messages = 3, .data = 4, .evaluation = 5, .unexplained = 6};
    QStringList names;
    for (const MeasureLine& line : tableOf(measure).idle) names << line.what;
    EXPECT_EQ(
        names.join(QStringLiteral(", ")),
        QStringLiteral("for an average, for late ranks, for a message, reading data, eval, checkpoint, unexplained"));
}

}  // namespace
}  // namespace dasgd::gui
