#include "gui/compare/model/compare_query.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "storage/compare/comparison.h"
#include "tests/gui/support/compare_bench.h"
#include "tests/gui/support/live_bench.h"
#include "tests/gui/support/scaling_runs.h"

namespace dasgd::gui {
namespace {

class CompareQueryTest : public ::testing::Test, protected LiveBench {
protected:
    CompareQueryTest() {
        recordCompared(workspace);
        QObject::connect(&query_, &CompareQuery::curveArrived,
                         [this](const CompareCurve& curve) { curves_.push_back(curve); });
        QObject::connect(&query_, &CompareQuery::compared, [this](const auto& compared) { compared_ = compared; });
    }
    CompareRequest requestOf(const std::vector<CompareCurveKey>& keys) {
        know();
        std::vector<RunItemPtr> runs;
        for (const auto& [id, run] : store.runs()) runs.push_back(run);
        return {.groups = compareGroups(runs, [](const RunItem&) { return CurveStyle{}; }), .curves = keys};
    }
    void ask(CompareRequest request) {
        query_.request(std::move(request));
        for (int i = 0; i < 50; ++i) refresh(query_);
    }
    CompareQuery query_;
    std::vector<CompareCurve> curves_;
    std::shared_ptr<const Compared> compared_;
};

TEST_F(CompareQueryTest, FormsEveryCurveOnceAndAgainOnlyWhatChanged) {
    const CompareCurveKey loss{"train/loss", XAxis::Step}, time{"train/loss", XAxis::Wall};
    ask(requestOf({loss}));
    EXPECT_EQ(curves_.size(), 3U);
    ask(requestOf({loss}));
    EXPECT_EQ(curves_.size(), 3U) << "nothing has changed";
    ask(requestOf({loss, time}));
    EXPECT_EQ(curves_.size(), 6U) << "the other axis alone";
    CompareRequest all = requestOf({loss, time});
    all.members = Members::AsFarAsAll;
    ask(all);
    EXPECT_EQ(curves_.size(), 12U);
    all.members = Members::FinishedOnly;
    ask(std::move(all));
    EXPECT_EQ(curves_.size(), 18U) << "another choice of members is another mean";
}

TEST_F(CompareQueryTest, GivesTheNumbersOfTheCommand) {
    const CompareRequest request = requestOf({});
    ask(request);
    ASSERT_TRUE(compared_);
    std::vector<std::string> ids;
    for (const CompareGroup& group : request.groups) {
        for (const RunItemPtr& run : group.runs) ids.push_back(run->row.runId);
    }
    const auto expected = storage::compareRuns(store.reader(), ids, "");
    ASSERT_TRUE(expected);
    ASSERT_EQ(compared_->comparison.groups.size(), expected->groups.size());
    EXPECT_EQ(compared_->comparison.baseline, expected->baseline);
    for (std::size_t i = 0; i < expected->groups.size(); ++i) {
        const ComparedGroup &a = compared_->comparison.groups[i], &b = expected->groups[i];
        EXPECT_EQ(a.label, b.label);
        EXPECT_EQ(a.runIds, b.runIds);
        EXPECT_EQ(a.stepMs.mean, b.stepMs.mean);
        EXPECT_EQ(a.stepP, b.stepP);
        EXPECT_EQ(a.finalLoss.confidence, b.finalLoss.confidence);
        EXPECT_EQ(a.unfinished, b.unfinished);
    }
}

// Holds however many runs there are, and however slow they are to read.
TEST_F(CompareQueryTest, ComparesInTheEndWithoutTimeForMoreThanARunAtOnce) {
    CompareQuery slow(0);
    int compared = 0;
    QObject::connect(&slow, &CompareQuery::compared, [&] { ++compared; });
    slow.request(requestOf({}));
    for (int i = 0; i < 8; ++i) refresh(slow);
    EXPECT_EQ(compared, 0) << "of nine runs";
    refresh(slow);
    EXPECT_EQ(compared, 1);
}

TEST_F(CompareQueryTest, ABaselineIsChosenByItsKeyAndOneThatIsGoneIsTheDefault) {
    CompareRequest request = requestOf({});
    const std::string last = request.groups.back().key;
    request.baseline = last;
    ask(std::move(request));
    ASSERT_TRUE(compared_);
    EXPECT_EQ(compared_->keys.back(), last);
    EXPECT_EQ(compared_->comparison.baseline, compared_->comparison.groups.back().label);
    request = requestOf({});
    request.baseline = "of no group";
    ask(std::move(request));
    EXPECT_EQ(compared_->comparison.baseline, "sync_sgd");
}

// A metric that was recorded before the first step alone has no place in the training time, which is known
// nevertheless.
TEST_F(CompareQueryTest, ACurveWithoutAMeanIsUnclockedOnlyWithoutTrainingTime) {
    const std::string id = workspace.store().newRunId("dasgd");
    ASSERT_TRUE(workspace.store().addRun(test::scalingInfo({.experiment = "early", .backend = "gloo"}, id)));
    {
        auto journal = JournalWriter::create(workspace.store().paths().journal(id, 0), {.segmentRecords = 256});
        ASSERT_TRUE(journal);
        (*journal)->metric({.name = "eval/accuracy", .step = 0, .wall = 1'000'000'000, .value = 0.1});
        (*journal)->metric({.name = "eval/trained_s", .step = 100, .wall = 10'000'000'000, .value = 1});
        (*journal)->state(RankState::Finished, 100, "");
    }
    auto recorder = storage::Recorder::start(workspace.store(), id, {0}, {0});
    ASSERT_TRUE(recorder);
    ASSERT_TRUE((*recorder)->finish("finished", ""));
    workspace.record({.experiment = "unevaluated", .ranks = 1, .steps = 20, .stepsPerEpoch = 100});
    const auto unclocked = [&](const char* experiment, const char* metric) {
        CompareRequest request = requestOf({{metric, XAxis::Training}});
        std::erase_if(request.groups,
                      [&](const CompareGroup& group) { return group.runs.front()->row.experiment != experiment; });
        EXPECT_EQ(request.groups.size(), 1U);
        curves_.clear();
        ask(std::move(request));
        if (curves_.size() != 1) throw std::runtime_error("no curve arrived");
        EXPECT_TRUE(curves_.front().curve->mean.mean.x.empty()) << experiment;
        return curves_.front().curve->unclocked;
    };
    EXPECT_FALSE(unclocked("early", "eval/accuracy"));
    EXPECT_TRUE(unclocked("unevaluated", "train/loss"));
}

// Each read costs a parse of its settings, so they do not fit into one refresh; what was read must not be read again.
TEST_F(CompareQueryTest, ManyUnfinishedRunsAreReadOnce) {
    constexpr int kRuns = 1000;
    std::string config = "[algorithm]\nname = \"dasgd\"\nperiod = 4\n[network]\n";
    for (int key = 0; key < 100; ++key) config += "key" + std::to_string(key) + " = " + std::to_string(key) + "\n";
    for (int i = 0; i < kRuns; ++i) {
        storage::RunInfo info{
            .runId = runNumber(i), .experiment = "many", .algorithm = "dasgd", .backend = "gloo", .config = config};
        info.workers = 1;
        info.versions = "{}";
        const Status added = workspace.store().addRun(info);
        ASSERT_TRUE(added) << added.error().message;
    }
    CompareRequest request = requestOf({});
    std::erase_if(request.groups,
                  [](const CompareGroup& group) { return group.runs.front()->row.experiment != "many"; });
    ASSERT_EQ(request.groups.size(), 1U);
    query_.request(std::move(request));
    int refreshes = 0;
    while (!compared_ && refreshes < kRuns) {
        refresh(query_);
        ++refreshes;
    }
    ASSERT_TRUE(compared_) << "each refresh has begun from the front";
    EXPECT_EQ(compared_->comparison.groups.size(), 1U);
    EXPECT_EQ(compared_->comparison.groups[0].runIds.size(), static_cast<std::size_t>(kRuns));
}

class CompareQueryNames : public ::testing::Test, protected LiveBench {
protected:
    CompareQueryNames() {
        QObject::connect(&query_, &CompareQuery::compared,
                         [this](const auto& compared) { metrics_ = compared->metrics; });
    }
    [[nodiscard]] bool offersAccuracy() {
        know();
        std::vector<RunItemPtr> runs;
        for (const auto& [id, run] : store.runs()) runs.push_back(run);
        query_.request({.groups = compareGroups(runs, [](const RunItem&) { return CurveStyle{}; })});
        for (int i = 0; i < 50; ++i) refresh(query_);
        EXPECT_NE(std::ranges::find(metrics_, "train/loss"), metrics_.end());
        return std::ranges::find(metrics_, "eval/accuracy") != metrics_.end();
    }
    CompareQuery query_;
    std::vector<std::string> metrics_;
};

TEST_F(CompareQueryNames, AreThoseOfAnyRunOfTheComparison) {
    for (int delay = 1; delay <= 30; ++delay) workspace.record({.ranks = 1, .delay = delay, .steps = 2});
    EXPECT_FALSE(offersAccuracy()) << "none was evaluated";
    workspace.record({.seed = 2, .ranks = 1, .delay = 30, .steps = 100, .stepsPerEpoch = 100});
    EXPECT_TRUE(offersAccuracy()) << "one was, a later seed of the last configuration";
}

}  // namespace
}  // namespace dasgd::gui
