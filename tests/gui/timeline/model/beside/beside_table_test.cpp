#include "gui/timeline/model/beside/beside_table.h"

#include <gtest/gtest.h>

#include <QRegularExpression>

#include "gui/kit/words/words.h"

namespace dasgd::gui {
namespace {

RunItem runOf(const char* backend, int workers, const char* config) {
    storage::RunRow row;
    row.runId = backend;
    row.backend = backend;
    row.workers = workers;
    row.status = "finished";
    row.config = config;
    return *makeRunItem(row);
}

StepParts parts(int ranks, double stepNs, double waitNs) {
    StepParts parts{.ranks = ranks, .steps = 10 * ranks, .stepNs = stepNs, .transferNs = 4e6, .hiddenNs = 1e6};
    parts.kindNs[static_cast<std::size_t>(SpanKind::Wait)] = waitNs;
    parts.blockedNs = waitNs;
    return parts;
}

const BesideLine* lineOf(const BesideTable& table, const char* what) {
    for (const BesideLine& line : table.lines) {
        if (line.what == QLatin1String(what)) return &line;
    }
    return nullptr;
}

constexpr const char* kLenet = "[model]\nname = \"lenet\"\n[train]\nbatch_size = 32\n";

TEST(BesideTableTest, SaysDifferenceAndRatioAndWhatTheyAreOf) {
    const BesideNumbers numbers{.ofA = {0, 1'000'000'000},
                                .ofB = {500'000'000, 1'500'000'000},
                                .partsOfA = parts(2, 8e6, 1e6),
                                .partsOfB = parts(2, 6e6, 0)};
    const BesideTable table = tableOf(numbers, runOf("gloo", 2, kLenet), runOf("threads", 2, kLenet));
    const BesideLine* step = lineOf(table, "time of a step");
    ASSERT_TRUE(step);
    EXPECT_TRUE(step->a.contains(QStringLiteral("8")) && step->b.contains(QStringLiteral("6")));
    EXPECT_TRUE(step->difference.startsWith(QStringLiteral("−2")));
    EXPECT_EQ(step->ratio, QStringLiteral("×0.750"));
    ASSERT_TRUE(lineOf(table, "wait"));
    ASSERT_EQ(table.remarks.size(), 2) << table.remarks.join(u'|').toStdString();
    EXPECT_TRUE(table.remarks[0].contains(QStringLiteral("A, measured: mean of 2 of 2 ranks, together 20 steps")));
    EXPECT_TRUE(table.remarks[1].contains(QStringLiteral("0.5000 – 1.5000 s")));
    const QString text = textOf(table);
    EXPECT_EQ(text.section(u'\n', 1, 1).count(u'\t'), 4);
    EXPECT_TRUE(text.contains(table.remarks[1]));
}

TEST(BesideTableTest, NamesWhatMakesTheTwoDifferent) {
    const BesideNumbers numbers{.partsOfA = parts(2, 8e6, 1e6), .partsOfB = parts(1, 6e6, 0)};
    const BesideTable table = tableOf(numbers, runOf("gloo", 2, kLenet), runOf("trace", 1, "name = \"theirs\"\n"));
    const QString all = table.remarks.join(u'\n');
    EXPECT_TRUE(all.contains(QStringLiteral("B, imported:")));
    EXPECT_TRUE(all.contains(QStringLiteral("2 and 1 ranks")));
    EXPECT_TRUE(all.contains(QRegularExpression(QStringLiteral("model \"?lenet\"? and not known"))))
        << all.toStdString();
    EXPECT_TRUE(all.contains(QStringLiteral("not of one kind")));
    EXPECT_EQ(lineOf(table, "blocked")->b, kAbsent) << "their trace holds no wait, which is not 0 %";
    EXPECT_EQ(lineOf(table, "wait")->ratio, kAbsent);
}

TEST(BesideTableTest, SaysWhereThereIsNothingToCompare) {
    const BesideTable none = tableOf({}, runOf("gloo", 2, kLenet), runOf("gloo", 2, kLenet));
    EXPECT_TRUE(none.lines.empty());
    EXPECT_TRUE(none.remarks[0].contains(QStringLiteral("no whole round of a clean window")));
    const BesideTable many = tableOf({.tooMany = true}, runOf("gloo", 2, kLenet), runOf("gloo", 2, kLenet));
    EXPECT_TRUE(many.lines.empty());
    EXPECT_TRUE(many.remarks[0].contains(QStringLiteral("zoom in")));
}

TEST(BesideTableTest, SaysWhatIsDrawnOfOneThatHasEnded) {
    const RunItem run = runOf("gloo", 2, kLenet);
    const BesideTable table = tableOf({.ofA = {4'096'700'000, 4'696'700'000}, .ofB = {400'000'000, 1'000'000'000}}, run,
                                      run, TimeRange{400'000'000, 1'000'000'000});
    EXPECT_TRUE(table.remarks[0].contains(QStringLiteral("its axis shows 0.4000 – 1.0000 s")));
    EXPECT_TRUE(table.remarks.join(u'\n').contains(QStringLiteral("lies in 0.4000 – 1.0000 s")));
}

}  // namespace
}  // namespace dasgd::gui
