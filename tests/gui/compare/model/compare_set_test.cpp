#include "gui/compare/model/compare_set.h"

#include <gtest/gtest.h>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

RunItemPtr seedOf(const char* algorithm, int delay, int seed, const char* status = "finished") {
    const std::string config = std::string("[algorithm]\nname = \"") + algorithm +
                               "\"\ndelay = " + std::to_string(delay) + "\n[train]\nseed = " + std::to_string(seed) +
                               "\n";
    return makeRun(std::string(algorithm) + std::to_string(delay) + std::to_string(seed), algorithm, config, seed,
                   status);
}

CurveStyle oneStyle(const RunItem&) { return {2, 0, 0}; }

TEST(CompareSet, SeedsAreOneGroupInTheOrderOfTheirNumbers) {
    const std::vector<RunItemPtr> runs{seedOf("dasgd", 1, 2), seedOf("dasgd", 3, 1), seedOf("dasgd", 1, 1)};
    const auto groups = compareGroups(runs, oneStyle);
    ASSERT_EQ(groups.size(), 2U);
    EXPECT_EQ(groups[0].runs.size(), 2U);
    EXPECT_EQ(groups[0].runs[0]->row.seed, 1);
    EXPECT_NE(groups[0].name, groups[1].name);
    EXPECT_EQ(sweptKeys(groups), (std::vector<std::string>{"algorithm.delay"}));
}

TEST(CompareSet, RunsOfAnotherExperimentAreNotClaimedByTheFirst) {
    const auto of = [](const char* experiment, int delay, int seed) {
        storage::RunRow row = seedOf("dasgd", delay, seed)->row;
        row.runId += experiment;
        row.experiment = experiment;
        return makeRunItem(row);
    };
    const auto groups = compareGroups(std::vector{of("a", 1, 1), of("b", 1, 2), of("a", 3, 1)}, oneStyle);
    ASSERT_EQ(groups.size(), 2U);
    EXPECT_EQ(groups[0].name, QStringLiteral("dasgd d\u00a01 (a,\u00a0b)"));
    EXPECT_EQ(groups[1].name, QStringLiteral("dasgd d\u00a03 (a)"));
}

TEST(CompareSet, AMapIsOverTwoSettingsThatConfigurationsHaveTogether) {
    const auto of = [](const std::string& algorithm, const std::string& fields) {
        return makeRun(algorithm + fields, algorithm,
                       "[algorithm]\nname = \"" + algorithm + "\"\n" + fields + "[train]\nseed = 1\n", 1);
    };
    const auto groups =
        compareGroups(std::vector{of("a", "alpha = 1\n"), of("a", "alpha = 2\n"), of("b", "period = 1\nvalue = 1\n"),
                                  of("b", "period = 1\nvalue = 2\n"), of("b", "period = 2\nvalue = 1\n")},
                      oneStyle);
    ASSERT_EQ(groups.size(), 5U);
    const MapKeys keys = mapKeys(groups);
    EXPECT_EQ(keys.columns, "algorithm.period") << "no configuration has both the first and the second in order";
    EXPECT_EQ(keys.rows, "algorithm.value");
}

TEST(CompareSet, NoTwoGroupsLookAlike) {
    std::vector<RunItemPtr> runs;
    for (int delay = 0; delay < 30; ++delay) runs.push_back(seedOf("dasgd", delay, 1));
    const auto groups = compareGroups(runs, oneStyle);
    for (std::size_t i = 0; i < groups.size(); ++i) {
        EXPECT_EQ(groups[i].style.color, 2) << "a configuration keeps its colour";
        for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(groups[i].style == groups[j].style) << i << " " << j;
    }
}

TEST(CompareSet, TheSameSeedTwiceCountsOnceAndTheOlderIsNamed) {
    const auto again = [](const char* id, const char* status) {
        return makeRun(id, "dasgd", "[algorithm]\nname = \"dasgd\"\n[train]\nseed = 1\n", 1, status);
    };
    // The runs started at the same time, so the greater id is the newer.
    const auto groups =
        compareGroups(std::vector{again("a", "finished"), again("b", "finished"), again("c", "failed")}, oneStyle);
    ASSERT_EQ(groups.size(), 1U);
    EXPECT_EQ(groups[0].count(), QStringLiteral("1 of 3"));
    for (const Members members : {Members::Finished, Members::AsFarAsAll}) {
        for (const RunItemPtr& run : groups[0].runs) {
            EXPECT_EQ(groups[0].takes(*run, members), run->id == QStringLiteral("b")) << run->id.toStdString();
        }
        EXPECT_EQ(leftOut(groups, members),
                  QStringList{QStringLiteral("2 older runs that were run again do not count")});
        EXPECT_EQ(runsLeftOut(groups, members).size(), 2U);
    }
    const auto twice = compareGroups(std::vector{again("a", "finished"), again("b", "finished")}, oneStyle);
    ASSERT_EQ(leftOut(twice, Members::Finished).size(), 1);
    EXPECT_TRUE(leftOut(twice, Members::Finished)[0].contains(QStringLiteral("seed 1 was run again")));
    EXPECT_FALSE(anyGoesPartOfTheWay(twice));
}

