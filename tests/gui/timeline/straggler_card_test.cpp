#include "gui/timeline/straggler_card.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTableWidget>
#include <algorithm>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

LatenessAnswer answerOf(const std::vector<double>& lateMs) {
    Lateness lateness{.averages = 160, .noiseNs = 9e6};
    for (std::size_t rank = 0; rank < lateMs.size(); ++rank) {
        lateness.ranks.push_back({.rank = static_cast<int>(rank),
                                  .lateNs = lateMs[rank] * 1e6,
                                  .noiseNs = 9e6,
                                  .averages = 160,
                                  .last = static_cast<std::int64_t>(rank)});
    }
    return {QStringLiteral("run"), lateness, false};
}

TEST(StragglerCard, TheWordsTellNoiseFromStragglers) {
    EXPECT_EQ(latenessInWords(answerOf({0, 50, 8})),
              QStringLiteral("only rank 1 is beyond noise (± 9.0 ms), of 160 averages"));
    EXPECT_EQ(latenessInWords(answerOf({0, 8})), QStringLiteral("no rank is beyond noise (± 9.0 ms), of 160 averages"));
    LatenessAnswer newest = answerOf({20, 30});
    newest.newestOnly = true;
    EXPECT_EQ(latenessInWords(newest),
              QStringLiteral("ranks 0, 1 are beyond noise (± 9.0 ms), of the newest 160 averages"));
    newest.lateness->averages = 1;
    EXPECT_TRUE(latenessInWords(newest).endsWith(QStringLiteral("of the newest 1 average")));
    EXPECT_TRUE(latenessInWords({}).contains(QStringLiteral("too few averages")));
    LatenessAnswer hosts = answerOf({0, 8});
    hosts.clockErrorNs = 1.5e6;
    EXPECT_EQ(latenessInWords(hosts),
              QStringLiteral("no rank is beyond noise (± 9.0 ms, of which ± 3.0 ms the clocks of the hosts), "
                             "of 160 averages"));
}

TEST(StragglerCard, TheLatestComeFirstAndEnterChoosesOne) {
    StragglerCard card(testLook());
    card.setAnswer(answerOf({0, 50, 8, -3, 7, 1}));
    card.resize(300, 300);
    card.show();
    auto* table = card.findChild<QTableWidget*>();
    ASSERT_EQ(table->rowCount(), StragglerCard::kShown);
    EXPECT_EQ(table->item(0, 0)->text(), QStringLiteral("1"));
    EXPECT_EQ(table->item(0, 1)->text(), QStringLiteral("+50 ms !")) << "colour is not the only sign";
    EXPECT_EQ(table->item(1, 1)->text(), QStringLiteral("+8.0 ms"));
    EXPECT_EQ(table->item(0, 2)->text(), QStringLiteral("1 of 160"));
    QSignalSpy chosen(&card, &StragglerCard::rankChosen);
    table->setCurrentCell(1, 0);
    QTest::keyClick(table, Qt::Key_Return);
    ASSERT_EQ(chosen.count(), 1);
    EXPECT_EQ(chosen[0][0].toInt(), 2);
}

TEST(StragglerCard, NamesEachRankBeyondNoiseForTheStrip) {
    EXPECT_TRUE(lateRanksInWords({}).empty());
    const auto words = lateRanksInWords(answerOf({0, 50, 8}));
    ASSERT_EQ(words.size(), 1U);
    EXPECT_EQ(words.at(1), QStringLiteral("rank 1 comes +50 ms late to the averages (noise ± 9.0 ms)"));
}

TEST(StragglerCard, DoesNotSayThatItReadsWhereThereIsNothing) {
    StragglerCard card(testLook());
    const auto says = [&](const QString& words) {
        const auto labels = card.findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) { return label->text() == words; });
    };
    EXPECT_TRUE(says(QStringLiteral("reading …")));
    card.setNothing(QStringLiteral("no run is chosen"));
    EXPECT_TRUE(says(QStringLiteral("no run is chosen")));
    card.setNothing({});
    EXPECT_TRUE(says(QStringLiteral("reading …")));
}

}  // namespace
}  // namespace dasgd::gui
