#include "gui/figures/figure_inspector.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QSignalSpy>
#include <QToolButton>
#include <algorithm>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

FigureSpec specOf(const char* title, FigureKind kind = FigureKind::Curves) {
    FigureSpec spec;
    spec.title = QString::fromLatin1(title);
    spec.kind = kind;
    return spec;
}

class FigureInspectorTest : public ::testing::Test {
protected:
    FigureInspectorTest() {
        inspector_.resize(320, 900);
        inspector_.QWidget::show();
        EXPECT_TRUE(eventually([this] { return library_.loaded(); }));
    }
    QListWidget& list() { return *inspector_.findChild<QListWidget*>(); }
    FigureForm& form() { return *inspector_.findChild<FigureForm*>(); }
    // The words of the menu of figures.
    QStringList offered() {
        for (QToolButton* one : inspector_.findChildren<QToolButton*>()) {
            if (!one->menu()) continue;
            emit one->menu()->aboutToShow();
            QStringList words;
            for (const QAction* action : one->menu()->actions()) {
                if (action->isEnabled() && !action->isSeparator()) words << action->text();
            }
            return words;
        }
        return {};
    }
    Workspace workspace_;
    FigureLibrary library_{workspace_.path()};
    FigureInspector inspector_{testLook(), library_};
};

TEST_F(FigureInspectorTest, AnotherSavedFigureBecomesAPanel) {
    const QString own = library_.add(specOf("Loss"), QStringLiteral("loss"));
    library_.add(specOf("Gantt", FigureKind::Timeline), QStringLiteral("gantt"));
    inspector_.show(own, specOf("Loss"));
    EXPECT_FALSE(list().isVisible());
    EXPECT_EQ(offered(), QStringList{QStringLiteral("Gantt")}) << "not itself";
    QSignalSpy changed(&inspector_, &FigureInspector::changed);
    inspector_.addPanel(specOf("Gantt", FigureKind::Timeline));
    EXPECT_EQ(changed.count(), 1);
    EXPECT_EQ(inspector_.spec().kind, FigureKind::Panels);
    ASSERT_EQ(inspector_.spec().panels.size(), 2U);
    EXPECT_EQ(inspector_.spec().title, QStringLiteral("Loss"));
    ASSERT_EQ(list().count(), 3);
    EXPECT_EQ(list().item(2)->text(), QStringLiteral("(b) Gantt, timeline"));
    EXPECT_EQ(list().currentRow(), 2);
}

TEST_F(FigureInspectorTest, TheFormIsAboutTheChosenPanel) {
    inspector_.show(QStringLiteral("loss"), specOf("Loss"));
    inspector_.addPanel(specOf("Gantt", FigureKind::Timeline));
    EXPECT_TRUE(form().editor(QStringLiteral("rank_rows"))->isVisible());
    EXPECT_FALSE(form().editor(QStringLiteral("venue"))->isVisible()) << "that of the whole figure";
    auto* rows = qobject_cast<QLineEdit*>(form().editor(QStringLiteral("rank_rows")));
    QTest::keyClicks(rows, QStringLiteral("2, 0"));
    EXPECT_EQ(inspector_.spec().panels[1].rankRows, QStringLiteral("2, 0"));
    list().setFocus();
    QTest::keyClick(&list(), Qt::Key_Up);
    EXPECT_TRUE(form().editor(QStringLiteral("metric"))->isVisible());
    QTest::keyClick(&list(), Qt::Key_Up);
    EXPECT_TRUE(form().editor(QStringLiteral("venue"))->isVisible());
    EXPECT_TRUE(form().editor(QStringLiteral("across"))->isVisible());
    EXPECT_FALSE(form().editor(QStringLiteral("metric"))->isVisible());
    EXPECT_FALSE(form().editor(QStringLiteral("filter"))->isVisible());
}

