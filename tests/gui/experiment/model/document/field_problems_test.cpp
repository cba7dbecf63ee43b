#include "gui/experiment/model/document/field_problems.h"

#include <gtest/gtest.h>

#include "tests/gui/support/small_schema.h"

namespace dasgd::gui {
namespace {

std::vector<Problem> problemsOf(const char* text) { return fieldProblems(ExperimentDocument(text), smallSchema()); }

QStringList keysOf(const std::vector<Problem>& problems) {
    QStringList keys;
    for (const Problem& problem : problems) keys << problem.key;
    return keys;
}

TEST(FieldProblems, AreAllFoundAtTheirPlacesInTheWordsOfTheProgram) {
    const auto problems = problemsOf(
        "name = \"e\"\n[algorithm]\nname = \"dasgd\"\nperiod = 0\noptimizer_state = \"drop\"\nperoid = 4\n"
        "[train]\nsteps = \"many\"\n[optimizer]\nmomentum = 1.9\nnesterov = 1\n[cluster]\nlink = 3\n");
    EXPECT_EQ(keysOf(problems),
              (QStringList{"algorithm.period", "algorithm.optimizer_state", "algorithm.peroid", "train.steps",
                           "optimizer.momentum", "optimizer.nesterov", "cluster.link"}));
    EXPECT_EQ(problems[0].inWords(), QStringLiteral("4:10  period is 0; allowed: >= 1 and <= 1000000000 steps"));
    EXPECT_TRUE(problems[1].message.contains(QStringLiteral("allowed: keep, reset, average")));
    EXPECT_EQ(problems[2].column, 1);
    EXPECT_TRUE(problems[2].message.contains(QStringLiteral("did you mean 'period'?")));
    EXPECT_TRUE(problems[3].message.startsWith(QStringLiteral("steps must be an integer, found a string")));
    EXPECT_EQ(problems[4].line, 10);
    EXPECT_TRUE(problems[6].message.contains(QStringLiteral("must be a table")));
}

TEST(FieldProblems, FieldsOfATableAreLookedAtToo) {
    const auto problems = problemsOf("[cluster]\nworkers = 0\n[cluster.link]\nbandwidth = 3\nspeed = \"1Gbps\"\n");
    EXPECT_EQ(keysOf(problems), (QStringList{"cluster.workers", "cluster.link.bandwidth", "cluster.link.speed"}));
}

// A sweep over algorithms gives each what it knows, and no run has the value that a sweep replaces.
TEST(FieldProblems, WhatIsVariedIsLeftToTheProgram) {
    EXPECT_TRUE(problemsOf("[algorithm]\nname = \"local_sgd\"\ndelay = 2\nperiod = -1\n[sweep]\n\"algorithm.name\" = "
                           "[\"local_sgd\", \"dasgd\"]\n\"algorithm.period\" = [2, 4]\n")
                    .empty());
    EXPECT_TRUE(problemsOf("[algorithm]\nname = \"none\"\nany = 1\n").empty()) << "no field of it is known";
    EXPECT_TRUE(problemsOf("[algorithm]\nname = = 1\n").empty()) << "that is a syntax error";
    EXPECT_TRUE(problemsOf("[algorithm]\nname = \"dasgd\"\nperiod = 8\nlocal_weight = 0\n").empty());
}

TEST(FieldProblems, TheProgramsOwnIsAmongThemOnce) {
    const auto others = problemsOf("[algorithm]\nname = \"dasgd\"\nperiod = 0\n[train]\nsteps = -1\n");
    const auto once = withOthers({3, 10, QStringLiteral("as the program said it"), "algorithm.period"}, others);
    ASSERT_EQ(keysOf(once), (QStringList{"algorithm.period", "train.steps"}));
    EXPECT_EQ(once[0].message, QStringLiteral("as the program said it"));
    const auto whole = withOthers({.message = QStringLiteral("of no line")}, others);
    EXPECT_EQ(keysOf(whole), (QStringList{"", "algorithm.period", "train.steps"}));
}

}  // namespace
}  // namespace dasgd::gui
