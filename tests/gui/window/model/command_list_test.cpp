#include "gui/window/model/command_list.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

class CommandListTest : public ::testing::Test {
protected:
    CommandListTest() {
        const auto add = [this](const char* title, const char* words) {
            commands_.push_back({.title = QString::fromLatin1(title),
                                 .words = QString::fromLatin1(words),
                                 .keys = {},
                                 .carryOut = [this, title] { done_ << QString::fromLatin1(title); }});
        };
        add("Compare", "Draw the chosen runs together");
        add("Export", "Write figures of the runs");
        add("Go to Runs", "");
        model_.offer(commands_, {makeRun("old", "dasgd"), makeRun("new", "local_sgd")},
                     [this](const QString& run) { done_ << run; });
    }
    [[nodiscard]] QStringList titles() const {
        QStringList titles;
        for (int row = 0; row < model_.rowCount(); ++row) titles << model_.index(row).data().toString();
        return titles;
    }
    std::vector<PaletteCommand> commands_;
    QStringList done_;
    CommandListModel model_;
    QAbstractItemModelTester tester_{&model_, QAbstractItemModelTester::FailureReportingMode::Fatal};
};

TEST_F(CommandListTest, WithoutWordsItHasTheCommandsAlone) {
    EXPECT_EQ(titles(), QStringList({"Compare", "Export", "Go to Runs"}));
}

TEST_F(CommandListTest, TitlesComeBeforeWhatIsOnlySaid) {
    model_.setText(QStringLiteral("runs"));
    EXPECT_EQ(titles(), QStringList({"Go to Runs", "Compare", "Export"}));
    model_.setText(QStringLiteral("FIG runs"));
    EXPECT_EQ(titles(), QStringList({"Export"})) << "every word";
}

TEST_F(CommandListTest, KnowsWhatOtherProgramsCallAnAction) {
    const auto only = [this](const char* title) {
        model_.offer({{.title = QString::fromLatin1(title), .words = {}, .keys = {}, .carryOut = [] {}},
                      {.title = QStringLiteral("Something else"), .words = {}, .keys = {}, .carryOut = [] {}}},
                     {}, {});
    };
    for (const auto& [title, asked] :
         {std::pair("Archive or restore", "delete"), std::pair("Archive or restore", "rem"),
          std::pair("Same again with", "clone"), std::pair("Duplicate", "clone"),
          std::pair("Resume from its checkpoint", "continue"), std::pair("Save under another name", "rename"),
          std::pair("Keyboard shortcuts", "help"), std::pair("Export", "download")}) {
        only(title);
        model_.setText(QString::fromLatin1(asked));
        EXPECT_EQ(titles(), QStringList{QString::fromLatin1(title)}) << asked;
    }
    model_.setText(QStringLiteral("de"));
    EXPECT_EQ(titles(), QStringList()) << "two letters begin too many words";
}

TEST_F(CommandListTest, FindsRunsAndOpensThem) {
    model_.setText(QStringLiteral("local_sgd"));
    ASSERT_EQ(titles(), QStringList({QStringLiteral("sweep  ·  local_sgd")})) << "as somebody calls it";
    EXPECT_TRUE(
        model_.index(0).data(CommandListModel::WordsRole).toString().endsWith(QStringLiteral("seed 1  ·  new")));
    model_.carryOut(0);
    EXPECT_EQ(done_, QStringList({"new"}));
}

TEST_F(CommandListTest, CarriesOutTheRow) {
    model_.setText(QStringLiteral("compare"));
    model_.carryOut(0);
    model_.carryOut(7);
    EXPECT_EQ(done_, QStringList({"Compare"}));
}

TEST_F(CommandListTest, KeepsToWhatCanBeRead) {
    std::vector<RunItemPtr> many;
    for (int i = 0; i < 200; ++i) many.push_back(makeRun(runNumber(i), "dasgd"));
    model_.offer(commands_, many, [](const QString&) {});
    model_.setText(QStringLiteral("dasgd"));
    EXPECT_EQ(model_.rowCount(), static_cast<int>(CommandListModel::kMostShown));
}

}  // namespace
}  // namespace dasgd::gui