// A training that was stopped and went on is one, not two that were made.
TEST(CompareSet, WhatTheRunThatCountsWentOnFromWasNotRunAgain) {
    const auto part = [](const char* id, const char* from, const char* status) {
        storage::RunRow row =
            makeRun(id, "dasgd", "[algorithm]\nname = \"dasgd\"\n[train]\nseed = 1\n", 1, status)->row;
        row.resumedFrom = from;
        return makeRunItem(row);
    };
    const std::vector<RunItemPtr> chain{part("a", "", "stopped"), part("b", "a", "stopped"),
                                        part("c", "b", "finished")};
    EXPECT_EQ(earlierPartsOf(chain), (std::set<std::string>{"a", "b"}));
    const auto whole = compareGroups(chain, oneStyle);
    EXPECT_EQ(leftOut(whole, Members::Finished), QStringList());
    EXPECT_TRUE(runsLeftOut(whole, Members::Finished).empty());
    EXPECT_EQ(whole[0].count(), QStringLiteral("1"));
    EXPECT_FALSE(whole[0].takes(*chain[0], Members::AsFarAsAll)) << "its records are in those of the one that went on";
    // A run that was begun anew is another training.
    std::vector<RunItemPtr> again = chain;
    again.push_back(part("0", "", "failed"));
    const auto groups = compareGroups(again, oneStyle);
    ASSERT_EQ(leftOut(groups, Members::Finished).size(), 1);
    EXPECT_TRUE(leftOut(groups, Members::Finished)[0].contains(QStringLiteral("the older run, failed")));
    EXPECT_EQ(groups[0].count(), QStringLiteral("1 of 2"));
    storage::RunRow fewer = chain[1]->row;
    fewer.workers = 2;
    EXPECT_EQ(earlierPartsOf(std::vector{chain[0], makeRunItem(fewer), chain[2]}), std::set<std::string>())
        << "a run of other workers takes over no records";
}

TEST(CompareSet, WhatDidNotFinishIsNamedBeforeWhatWasRunAgain) {
    std::vector<RunItemPtr> runs;
    for (int seed = 1; seed <= 3; ++seed) {
        for (const char* id : {"a", "b"}) {
            const std::string number = std::to_string(seed);
            runs.push_back(
                makeRun(id + number, "dasgd", "[algorithm]\nname = \"dasgd\"\n[train]\nseed = " + number + "\n", seed));
        }
    }
    runs.push_back(seedOf("sync_sgd", 1, 1));
    EXPECT_FALSE(anyGoesPartOfTheWay(compareGroups(runs, oneStyle)));
    runs.push_back(seedOf("sync_sgd", 1, 2, "stopped"));
    const auto groups = compareGroups(runs, oneStyle);
    const QStringList lines = leftOut(groups, Members::Finished);
    ASSERT_EQ(lines.size(), 2);
    EXPECT_TRUE(lines[0].contains(QStringLiteral("seed 2 was stopped"))) << lines[0].toStdString();
    EXPECT_EQ(lines[1], QStringLiteral("3 older runs that were run again do not count"));
    ASSERT_EQ(runsLeftOut(groups, Members::Finished).size(), 4U);
    EXPECT_EQ(runsLeftOut(groups, Members::Finished).front().run->row.status, "stopped");
    EXPECT_TRUE(anyGoesPartOfTheWay(groups));
}

TEST(CompareSet, WhatIsLeftOutIsNamed) {
    const std::vector<RunItemPtr> runs{seedOf("dasgd", 1, 1), seedOf("dasgd", 1, 2, "failed"),
                                       seedOf("sync_sgd", 1, 1, "stopped")};
    const auto groups = compareGroups(runs, oneStyle);
    EXPECT_EQ(groups[0].count(), QStringLiteral("1 of 2"));
    EXPECT_EQ(groups[1].count(), QStringLiteral("0 of 1"));
    EXPECT_TRUE(groups[1].takes(*groups[1].runs[0], Members::Finished)) << "of none finished all are drawn";
    const QStringList lines = leftOut(groups, Members::Finished);
    ASSERT_EQ(lines.size(), 2);
    EXPECT_TRUE(lines[0].contains(QStringLiteral("seed 2 failed at step"))) << lines[0].toStdString();
    EXPECT_TRUE(lines[1].contains(QStringLiteral("as far as all of its seeds go"))) << lines[1].toStdString();
    EXPECT_EQ(runsLeftOut(groups, Members::Finished).front().run->id, QStringLiteral("dasgd12"));
    EXPECT_FALSE(groups[1].takes(*groups[1].runs[0], Members::FinishedOnly)) << "a number at the end needs one";
    EXPECT_TRUE(groups[0].takes(*groups[0].runs[0], Members::FinishedOnly));
    EXPECT_FALSE(leftOut(groups, Members::FinishedOnly)[1].contains(QStringLiteral("as far as all")));
    EXPECT_EQ(runsLeftOut(groups, Members::FinishedOnly).size(), 2U);
}

// A configuration of two experiments may have another style in each.
TEST(CompareSet, AConfigurationHasTheStyleOfItsOldestRunInWhateverOrderTheyCome) {
    const auto older = makeRun("a", "dasgd", delayedBy(3), 1), newer = makeRun("b", "dasgd", delayedBy(3), 2);
    const auto styleOf = [&](const RunItem& run) { return run.id == older->id ? CurveStyle{1, 1, 1} : CurveStyle{}; };
    for (const auto& runs : {std::vector{older, newer}, std::vector{newer, older}}) {
        const auto groups = compareGroups(runs, styleOf);
        ASSERT_EQ(groups.size(), 1U);
        EXPECT_EQ(groups.front().style, (CurveStyle{1, 1, 1}));
    }
}

}  // namespace
}  // namespace dasgd::gui
