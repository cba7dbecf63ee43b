#include "gui/data/spans/timeline_rows.h"

#include <gtest/gtest.h>

#include <QSignalSpy>

namespace dasgd::gui {
namespace {

const QString kRun = QStringLiteral("run-a");

std::vector<int> firstRanks(const TimelineRows& rows) {
    std::vector<int> ranks;
    for (const RankGroup& group : *rows.plan()) ranks.push_back(group.ranks.front());
    return ranks;
}

Lateness lateBy(const std::vector<double>& ns) {
    Lateness lateness;
    for (std::size_t rank = 0; rank < ns.size(); ++rank) {
        lateness.ranks.push_back({.rank = static_cast<int>(rank), .lateNs = ns[rank]});
    }
    return lateness;
}

TEST(TimelineRows, PinsAreOfTheirRunAndComeBackWithIt) {
    TimelineRows rows;
    rows.setRun(kRun, 3);
    rows.togglePin(2);
    EXPECT_EQ(firstRanks(rows), (std::vector{2, 0, 1}));
    rows.setRun(QStringLiteral("run-b"), 3);
    EXPECT_EQ(firstRanks(rows), (std::vector{0, 1, 2}));
    rows.setRun(kRun, 3);
    EXPECT_EQ(firstRanks(rows), (std::vector{2, 0, 1}));
    rows.togglePin(2);
    EXPECT_EQ(firstRanks(rows), (std::vector{0, 1, 2}));
}

TEST(TimelineRows, OfSeveralHostsARowOfGroupsIsEachHosts) {
    TimelineRows rows;
    rows.setRun(kRun, 4);
    rows.setHosts({"node0", "node1", "node0", "node1"});
    EXPECT_EQ(rows.plan()->size(), 4U) << "each rank has a row until they are collapsed";
    rows.setCollapsed(true);
    QStringList names;
    for (const RankGroup& group : *rows.plan()) names << group.name;
    EXPECT_TRUE(names.contains("node0") && names.contains("node1")) << names.join(", ").toStdString();
    rows.setRun(QStringLiteral("run-b"), 4);
    rows.setCollapsed(true);
    EXPECT_EQ(rows.plan()->size(), 1U) << "hosts are of their run";
}

TEST(TimelineRows, NewNumbersDoNotMoveRows) {
    TimelineRows rows;
    rows.setRun(kRun, 3);
    rows.setSort(RankSort::LateFirst);
    rows.setLateness(lateBy({1, 2, 3}));
    EXPECT_EQ(firstRanks(rows), (std::vector{2, 1, 0})) << "the first numbers do";
    rows.setLateness(lateBy({9, 2, 3}));
    EXPECT_EQ(firstRanks(rows), (std::vector{2, 1, 0}));
    rows.setSort(RankSort::LateFirst);
    EXPECT_EQ(firstRanks(rows), (std::vector{0, 2, 1})) << "asked for anew";
}

TEST(TimelineRows, LatenessIsNotTakenToAnotherRun) {
    TimelineRows rows;
    rows.setRun(kRun, 2);
    rows.setLateness(lateBy({1, 2}));
    rows.setRun(QStringLiteral("run-b"), 2);
    EXPECT_FALSE(rows.lateness());
}

TEST(TimelineRows, HiddenKindsAreThoseOfTheColour) {
    TimelineRows rows;
    QSignalSpy changed(&rows, &TimelineRows::kindsChanged);
    rows.setShown(SpanKind::Merge, false);
    EXPECT_TRUE(contains(rows.hiddenKinds(), SpanKind::Merge));
    EXPECT_TRUE(contains(rows.hiddenKinds(), SpanKind::Snapshot));
    rows.setShown(SpanKind::Merge, false);
    EXPECT_EQ(changed.count(), 1);
    rows.setShown(SpanKind::Merge, true);
    EXPECT_TRUE(rows.hiddenKinds().none());
}

TEST(TimelineRows, ManyRanksAreCollapsedUntilEachIsAskedFor) {
    TimelineRows rows;
    rows.setRun(kRun, 64);
    EXPECT_TRUE(rows.collapsed());
    EXPECT_EQ(rows.plan()->size(), RankOrder::kBeside + 1);
    rows.toggleOpen(rows.plan()->back().name);
    EXPECT_EQ(rows.plan()->size(), 65U);
    rows.setCollapsed(false);
    EXPECT_EQ(rows.plan()->size(), 64U);
}

}  // namespace
}  // namespace dasgd::gui
