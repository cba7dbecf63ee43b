#include "gui/runs/run_table.h"

#include <gtest/gtest.h>

#include <QHeaderView>
#include <QScrollBar>
#include <QTest>
#include <algorithm>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

const QString kDelay = QStringLiteral("algorithm.delay");

QAction* action(const QMenu& menu, const QString& text) {
    for (QAction* one : menu.actions()) {
        if (one->text() == text) return one;
        QAction* inner = one->menu() ? action(*one->menu(), text) : nullptr;
        if (inner) return inner;
    }
    return nullptr;
}

class RunTableTest : public ::testing::Test {
protected:
    RunTableTest() {
        runs_.take({makeRun("a", "dasgd", "[algorithm]\ndelay = 3\n"), makeRun("b", "dasgd", "label = \"x\"\n")}, {});
        table().setColumns(defaultColumns());
    }
    RunTable& table() {
        if (!table_) table_ = std::make_unique<RunTable>(list_, testLook());
        return *table_;
    }
    // Closes the table and opens another one.
    void reopen() {
        table_.reset();
        list_.setKeyColumns({});
    }
    void toggle(const QString& text) {
        QMenu menu;
        table().fillColumnMenu(menu);
        ASSERT_NE(action(menu, text), nullptr) << text.toStdString();
        action(menu, text)->trigger();
    }
    QStringList titles() {
        QStringList titles;
        for (const RunColumn& column : table().columns()) {
            titles << (column.field < 0 ? column.key : RunTableModel::nameOf(column.field));
        }
        return titles;
    }
    RunTableModel runs_;
    RunListModel list_{runs_};
    std::unique_ptr<RunTable> table_;
};

// The table has this width in a window of 1600 x 1000.
TEST_F(RunTableTest, TheUsualColumnsFitWithoutScrolling) {
    constexpr int kWidth = 1341;
    table().resize(kWidth, 700);
    table().show();
    EXPECT_EQ(table().horizontalScrollBar()->maximum(), 0);
}

TEST_F(RunTableTest, AKeyOfTheConfigurationBecomesAColumn) {
    toggle(QStringLiteral("delay"));
    EXPECT_EQ(titles().back(), kDelay);
    EXPECT_EQ(list_.keyColumns(), QStringList{kDelay});
    EXPECT_FALSE(table().isColumnHidden(RunTableModel::kColumns));
    toggle(QStringLiteral("delay"));
    EXPECT_FALSE(titles().contains(kDelay));
    toggle(QStringLiteral("label"));
    EXPECT_EQ(titles().back(), QStringLiteral("label")) << "a key without a section";
}

TEST_F(RunTableTest, ColumnsAreHiddenAndMovedAndRemembered) {
    toggle(QStringLiteral("wall"));
    toggle(QStringLiteral("delay"));
    EXPECT_FALSE(titles().contains(QStringLiteral("wall")));
    QHeaderView& header = *table().horizontalHeader();
    header.moveSection(header.visualIndex(RunTableModel::kColumns), 0);
    header.resizeSection(RunTableModel::FinalLoss, 123);
    const RunColumns before = table().columns();
    EXPECT_EQ(titles().front(), kDelay);
    reopen();
    EXPECT_EQ(table().columns(), before);
    EXPECT_EQ(table().horizontalHeader()->sectionSize(RunTableModel::FinalLoss), 123);
    toggle(QStringLiteral("Reset"));
    EXPECT_EQ(titles().size(), static_cast<qsizetype>(defaultColumns().size()));
    EXPECT_EQ(titles().front(), QStringLiteral("★"));
}

TEST_F(RunTableTest, AColumnIsMovedByKeyPastTheHiddenOnes) {
    const auto move = [&](const QKeySequence& keys) {
        for (QAction* one : table().actions()) {
            if (one->shortcut() == keys) return one->trigger();
        }
        ADD_FAILURE() << "no action has " << keys.toString().toStdString();
    };
    const QStringList before = titles();
    ASSERT_GE(before.size(), 3);
    move(Qt::ALT | Qt::Key_Right);
    EXPECT_EQ(titles(), before) << "no cell has the keyboard";
    const int section = table().horizontalHeader()->logicalIndex(0);
    table().setCurrentIndex(list_.index(0, section));
    move(Qt::ALT | Qt::Key_Left);
    EXPECT_EQ(titles(), before) << "it is the first";
    QStringList after = before;
    for (qsizetype to = 1; to < before.size(); ++to) {
        after.swapItemsAt(to - 1, to);
        move(Qt::ALT | Qt::Key_Right);
        EXPECT_EQ(titles(), after);
    }
    move(Qt::ALT | Qt::Key_Right);
    EXPECT_EQ(titles(), after) << "it is the last";
    reopen();
    EXPECT_EQ(titles(), after) << "remembered";
}

