#include <gtest/gtest.h>

#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QScrollBar>
#include <QTableView>
#include <QToolButton>

#include "gui/scaling/model/scaling_table_model.h"
#include "gui/scaling/scaling_card.h"
#include "tests/gui/support/scaling_bench.h"
#include "tests/gui/support/session_bench.h"

namespace dasgd::gui {
namespace {

class ScalingSideTest : public WindowBench {
protected:
    void openScaling() {
        open();
        window_->open("What if");
    }
    template <class Widget>
    Widget* named(const char* name) {
        for (Widget* one : window_->findChildren<Widget*>()) {
            if (one->accessibleName() == QLatin1String(name)) return one;
        }
        return nullptr;
    }
    QTableView* points() { return named<QTableView>("Points"); }
    bool arrived(int rows) {
        return eventually([this, rows] { return points()->model()->rowCount() == rows; });
    }
};

TEST_F(ScalingSideTest, AnEmptyWorkspaceSaysHowToGetData) {
    openScaling();
    ASSERT_TRUE(eventually([&] { return label(QStringLiteral("No finished runs yet")) != nullptr; }));
    EXPECT_NE(label(QStringLiteral("dasgd scale FILE.toml --workers 1,2,...,64 --workspace")), nullptr);
    EXPECT_FALSE(points()->isVisible());
    window_->draft().setText({});
    button<QToolButton>(QStringLiteral("Scale …"))->click();
    EXPECT_NE(label(QStringLiteral("There is no experiment yet")), nullptr) << "said where reports are asked for";
}

TEST_F(ScalingSideTest, TheSixthPageHasItsKey) {
    recordTwoLines(workspace_.store());
    open();
    ASSERT_TRUE(QTest::qWaitForWindowActive(window_.get()));
    QTest::keyClick(window_.get(), Qt::Key_6, Qt::ControlModifier);
    ASSERT_TRUE(arrived(6));
    EXPECT_TRUE(points()->isVisible());
    EXPECT_TRUE(named<QListView>("Configurations")->hasFocus());
    EXPECT_NE(label(QStringLiteral("● 1 measured  ·  ○ 1 simulated  ·  6 points")), nullptr);
    const QString spread = QStringLiteral("± standard deviation over seeds, of two half their range");
    EXPECT_NE(label(QStringLiteral("Choose a point to see its runs; Enter opens them  ·  ") + spread), nullptr);
}

TEST_F(ScalingSideTest, ALaptopShowsEveryColumn) {
    recordTwoLines(workspace_.store());
    openScaling();
    ASSERT_TRUE(arrived(6));
    window_->resize(1280, 720);
    ASSERT_TRUE(eventually([&] { return points()->isColumnHidden(ScalingTableModel::Batch); })) << "all have the same";
    EXPECT_TRUE(eventually([&] { return points()->horizontalScrollBar()->maximum() == 0; }))
        << points()->horizontalScrollBar()->maximum();
    window_->resize(1700, 1000);
    EXPECT_TRUE(eventually([&] { return !points()->isColumnHidden(ScalingTableModel::Batch); }));
}

TEST_F(ScalingSideTest, OneNumberOfWorkersSaysHowToGetMore) {
    test::recordScaling(workspace_.store(), {.workers = 2});
    openScaling();
    ASSERT_TRUE(arrived(1));
    EXPECT_NE(label(QStringLiteral("one number of workers so far; dasgd scale")), nullptr);
}

TEST_F(ScalingSideTest, RunsThatDidNotFinishAreCountedAndNamed) {
    recordTwoLines(workspace_.store());
    test::recordScaling(workspace_.store(), {.workers = 8, .status = "failed"});
    test::recordScaling(workspace_.store(), {.workers = 4, .seed = 3, .status = "stopped"});
    openScaling();
    ASSERT_TRUE(arrived(6)) << "of them no point is made";
    const QString said = QStringLiteral("6 points  ·  2 runs did not finish and are in no point");
    ASSERT_TRUE(eventually([&] { return label(said) != nullptr; }));
    EXPECT_TRUE(label(said)->toolTip().contains(QStringLiteral("8 workers, seed 1 failed at step ")))
        << label(said)->toolTip().toStdString();
}

TEST_F(ScalingSideTest, ATargetAddsItsPlotAndIsRefusedInThePage) {
    recordTwoLines(workspace_.store());
    openScaling();
    ASSERT_TRUE(arrived(6));
    auto* goal = named<QLineEdit>("Target");
    const auto visibleCards = [this] {
        const auto cards = window_->findChildren<ScalingCard*>();
        return std::count_if(cards.begin(), cards.end(), [](const ScalingCard* card) { return card->isVisible(); });
    };
    EXPECT_EQ(visibleCards(), 2);
    goal->setFocus();
    QTest::keyClicks(goal, QStringLiteral("accuracy=90"));
    QTest::keyClick(goal, Qt::Key_Return);
    EXPECT_NE(label(QStringLiteral("as 0.97 for 97 %")), nullptr);
    EXPECT_EQ(visibleCards(), 2);
    goal->clear();
    QTest::keyClicks(goal, QStringLiteral("accuracy=0.9"));
    QTest::keyClick(goal, Qt::Key_Return);
    EXPECT_EQ(label(QStringLiteral("as 0.97 for 97 %")), nullptr);
    EXPECT_EQ(visibleCards(), 3);
    EXPECT_EQ(points()->model()->columnCount(), ScalingTableModel::kColumns);
    goal->clear();
    EXPECT_EQ(visibleCards(), 2);
}

TEST_F(ScalingSideTest, APointLeadsToItsRunsAndTheRunPage) {
    recordTwoLines(workspace_.store());
    openScaling();
    ASSERT_TRUE(arrived(6));
    points()->setFocus();
    points()->setCurrentIndex(points()->model()->index(1, 0));
    const QStringList ids = points()->currentIndex().data(ScalingTableModel::RunIdsRole).toStringList();
    ASSERT_EQ(ids.size(), 2);
    EXPECT_NE(label(ids[0]), nullptr);
    EXPECT_NE(label(ids[1]), nullptr);
    QTest::keyClick(points(), Qt::Key_Return);
    EXPECT_EQ(window_->session().currentId(), ids[0]);
    EXPECT_EQ(window_->session().shown().size(), 2U) << "the seeds together";
    EXPECT_FALSE(points()->isVisible());
}

TEST_F(ScalingSideTest, APointOfThePlotIsThatOfTheTable) {
    recordTwoLines(workspace_.store());
    openScaling();
    ASSERT_TRUE(arrived(6));
    auto* card = window_->findChildren<ScalingCard*>().front();
    emit card->pointClicked(1, 4);
    EXPECT_EQ(points()->currentIndex().row(), 5);
    test::recordScaling(workspace_.store(), {.workers = 8, .stepMs = 30});
    ASSERT_TRUE(arrived(7));
    const auto row = points()->currentIndex().siblingAtColumn(ScalingTableModel::Workers).data().toString();
    EXPECT_EQ(row, QStringLiteral("4")) << "the choice outlives what arrives";
    emit card->pointOpened(0, 1);
    EXPECT_FALSE(points()->isVisible());
}

TEST_F(ScalingSideTest, CtrlEWritesThePlotsAsTheyAreSeen) {
    recordTwoLines(workspace_.store());
    openScaling();
    ASSERT_TRUE(arrived(6));
    ASSERT_TRUE(QTest::qWaitForWindowActive(window_.get()));
    window_->findChildren<ScalingCard*>().front()->findChild<Choice*>()->choose(0);
    QTest::keyClick(window_.get(), Qt::Key_E, Qt::ControlModifier);
    // Input that the program of this test is given (gui_main.cpp).
    const QString input = QString::fromStdString((workspace_.path() / "figures/scaling-weak/figures").string());
    ASSERT_TRUE(eventually([&] { return QFileInfo(input).size() > 0; }));
    QFile file(input);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    const QJsonArray figures = QJsonDocument::fromJson(file.readAll())[QLatin1String("figures")].toArray();
    ASSERT_EQ(figures.size(), 2) << "no time to target without a target";
    const QJsonValue first = figures[0][QLatin1String("spec")];
    EXPECT_EQ(first[QLatin1String("plot")].toString(), QStringLiteral("throughput"));
    EXPECT_EQ(first[QLatin1String("log_y")], QJsonValue(false)) << "linear, as it was chosen";
    EXPECT_EQ(first[QLatin1String("runs")].toArray().size(), 12);
}

TEST_F(ScalingSideTest, ANarrowWindowStacksWhatItShows) {
    recordTwoLines(workspace_.store());
    openScaling();
    ASSERT_TRUE(arrived(6));
    auto* list = named<QListView>("Configurations");
    const auto at = [](QWidget* widget) { return widget->mapTo(widget->window(), QPoint()); };
    EXPECT_LT(at(list).x() + list->width(), at(points()).x()) << "beside each other";
    window_->resize(760, 900);
    ASSERT_TRUE(eventually([&] { return at(list).y() + list->height() <= at(points()).y(); }));
    const auto cards = window_->findChildren<ScalingCard*>();
    EXPECT_EQ(at(cards[0]).x(), at(cards[1]).x());
}

}  // namespace
}  // namespace dasgd::gui
