#include "gui/window/command_palette.h"

#include <gtest/gtest.h>

#include <QAction>
#include <QPushButton>
#include <QRegularExpression>
#include <QShortcut>
#include <algorithm>

#include "gui/data/spans/timeline_rows.h"
#include "tests/gui/support/session_bench.h"

namespace dasgd::gui {
namespace {

TEST(CommandPalette, ButtonsOfAPageAreCommands) {
    QWidget page;
    QPushButton export_(QStringLiteral("▸  Export"), &page), hidden(QStringLiteral("Hidden"), &page),
        disabled(QStringLiteral("Disabled"), &page);
    export_.setToolTip(QStringLiteral("Write figures  Ctrl+E"));
    hidden.hide();
    disabled.setEnabled(false);
    int pressed = 0;
    QObject::connect(&export_, &QPushButton::clicked, [&pressed] { ++pressed; });
    const std::vector<PaletteCommand> commands = commandsOf(page);
    ASSERT_EQ(commands.size(), 1U);
    EXPECT_EQ(commands[0].title, QStringLiteral("Export"));
    EXPECT_EQ(commands[0].words, QStringLiteral("Write figures"));
    EXPECT_EQ(commands[0].keys, QStringLiteral("Ctrl+E"));
    commands[0].carryOut();
    EXPECT_EQ(pressed, 1);
}

TEST(CommandPalette, SoAreActionsThatHaveKeys) {
    QWidget page;
    QWidget inner(&page);
    QAction move(QStringLiteral("Move column left")), plain(QStringLiteral("Without keys"));
    move.setToolTip(QStringLiteral("The column of the cell"));
    move.setShortcut(Qt::ALT | Qt::Key_Left);
    int moved = 0;
    QObject::connect(&move, &QAction::triggered, [&moved] { ++moved; });
    inner.addAction(&move);
    inner.addAction(&plain);
    const std::vector<PaletteCommand> commands = commandsOf(page);
    ASSERT_EQ(commands.size(), 1U);
    EXPECT_EQ(commands[0].title, QStringLiteral("Move column left"));
    EXPECT_EQ(commands[0].words, QStringLiteral("The column of the cell"));
    EXPECT_EQ(commands[0].keys, QStringLiteral("Alt+Left"));
    commands[0].carryOut();
    EXPECT_EQ(moved, 1);
}

class PaletteOfTheWindow : public WindowBench {
protected:
    void openPalette() {
        open();
        window_->activateWindow();
        window_->open("Runs");
        ASSERT_TRUE(QTest::qWaitForWindowActive(window_.get()));
        QTest::keyClick(window_.get(), Qt::Key_K, Qt::ControlModifier);
        field_ = qobject_cast<QLineEdit*>(QApplication::focusWidget());
        ASSERT_NE(field_, nullptr);
        ASSERT_EQ(field_->accessibleName(), QStringLiteral("Find a command or a run"));
    }
    QLineEdit* field_ = nullptr;
};

TEST_F(PaletteOfTheWindow, FindsAPageByItsName) {
    openPalette();
    QTest::keyClicks(field_, QStringLiteral("go what"));
    QTest::keyClick(field_, Qt::Key_Return);
    EXPECT_FALSE(field_->isVisible());
    EXPECT_EQ(runsTable()->isVisible(), false);
    EXPECT_NE(label(QStringLiteral("What if")), nullptr);
}

TEST_F(PaletteOfTheWindow, ListsShortcutsWithF1) {
    openPalette();
    QTest::keyClick(field_, Qt::Key_Escape);
    QTest::keyClick(window_.get(), Qt::Key_F1);
    ASSERT_TRUE(field_->isVisible());
    const QAbstractItemModel* rows = window_->findChild<QListView*>(QStringLiteral("palette"))->model();
    ASSERT_GT(rows->rowCount(), 10);
    for (int row = 0; row < rows->rowCount(); ++row) {
        EXPECT_FALSE(rows->index(row, 0).data(CommandListModel::KeysRole).toString().isEmpty()) << row;
    }
}

TEST_F(PaletteOfTheWindow, FindsARunAndShowsIt) {
    const QString first = workspace_.record({.algorithm = "sync_sgd", .steps = 8});
    workspace_.record({.steps = 8});
    openPalette();
    ASSERT_TRUE(eventually([&] { return window_->session().runs().rowCount() == 2; }));
    QTest::keyClick(field_, Qt::Key_Escape);
    EXPECT_FALSE(field_->isVisible());
    QTest::keyClick(window_.get(), Qt::Key_K, Qt::ControlModifier);
    QTest::keyClicks(field_, first);
    QTest::keyClick(field_, Qt::Key_Return);
    EXPECT_EQ(window_->session().currentId(), first);
    EXPECT_FALSE(window_->session().followsNewest());
}

TEST_F(PaletteOfTheWindow, HasWhatThePageOfRunsHasNoButtonFor) {
    workspace_.record({.steps = 8});
    open();
    window_->open("Runs");
    ASSERT_TRUE(eventually([&] { return runsTable()->isVisible(); })) << "it holds the run";
    QStringList titles;
    for (const PaletteCommand& one : commandsOf(*window_)) titles << one.title;
    for (const char* wanted :
         {"Pause: hold or release", "Start first", "Earlier", "Later", "Start last", "Archive or restore",
          "Resume from its checkpoint", "Same again with …", "Take back the last change"}) {
        EXPECT_EQ(titles.count(QString::fromUtf8(wanted)), 1) << wanted;
    }
}

TEST(CommandPalette, AnActionWhoseKeysAButtonHasIsOfferedOnce) {
    QWidget page;
    QPushButton open(QStringLiteral("Open"), &page);
    open.setToolTip(QStringLiteral("A file  Ctrl+O"));
    QAction same(QStringLiteral("Open a file")), other(QStringLiteral("Find"));
    same.setShortcut(QKeySequence(QStringLiteral("Ctrl+O")));
    other.setShortcut(QKeySequence(QStringLiteral("Ctrl+F")));
    page.addActions({&same, &other});
    const std::vector<PaletteCommand> commands = commandsOf(page);
    ASSERT_EQ(commands.size(), 2U);
    EXPECT_EQ(commands[0].title, QStringLiteral("Open"));
    EXPECT_EQ(commands[1].title, QStringLiteral("Find"));
    EXPECT_EQ(commands[1].words, QString()) << "not its title again";
    open.hide();
    EXPECT_EQ(commandsOf(page)[0].title, QStringLiteral("Open a file")) << "while the button is not seen";
}

QKeySequence sequenceOf(QString keys) {
    keys.replace(QLatin1String("Enter"), QLatin1String("Return"))
        .replace(QLatin1String("Delete"), QLatin1String("Del"));
    return QKeySequence(keys);
}

// Keys of the commands that can be carried out now, and those at the end of the help of buttons, for what cannot.
QList<QKeySequence> namedKeys(MainWindow& window) {
    static const QRegularExpression atEnd(QStringLiteral("\\s\\s(\\S+)\\s*$"));
    QList<QKeySequence> keys{sequenceOf(QStringLiteral("Ctrl+K")), sequenceOf(QStringLiteral("Ctrl+Q")),
                             sequenceOf(QStringLiteral("F1"))};
    for (const PaletteCommand& one : commandsOf(window)) keys << sequenceOf(one.keys);
    for (const QAbstractButton* one : window.findChildren<QAbstractButton*>()) {
        keys << sequenceOf(atEnd.match(one->toolTip()).captured(1));
    }
    return keys;
}

TEST_F(PaletteOfTheWindow, HasEveryKeyOfEveryPage) {
    workspace_.record({.steps = 8});
    open();
    ASSERT_TRUE(eventually([&] { return window_->session().current() != nullptr; }));
    for (const PageRegistry::Entry& entry : PageRegistry::entries()) {
        window_->open(entry.info.title);
        const QList<QKeySequence> named = namedKeys(*window_);
        for (const QShortcut* one : window_->findChildren<QShortcut*>()) {
            const auto* on = qobject_cast<const QWidget*>(one->parent());
            // The key of a widget with the focus is named beside that widget.
            if (!on || !on->isVisible() || one->context() == Qt::WidgetShortcut) continue;
            EXPECT_TRUE(named.contains(one->key())) << entry.info.title << ": " << one->key().toString().toStdString();
        }
    }
}

TEST_F(PaletteOfTheWindow, SortsTheRanksOfTheTimeline) {
    open();
    window_->open("Timeline");
    const RankSort before = window_->session().timelineRows().sort();
    const std::vector<PaletteCommand> commands = commandsOf(*window_);
    const auto sort = std::ranges::find(commands, QStringLiteral("L"), &PaletteCommand::keys);
    ASSERT_NE(sort, commands.end());
    EXPECT_TRUE(sort->title.startsWith(QStringLiteral("Sort the ranks")));
    sort->carryOut();
    EXPECT_NE(window_->session().timelineRows().sort(), before);
}

TEST_F(PaletteOfTheWindow, GoesAwayWhenTheFocusDoes) {
    openPalette();
    runsTable()->setFocus();
    EXPECT_FALSE(field_->isVisible());
}

TEST_F(PaletteOfTheWindow, SaysThatNothingMatches) {
    openPalette();
    QTest::keyClicks(field_, QStringLiteral("zzqq"));
    EXPECT_NE(label(QStringLiteral("No action, page or run has “zzqq”")), nullptr);
    field_->clear();
    EXPECT_EQ(label(QStringLiteral("No action, page or run")), nullptr);
}

}  // namespace
}  // namespace dasgd::gui
