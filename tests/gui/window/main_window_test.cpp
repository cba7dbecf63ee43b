#include "gui/window/main_window.h"

#include <gtest/gtest.h>

#include <SQLiteCpp/SQLiteCpp.h>

#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QToolButton>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <string_view>

#include "gui/data/session/session.h"
#include "gui/experiment/form/toml_editor.h"
#include "gui/experiment/model/experiment_draft.h"
#include "gui/kit/parts/page.h"
#include "gui/kit/parts/parts.h"
#include "gui/kit/plots/plot_view.h"
#include "gui/kit/theme/theme.h"
#include "gui/scaling/model/scaling_table_model.h"
#include "gui/timeline/view/timeline_widget.h"
#include "gui/window/rail.h"
#include "storage/base/schema.h"
#include "tests/gui/support/scaling_bench.h"
#include "tests/gui/support/session_bench.h"
#include "tests/support/paths.h"

namespace dasgd::gui {
namespace {

class MainWindowTest : public WindowBench {
protected:
    QString seenPage() {
        const int page = window_->findChild<QStackedWidget*>()->currentIndex();
        return QString::fromUtf8(PageRegistry::entries()[static_cast<std::size_t>(page)].info.title);
    }
};

TEST_F(MainWindowTest, TheRailHasThePagesThatThereAre) {
    open();
    QStringList titles;
    for (const RailButton* one : window_->findChildren<RailButton*>()) titles << one->text();
    QStringList registered;
    for (const PageRegistry::Entry& entry : PageRegistry::entries()) registered << QString::fromUtf8(entry.info.title);
    EXPECT_EQ(titles, registered);
    int files = 0;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::filesystem::path(test::kSourceDir) / "gui")) {
        const std::string path = entry.path().string();
        if (!path.ends_with("_page.cpp")) continue;
        std::ifstream file(path);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        files += text.find("PageRegistry::Add") != std::string::npos ? 1 : 0;
    }
    EXPECT_EQ(titles.size(), files) << "a page is a file of its feature";
}

TEST_F(MainWindowTest, KeysChangeThePage) {
    workspace_.record({.steps = 20});
    open();
    ASSERT_TRUE(QTest::qWaitForWindowActive(window_.get()));
    QScrollArea* run = nullptr;
    for (QScrollArea* page : window_->findChildren<QScrollArea*>(QStringLiteral("page"))) {
        if (page->isVisible()) run = page;
    }
    ASSERT_NE(run, nullptr);
    EXPECT_TRUE(run->isVisible());
    for (const Qt::Key other : {Qt::Key_1, Qt::Key_2, Qt::Key_4}) {
        QTest::keyClick(window_.get(), other, Qt::ControlModifier);
        EXPECT_FALSE(run->isVisible());
    }
    QTest::keyClick(window_.get(), Qt::Key_3, Qt::ControlModifier);
    EXPECT_TRUE(run->isVisible());
}

TEST_F(MainWindowTest, APageIsMadeOnceAndNotBeforeItIsOpened) {
    workspace_.record({.steps = 20});
    open();
    const auto* stack = window_->findChild<QStackedWidget*>();
    ASSERT_NE(stack, nullptr);
    const auto& entries = PageRegistry::entries();
    ASSERT_EQ(stack->count(), std::ssize(entries));
    const auto isMade = [&](std::size_t page) { return !stack->widget(static_cast<int>(page))->children().isEmpty(); };
    for (std::size_t i = 0; i < entries.size(); ++i) {
        EXPECT_EQ(isMade(i), entries[i].info.title == std::string_view("Run")) << entries[i].info.title;
    }
    std::vector<const QWidget*> pages;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        window_->open(entries[i].info.title);
        EXPECT_EQ(stack->currentIndex(), static_cast<int>(i)) << entries[i].info.title;
        EXPECT_TRUE(isMade(i)) << entries[i].info.title;
        pages.push_back(stack->currentWidget());
    }
    for (std::size_t i = 0; i < entries.size(); ++i) {
        window_->open(entries[i].info.title);
        EXPECT_EQ(stack->currentWidget(), pages[i]) << entries[i].info.title;
    }
    EXPECT_EQ(stack->count(), std::ssize(entries));
}

