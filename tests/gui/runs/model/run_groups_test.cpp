#include "gui/runs/model/run_groups.h"

#include <gtest/gtest.h>

#include "gui/kit/words/words.h"
#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

constexpr qint64 kStart = 1'700'000'000'000;

struct Part {
    const char* status;
    qint64 startedMs = 0;  // after the start of the series
    std::int64_t steps = 10;
};

RunItemPtr runOf(const std::string& id, const std::string& series, const Part& part, std::int64_t size = 4) {
    storage::RunRow row = makeRun(id, "dasgd", "[algorithm]\ndelay = 2\n")->row;
    row.experiment = "delay-sweep";
    row.status = part.status;
    row.steps = part.steps;
    row.series = series;
    row.seriesSize = size;
    auto item = std::make_shared<RunItem>(*makeRunItem(row));
    item->startedMs = kStart + part.startedMs;
    return item;
}

std::vector<RunItemPtr> seriesOf(const std::vector<Part>& parts) {
    std::vector<RunItemPtr> runs;
    for (const Part& part : parts) runs.push_back(runOf(std::to_string(runs.size()), "s0", part));
    return runs;
}

RunGroupPtr groupOf(const std::vector<RunItemPtr>& runs, const std::vector<RunItemPtr>& all) {
    return Grouping::bySeries().rows(runs, {}, all).front().group;
}
RunGroupPtr groupOf(const std::vector<RunItemPtr>& runs) { return groupOf(runs, runs); }

QString shapeOf(const ListRows& rows) {
    QStringList words;
    for (const ListRow& row : rows)
        words << (row.isGroup() ? QStringLiteral("[") + row.group->title + "]" : row.run->id);
    return words.join(QLatin1Char(' '));
}

TEST(RunGroupsTest, AGroupStandsWhereItsFirstRunDoes) {
    std::vector<RunItemPtr> runs{runOf("a", "", {"finished"}), runOf("s1", "s0", {"running"}),
                                 runOf("b", "", {"finished"}), runOf("s0", "s0", {"finished"})};
    EXPECT_EQ(shapeOf(Grouping().rows(runs, {}, runs)), "a s1 b s0");
    EXPECT_EQ(shapeOf(Grouping::bySeries().rows(runs, {}, runs)), "a [delay-sweep] b");
    EXPECT_EQ(shapeOf(Grouping::bySeries().rows(runs, {{QStringLiteral("s0")}}, runs)), "a [delay-sweep] s1 s0 b");
}

TEST(RunGroupsTest, WhatAJobMadeIsOneGroup) {
    const auto of = [](const std::string& id, const char* experiment, const char* algorithm) {
        storage::RunRow row = makeRun(id, algorithm)->row;
        row.experiment = experiment;
        return makeRunItem(row);
    };
    const std::vector<RunItemPtr> runs{of("a1", "live (advice)", "dasgd"), of("a2", "live (advice)", "sync_sgd"),
                                       of("p1", "live (probe)", "probe"),  of("t", "live", "dasgd"),
                                       of("p2", "live (probe)", "probe"),  of("o1", "other (advice)", "dasgd")};
    EXPECT_EQ(shapeOf(Grouping::bySeries().rows(runs, {}, runs)), "[live (advice)] [live (probe)] t [other (advice)]");
    EXPECT_EQ(Grouping::bySeries().filterOf(*groupOf(runs)), QStringLiteral("experiment = \"live (advice)\""));
}

TEST(RunGroupsTest, AllGroupsButSomeCanBeOpen) {
    EXPECT_TRUE((OpenGroups{{QStringLiteral("a")}}.has(QStringLiteral("a"))));
    EXPECT_FALSE((OpenGroups{{QStringLiteral("a")}}.has(QStringLiteral("b"))));
    EXPECT_FALSE((OpenGroups{{QStringLiteral("a")}, true}.has(QStringLiteral("a"))));
    EXPECT_TRUE((OpenGroups{{QStringLiteral("a")}, true}.has(QStringLiteral("b"))));
}