TEST_F(FigureInspectorTest, WithoutPanelsNothingMovesThem) {
    const auto moves = [&] {
        int seen = 0;
        for (const auto* button : inspector_.findChildren<QToolButton*>()) {
            seen += button->isVisibleTo(&inspector_) && (button->text() == u"↑" || button->text() == u"×") ? 1 : 0;
        }
        return seen;
    };
    EXPECT_EQ(moves(), 0) << "before there is a figure";
    inspector_.show(QStringLiteral("loss"), specOf("Loss"));
    EXPECT_EQ(moves(), 0);
    inspector_.addPanel(specOf("B"));
    EXPECT_EQ(moves(), 2);
}

TEST_F(FigureInspectorTest, PanelsMoveGoAndComeBack) {
    inspector_.show(QStringLiteral("loss"), specOf("Loss"));
    inspector_.addPanel(specOf("B"));
    inspector_.addPanel(specOf("C"));
    list().setFocus();
    QTest::keyClick(&list(), Qt::Key_Up, Qt::AltModifier);
    EXPECT_EQ(inspector_.spec().panels[1].title, QStringLiteral("C"));
    QTest::keyClick(&list(), Qt::Key_Delete);
    ASSERT_EQ(inspector_.spec().panels.size(), 2U);
    EXPECT_EQ(inspector_.spec().panels[1].title, QStringLiteral("B"));
    EXPECT_TRUE(offered().contains(QStringLiteral("Put back C, curves")));
    QTest::keyClick(&list(), Qt::Key_Delete);
    EXPECT_EQ(inspector_.spec().kind, FigureKind::Curves) << "the last one is a figure alone";
    EXPECT_EQ(inspector_.spec().title, QStringLiteral("Loss"));
    inspector_.putBackPanel();
    inspector_.putBackPanel();
    ASSERT_EQ(inspector_.spec().panels.size(), 3U) << "both come back";
    EXPECT_EQ(inspector_.spec().panels[1].title, QStringLiteral("C")) << "where they were";
}

TEST_F(FigureInspectorTest, TheOnlyPanelOfAFigureStays) {
    FigureSpec whole{.kind = FigureKind::Panels};
    whole.panels = {specOf("A")};
    inspector_.show(QStringLiteral("one"), whole);
    list().setCurrentRow(1);
    inspector_.takeOutPanel();
    EXPECT_EQ(inspector_.spec().panels.size(), 1U);
}

TEST_F(FigureInspectorTest, HowAFigureComesToItsRunsIsSaidAndSwitched) {
    RunTableModel runs;
    runs.take({makeRun("a", "dasgd"), makeRun("b", "dasgd")}, {});
    inspector_.setRuns(runs);
    FigureSpec spec = specOf("Loss");
    spec.filter = QStringLiteral("algorithm = dasgd");
    inspector_.show(QStringLiteral("loss"), spec);
    const auto says = [this](const QString& words) {
        const auto labels = inspector_.findChildren<QLabel*>();
        return std::ranges::any_of(labels, [&](const QLabel* one) { return one->text().contains(words); });
    };
    const auto press = [this](const QString& text) {
        for (QToolButton* one : inspector_.findChildren<QToolButton*>()) {
            if (one->text() == text) return one->click();
        }
        ADD_FAILURE() << "no button " << text.toStdString();
    };
    EXPECT_TRUE(says(QStringLiteral("redraws itself when runs are added")));
    QSignalSpy changed(&inspector_, &FigureInspector::changed);
    press(QStringLiteral("Keep these runs"));
    EXPECT_EQ(inspector_.spec().runs.size(), 2);
    EXPECT_TRUE(inspector_.spec().filter.isEmpty());
    EXPECT_TRUE(says(QStringLiteral("2 runs by their ids: none is added")));
    FigureSpec one = specOf("Loss");
    one.runs = {QStringLiteral("a")};
    inspector_.show(QStringLiteral("one"), one);
    EXPECT_TRUE(says(QStringLiteral("1 run by its id: none is added")));
    one.runs << QStringLiteral("b");
    inspector_.show(QStringLiteral("loss"), one);
    press(QStringLiteral("Follow the experiment"));
    EXPECT_TRUE(inspector_.spec().runs.isEmpty());
    EXPECT_TRUE(inspector_.spec().filter.startsWith(QStringLiteral("experiment = ")));
    EXPECT_EQ(changed.count(), 2);
}

}  // namespace
}  // namespace dasgd::gui