TEST_F(MainWindowTest, APageThatIsChosenBeforeTheWindowIsSeenIsTheOnlyOneThatIsMade) {
    window_ = std::make_unique<MainWindow>(workspace_.path(), testLook());
    const auto* stack = window_->findChild<QStackedWidget*>();
    window_->open("Experiment");
    window_->show();
    EXPECT_TRUE(window_->findChild<TomlEditor*>()->isVisible());
    int made = 0;
    for (int i = 0; i < stack->count(); ++i) made += stack->widget(i)->children().isEmpty() ? 0 : 1;
    EXPECT_EQ(made, 1);
}

TEST_F(MainWindowTest, RunsThatWereReadBeforeTheirPageWasOpenAreOnItAtOnce) {
    for (const int seed : {1, 2}) workspace_.record({.seed = seed, .steps = 8});
    open();
    ASSERT_TRUE(eventually([this] { return window_->session().runs().rowCount() == 2; }));
    ASSERT_EQ(runsTable(), nullptr);
    window_->open("Runs");
    EXPECT_TRUE(runsTable()->isVisible());
    EXPECT_EQ(runsTable()->model()->rowCount(), 2);
    EXPECT_NE(label(QStringLiteral("2 runs")), nullptr);
}

TEST_F(MainWindowTest, PagesMadeAheadAreTheOnesThatOpen) {
    workspace_.record({.steps = 20});
    open();
    auto* stack = window_->findChild<QStackedWidget*>();
    const int first = stack->currentIndex();
    // Some pages keep cards that they do not show beside them.
    QWidgetList ahead;
    ASSERT_TRUE(eventually([&] {
        QTest::qWait(1000);
        return std::exchange(ahead, QApplication::topLevelWidgets()).size() == ahead.size() && ahead.size() > 8;
    }));
    EXPECT_EQ(window_->findChild<QStackedWidget*>()->widget(first == 0 ? 1 : 0)->children().size(), 0) << "not in it";
    for (const auto& entry : PageRegistry::entries()) window_->open(entry.info.title);
    for (int i = 0; i < stack->count(); ++i) {
        EXPECT_TRUE(i == first || ahead.contains(stack->widget(i))) << "page " << i << " was made twice";
    }
}

TEST_F(MainWindowTest, ANewThemeIsWornByThePageThatIsSeenAndByAnotherWhenItIsShown) {
    open();
    auto* stack = window_->findChild<QStackedWidget*>();
    window_->open("Runs");
    const QWidget* runs = stack->currentWidget();
    window_->open("Compare");
    const QWidget* compare = stack->currentWidget();
    Look& look = testLook();
    const QString before = look.styleSheet();
    const QColor color = label(QStringLiteral("No runs yet"))->palette().color(QPalette::WindowText);
    look.toggle();
    EXPECT_NE(look.styleSheet(), before);
    EXPECT_EQ(compare->styleSheet(), look.styleSheet());
    EXPECT_EQ(window_->findChild<Rail*>()->styleSheet(), look.styleSheet());
    EXPECT_NE(label(QStringLiteral("No runs yet"))->palette().color(QPalette::WindowText), color);
    EXPECT_EQ(runs->styleSheet(), before) << "nobody sees it";
    window_->open("Runs");
    EXPECT_EQ(runs->styleSheet(), look.styleSheet());
    look.toggle();
    EXPECT_EQ(runs->styleSheet(), before);
}

TEST_F(MainWindowTest, TheRailFoldsWhereTheWindowIsNarrow) {
    open();
    const auto* rail = window_->findChild<Rail*>();
    EXPECT_FALSE(rail->isFolded());
    window_->resize(960, 600);
    ASSERT_TRUE(eventually([&] { return rail->isFolded(); }));
    EXPECT_LE(rail->width(), 64);
    window_->resize(1280, 720);
    EXPECT_TRUE(eventually([&] { return !rail->isFolded(); }));
}

