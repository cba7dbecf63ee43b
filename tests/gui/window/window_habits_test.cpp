// Habits that people expect of any window: its place is kept, another workspace opens beside it, every control has a
// name.
#include <gtest/gtest.h>

#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QApplication>
#include <QComboBox>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QProcess>
#include <QScreen>
#include <QScrollArea>
#include <QStackedWidget>
#include <QToolButton>

#include "gui/data/session/session.h"
#include "gui/kit/parts/card_keys.h"
#include "gui/kit/parts/elided_label.h"
#include "gui/kit/parts/page.h"
#include "gui/kit/words/settings_file.h"
#include "tests/gui/support/scaling_bench.h"
#include "tests/gui/support/session_bench.h"

namespace dasgd::gui {
namespace {

class WindowHabits : public WindowBench {
protected:
    void reopen() {
        window_.reset();
        window_ = std::make_unique<MainWindow>(workspace_.path(), testLook());
        window_->show();
    }
};

TEST_F(WindowHabits, SizeAndPlaceAreThoseOfTheLastTime) {
    reopen();
    window_->setGeometry(30, 40, window_->width() - 60, window_->height() - 80);
    const QRect kept = window_->geometry();
    ASSERT_TRUE(window_->close());
    reopen();
    EXPECT_EQ(window_->geometry(), kept);
    settingsFile().remove(QStringLiteral("window/geometry"));
}

TEST_F(WindowHabits, AWindowOfALargerScreenFitsThisOne) {
    QWidget large;
    large.setGeometry(3000, 2000, 5000, 4000);
    settingsFile().setValue(QStringLiteral("window/geometry"), large.saveGeometry());
    reopen();
    const QRect room = window_->screen()->availableGeometry();
    EXPECT_LE(window_->width(), room.width());
    EXPECT_LE(window_->height(), room.height());
    EXPECT_TRUE(room.intersects(window_->geometry()));
    settingsFile().remove(QStringLiteral("window/geometry"));
}

TEST_F(WindowHabits, TheFrameOfTheWindowManagerIsOnTheScreenToo) {
    settingsFile().remove(QStringLiteral("window/geometry"));
    reopen();
    const QRect room = window_->screen()->availableGeometry();
    EXPECT_TRUE(eventually([&] { return room.contains(window_->frameGeometry()); }))
        << window_->frameGeometry().width() << " × " << window_->frameGeometry().height();
    window_->move(room.right() - 40, room.bottom() - 40);
    window_->keepOnScreen();
    EXPECT_TRUE(room.contains(window_->frameGeometry()));
}

TEST(PlaceWithin, IsTheNearestAndBeginsWhereItIsTooLarge) {
    const QRect room(100, 50, 1280, 720);
    EXPECT_EQ(placeWithin({300, 200, 600, 400}, room), QPoint(300, 200));
    EXPECT_EQ(placeWithin({-20, 500, 600, 400}, room), QPoint(100, 370));
    EXPECT_EQ(placeWithin({1300, 0, 600, 400}, room), QPoint(780, 50));
    EXPECT_EQ(placeWithin({90, 90, 1300, 800}, room), QPoint(100, 50));
}

// The program of this test leaves a word in the folder of the workspace that it is started with (gui_main.cpp).
TEST_F(WindowHabits, AnotherWorkspaceOpensInAWindowOfItsOwn) {
    const QTemporaryDir other;
    open();
    window_->activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(window_.get()));
    QTest::keyClick(window_.get(), Qt::Key_K, Qt::ControlModifier);
    auto* field = qobject_cast<QLineEdit*>(QApplication::focusWidget());
    ASSERT_NE(field, nullptr);
    QTest::keyClicks(field, QStringLiteral("open another workspace"));
    QTest::keyClick(field, Qt::Key_Return);
    auto* dialog = window_->findChild<QFileDialog*>();
    ASSERT_NE(dialog, nullptr);
    EXPECT_EQ(dialog->fileMode(), QFileDialog::Directory);
    emit dialog->fileSelected(other.path());
    EXPECT_TRUE(eventually([&] { return QFile::exists(other.filePath(QStringLiteral("opened"))); }));
    EXPECT_EQ(window_->session().feed().workspace(), workspace_.path()) << "this window stays with its own";
    dialog->close();
}

// Parts that Qt makes of its own widgets have the name of the whole; a scroll area only moves what it holds.
bool isPartOfAnother(const QWidget& widget) {
    for (const QWidget* above = widget.parentWidget(); above; above = above->parentWidget()) {
        if (qobject_cast<const QComboBox*>(above) || qobject_cast<const QAbstractSpinBox*>(above) ||
            qobject_cast<const QLineEdit*>(above) || qobject_cast<const QAbstractItemView*>(above)) {
            return true;
        }
    }
    return qobject_cast<const QScrollArea*>(&widget) != nullptr;
}

QStringList namelessIn(const MainWindow& window) {
    QStringList nameless;
    for (QWidget* one : window.findChildren<QWidget*>()) {
        const bool used = one->focusPolicy() != Qt::NoFocus || qobject_cast<QAbstractButton*>(one);
        if (!used || !one->isVisible() || one->focusProxy() || qobject_cast<QLabel*>(one) || isPartOfAnother(*one)) {
            continue;
        }
        QAccessibleInterface* said = QAccessible::queryAccessibleInterface(one);
        if (said && !said->text(QAccessible::Name).trimmed().isEmpty()) continue;
        nameless << QLatin1String(one->metaObject()->className()) + QStringLiteral(" '") + one->objectName() +
                        QStringLiteral("' of ") + QLatin1String(one->parentWidget()->metaObject()->className());
    }
    return nameless;
}

TEST_F(WindowHabits, WhateverCanBeUsedHasAName) {
    recordTwoLines(workspace_.store());
    for (const char* algorithm : {"dasgd", "sync_sgd"}) workspace_.record({.algorithm = algorithm, .steps = 60});
    open();
    ASSERT_TRUE(eventually([&] { return window_->session().detail() && window_->session().pulse().spans > 0; }));
    window_->open("Runs");
    auto* about = button<QToolButton>(QStringLiteral("about"));
    ASSERT_NE(about, nullptr);
    about->click();
    runsTable()->selectAll();
    for (const PageRegistry::Entry& entry : PageRegistry::entries()) {
        window_->open(entry.info.title);
        QTest::qWait(50);
        EXPECT_EQ(namelessIn(*window_).join(QStringLiteral("; ")).toStdString(), "") << entry.info.title;
    }
}

// Names of the widgets that were shown as windows, apart from the window given.
class WindowsShown : public QObject {
public:
    explicit WindowsShown(const QWidget* window) : window_(window) { qApp->installEventFilter(this); }
    QStringList names;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        const auto* widget = qobject_cast<const QWidget*>(watched);
        if (event->type() == QEvent::Show && widget && widget != window_ && widget->isWindow()) {
            names << QString::fromUtf8(widget->metaObject()->className()) + QLatin1Char(' ') +
                         widget->accessibleName() + widget->objectName();
        }
        return false;
    }

private:
    const QWidget* window_;
};

