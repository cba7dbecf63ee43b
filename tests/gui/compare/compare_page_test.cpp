#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QListView>
#include <QPushButton>
#include <QTableView>
#include <QToolButton>
#include <QToolTip>
#include <algorithm>
#include <map>

#include "gui/compare/compare_cards.h"
#include "gui/compare/compare_chart.h"
#include "gui/compare/compare_legend.h"
#include "gui/figures/bundle/figure_bundle.h"
#include "tests/gui/support/compare_bench.h"
#include "tests/gui/support/session_bench.h"

namespace dasgd::gui {
namespace {

class ComparePageTest : public WindowBench {
protected:
    // The newest experiment, by the button of the empty page.
    void openNewest() {
        open();
        ASSERT_TRUE(QTest::qWaitForWindowActive(window_.get()));
        ASSERT_TRUE(eventually([&] { return window_->session().runs().rowCount() == 9; }));
        QTest::keyClick(window_.get(), Qt::Key_5, Qt::ControlModifier);
        auto* newest = button<QPushButton>(QStringLiteral("Newest experiment"));
        ASSERT_NE(newest, nullptr);
        QTest::mouseClick(newest, Qt::LeftButton);
        ASSERT_TRUE(eventually([&] { return chart()->plot().curves().size() == 3; }));
    }
    CompareChart* chart() { return window_->findChildren<CompareChart*>().front(); }
    QListView& list() { return window_->findChild<CompareLegend*>()->list(); }
};

TEST_F(ComparePageTest, AnEmptyWorkspaceSaysWhatToDo) {
    open();
    window_->open("Compare");
    EXPECT_NE(label(QStringLiteral("No runs yet")), nullptr);
    EXPECT_FALSE(button<QPushButton>(QStringLiteral("Newest experiment"))->isEnabled());
}

TEST_F(ComparePageTest, OpenedBeforeTheRunsAreReadItTakesTheFocusWhenTheyAre) {
    recordCompared(workspace_);
    window_ = std::make_unique<MainWindow>(workspace_.path(), testLook());
    window_->open("Compare");
    window_->show();
    ASSERT_FALSE(window_->session().loaded());
    ASSERT_TRUE(eventually([&] { return window_->session().loaded(); }));
    EXPECT_TRUE(
        eventually([&] { return window_->focusWidget() == button<QPushButton>(QStringLiteral("Newest experiment")); }));
}

TEST_F(ComparePageTest, TheNewestExperimentIsOneButtonAwayAndSaysWhatItLeavesOut) {
    const QString stopped = recordCompared(workspace_);
    openNewest();
    EXPECT_NE(label(QStringLiteral("delay-sweep  /  3 configurations")), nullptr);
    EXPECT_NE(label(QStringLiteral("8 of 9 runs")), nullptr);
    EXPECT_NE(label(QStringLiteral("seed 3 was stopped at step 60")), nullptr);
    auto* all = button<QToolButton>(QStringLiteral("take all as far as all go"));
    ASSERT_NE(all, nullptr);
    EXPECT_TRUE(all->isVisibleTo(window_.get()));
    all->click();
    EXPECT_NE(label(QStringLiteral("9 of 9 runs in the curves of training loss, 8 in the table")), nullptr);
    EXPECT_NE(button<QToolButton>(QStringLiteral("take finished runs only")), nullptr);
    auto* show = button<QToolButton>(QStringLiteral("show the run"));
    ASSERT_NE(show, nullptr);
    show->click();
    EXPECT_EQ(window_->session().currentId(), stopped);
}

TEST_F(ComparePageTest, WhatIsSaidOfUnfinishedRunsIsTrueOfConfigurationsWithoutAFinishedOne) {
    recordCompared(workspace_);
    openNewest();
    EXPECT_NE(label(QStringLiteral("Not finished runs are in no mean.")), nullptr);
    workspace_.record({.algorithm = "local_sgd", .ranks = 2, .steps = 60, .stepsPerEpoch = 50, .status = "stopped"});
    ASSERT_TRUE(eventually([&] { return label(QStringLiteral("as far as all of its seeds go")) != nullptr; }));
    EXPECT_EQ(label(QStringLiteral("are in no mean")), nullptr);
    EXPECT_NE(label(QStringLiteral("in means of configurations without a finished one only")), nullptr);
}

TEST_F(ComparePageTest, AFigureIsOfTheCardThatHasTheFocus) {
    recordCompared(workspace_);
    openNewest();
    FigureLibrary& library = window_->figures();
    QString name;
    QObject::connect(&library, &FigureLibrary::added, [&](const QString& added) { name = added; });
    const auto figureOf = [&](QWidget& focus) {
        window_->open("Compare");
        focus.setFocus();
        name.clear();
        QTest::keyClick(&focus, Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
        return library.find(name) ? library.find(name)->spec : FigureSpec{};
    };
    CompareBars& bars = *window_->findChild<CompareBars*>();
    CompareMap& map = *window_->findChild<CompareMap*>();
    EXPECT_EQ(figureOf(bars.view()).kind, FigureKind::Bars);
    EXPECT_EQ(figureOf(map.heat()).kind, FigureKind::Map);
    map.kind().choose(CompareMap::Scatter);
    const FigureSpec scatter = figureOf(map.scatter());
    EXPECT_EQ(scatter.kind, FigureKind::Scatter);
    EXPECT_EQ(scatter.against, CompareNumber::Hidden);
    EXPECT_TRUE(scatter.runs.isEmpty());
    EXPECT_EQ(scatter.filter, QStringLiteral("experiment = \"delay-sweep\"")) << "it follows what is recorded";
}

TEST_F(ComparePageTest, AFigureTakesTheRunsAndTheSeedsAsThePageDrawsThem) {
    recordCompared(workspace_);
    openNewest();
    button<QToolButton>(QStringLiteral("take all as far as all go"))->click();
    chart()->plot().setFocus();
    QTest::keyClick(&chart()->plot(), Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
    ASSERT_EQ(window_->figures().figures().size(), 1U);
    EXPECT_EQ(window_->figures().figures().front().spec.members, FigureMembers::AsFarAsAll);
    EXPECT_EQ(window_->figures().figures().front().spec.lines, FigureLines::Mean);
    window_->open("Compare");
    button<QToolButton>(QStringLiteral("seeds"))->click();
    QString name;
    QObject::connect(&window_->figures(), &FigureLibrary::added, [&](const QString& added) { name = added; });
    chart()->plot().setFocus();
    QTest::keyClick(&chart()->plot(), Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
    ASSERT_NE(window_->figures().find(name), nullptr);
    EXPECT_EQ(window_->figures().find(name)->spec.lines, FigureLines::MeanAndSeeds);
}

// The program that draws is this test's own, which keeps its input (gui_main.cpp).
TEST_F(ComparePageTest, CtrlEWritesAllThatIsShownAndNeverOverWhatIsThere) {
    recordCompared(workspace_);
    openNewest();
    const QDir figures(QString::fromStdString((workspace_.path() / "figures").string()));
    QTest::keyClick(&chart()->plot(), Qt::Key_E, Qt::ControlModifier);
    ASSERT_TRUE(eventually([&] { return label(QStringLiteral("Figures are in ")) != nullptr; }));
    EXPECT_NE(label(QStringLiteral("figures/delay-sweep")), nullptr);
    EXPECT_TRUE(chart()->isVisible()) << "the page stays";
    EXPECT_TRUE(window_->figures().figures().empty()) << "none to keep; that is Ctrl+Shift+E";
    QFile file(figures.filePath(QStringLiteral("delay-sweep/figures")));
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    const QByteArray first = file.readAll();
    const auto written = figuresOf(first, QStringLiteral("figures"));
    ASSERT_TRUE(written.has_value()) << written.error().message;
    std::map<QString, FigureKind> kinds;
    for (const NamedFigure& one : *written) {
        kinds[one.name] = one.spec.kind;
        EXPECT_EQ(one.spec.filter, QStringLiteral("experiment = \"delay-sweep\"")) << one.name.toStdString();
    }
    const std::map<QString, FigureKind> wanted{{QStringLiteral("train-loss"), FigureKind::Curves},
                                               {QStringLiteral("eval-accuracy"), FigureKind::Curves},
                                               {QStringLiteral("bars"), FigureKind::Bars},
                                               {QStringLiteral("map"), FigureKind::Map}};
    EXPECT_EQ(kinds, wanted);
    QTest::keyClick(&list(), Qt::Key_E, Qt::ControlModifier);
    ASSERT_TRUE(eventually([&] { return label(QStringLiteral("figures/delay-sweep-2")) != nullptr; }));
    ASSERT_TRUE(eventually([&] { return figures.exists(QStringLiteral("delay-sweep-2/figures")); }));
    EXPECT_TRUE(file.seek(0) && file.readAll() == first);
}

TEST_F(ComparePageTest, WhatCannotBeAFigureSaysWhyAndMakesNoOther) {
    recordCompared(workspace_);
    openNewest();
    CompareBars& bars = *window_->findChild<CompareBars*>();
    for (int i = 0; i < static_cast<int>(compareNumbers().size()); ++i) {
        if (compareNumbers()[static_cast<std::size_t>(i)].number == CompareNumber::SecondsToTarget)
            bars.number().choose(i);
    }
    bars.view().setFocus();
    const std::size_t before = window_->figures().figures().size();
    QTest::keyClick(&bars.view(), Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_EQ(window_->figures().figures().size(), before);
    EXPECT_NE(label(QStringLiteral("\"target\": absent")), nullptr);
    CompareMap& map = *window_->findChild<CompareMap*>();
    map.kind().choose(CompareMap::Parallel);
    QTest::keyClick(&map.parallel(), Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_EQ(window_->figures().figures().size(), before);
    EXPECT_NE(label(QStringLiteral("parallel coordinates are shown on this page only")), nullptr);
}

TEST_F(ComparePageTest, NoFigureIsMadeOfNothingAndThatIsSaid) {
    recordCompared(workspace_);
    openNewest();
    CompareMap& map = *window_->findChild<CompareMap*>();
    map.kind().choose(CompareMap::Parallel);
    ParallelView& view = map.parallel();
    ASSERT_TRUE(eventually([&] { return view.plot().axes.size() > 3; }));
    ASSERT_EQ(view.plot().axes[0].key, "algorithm.name");
    ASSERT_EQ(view.plot().axes[1].key, "algorithm.delay");
    view.setFocus();
    QTest::keyClick(&view, Qt::Key_Up);  // of the algorithms sync_sgd
    QTest::keyClick(&view, Qt::Key_Right);
    QTest::keyClick(&view, Qt::Key_Up);  // of the delays, which it has not
    ASSERT_TRUE(std::ranges::none_of(view.plot().lines, [&](const auto& line) { return view.plot().passes(line); }));
    const std::size_t before = window_->figures().figures().size();
    QTest::keyClick(&view, Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_EQ(window_->figures().figures().size(), before);
    EXPECT_NE(label(QStringLiteral("No figure. Nothing is shown")), nullptr);
}

TEST_F(ComparePageTest, TheLegendRulesEveryPicture) {
    recordCompared(workspace_);
    openNewest();
    EXPECT_TRUE(list().hasFocus());
    list().setCurrentIndex(list().model()->index(0, 0));
    QTest::keyClick(&list(), Qt::Key_Space);
    EXPECT_EQ(chart()->plot().curves().size(), 2U);
    EXPECT_EQ(window_->findChild<CompareBars*>()->view().chart().bars.size(), 2U);
    QTableView* table = nullptr;
    for (auto* one : window_->findChildren<QTableView*>()) {
        if (one->accessibleName() == QStringLiteral("Comparison")) table = one;
    }
    ASSERT_NE(table, nullptr);
    EXPECT_EQ(table->model()->rowCount(), 2);
}

TEST_F(ComparePageTest, F6GoesFromCardToCard) {
    recordCompared(workspace_);
    openNewest();
    QTest::keyClick(window_.get(), Qt::Key_F6);
    EXPECT_TRUE(chart()->plot().hasFocus());
    QTest::keyClick(window_.get(), Qt::Key_F6, Qt::ShiftModifier);
    EXPECT_TRUE(list().hasFocus());
    QTest::keyClick(window_.get(), Qt::Key_F, Qt::ControlModifier);
    EXPECT_TRUE(window_->findChild<CompareLegend*>()->filter().hasFocus());
}

TEST_F(ComparePageTest, InANarrowWindowTheLegendIsADrawer) {
    recordCompared(workspace_);
    openNewest();
    EXPECT_TRUE(list().isVisible());
    list().setFocus();
    window_->resize(1280, 720);
    ASSERT_TRUE(eventually([&] { return !list().isVisible(); }));
    EXPECT_TRUE(chart()->plot().hasFocus()) << "not the table, whose first row would be highlighted";
    QTest::keyClick(&chart()->plot(), Qt::Key_Right, Qt::ShiftModifier);
    EXPECT_TRUE(QToolTip::text().contains(QStringLiteral("n = "))) << QToolTip::text().toStdString();
    QToolTip::hideText();
    QTest::keyClick(window_.get(), Qt::Key_I, Qt::ControlModifier);
    EXPECT_TRUE(list().isVisible());
    EXPECT_GE(chart()->plot().height(), 140);
    ASSERT_TRUE(eventually([&] { return QToolTip::text().isEmpty(); }));
    chart()->plot().setFocus();
    QTest::keyClick(&chart()->plot(), Qt::Key_Right, Qt::ShiftModifier);
    EXPECT_EQ(QToolTip::text(), QString()) << "the legend says it";
}

TEST_F(ComparePageTest, CtrlEnterOnTheRunsPageComesHere) {
    recordCompared(workspace_);
    open();
    ASSERT_TRUE(QTest::qWaitForWindowActive(window_.get()));
    ASSERT_TRUE(eventually([&] { return window_->session().runs().rowCount() == 9; }));
    window_->open("Runs");
    ASSERT_TRUE(eventually([&] { return runsTable()->model()->rowCount() == 9; }));
    runsTable()->selectAll();
    QTest::keyClick(runsTable(), Qt::Key_Return, Qt::ControlModifier);
    EXPECT_NE(label(QStringLiteral("3 configurations")), nullptr);
}

TEST_F(ComparePageTest, PicturesNeverLieOverTheWordsBelowThem) {
    recordCompared(workspace_);
    openNewest();
    auto* map = window_->findChild<CompareMap*>();
    map->kind().choose(CompareMap::Parallel);
    for (const QSize size : {QSize(1600, 1000), QSize(1280, 720), QSize(1400, 860)}) {
        window_->resize(size);
        QTest::qWait(50);
        const auto* note = map->findChild<WrappedLabel*>();
        ASSERT_NE(note, nullptr);
        EXPECT_LE(map->parallel().mapTo(map, map->parallel().rect().bottomLeft()).y(), note->y()) << size.width();
        EXPECT_LE(note->geometry().bottom(), map->rect().bottom()) << size.width();
        EXPECT_GE(map->parallel().height(), 180);
    }
}

}  // namespace
}  // namespace dasgd::gui