TEST_F(MainWindowTest, TheWheelIsThePagesUntilAPlotHasTheFocusOrCtrlIsDown) {
    recordTwoLines(workspace_.store());
    for (const char* algorithm : {"dasgd", "sync_sgd"}) workspace_.record({.algorithm = algorithm, .steps = 60});
    open();
    ASSERT_TRUE(eventually([this] { return window_->session().current() && window_->session().pulse().spans > 0; }));
    const auto turn = [](QWidget& plot, Qt::KeyboardModifiers keys) {
        const QPointF at(plot.rect().center());
        QWheelEvent wheel(at, plot.mapToGlobal(at), {}, {0, 120}, Qt::NoButton, keys, Qt::NoScrollPhase, false);
        QApplication::sendEvent(&plot, &wheel);
    };
    int plots = 0;
    for (const PageRegistry::Entry& entry : PageRegistry::entries()) {
        window_->open(entry.info.title);
        QTest::qWait(50);
        if (QWidget* focused = window_->focusWidget()) focused->clearFocus();
        for (PlotView* plot : window_->findChildren<PlotView*>()) {
            QWidget* canvas = nullptr;
            for (QWidget* one : plot->findChildren<QWidget*>()) {
                if (one->inherits("QCustomPlot")) canvas = one;
            }
            if (!plot->isVisible() || !canvas || plot->curves().empty()) continue;
            turn(*canvas, {});
            EXPECT_FALSE(plot->shown().zoomed) << entry.info.title;
            turn(*canvas, Qt::ControlModifier);
            EXPECT_TRUE(plot->shown().zoomed) << entry.info.title;
            ++plots;
        }
        for (TimelineWidget* plot : window_->findChildren<TimelineWidget*>()) {
            if (!plot->isVisible()) continue;
            const TimeRange before = window_->session().selection().window();
            turn(*plot, {});
            EXPECT_EQ(window_->session().selection().window().end, before.end) << entry.info.title;
            turn(*plot, Qt::ControlModifier);
            EXPECT_NE(window_->session().selection().window().end, before.end) << entry.info.title;
            ++plots;
        }
    }
    EXPECT_GE(plots, 5);
}

TEST_F(MainWindowTest, SamplesPerSecondAreOneNumberOnEveryPage) {
    workspace_.record({.steps = 100});
    open();
    const auto rate = [this] {
        const RunItemPtr run = window_->session().current();
        return run ? run->row.samplesPerS : std::nullopt;
    };
    ASSERT_TRUE(eventually([&] { return rate().has_value(); }));
    const auto inFigure = [&](const KeyFigure* one) {
        return one->accessibleName() == QStringLiteral("samples/s") && one->text() == grouped(std::llround(*rate()));
    };
    EXPECT_TRUE(eventually([&] { return std::ranges::any_of(window_->findChildren<KeyFigure*>(), inFigure); }));
    const auto inChart = [&](const PlotView* one) {
        return std::ranges::any_of(one->curves(), [&](const Curve& curve) {
            return curve.kind == Curve::Kind::Guide && !curve.line.y.empty() && curve.line.y.front() == *rate();
        });
    };
    EXPECT_TRUE(eventually([&] { return std::ranges::any_of(window_->findChildren<PlotView*>(), inChart); }));
    const QAbstractItemModel& runs = window_->session().runs();
    EXPECT_EQ(runs.index(0, RunTableModel::SamplesPerS).data().toString(), shortNumber(std::round(*rate()), 0));
    window_->open("What if");
    const auto* points = window_->findChild<ScalingTableModel*>();
    ASSERT_NE(points, nullptr);
    ASSERT_TRUE(eventually([&] { return points->rowCount() == 1; }));
    EXPECT_EQ(points->index(0, ScalingTableModel::SamplesPerS).data().toString(), shortNumber(*rate()));
}