// A part that is shown before it has its place is a window for an instant, and takes the keys away.
TEST_F(WindowHabits, APageThatIsMadeLateShowsNoWindowOfItsOwn) {
    recordTwoLines(workspace_.store());
    open();
    window_->activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(window_.get()));
    const WindowsShown shown(window_.get());
    for (const PageRegistry::Entry& entry : PageRegistry::entries()) {
        window_->open(entry.info.title);
        EXPECT_TRUE(shown.names.isEmpty())
            << entry.info.title << ": " << shown.names.join(QStringLiteral(", ")).toStdString();
        EXPECT_TRUE(window_->isActiveWindow()) << entry.info.title;
    }
}

TEST_F(WindowHabits, F6GoesFromCardToCardOnEveryPage) {
    recordTwoLines(workspace_.store());
    workspace_.record({.algorithm = "dasgd", .steps = 60});
    open();
    ASSERT_TRUE(eventually([&] { return window_->session().detail() && window_->session().pulse().spans > 0; }));
    window_->activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(window_.get()));
    for (const PageRegistry::Entry& entry : PageRegistry::entries()) {
        window_->open(entry.info.title);
        QTest::qWait(50);
        QTest::keyClick(window_.get(), Qt::Key_F6);
        const QWidget* first = window_->focusWidget();
        ASSERT_NE(first, nullptr) << entry.info.title;
        EXPECT_TRUE(first->isVisible()) << entry.info.title;
        if (cardStops(*window_).size() < 2) continue;
        QTest::keyClick(window_.get(), Qt::Key_F6);
        EXPECT_NE(window_->focusWidget(), first) << entry.info.title;
    }
}