TEST_F(RunTableTest, IsSortedByTheColumnOfTheKeyboardAndThenTheOtherWay) {
    table().show();
    table().activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&table()));
    table().setFocus();
    const auto sort = [this] { QTest::keyClick(&table(), Qt::Key_S, Qt::ControlModifier | Qt::ShiftModifier); };
    const auto before = list_.order().column;
    table().setCurrentIndex({});
    sort();
    EXPECT_EQ(list_.order().column, before) << "no cell has the keyboard";
    table().setCurrentIndex(list_.index(0, RunTableModel::FinalLoss));
    sort();
    EXPECT_EQ(list_.order().column, RunTableModel::FinalLoss);
    EXPECT_EQ(list_.order().direction, Qt::AscendingOrder);
    sort();
    EXPECT_EQ(list_.order().direction, Qt::DescendingOrder);
    EXPECT_EQ(table().currentIndex().column(), RunTableModel::FinalLoss) << "the keyboard stays in its column";
}

TEST_F(RunTableTest, AFilterKeepsTheColumns) {
    toggle(QStringLiteral("wall"));
    table().horizontalHeader()->moveSection(0, 3);
    const RunColumns before = table().columns();
    list_.setFilter(QStringLiteral("delay = 3"));
    list_.setFilter({});
    EXPECT_EQ(table().columns(), before);
}

TEST_F(RunTableTest, TheLastColumnStays) {
    table().setColumns({{.field = RunTableModel::Started}});
    QMenu menu;
    table().fillColumnMenu(menu);
    EXPECT_FALSE(action(menu, QStringLiteral("started"))->isEnabled());
    EXPECT_TRUE(action(menu, QStringLiteral("wall"))->isEnabled());
}

TEST_F(RunTableTest, NoCellOfADefaultColumnIsCut) {
    storage::RunRow row =
        makeRun("c", "dasgd", "[algorithm]\nperiod = 16\ndelay = 12\nlocal_weight = 0.25\ncorrection = 1.0\n")->row;
    row.startedAt = "2020-11-21T12:00:00.000Z";
    row.status = "interrupted";
    row.timeSimulated = true;
    row.wallS = 7200;
    row.stepMs = 1000;
    row.measuredS = row.blockedS = 1;
    row.hidden = row.bestAccuracy = 1;
    storage::RunRow waits = makeRun("d", "streaming_diloco", "", 1, "queued")->row;
    waits.queueTurn = 9;
    waits.seriesSize = 12;
    runs_.take({makeRunItem(row), makeRunItem(waits)}, {});
    for (int shown = 0; shown < list_.rowCount(); ++shown) {
        for (const int column :
             {RunTableModel::Settings, RunTableModel::Started, RunTableModel::Experiment, RunTableModel::Algorithm,
              RunTableModel::Wall, RunTableModel::BestAccuracy, RunTableModel::Hidden, RunTableModel::Blocked}) {
            const QModelIndex cell = list_.index(shown, column);
            EXPECT_LE(table().sizeHintForIndex(cell).width(), table().columnWidth(column))
                << cell.data().toString().toStdString();
        }
    }
}

// A text has its own width, which is no whole number of pixels.
TEST_F(RunTableTest, NoTitleIsCutByItsArrowAndNoWidestNumberByAPixel) {
    const QFontMetricsF title(interFont(12, Weight::Medium)), cell(interFont(13));
    for (const RunColumn& column : defaultColumns()) {
        if (column.field == RunTableModel::Star) continue;
        const QString sorted = RunTableModel::nameOf(column.field) + QStringLiteral(" ↓");
        EXPECT_LE(title.horizontalAdvance(sorted) + 14, table().columnWidth(column.field)) << sorted.toStdString();
    }
    for (const int column : {RunTableModel::Hidden, RunTableModel::BestAccuracy}) {
        EXPECT_LE(cell.horizontalAdvance(QStringLiteral("100.0 %")) + 14, table().columnWidth(column));
    }
}

// Earlier versions kept widths that their titles have outgrown.
TEST_F(RunTableTest, AKeptWidthLeavesRoomForTheTitle) {
    table().setColumns({{.field = RunTableModel::Hidden, .width = 20},
                        {.key = kDelay, .width = 20},
                        {.field = RunTableModel::FinalLoss, .width = 300},
                        {.field = RunTableModel::Tags}});
    const QFontMetricsF title(interFont(12, Weight::Medium));
    EXPECT_GE(table().columnWidth(RunTableModel::Hidden), title.horizontalAdvance(QStringLiteral("hidden ↓")) + 14);
    EXPECT_GE(table().columnWidth(RunTableModel::kColumns), title.horizontalAdvance(QStringLiteral("delay ↓")) + 14);
    EXPECT_EQ(table().columnWidth(RunTableModel::FinalLoss), 300);
}