TEST_F(MainWindowTest, AnExperimentIsOpenedOnItsPage) {
    const QByteArray text = "name = \"mine\"\n[algorithm]\nname = \"dasgd\"\n";
    const std::filesystem::path file = workspace_.path() / "mine.toml";
    std::ofstream(file) << text.constData();
    open();
    window_->openExperiment(QString::fromStdString(file.string()));
    ASSERT_TRUE(eventually([&] { return window_->draft().document().text().toUtf8() == text; }));
    EXPECT_TRUE(window_->draft().isSaved());
    EXPECT_NE(label(QStringLiteral("mine.toml")), nullptr);
    auto* editor = window_->findChild<TomlEditor*>();
    EXPECT_TRUE(editor->isVisible());
    EXPECT_EQ(editor->toPlainText().toUtf8(), text);
}

TEST_F(MainWindowTest, AnEmptyWorkspaceOpensWhereAnExperimentBegins) {
    open();
    EXPECT_TRUE(eventually([&] { return seenPage() == QStringLiteral("Experiment"); }));
}

TEST_F(MainWindowTest, APageThatSomebodyHasChosenStaysInAnEmptyWorkspace) {
    open();
    ASSERT_TRUE(window_->openNamed(QStringLiteral("Runs")));
    QTest::qWait(300);
    EXPECT_EQ(seenPage(), QStringLiteral("Runs"));
}

TEST_F(MainWindowTest, WithARunTheWindowOpensOnIt) {
    workspace_.record({.steps = 20});
    open();
    QTest::qWait(300);
    EXPECT_EQ(seenPage(), QStringLiteral("Run"));
}

TEST_F(MainWindowTest, AnUnknownPageIsNoPage) {
    open();
    EXPECT_TRUE(window_->openNamed(QStringLiteral("What if")));
    EXPECT_FALSE(window_->openNamed(QStringLiteral("Elsewhere")));
}

TEST_F(MainWindowTest, TheStatusBarSaysHowFarBehindLiveIsAndHowMuchThereIs) {
    test::SyntheticRun run(workspace_.store(), {.steps = 200, .realTime = true});
    open();
    std::thread trainer([&run] { run.train(40); });
    const bool live = eventually([&] { return window_->statusText().contains(QLatin1String("ms behind")); });
    trainer.join();
    ASSERT_TRUE(live);
    EXPECT_TRUE(window_->statusText().contains(QLatin1String(" spans")));
    EXPECT_TRUE(window_->statusText().contains(QLatin1String("lab.db ")));
    run.finish();
    ASSERT_TRUE(eventually([&] { return window_->statusText().startsWith(QLatin1String("up to date")); }));
}

// The newest record has an instant of the simulated cluster, which says nothing of when it came.
TEST_F(MainWindowTest, OfSimulatedTimeNothingIsBehind) {
    test::SyntheticRun run(workspace_.store(), {.steps = 200, .realTime = true, .simulated = true});
    open();
    std::thread trainer([&run] { run.train(40); });
    const bool live = eventually([&] {
        return window_->statusText().startsWith(QLatin1String("live")) && window_->session().pulse().spans > 100 &&
               window_->session().detail();
    });
    trainer.join();
    ASSERT_TRUE(live);
    EXPECT_FALSE(window_->session().behindMs());
    EXPECT_FALSE(window_->statusText().contains(QLatin1String("behind"))) << window_->statusText().toStdString();
    run.finish();
}

TEST_F(MainWindowTest, FollowingTheNewestCanBeTurnedOff) {
    workspace_.record({.steps = 8});
    open();
    auto* follow = button<QToolButton>(QStringLiteral("follows the newest run"));
    ASSERT_NE(follow, nullptr);
    follow->click();
    EXPECT_FALSE(window_->session().followsNewest());
    EXPECT_EQ(follow->text(), QStringLiteral("follow the newest run"));
}