TEST(RunGroupsTest, ASettingGroupsEveryRunByItsValue) {
    FieldCatalog catalog;
    const std::vector<RunItemPtr> runs{runOf("a", "", {"finished"}), makeRun("b", "dasgd", "[algorithm]\ndelay = 3\n"),
                                       makeRun("c", "dasgd", "[algorithm]\ndelay = 2\n"), makeRun("d", "sync_sgd", "")};
    for (const RunItemPtr& run : runs) catalog.add(*run);
    const Grouping byDelay = Grouping::byField(*catalog.find(QStringLiteral("algorithm.delay")).field);
    EXPECT_EQ(shapeOf(byDelay.rows(runs, {{QStringLiteral("2")}}, runs)),
              QStringLiteral("[algorithm.delay = 2] a c [algorithm.delay = 3] [algorithm.delay = ") + kAbsent + "]");
}

TEST(RunGroupsTest, ValuesThatDifferInTheSeventhDigitAreTwoGroups) {
    FieldCatalog catalog;
    const std::vector<RunItemPtr> runs{makeRun("a", "dasgd", "[algorithm]\nlocal_weight = 0.1234567\n"),
                                       makeRun("b", "dasgd", "[algorithm]\nlocal_weight = 0.1234568\n")};
    for (const RunItemPtr& run : runs) catalog.add(*run);
    const Grouping byWeight = Grouping::byField(*catalog.find(QStringLiteral("algorithm.local_weight")).field);
    EXPECT_EQ(shapeOf(byWeight.rows(runs, {}, runs)),
              QStringLiteral("[algorithm.local_weight = 0.1234567] [algorithm.local_weight = 0.1234568]"));
}