TEST_F(RunTableTest, AWidthThatNobodyHasSetIsMeasuredAnew) {
    const auto of = [this](int field) {
        const RunColumns columns = table().columns();
        return std::ranges::find(columns, field, &RunColumn::field)->width;
    };
    EXPECT_EQ(of(RunTableModel::Hidden), 0);
    table().horizontalHeader()->resizeSection(RunTableModel::Hidden, 123);
    EXPECT_EQ(of(RunTableModel::Hidden), 123);
}

TEST_F(RunTableTest, TheDefaultColumnsFitAWindowOf1600PixelsBesideTheirScrollBar) {
    constexpr int kBesideRailAndMargins = 1341;
    std::vector<RunItemPtr> many;
    for (int i = 0; i < 40; ++i) many.push_back(makeRun(runNumber(i), "dasgd", ""));
    runs_.take(many, {});
    table().resize(kBesideRailAndMargins, 400);
    table().show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&table()));
    ASSERT_TRUE(table().verticalScrollBar()->isVisible());
    EXPECT_LE(table().horizontalHeader()->length(), table().viewport()->width());
    EXPECT_EQ(titles().back(), QStringLiteral("tags")) << "what is mostly empty takes the room that is left";
}

TEST_F(RunTableTest, WhatAFilterNamesCanBeAColumn) {
    for (const char* name : {"run", "note", "commit", "error", "ms/step", "skew ms", "inflation", "samples", "sent"}) {
        EXPECT_FALSE(titles().contains(QString::fromLatin1(name))) << name << " is not there unasked";
        toggle(QString::fromLatin1(name));
        EXPECT_EQ(titles().back(), QString::fromLatin1(name));
    }
    reopen();
    EXPECT_TRUE(titles().contains(QStringLiteral("sent")));
    toggle(QStringLiteral("Reset"));
}

TEST_F(RunTableTest, IsOrderedByTheColumnsThatItHas) {
    table().setOrder({.field = RunTableModel::Algorithm}, Qt::AscendingOrder);
    EXPECT_EQ(list_.order().column, RunTableModel::Algorithm);
    table().setOrder({.key = kDelay}, Qt::DescendingOrder);
    EXPECT_EQ(list_.order().column, RunTableModel::Algorithm) << "no such column";
    toggle(QStringLiteral("delay"));
    table().setOrder({.key = kDelay}, Qt::DescendingOrder);
    EXPECT_EQ(list_.order().key, kDelay.toStdString());
    EXPECT_EQ(table().horizontalHeader()->sortIndicatorOrder(), Qt::DescendingOrder);
}

// The table is 1012 or 1024 pixels wide in a window of 1280 x 720, with a bar to scroll and without.
TEST_F(RunTableTest, NoColumnIsCutAtTheEdgeOfANarrowWindow) {
    for (const int width : {1012, 1024, 700, 1100}) {
        table().resize(width, 500);
        table().show();
        QCoreApplication::processEvents();
        const int room = table().viewport()->width();
        const QHeaderView& header = *table().horizontalHeader();
        for (int section = 0; section < header.count(); ++section) {
            if (header.isSectionHidden(section) || header.sectionViewportPosition(section) >= room) continue;
            EXPECT_LE(header.sectionViewportPosition(section) + header.sectionSize(section), room)
                << RunTableModel::nameOf(section).toStdString() << " at " << width;
        }
        if (width < 1000) continue;
        EXPECT_LT(header.sectionViewportPosition(RunTableModel::Hidden), room) << width;
    }
}

TEST_F(RunTableTest, SettingsAreWholeWhileOthersHaveRoomToSpare) {
    const auto widest = [this] {
        int width = 0;
        for (int row = 0; row < list_.rowCount(); ++row) {
            width = std::max(width, table().sizeHintForIndex(list_.index(row, RunTableModel::Settings)).width());
        }
        return width;
    };
    for (const int width : {1341, 1024}) {
        table().resize(width, 500);
        table().show();
        const std::string longest =
            "[algorithm]\nperiod = 16\ndelay = 12\nlocal_weight = 0.25\ncorrection = 1.0\nnumber" +
            std::to_string(width) + " = 0.0125\n";
        runs_.take({makeRun("long" + std::to_string(width), "dasgd", longest)}, {});
        EXPECT_LE(widest(), table().columnWidth(RunTableModel::Settings)) << width;
    }
    EXPECT_GT(table().columnWidth(RunTableModel::Settings), usualWidth({.field = RunTableModel::Settings}));
}

TEST_F(RunTableTest, AWidthOfTheSettingsThatWasSetStays) {
    table().resize(1008, 500);
    table().show();
    table().setColumnWidth(RunTableModel::Settings, 222);
    table().resize(1100, 500);
    QCoreApplication::processEvents();
    EXPECT_EQ(table().columnWidth(RunTableModel::Settings), 222);
    reopen();
    EXPECT_EQ(table().columnWidth(RunTableModel::Settings), 222);
}

}  // namespace
}  // namespace dasgd::gui
