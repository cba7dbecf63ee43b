#include "gui/compare/model/compare_legend_model.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>

#include "tests/gui/support/compare_bench.h"

namespace dasgd::gui {
namespace {

using CompareLegendModelTest = CompareBench;

TEST_F(CompareLegendModelTest, HiddenOnesKeepTheirPlaceAndSayTheirValueAtTheCursor) {
    CompareLegendModel model(board_);
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    look();
    ASSERT_EQ(model.rowCount(), 3);
    const QString name = model.index(1).data().toString();
    EXPECT_TRUE(model.setData(model.index(1), Qt::Unchecked, Qt::CheckStateRole));
    EXPECT_EQ(model.index(1).data().toString(), name);
    EXPECT_EQ(model.index(1).data(Qt::CheckStateRole).toInt(), Qt::Unchecked);
    EXPECT_TRUE(model.index(1).data(Qt::AccessibleTextRole).toString().contains(QStringLiteral("hidden")));
    EXPECT_EQ(board_.choice.shown().size(), 2U);
    board_.curves.setCursor(100, loss_);
    const auto point = board_.curves.curve(loss_, 0)->pointAt(100);
    ASSERT_TRUE(point);
    const QString value = model.index(0).data(CompareLegendModel::ValueRole).toString();
    EXPECT_TRUE(value.contains(QStringLiteral("±"))) << value.toStdString();
    EXPECT_NEAR(value.section(QLatin1Char(' '), 0, 0).toDouble(), board_.curves.curve(loss_, 0)->mean.mean.y[*point],
                1e-3);
    board_.choice.setFilter(QStringLiteral("sync_sgd"));
    EXPECT_EQ(model.rowCount(), 1);
    EXPECT_EQ(model.rowOf(placeOf("sync")), 0);
}

TEST_F(CompareLegendModelTest, AsFarAsAllGoTheValuesAreOfOnePlace) {
    CompareLegendModel model(board_);
    look();
    EXPECT_EQ(model.readInWords(), QStringLiteral("at the end: Training loss"));
    board_.curves.setMembers(Members::AsFarAsAll);
    const std::size_t sync = placeOf("sync");
    const QString expected = QStringLiteral("at step %1: Training loss").arg(kStoppedAt);
    ASSERT_TRUE(eventually([&] { return model.readInWords() == expected; })) << model.readInWords().toStdString();
    const GroupCurve* whole = board_.curves.curve(loss_, sync);
    ASSERT_TRUE(whole);
    const auto at = whole->pointAt(kStoppedAt);
    ASSERT_TRUE(at);
    const QString value = model.index(model.rowOf(sync)).data(CompareLegendModel::ValueRole).toString();
    EXPECT_NEAR(value.section(QLatin1Char(' '), 0, 0).toDouble(), whole->mean.mean.y[*at], 1e-2)
        << "of a curve that goes on, too";
    board_.choice.setHidden({placeOf("d 3")}, true);
    EXPECT_EQ(model.readInWords(), QStringLiteral("at step 200: Training loss")) << "what is hidden ends nothing";
}

// A time-only run has no loss: that says nothing against its runs.
TEST_F(CompareLegendModelTest, WhereNothingWasRecordedTheCountIsThatOfTheConfiguration) {
    CompareLegendModel model(board_);
    look();
    const CompareCurveKey absent{"no/such", XAxis::Step};
    board_.curves.want(this, absent);
    const std::size_t sync = placeOf("sync");
    ASSERT_TRUE(eventually([&] { return board_.curves.curve(absent, sync) != nullptr; }));
    board_.curves.setCursor(std::nullopt, absent);
    const QModelIndex row = model.index(model.rowOf(sync));
    EXPECT_EQ(row.data(CompareLegendModel::CountRole).toString(), QStringLiteral("3"));
    EXPECT_FALSE(row.data(CompareLegendModel::PartialRole).toBool());
}

TEST(CompareLegendCount, IsThatOfThePointWhoseValueIsRead) {
    Workspace workspace;
    workspace.record({.seed = 1, .ranks = 1, .steps = 200});
    workspace.record({.seed = 2, .ranks = 1, .steps = 195});
    Feed feed(workspace.path());
    Session session(feed);
    CompareBoard board(session);
    CompareLegendModel model(board);
    const CompareCurveKey loss{"train/loss", XAxis::Step};
    ASSERT_TRUE(eventually([&] { return session.runs().items().size() == 2; }));
    board.curves.want(&model, loss);
    board.choice.setWatching(true);
    board.choice.takeNewestExperiment();
    ASSERT_EQ(board.choice.groups().size(), 1U);
    ASSERT_TRUE(eventually([&] { return board.curves.curve(loss, 0) != nullptr; }));
    const auto count = [&] { return model.index(0).data(CompareLegendModel::CountRole).toString(); };
    const auto isPartial = [&] { return model.index(0).data(CompareLegendModel::PartialRole).toBool(); };
    EXPECT_EQ(count(), QStringLiteral("2")) << "the value at the end is of both runs' ends";
    board.curves.setCursor(100, loss);
    EXPECT_EQ(count(), QStringLiteral("2"));
    EXPECT_FALSE(isPartial());
    board.curves.setCursor(199, loss);
    EXPECT_EQ(count(), QStringLiteral("0 of 2")) << "beyond the mean of the ends";
    EXPECT_TRUE(isPartial());
    EXPECT_TRUE(model.index(0).data(Qt::AccessibleTextRole).toString().contains(QStringLiteral("n 0 of 2")));
}

// Two configurations: seeds of the one that overlap in time, of the other that do not.
class CompareLegendApart : public ::testing::Test {
protected:
    CompareLegendApart() {
        for (const int seed : {1, 2}) {
            workspace_.record({.algorithm = "sync_sgd", .seed = seed, .ranks = 1, .stepMs = seed == 1 ? 26.0 : 20.0});
            workspace_.record({.seed = seed, .ranks = 1, .lateS = 100.0 * seed});
        }
    }
    void look(const CompareCurveKey& key) {
        ASSERT_TRUE(eventually([&] { return session_.runs().items().size() == 4; }));
        board_.curves.want(&model_, key);
        board_.choice.setWatching(true);
        board_.choice.takeNewestExperiment();
        ASSERT_EQ(board_.choice.groups().size(), 2U);
        ASSERT_TRUE(eventually([&] { return board_.curves.curve(key, 0) && board_.curves.curve(key, 1); }));
    }
    [[nodiscard]] QModelIndex row(const char* name) const {
        const bool first = model_.index(0).data().toString().startsWith(QLatin1String(name));
        return model_.index(first ? 0 : 1);
    }
    Workspace workspace_;
    Feed feed_{workspace_.path()};
    Session session_{feed_};
    CompareBoard board_{session_};
    CompareLegendModel model_{board_};
};

TEST_F(CompareLegendApart, AConfigurationWithoutAMeanSaysSo) {
    look({"train/loss", XAxis::Wall});
    EXPECT_EQ(row("dasgd").data(CompareLegendModel::ValueRole).toString(), QStringLiteral("no mean"));
    EXPECT_EQ(row("dasgd").data(CompareLegendModel::CountRole).toString(), QStringLiteral("0 of 2"));
    EXPECT_TRUE(row("dasgd")
                    .data(Qt::AccessibleTextRole)
                    .toString()
                    .contains(QStringLiteral("seeds have no stretch of time in common")));
    EXPECT_EQ(row("sync_sgd").data(CompareLegendModel::CountRole).toString(), QStringLiteral("2"));
    board_.curves.setMembers(Members::AsFarAsAll);
    EXPECT_EQ(board_.curves.runsInCurves(), 2U) << "the runs of a mean without a point are in no curve";
    look({"train/loss", XAxis::Step});
    EXPECT_EQ(board_.curves.runsInCurves(), 4U);
}

// On an axis of time the seeds of each end apart, and the mean ends with the mean of their ends.
TEST_F(CompareLegendApart, WhereCurvesEndApartEachRowNamesItsPlace) {
    for (const int seed : {1, 2})
        workspace_.record({.algorithm = "local_sgd", .seed = seed, .ranks = 1, .stepMs = seed == 1 ? 50.0 : 60.0});
    ASSERT_TRUE(eventually([&] { return session_.runs().items().size() == 6; }));
    const CompareCurveKey key{"train/loss", XAxis::Wall};
    board_.curves.want(&model_, key);
    board_.choice.setWatching(true);
    board_.choice.takeNewestExperiment();
    ASSERT_TRUE(eventually([&] { return !row("sync_sgd").data(CompareLegendModel::PlaceRole).toString().isEmpty(); }));
    EXPECT_EQ(model_.readInWords(), QStringLiteral("at the end of each curve: Training loss"));
    const auto placeOf = [&](int at) { return model_.index(at).data(CompareLegendModel::PlaceRole).toString(); };
    QStringList places;
    for (int at = 0; at < model_.rowCount(); ++at) {
        if (!placeOf(at).isEmpty()) places << placeOf(at);
    }
    ASSERT_EQ(places.size(), 2) << "none of a configuration without a mean";
    EXPECT_NE(places[0], places[1]);
    for (const QString& place : places) EXPECT_TRUE(place.endsWith(QStringLiteral(" s"))) << place.toStdString();
    EXPECT_TRUE(
        row("sync_sgd").data(Qt::AccessibleTextRole).toString().contains(QStringLiteral("its seeds end between ")));
    board_.curves.setCursor(1, key);
    for (int at = 0; at < model_.rowCount(); ++at) EXPECT_EQ(placeOf(at), QString()) << "all are of the cursor's place";
}

TEST_F(CompareLegendApart, TheMeanOverTimeIsReadAtTheEndOfTraining) {
    for (const XAxis axis : {XAxis::Wall, XAxis::Step}) {
        look({"train/loss", axis});
        EXPECT_TRUE(eventually([&] { return model_.readInWords() == QStringLiteral("at the end: Training loss"); }))
            << model_.readInWords().toStdString();
    }
}

}  // namespace
}  // namespace dasgd::gui
