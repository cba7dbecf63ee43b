#include "gui/runs/model/run_difference.h"

#include <gtest/gtest.h>

#include "gui/kit/words/words.h"
#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

TEST(RunDifference, NamesTheSettingsThatAreNotTheSame) {
    const auto a = makeRun("a", "dasgd", "name = \"x\"\n[algorithm]\ndelay = 2\nperiod = 4\n");
    const auto b = makeRun("b", "dasgd", "name = \"x\"\n[algorithm]\ndelay = 3\nperiod = 4\n");
    const auto c = makeRun("c", "dasgd", "name = \"x\"\n[algorithm]\nperiod = 4\n");
    EXPECT_EQ(differencesOf({a, b}), (std::vector<SettingDifference>{{QStringLiteral("algorithm.delay"), {"2", "3"}}}));
    EXPECT_EQ(differencesOf({a, c}),
              (std::vector<SettingDifference>{{QStringLiteral("algorithm.delay"), {QStringLiteral("2"), kAbsent}}}));
    EXPECT_TRUE(differencesOf({a}).empty());
    EXPECT_TRUE(differencesOf({}).empty());
}

storage::RunDetail detail(const char* commit, const char* changes = "") {
    storage::RunDetail run;
    run.row.gitCommit = commit;
    run.gitDirty = *changes != '\0';
    run.gitDirtyDiff = changes;
    return run;
}

TEST(RunDifference, SaysWhetherTheCodeIsTheSame) {
    const auto words = [](const storage::RunDetail& a, const storage::RunDetail& b) {
        return codeDifferenceOf(a, b).words;
    };
    EXPECT_EQ(words(detail("012bba8"), detail("012bba8")), QStringLiteral("the same code: commit 012bba8"));
    EXPECT_EQ(words(detail("012bba8"), detail("ed35763")), QStringLiteral("commits 012bba8 and ed35763"));
    EXPECT_EQ(words(detail("012bba8", "+a"), detail("012bba8", "+a")),
              QStringLiteral("the same code: commit 012bba8 with the same uncommitted changes"));
    EXPECT_EQ(words(detail("012bba8", "+a"), detail("012bba8")),
              QStringLiteral("commit 012bba8, other uncommitted changes"));
    EXPECT_TRUE(words(detail(""), detail("")).contains(QStringLiteral("not known")));
    EXPECT_EQ(words(detail(""), detail("012bba8")), QStringLiteral("commits not recorded and 012bba8"));
}

TEST(RunDifference, ShowsWhatWasInNoCommit) {
    const CodeDifference code = codeDifferenceOf(detail("a", "+here"), detail("b", "+there"));
    EXPECT_EQ(code.command, QStringLiteral("git diff a b"));
    EXPECT_EQ(code.uncommittedHere, QStringLiteral("+here"));
    EXPECT_EQ(code.uncommittedThere, QStringLiteral("+there"));
    EXPECT_TRUE(codeDifferenceOf(detail("a", "+x"), detail("a", "+x")).uncommittedHere.isEmpty());
    EXPECT_TRUE(codeDifferenceOf(detail(""), detail("b")).command.isEmpty());
}

}  // namespace
}  // namespace dasgd::gui
