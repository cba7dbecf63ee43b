#include <gtest/gtest.h>

#include <QDir>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QToolButton>

#include "gui/data/spans/timeline_rows.h"
#include "gui/figures/figure_form.h"
#include "gui/figures/figure_list_card.h"
#include "gui/figures/figure_preview.h"
#include "tests/gui/support/scaling_bench.h"
#include "tests/gui/support/session_bench.h"

namespace dasgd::gui {
namespace {

class FiguresPageTest : public WindowBench {
protected:
    void openFigures() {
        open();
        window_->activateWindow();
        window_->open("Figures");
        ASSERT_TRUE(QTest::qWaitForWindowActive(window_.get()));
        ASSERT_TRUE(eventually([&] { return window_->figures().loaded(); }));
    }
    FigureLibrary& library() { return window_->figures(); }
    FigureForm& form() { return *window_->findChild<FigureForm*>(); }
    bool drawn() {
        return eventually([this] { return button<QPushButton>(QStringLiteral("Export"))->isEnabled(); });
    }
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers) {
        QWidget* focused = window_->focusWidget();
        QTest::keyClick(focused ? focused : window_.get(), key, modifiers);
    }
};

TEST_F(FiguresPageTest, AnEmptyPageSaysWhatToDo) {
    openFigures();
    const QString words = window_->findChild<FigurePreview*>()->accessibleDescription();
    EXPECT_TRUE(words.contains(QLatin1String("Make figure on any page"))) << words.toStdString();
    EXPECT_FALSE(button<QPushButton>(QStringLiteral("Export"))->isEnabled());
}

TEST_F(FiguresPageTest, AFigureIsMadeChangedAndDeletedByKeyboard) {
    workspace_.record({.steps = 60});
    openFigures();
    ASSERT_TRUE(eventually([&] { return window_->session().current() != nullptr; }));
    press(Qt::Key_N, Qt::ControlModifier);
    ASSERT_EQ(library().figures().size(), 1U);
    ASSERT_TRUE(drawn());
    EXPECT_NE(label(QStringLiteral("1 curve, 1 run")), nullptr);
    auto* title = qobject_cast<QLineEdit*>(form().editor(QStringLiteral("title")));
    title->selectAll();
    QTest::keyClicks(title, QStringLiteral("Convergence"));
    ASSERT_TRUE(eventually([&] { return label(QStringLiteral("Figures  /  Convergence")) != nullptr; }));
    ASSERT_TRUE(eventually([&] { return library().settled(); }));
    press(Qt::Key_D, Qt::ControlModifier);
    EXPECT_EQ(library().figures().size(), 2U);
    press(Qt::Key_Delete, Qt::ControlModifier);
    EXPECT_EQ(library().figures().size(), 1U);
    press(Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(library().figures().size(), 2U);
    press(Qt::Key_G, Qt::ControlModifier);
    EXPECT_NE(button<QToolButton>(QStringLiteral("✓ in grey")), nullptr);
}

TEST_F(FiguresPageTest, ARunThatIsAddedIsDrawn) {
    workspace_.record({.seed = 1, .steps = 60});
    openFigures();
    FigureSpec spec;
    spec.filter = QStringLiteral("dasgd");
    library().add(spec, QStringLiteral("one"));
    ASSERT_TRUE(eventually([&] { return label(QStringLiteral("1 curve, 1 run")) != nullptr; }));
    workspace_.record({.seed = 2, .steps = 60});
    ASSERT_TRUE(eventually([&] { return label(QStringLiteral("1 curve, 2 runs")) != nullptr; }));
    EXPECT_NE(label(QStringLiteral("redraws itself when runs are added")), nullptr);
}

TEST_F(FiguresPageTest, WhatLooksAlikeInGreyIsSaidBesideThePreview) {
    for (const char* algorithm : {"dasgd", "local_sgd"}) workspace_.record({.algorithm = algorithm, .steps = 60});
    openFigures();
    FigureSpec spec;
    library().add(spec, QStringLiteral("both"));
    ASSERT_TRUE(eventually([&] { return label(QStringLiteral("2 curves, 2 runs")) != nullptr; }));
    EXPECT_NE(label(QStringLiteral("✓ in grey")), nullptr);
}

TEST_F(FiguresPageTest, AFilterThatIsWrongIsSaidInPlaceOfThePicture) {
    workspace_.record({.steps = 60});
    openFigures();
    FigureSpec spec;
    spec.filter = QStringLiteral("delya > 3");
    library().add(spec, QStringLiteral("one"));
    auto* preview = window_->findChild<FigurePreview*>();
    ASSERT_TRUE(eventually([&] { return preview->accessibleDescription().contains(QLatin1String("\"filter\"")); }));
    EXPECT_FALSE(button<QPushButton>(QStringLiteral("Export"))->isEnabled());
}

TEST_F(FiguresPageTest, PagesMakeFiguresOfWhatTheyShow) {
    workspace_.record({.steps = 60});
    recordTwoLines(workspace_.store());
    openFigures();
    ASSERT_TRUE(eventually([&] { return window_->session().current() && window_->session().detail(); }));
    for (const char* page : {"Run", "Timeline", "What if"}) {
        window_->open(page);
        const std::size_t before = library().figures().size();
        ASSERT_TRUE(eventually([&] {
            if (library().figures().size() == before) press(Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
            return library().figures().size() == before + 1;
        })) << page;
        EXPECT_TRUE(form().isVisible()) << page << " leads to the new figure";
    }
    std::set<FigureKind> kinds;
    for (const SavedFigure& figure : library().figures()) kinds.insert(figure.spec.kind);
    EXPECT_EQ(kinds.size(), 3U);
}

TEST_F(FiguresPageTest, TheFirstFigureThatIsMadeIsTheOneThatIsShown) {
    workspace_.record({.steps = 60});
    open();
    ASSERT_TRUE(eventually([&] { return window_->session().current() && library().loaded(); }));
    FigureSpec other;
    other.title = QStringLiteral("Before all others");
    library().add(other, QStringLiteral("a"));
    ASSERT_EQ(window_->findChild<FigureForm*>(), nullptr) << "nobody was on the page of the figures";
    auto* make = button<QToolButton>(QStringLiteral("Make figure"));
    ASSERT_TRUE(eventually([&] {
        if (library().figures().size() == 1) make->click();
        return library().figures().size() == 2;
    }));
    const auto& all = library().figures();
    const auto& made = all[all[0].title() == other.title ? 1 : 0];
    EXPECT_TRUE(eventually([&] { return label(QStringLiteral("Figures  /  ") + made.title()) != nullptr; }));
    EXPECT_EQ(label(QStringLiteral("Figures  /  Before all others")), nullptr);
}

TEST_F(FiguresPageTest, RunsThatCameBeforeThePageWasOpenAreNewsOnIt) {
    workspace_.record({.seed = 1, .steps = 60});
    open();
    FigureSpec spec;
    spec.filter = QStringLiteral("dasgd");
    for (const char* name : {"a", "b"}) library().add(spec, QString::fromLatin1(name));
    FigureNews& news = library().news();
    const auto runs = [&] {
        const FigureState* state = news.stateOf(QStringLiteral("b"));
        return state ? state->runs : -1;
    };
    ASSERT_TRUE(eventually([&] { return runs() == 1; }));
    workspace_.record({.seed = 2, .steps = 60});
    ASSERT_TRUE(eventually([&] { return runs() == 2; }));
    window_->open("Figures");
    EXPECT_EQ(news.newsOf(QStringLiteral("a")), QString()) << "the first is looked at";
    auto* list = window_->findChild<FigureListCard*>()->findChild<QListView*>();
    ASSERT_NE(list, nullptr);
    EXPECT_EQ(list->model()->index(1, 0).data(FigureListModel::WordsRole).toString(),
              QStringLiteral("redrawn: 1 new run"));
}

TEST_F(FiguresPageTest, AFigureOfATimelineKeepsTheRowsAndKindsOfThePage) {
    workspace_.record({.steps = 60});
    openFigures();
    ASSERT_TRUE(eventually([&] { return window_->session().current() && window_->session().detail(); }));
    TimelineRows& rows = window_->session().timelineRows();
    rows.togglePin(2);
    rows.setShown(SpanKind::Forward, false);
    window_->open("Timeline");
    ASSERT_TRUE(eventually([&] {
        if (library().figures().empty()) press(Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
        return !library().figures().empty();
    }));
    const FigureSpec& spec = library().figures().front().spec;
    EXPECT_EQ(spec.rankRows, QStringLiteral("2, 0-1, 3"));
    EXPECT_EQ(spec.hiddenKinds, QStringList{QStringLiteral("forward")});
}

TEST_F(FiguresPageTest, ANarrowWindowKeepsTheFormInADrawer) {
    workspace_.record({.steps = 60});
    openFigures();
    EXPECT_FALSE(form().isVisible()) << "there is nothing to set";
    ASSERT_TRUE(eventually([&] { return window_->session().current() != nullptr; }));
    press(Qt::Key_N, Qt::ControlModifier);
    ASSERT_TRUE(drawn());
    EXPECT_TRUE(form().isVisible());
    window_->resize(1280, 720);
    ASSERT_TRUE(eventually([&] { return !form().isVisible(); }));
    press(Qt::Key_I, Qt::ControlModifier);
    EXPECT_TRUE(form().isVisible());
}

}  // namespace
}  // namespace dasgd::gui
