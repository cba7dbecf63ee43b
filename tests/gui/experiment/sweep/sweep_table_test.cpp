#include "gui/experiment/sweep/sweep_table.h"

#include <gtest/gtest.h>

#include <QHeaderView>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>

#include "gui/kit/theme/theme.h"
#include "gui/kit/words/seconds.h"
#include "gui/kit/words/words.h"

namespace dasgd::gui {
namespace {

std::vector<SweepLine> twoLines() {
    return {{.label = QStringLiteral("d = 1"),
             .runs = 3,
             .hidden = 0.54,
             .stepSeconds = 0.00715,
             .seconds = 121,
             .tip = QStringLiteral("14.0 ms per round will not hide.")},
            {.label = QStringLiteral("alone"), .runs = 1, .hidden = {}, .stepSeconds = {}, .seconds = {}, .tip = {}}};
}

TEST(SweepTable, EachCaseIsARowAsHighAsItNeeds) {
    SweepTable table;
    EXPECT_TRUE(table.isHidden()) << "without a case there is no table";
    table.showLines(twoLines());
    EXPECT_FALSE(table.isHidden());
    const auto cell = [&](int row, int column) { return table.item(row, column)->text(); };
    EXPECT_EQ(cell(0, 0), QStringLiteral("d\u00a01"));
    EXPECT_EQ(cell(0, 1), QStringLiteral("54.0 %"));
    EXPECT_EQ(cell(0, 2), secondsInWords(0.00715));
    EXPECT_EQ(cell(0, 3), roughly(121));
    for (int column = 1; column < 4; ++column) EXPECT_EQ(cell(1, column), kAbsent);
    EXPECT_TRUE(table.item(0, 0)->toolTip().contains(QStringLiteral("d = 1: 3 runs. 14.0 ms per round")));
    const int two = table.height();
    auto more = twoLines();
    more.push_back(more.front());
    table.showLines(more);
    EXPECT_GT(table.height(), two);
    table.showLines({});
    EXPECT_TRUE(table.isHidden());
}

// The table has this width beside the text of the experiment. Only times of a simulated cluster are known here.
TEST(SweepTable, WhatTellsTheCasesApartIsWhole) {
    constexpr int kBesideTheText = 234;
    std::vector<SweepLine> lines;
    for (const int delay : {1, 2, 4})
        lines.push_back({.label = QStringLiteral("\u03c4 = 16, d = %1").arg(delay),
                         .runs = 3,
                         .hidden = 1,
                         .stepSeconds = 0.00873,
                         .seconds = {},
                         .tip = {}});
    SweepTable table;
    table.resize(kBesideTheText, 200);
    table.showLines(lines);
    table.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&table));
    for (int row = 0; row < table.rowCount(); ++row)
        EXPECT_LE(table.sizeHintForIndex(table.model()->index(row, 0)).width(), table.columnWidth(0));
    EXPECT_TRUE(table.isColumnHidden(3)) << "nobody knows how long the runs take";
    lines.front().seconds = 121;
    table.showLines(lines);
    EXPECT_FALSE(table.isColumnHidden(3));
}

// Algorithms differ in more than a line of a narrow column holds.
TEST(SweepTable, ALongCaseHasAsManyLinesAsItNeeds) {
    std::vector<SweepLine> lines = twoLines();
    lines[0].label = QStringLiteral("overlap_local_sgd, \u03c4 = 16, anchor = 0.5, first_bucket_mb = 1.0");
    SweepTable table;
    table.resize(234, 200);
    table.showLines(lines);
    table.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&table));
    const QModelIndex cell = table.model()->index(0, 0);
    EXPECT_GE(table.rowHeight(0), table.sizeHintForIndex(cell).height());
    EXPECT_GT(table.rowHeight(0), table.rowHeight(1));
    const int needed = table.rowHeight(0) + table.rowHeight(1) + table.horizontalHeader()->height();
    EXPECT_GE(table.height(), needed);
    const int narrow = table.height();
    table.resize(900, narrow);
    QCoreApplication::processEvents();
    EXPECT_LT(table.height(), narrow) << "a wide column needs one line";
}

TEST(SweepTable, ItsHeaderIsWholeWhereNoTimeIsKnown) {
    std::vector<SweepLine> lines = twoLines();
    for (SweepLine& line : lines) line.hidden = line.stepSeconds = std::nullopt;
    SweepTable table;
    table.resize(300, 100);
    table.showLines(lines);
    table.show();
    const QFontMetrics metrics(interFont(12, Weight::Medium));
    for (int column = 1; column < table.columnCount(); ++column) {
        const QString text = table.horizontalHeaderItem(column)->text();
        EXPECT_GT(table.columnWidth(column), metrics.horizontalAdvance(text) + 4) << text.toStdString();
    }
}

TEST(SweepTable, ARowIsWantedByClickAndByKey) {
    SweepTable table;
    table.resize(300, 100);
    table.showLines(twoLines());
    table.show();
    table.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&table));
    QSignalSpy wanted(&table, &SweepTable::caseWanted);
    QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.visualItemRect(table.item(1, 0)).center());
    ASSERT_GE(wanted.size(), 1);
    EXPECT_EQ(wanted.back()[0].toInt(), 1);
    table.setFocus();
    QTest::keyClick(&table, Qt::Key_Up);
    QTest::keyClick(&table, Qt::Key_Return);
    EXPECT_EQ(wanted.back()[0].toInt(), 0);
}

// The table has this width beside the text in a window of 1600 x 1000.
TEST(SweepTable, NamesOfAlgorithmsAreWholeBeforeTheTimeOfTheirRuns) {
    std::vector<SweepLine> lines;
    for (const char* label :
         {"sync_sgd", "local_sgd, τ = 4", "dasgd, τ = 4, d = 3", "independent", "overlap_local_sgd"})
        lines.push_back({.label = QString::fromUtf8(label),
                         .runs = 1,
                         .hidden = 1,
                         .stepSeconds = 0.02853,
                         .seconds = 3.6,
                         .tip = {}});
    SweepTable table;
    table.resize(225, 200);
    table.showLines(lines);
    table.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&table));
    const QFontMetrics metrics(interFont(12));
    for (int row = 0; row < table.rowCount(); ++row) {
        for (const QString& word : table.item(row, 0)->text().split(QRegularExpression(QStringLiteral("[ \u200b]"))))
            EXPECT_LE(metrics.horizontalAdvance(word) + 8, table.columnWidth(0)) << word.toStdString();
    }
    EXPECT_TRUE(table.isColumnHidden(3));
    EXPECT_TRUE(table.item(0, 0)->toolTip().contains(roughly(3.6))) << "where it is not beside";
    table.resize(600, 200);
    EXPECT_FALSE(table.isColumnHidden(3));
}

}  // namespace
}  // namespace dasgd::gui
