#include "gui/runs/differences_table.h"

#include <gtest/gtest.h>

#include <QRegularExpression>
#include <QScrollBar>
#include <QStandardItemModel>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

class DifferencesTableTest : public ::testing::Test {
protected:
    // The look gives the table the paddings of the window.
    DifferencesTableTest() { testLook(); }
    void fill(const std::vector<QStringList>& rows) {
        table_.setModel(&model_);
        for (const QStringList& row : rows) {
            QList<QStandardItem*> items;
            for (const QString& text : row) items << new QStandardItem(text);
            model_.appendRow(items);
        }
    }
    void show(int width, int rows) {
        table_.resize(width, 400);
        table_.show();
        table_.showRows(rows);
        QCoreApplication::processEvents();
    }
    // True if every part of a cell that stays together has the width, and all its lines the height.
    [[nodiscard]] bool isWhole(int row, int column) {
        const QModelIndex cell = model_.index(row, column);
        static const QRegularExpression ends(QStringLiteral("(?<= )|(?<=[._/])(?=\\p{L})"));
        const QFontMetrics metrics(table_.font());
        constexpr int kAround = 6;
        for (const QString& part : cell.data().toString().split(ends)) {
            if (metrics.horizontalAdvance(part.trimmed()) + kAround > table_.columnWidth(column)) return false;
        }
        const QAbstractItemView& view = table_;
        return table_.rowHeight(row) >= view.sizeHintForIndex(cell).height() &&
               table_.rowHeight(row) >= view.sizeHintForRow(row);
    }
    QStandardItemModel model_;
    DifferencesTable table_;
};

// The table has this width in the drawer of a small window.
TEST_F(DifferencesTableTest, NoKeyAndNoValueIsCut) {
    fill({{"algorithm.local_weight", "0.125", "–"},
          {"algorithm.name", "dasgd", "local_sgd"},
          {"algorithm.snapshot_at_zero", "false", "–"},
          {"cluster.backend", "threads", "gloo"},
          {"cluster.link.bandwidth", "100Mbps", "200Mbps"}});
    show(300, 12);
    for (int row = 0; row < model_.rowCount(); ++row) {
        for (int column = 0; column < 3; ++column) {
            EXPECT_TRUE(isWhole(row, column)) << model_.index(row, column).data().toString().toStdString();
        }
    }
    EXPECT_GT(table_.rowHeight(2), DifferencesTable::kRowHeight) << "its key has two lines";
    EXPECT_EQ(table_.rowHeight(3), DifferencesTable::kRowHeight);
    EXPECT_EQ(table_.verticalScrollBar()->maximum(), 0) << "higher rows are seen as a whole too";
    table_.resize(700, table_.height());
    QCoreApplication::processEvents();
    EXPECT_EQ(table_.rowHeight(2), DifferencesTable::kRowHeight) << "on one line where there is room";
    EXPECT_EQ(table_.verticalScrollBar()->maximum(), 0);
}

TEST_F(DifferencesTableTest, ManyValuesInOneColumnHaveTheLinesThatTheyNeed) {
    fill({{"algorithm.name", "dasgd, local_sgd, sync_sgd, independent"}, {"train.epochs", "2, 1, 60"}});
    show(300, 12);
    EXPECT_TRUE(isWhole(0, 0) && isWhole(0, 1));
    EXPECT_GT(table_.rowHeight(0), table_.rowHeight(1));
    EXPECT_EQ(table_.rowHeight(1), DifferencesTable::kRowHeight) << "what fits is not broken for the others";
}

TEST(BreakableText, ANumberStaysTogether) {
    const BreakableText texts;
    const QChar mayBreak = BreakableText::kMayBreak;
    EXPECT_EQ(texts.displayText(QStringLiteral("0.05, 1.5e-3"), QLocale::c()), QStringLiteral("0.05, 1.5e-3"));
    EXPECT_EQ(texts.displayText(QStringLiteral("train.batch_size"), QLocale::c()),
              QStringLiteral("train.") + mayBreak + QStringLiteral("batch_") + mayBreak + QStringLiteral("size"));
}

TEST_F(DifferencesTableTest, OfALongListTheFirstRowsAreSeenAndTheOthersScrolled) {
    std::vector<QStringList> rows;
    for (int i = 0; i < 30; ++i) rows.push_back({QStringLiteral("train.key_%1").arg(i), "1", "2"});
    fill(rows);
    show(300, 12);
    EXPECT_GT(table_.verticalScrollBar()->maximum(), 0);
    EXPECT_LT(table_.height(), 15 * DifferencesTable::kRowHeight);
}

}  // namespace
}  // namespace dasgd::gui