TEST(RunGroupsTest, SaysHowFarASeriesIs) {
    const auto group = groupOf(seriesOf({{"finished", 0}, {"running", 10'000}, {"queued", 1, 0}, {"queued", 2, 0}}));
    // A run takes ten seconds from start to start; four of the present one are gone.
    EXPECT_EQ(group->secondsLeft(kStart + 14'000), 26);
    EXPECT_EQ(group->inWords(kStart + 14'000),
              QStringLiteral("1 of 4 finished, 1 running, 2 queued, ") + clockText(26) + QStringLiteral(" left"));
    EXPECT_EQ(group->secondsLeft(kStart + 25'000), 20) << "a run that takes longer than those before";
    EXPECT_FALSE(group->secondsLeft(kStart + 60'000)) << "much longer: who knows";
}

RunItemPtr withLoss(const RunItemPtr& run, std::optional<double> loss) {
    storage::RunRow row = run->row;
    row.finalLoss = loss;
    row.stepMs = loss ? std::optional(*loss * 10) : std::nullopt;
    return makeRunItem(row);
}

TEST(RunGroupsTest, TheMeanOfAGroupIsOfItsFinishedRunsThatHaveTheNumber) {
    const std::string config = "[algorithm]\ndelay = 2\n";
    RunGroup group;
    group.runs = {withLoss(makeRun("a", "dasgd", config, 1), 0.25), withLoss(makeRun("b", "dasgd", config, 2), 0.75),
                  withLoss(makeRun("c", "dasgd", config, 3), {}),
                  withLoss(makeRun("d", "dasgd", config, 4, "stopped"), 9.0)};
    const RunGroup::Mean mean = group.meanOf(RunTableModel::FinalLoss);
    EXPECT_EQ(mean.n, 2);
    EXPECT_DOUBLE_EQ(mean.value.value(), 0.5);
    EXPECT_FALSE(group.meanOf(RunTableModel::BestAccuracy).value);
    EXPECT_EQ(group.meansInWords(), QStringLiteral("mean of n = 3"));
    group.runs.push_back(makeRun("e", "dasgd", "[algorithm]\ndelay = 3\n"));
    EXPECT_EQ(group.meansInWords(), QStringLiteral("mean of n = 4, of 2 configurations"));
    group.runs = {makeRun("d", "dasgd", config, 4, "running")};
    EXPECT_EQ(group.meansInWords(), QString());
}

TEST(RunGroupsTest, OnlySettingsThatDifferTellRunsOfAGroupApart) {
    const auto config = [](const char* name, const char* rest) {
        return "[algorithm]\nname = \"" + std::string(name) + "\"\nperiod = 4\n" + rest;
    };
    const std::vector<RunItemPtr> runs{
        makeRun("a", "dasgd", config("dasgd", "delay = 1\n[train]\nbatch_size = 32\nseed = 1\n")),
        makeRun("b", "dasgd", config("dasgd", "delay = 3\n[train]\nbatch_size = 32\nseed = 2\n")),
        makeRun("c", "local_sgd", config("local_sgd", "[train]\nbatch_size = 64\nseed = 1\n"))};
    const QHash<QString, QString> texts = differingSettings(runs);
    EXPECT_EQ(texts.value(QStringLiteral("a")), QStringLiteral("d\u00a01  batch\u00a032"));
    EXPECT_EQ(texts.value(QStringLiteral("b")), QStringLiteral("d\u00a03  batch\u00a032"));
    EXPECT_EQ(texts.value(QStringLiteral("c")), QStringLiteral("batch\u00a064")) << "the only one of its algorithm";
    EXPECT_TRUE(differingSettings({runs[0], runs[0]}).isEmpty());
}

TEST(RunGroupsTest, RunsThatAreNotInTheWorkspaceYetAreQueued) {
    const auto group = groupOf(seriesOf({{"finished", 0}, {"running", 10'000}}));
    EXPECT_EQ(group->secondsLeft(kStart + 10'000), 30);
    EXPECT_TRUE(group->inWords(kStart).startsWith(QStringLiteral("1 of 4 finished, 1 running, 2 queued")));
}

TEST(RunGroupsTest, NoTimeIsSaidThatNobodyCanKnow) {
    EXPECT_FALSE(groupOf(seriesOf({{"running", 0}, {"queued", 0, 0}}))->secondsLeft(kStart + 5'000));
    EXPECT_FALSE(groupOf(seriesOf({{"finished", 0}, {"stopped", 3, 0}, {"finished", 9}, {"failed", 20}}))
                     ->secondsLeft(kStart + 30));
    EXPECT_FALSE(groupOf(seriesOf({{"failed", 0}, {"running", 1'000}, {"queued", 0, 0}}))->secondsLeft(kStart + 1'500))
        << "one that broke off says nothing of the others";
}

TEST(RunGroupsTest, WhatTheFilterHidesIsSaid) {
    const std::vector<RunItemPtr> all = seriesOf({{"finished", 0}, {"finished", 5'000}, {"running", 10'000}});
    const auto filtered = groupOf({all[0], all[2]}, all);
    EXPECT_FALSE(filtered->secondsLeft(kStart + 14'000)) << "the filter hides some";
    EXPECT_EQ(filtered->inWords(kStart), QStringLiteral("2 of 4 shown: 1 finished, 1 running")) << "one is to come";
    EXPECT_EQ(groupOf({all[2]}, all)->inWords(kStart), QStringLiteral("1 of 4 shown: 1 running"));
    const std::vector<RunItemPtr> others{all[0], all[1], all[2], runOf("x", "s9", {"failed"}),
                                         runOf("y", "", {"failed"})};
    const auto whole = groupOf(all, others);
    EXPECT_EQ(whole->hidden, 0) << "runs of other series are hidden";
    EXPECT_TRUE(whole->inWords(kStart).startsWith(QStringLiteral("2 of 4 finished, 1 running, 1 queued")));
    FieldCatalog catalog;
    for (const RunItemPtr& run : all) catalog.add(*run);
    const Grouping byDelay = Grouping::byField(*catalog.find(QStringLiteral("algorithm.delay")).field);
    EXPECT_EQ(byDelay.rows({all[0]}, {}, all).front().group->inWords(kStart),
              QStringLiteral("1 of 3 shown: 1 finished"));
}

TEST(RunGroupsTest, WhatIsHeldIsCountedApartAndNobodyKnowsWhenItEnds) {
    std::vector<RunItemPtr> runs = seriesOf({{"finished", 0}, {"running", 10'000}, {"queued", 1, 0}, {"queued", 2, 0}});
    auto held = std::make_shared<RunItem>(*runs.back());
    held->row.held = true;
    runs.back() = held;
    EXPECT_EQ(groupOf(runs)->inWords(kStart + 14'000), QStringLiteral("1 of 4 finished, 1 running, 1 queued, 1 held"));
}

TEST(RunGroupsTest, WhatDidNotFinishIsNotCalledFinished) {
    EXPECT_EQ(groupOf(seriesOf({{"finished"}, {"failed"}, {"stopped", 0, 0}, {"interrupted"}}))->inWords(kStart),
              QStringLiteral("1 of 4 finished, 1 failed, 1 stopped, 1 interrupted"));
    EXPECT_EQ(groupOf(seriesOf({{"finished"}, {"finished"}, {"finished"}, {"finished"}}))->inWords(kStart),
              QStringLiteral("4 finished"));
}

}  // namespace
}  // namespace dasgd::gui