TEST_F(MainWindowTest, WhatItGoesToOnceTheHandRestsIsSaid) {
    const QString first = workspace_.record({.steps = 8});
    open();
    Session& session = window_->session();
    ASSERT_TRUE(eventually([&] { return session.currentId() == first; }));
    QTest::qWait(5);  // the order of the starts is kept in milliseconds
    session.touched();
    const QString second = workspace_.record({.steps = 8});
    ASSERT_TRUE(eventually([&] {
        session.touched();
        return button<QToolButton>(QStringLiteral("follows the newest run once mouse and keys rest")) != nullptr;
    }));
    EXPECT_EQ(session.currentId(), first);
    ASSERT_TRUE(eventually([&] { return session.currentId() == second; }));
    EXPECT_EQ(button<QToolButton>(QStringLiteral("once mouse and keys rest")), nullptr);
}

TEST_F(MainWindowTest, CtrlLFollowsAgainAndAgain) {
    open();
    ASSERT_TRUE(QTest::qWaitForWindowActive(window_.get()));
    for (const bool follows : {false, true, false}) {
        QTest::keyClick(window_.get(), Qt::Key_L, Qt::ControlModifier);
        EXPECT_EQ(window_->session().followsNewest(), follows);
    }
}

TEST_F(MainWindowTest, CtrlQClosesTheWindow) {
    open();
    ASSERT_TRUE(QTest::qWaitForWindowActive(window_.get()));
    QTest::keyClick(window_.get(), Qt::Key_Q, Qt::ControlModifier);
    EXPECT_FALSE(window_->isVisible());
}

TEST_F(MainWindowTest, AWorkspaceOfANewerProgramIsSaidWithTheRemedy) {
    workspace_.record({.steps = 8});
    const std::filesystem::path file = workspace_.path() / "lab.db";
    {
        SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
        database.exec("PRAGMA user_version = " + std::to_string(storage::labSchema().version + 1));
    }
    window_ = std::make_unique<MainWindow>(workspace_.path(), testLook());
    window_->show();
    ASSERT_TRUE(eventually([&] { return window_->statusText().contains(QLatin1String("cannot be read")); }));
    const int known = storage::labSchema().version;
    const QString says = QStringLiteral(
                             "lab.db has schema version %1, this program knows version %2 alone; update the "
                             "program, or use another workspace (--workspace)")
                             .arg(known + 1)
                             .arg(known);
    for (const char* page : {"Run", "Runs", "What if", "Timeline"}) {
        window_->open(page);
        EXPECT_NE(label(QStringLiteral("The workspace cannot be read")), nullptr) << page;
        EXPECT_NE(label(says), nullptr) << page;
        EXPECT_EQ(label(QStringLiteral("o run yet")), nullptr) << page;
    }
    for (const PageRegistry::Entry& entry : PageRegistry::entries()) window_->open(entry.info.title);
    for (QPushButton* button : window_->findChildren<QPushButton*>()) {
        // Buttons that need no run: a new one, the way to the list, and those of the Experiment page.
        if (button->objectName() == QLatin1String("fold") || button->text().isEmpty()) continue;
        static const QStringList kFree{"▸  New run", "▸  Run and watch", "Dry run", "Save …", "Choose runs"};
        EXPECT_EQ(button->isEnabled(), kFree.contains(button->text())) << button->text().toStdString();
    }
}

TEST(MainWindow, AWorkspaceThatTheFirstRunMakesIsNoError) {
    MainWindow window("/no/such/workspace", testLook());
    window.show();
    window.open("Runs");
    const auto shows = [&](const char* words) {
        return std::ranges::any_of(window.findChildren<QLabel*>(),
                                   [&](const QLabel* label) { return label->text().contains(QLatin1String(words)); });
    };
    ASSERT_TRUE(eventually([&] { return shows("No runs yet"); }));
    EXPECT_FALSE(window.statusText().contains(QLatin1String("cannot be read")));
    EXPECT_TRUE(shows("/no/such/workspace"));
}

}  // namespace
}  // namespace dasgd::gui
