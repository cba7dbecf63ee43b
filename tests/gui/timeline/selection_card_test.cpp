#include "gui/timeline/selection_card.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QClipboard>
#include <QTableWidget>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

TEST(SelectionCard, SaysWhichRanksItIsOfAndWhyTheyWereIdle) {
    Measure measure{.range = {0, 100'000'000}, .ranks = 3, .workers = 4};
    measure.mean.idle = 30'000'000;
    measure.idle = {.transfer = 12'000'000, .unexplained = 18'000'000};
    measure.mostIdle = {.transfer = 20'000'000, .unexplained = 19'000'000};
    measure.mostIdleRank = {2, 0, 0, 0, 0, 1};
    measure.path = CriticalPath{.range = {0, 1'000}, .compute = 600, .transfer = 400, .withoutTransfers = 619};
    SelectionCard card;
    card.setMeasure(measure, true);
    QStringList words;
    for (const QLabel* label : card.findChildren<QLabel*>()) words << label->text();
    EXPECT_TRUE(words.join(' ').contains(QStringLiteral("mean of 3 of 4 ranks"))) << words.join(' ').toStdString();
    EXPECT_TRUE(words.contains(QStringLiteral("if transfers were free: 38.1 % less")));
    auto* table = card.findChild<QTableWidget*>();
    ASSERT_EQ(table->rowCount(), 4) << "idle, a head, two reasons";
    EXPECT_EQ(table->item(2, 0)->text(), QStringLiteral("for an average"));
    EXPECT_FALSE(table->wordWrap()) << "its last word would be below, where nobody sees it";
    EXPECT_EQ(table->item(2, 2)->toolTip(), QStringLiteral("20.0 (rank 2)"));
    QTest::mouseClick(card.findChild<QPushButton*>(), Qt::LeftButton);
    EXPECT_TRUE(QApplication::clipboard()->text().contains(QStringLiteral("idle or waiting: unexplained\t18.000000")));
    card.setMeasure({}, true);
    EXPECT_EQ(table->rowCount(), 0);
}

TEST(SelectionCard, TheNamesOfTheKindsAreWholeAndWhatIsSelectedIsZoomedTo) {
    Measure measure{.range = {0, 100'000'000}, .ranks = 4, .workers = 4};
    const auto backward = static_cast<std::size_t>(SpanKind::Backward);
    measure.byKind[backward] = 32'700'000;
    measure.mostByKind[backward] = 41'600'000;
    measure.mean.idle = 67'300'000;
    SelectionCard card;
    card.resize(320, 500);
    card.show();
    card.setMeasure(measure, true);
    auto* table = card.findChild<QTableWidget*>();
    ASSERT_EQ(table->item(0, 0)->text(), QStringLiteral("backward"));
    const int text = QFontMetrics(table->font()).horizontalAdvance(QStringLiteral("backward"));
    EXPECT_GE(table->columnWidth(0), text + 10 + 16) << "with its colour and its padding";
    QPushButton* zoom = nullptr;
    for (QPushButton* one : card.findChildren<QPushButton*>()) {
        if (one->text() == QStringLiteral("Zoom here")) zoom = one;
    }
    ASSERT_NE(zoom, nullptr);
    int wanted = 0;
    QObject::connect(&card, &SelectionCard::zoomWanted, [&] { ++wanted; });
    QTest::mouseClick(zoom, Qt::LeftButton);
    EXPECT_EQ(wanted, 1);
    card.setMeasure(measure, false);
    EXPECT_FALSE(zoom->isEnabled()) << "what is seen is seen already";
}

TEST(SelectionCard, DoesNotSayThatItReadsWhereThereIsNothing) {
    SelectionCard card;
    card.setMeasure({}, false);
    const auto says = [&](const QString& words) {
        for (const QLabel* label : card.findChildren<QLabel*>()) {
            if (label->text() == words) return true;
        }
        return false;
    };
    EXPECT_TRUE(says(QStringLiteral("reading …")));
    card.setNothing(QStringLiteral("no run is chosen"));
    EXPECT_TRUE(says(QStringLiteral("no run is chosen")));
    Measure measure{.range = {0, 100'000'000}, .ranks = 3, .workers = 4};
    measure.mean.idle = 30'000'000;
    card.setMeasure(measure, false);
    EXPECT_FALSE(says(QStringLiteral("no run is chosen")));
}

}  // namespace
}  // namespace dasgd::gui