TEST_F(WindowHabits, TheKeysAreThePagesAlsoWhereItIsEmpty) {
    open();
    window_->activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(window_.get()));
    const auto* stack = window_->findChild<QStackedWidget*>();
    for (const PageRegistry::Entry& entry : PageRegistry::entries()) {
        window_->open(entry.info.title);
        QTest::qWait(50);
        const QWidget* focused = QApplication::focusWidget();
        ASSERT_NE(focused, nullptr) << entry.info.title;
        EXPECT_TRUE(focused->isVisible()) << entry.info.title;
        EXPECT_TRUE(focused == stack->currentWidget() || stack->currentWidget()->isAncestorOf(focused))
            << entry.info.title << ": " << focused->metaObject()->className() << ' '
            << focused->accessibleName().toStdString();
    }
}

// Words that are neither elided nor broken have their whole width.
QStringList cutLabelsIn(const MainWindow& window) {
    QStringList cut;
    for (const QLabel* label : window.findChildren<QLabel*>()) {
        const bool isElastic =
            dynamic_cast<const ElidedLabel*>(label) && label->minimumWidth() != label->maximumWidth();
        if (!label->isVisible() || label->wordWrap() || isElastic) continue;
        if (label->text().isEmpty() || label->sizeHint().width() <= label->width()) continue;
        cut << label->text() + QStringLiteral(" (%1 of %2)").arg(label->width()).arg(label->sizeHint().width());
    }
    return cut;
}

class SmallScreen : public WindowHabits {
protected:
    // Each page with runs, and the drawer of the page of the runs.
    void expectEveryPageFits() {
        recordTwoLines(workspace_.store());
        workspace_.record({.algorithm = "dasgd", .steps = 60});
        open();
        window_->resize(1280, 720);
        ASSERT_TRUE(eventually([&] { return window_->session().detail() && window_->session().pulse().spans > 0; }));
        for (const PageRegistry::Entry& entry : PageRegistry::entries()) {
            window_->open(entry.info.title);
            QTest::qWait(100);
            EXPECT_EQ(window_->size(), QSize(1280, 720)) << entry.info.title;
            const auto* area = qobject_cast<QScrollArea*>(window_->findChild<QStackedWidget*>()->currentWidget());
            EXPECT_EQ(area->horizontalScrollBar()->maximum(), 0) << entry.info.title;
            EXPECT_EQ(area->verticalScrollBar()->maximum(), 0) << entry.info.title;
            EXPECT_EQ(cutLabelsIn(*window_).join(QStringLiteral("; ")).toStdString(), "") << entry.info.title;
        }
    }
};

TEST_F(SmallScreen, EveryPageFits) { expectEveryPageFits(); }

// 1920 x 1080 at 200 %.
TEST_F(SmallScreen, APageThatNeedsMoreScrollsAndTheWindowStaysWithinTheScreen) {
    workspace_.record({.algorithm = "dasgd", .steps = 60});
    open();
    for (const PageRegistry::Entry& entry : PageRegistry::entries()) {
        window_->open(entry.info.title);
        window_->resize(960, 540);
        QTest::qWait(100);
        EXPECT_EQ(window_->size(), QSize(960, 540)) << entry.info.title;
    }
    window_->open("Experiment");
    const auto* area = qobject_cast<QScrollArea*>(window_->findChild<QStackedWidget*>()->currentWidget());
    EXPECT_GT(area->verticalScrollBar()->maximum(), 0) << "all of it can be reached";
    EXPECT_EQ(area->horizontalScrollBar()->maximum(), 0) << "nothing to run it with is beyond the edge";
}

// The ratio of a screen is fixed before a program's first window, so this one is started again.
TEST_F(SmallScreen, EveryPageFitsAtTwiceThePixelsToo) {
    if (qEnvironmentVariable("QT_SCALE_FACTOR") == QStringLiteral("2")) {
        expectEveryPageFits();
        EXPECT_EQ(window_->devicePixelRatioF(), 2);
        return;
    }
    QProcess again;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("QT_SCALE_FACTOR"), QStringLiteral("2"));
    again.setProcessEnvironment(environment);
    again.setProcessChannelMode(QProcess::MergedChannels);
    again.start(QCoreApplication::applicationFilePath(),
                {QStringLiteral("--gtest_filter=SmallScreen.EveryPageFitsAtTwiceThePixelsToo")});
    ASSERT_TRUE(again.waitForFinished(50000));
    const QByteArray said = again.readAll();
    EXPECT_EQ(again.exitCode(), 0) << said.toStdString();
    EXPECT_TRUE(said.contains("[  PASSED  ] 1 test")) << said.toStdString();
}

}  // namespace
}  // namespace dasgd::gui
