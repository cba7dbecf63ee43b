// Rules of parameter servers as events in plain doubles (tests/support/server_oracle.h): held to the identities between
// them.
#include "tests/support/server_oracle.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/algorithms/server/zip_line.h"
#include "tests/support/served_quadratic.h"

namespace dasgd::test {
namespace {

constexpr std::int64_t kEndless = 1'000'000;
const QuadraticProblem kUnlike{.workers = 4, .steps = 120, .rate = 0.02, .momentum = 0.5, .weightDecay = 0.01};
const std::vector<double> kPaces{1, 1.7137, 1.2319, 1.4173};

// Everything equal, to the last bit.
void expectEqualRuns(const ServedRun& got, const ServedRun& expected) {
    EXPECT_EQ(got.pushes, expected.pushes);
    EXPECT_EQ(got.answers, expected.answers);
    EXPECT_EQ(got.ends, expected.ends);
    EXPECT_EQ(got.updates, expected.updates);
    EXPECT_EQ(got.weights, expected.weights);
    EXPECT_EQ(got.read, expected.read);
}

TEST(OracleSplitMix64, GivesThePublishedNumbers) {
    OracleSplitMix64 stream{1234567};
    EXPECT_EQ(stream.next(), 6457827717110365317ULL);
    EXPECT_EQ(stream.next(), 3203168211198807973ULL);
    EXPECT_EQ(stream.next(), 9817491932198370423ULL);
}

TEST(OracleServer, TakesPushesAsTheyArriveAndEqualInstantsByRank) {
    ServedProblem problem = onOracleServer({.workers = 3, .steps = 2}, {1, 1.5, 1.5});
    problem.messageNs[0] = kStepNs;  // its pushes set out first and arrive after those of the others
    const ServedRun run = servedWith(problem, asyncRule());
    std::vector<std::pair<int, std::int64_t>> order;
    for (const ServedRun::Push& push : run.pushes) order.emplace_back(push.worker, push.atNs);
    constexpr std::int64_t kOthers = kStepNs * 3 / 2 + kOneWayNs, kOthersAgain = 2 * kOthers + kOneWayNs;
    EXPECT_THAT(order, ::testing::ElementsAre(std::pair(1, kOthers), std::pair(2, kOthers), std::pair(0, 2 * kStepNs),
                                              std::pair(1, kOthersAgain), std::pair(2, kOthersAgain),
                                              std::pair(0, 5 * kStepNs)));
    EXPECT_EQ(run.ends[0], (std::vector{3 * kStepNs, 6 * kStepNs}));
    EXPECT_NE(run.read[1][1], run.read[2][1]) << "the second of an instant reads one update more";
}

// While one of four workers of one pace makes a step, each of the others adds its gradient.
TEST(OracleServer, StalenessIsThatOfTheOthersGradients) {
    QuadraticProblem problem = kUnlike;
    problem.steps = 10;
    const ServedRun run = servedWith(onOracleServer(problem, {1, 1, 1, 1}), asyncRule());
    for (std::size_t i = 0; i < run.pushes.size(); ++i) {
        EXPECT_EQ(run.pushes[i].staleness, i < 4 ? static_cast<std::int64_t>(i) : 3) << "push " << i;
    }
}

class OracleIdentities : public testing::TestWithParam<std::vector<double>> {
protected:
    [[nodiscard]] ServedRun with(const MakeRule& rule) const { return servedWith(problem_, rule); }
    // The same with shared work.
    [[nodiscard]] ServedRun sharedWith(const MakeRule& rule) const {
        ServedProblem problem = problem_;
        problem.sharesWork = true;
        return servedWith(problem, rule);
    }

    ServedProblem problem_ = onOracleServer(kUnlike, GetParam());
    int workers_ = problem_.workers();
};

TEST_P(OracleIdentities, WithoutABoundEveryRuleIsAsynchronous) {
    const ServedRun expected = with(asyncRule());
    EXPECT_EQ(expected.pushes.size(), static_cast<std::size_t>(workers_ * problem_.steps));
    expectEqualRuns(with(sspRule(kEndless)), expected);
    expectEqualRuns(with(pspRule({.sample = 0, .staleness = 0})), expected);
    expectEqualRuns(with(pspRule({.sample = 2, .staleness = kEndless})), expected);
    expectEqualRuns(with(dsspRule({.staleness = kEndless})), expected);
    expectEqualRuns(with(syncSwitchRule({.syncSteps = 0})), expected);
}

TEST_P(OracleIdentities, ASampleOfAllIsStaleSynchronous) {
    for (const std::int64_t staleness : {0, 1, 3}) {
        for (const bool redraw : {true, false}) {
            expectEqualRuns(with(pspRule({.sample = workers_, .staleness = staleness, .redraw = redraw, .seed = 5})),
                            with(sspRule(staleness, true)));
        }
    }
}

TEST_P(OracleIdentities, WithNothingToGrantDsspIsStaleSynchronous) {
    for (const std::int64_t staleness : {1, 3}) {
        for (const bool bounded : {true, false}) {
            expectEqualRuns(with(dsspRule({.staleness = staleness, .extra = 0, .bounded = bounded})),
                            with(sspRule(staleness)));
        }
    }
}

TEST_P(OracleIdentities, SyncSwitchThatNeverSwitchesIsBulkSynchronous) {
    const ServedRun expected = with(sspRule(0));
    expectEqualRuns(with(syncSwitchRule({.syncSteps = problem_.steps, .syncRate = 1})), expected);
    QuadraticProblem problem = kUnlike;
    problem.workers = workers_;
    const Trajectory synchronous = serial(
        problem, [](std::int64_t, Workers&) {}, [](Workers& g) { g.assign(g.size(), mean(g)); });
    expectSame(expected.trajectory(), synchronous, 1e-12);
    EXPECT_EQ(expected.largestLead(), 0);
    const auto slowest = *std::max_element(problem_.computeNs.begin(), problem_.computeNs.end());
    for (const auto& ends : expected.ends) EXPECT_EQ(ends.back(), problem_.steps * (slowest + 2 * kOneWayNs));
}

// Holds for plain SGD, as all gradients of a step are of the same weights.
TEST_P(OracleIdentities, SspWithoutALeadPerPushIsTheMeanAtAPthOfTheRate) {
    problem_.momentum = 0;
    problem_.weightDecay = 0;
    const ServedRun expected = with(sspRule(0));
    problem_.rate /= workers_;
    const ServedRun got = with(sspRule(0, true));
    expectSame(got.trajectory(), expected.trajectory(), 1e-12);
    EXPECT_EQ(got.ends, expected.ends);
    EXPECT_EQ(got.answers, expected.answers);
}

TEST_P(OracleIdentities, KAsyncOfOneGradientIsAsynchronous) {
    const ServedRun expected = sharedWith(asyncRule());
    EXPECT_EQ(std::ssize(expected.pushes), workers_ * problem_.steps);
    expectEqualRuns(sharedWith(kAsyncRule({.gradients = 1})), expected);
    expectEqualRuns(sharedWith(kAsyncRule({.gradients = 1, .growth = kEndless})), expected);
    expectEqualRuns(sharedWith(sspRule(kEndless)), expected);
}

TEST_P(OracleIdentities, WhatWaitsForAllGradientsOfSharedWorkIsBulkSynchronous) {
    const ServedRun expected = sharedWith(sspRule(0));
    expectEqualRuns(sharedWith(kAsyncRule({.gradients = workers_})), expected);
    expectEqualRuns(sharedWith(kAsyncRule({.gradients = workers_, .growth = 3})), expected);
    expectEqualRuns(sharedWith(backupRule(0)), expected);
    expectEqualRuns(sharedWith(elasticRule({.lookahead = 1, .monitor = 0})), expected);
    const ServedRun equalSteps = with(sspRule(0));
    EXPECT_EQ(equalSteps.ends, expected.ends);
    EXPECT_EQ(equalSteps.read, expected.read);
    EXPECT_EQ(equalSteps.weights, expected.weights);
}

// The mean of equal gradients does not depend on their number.
TEST_P(OracleIdentities, BackupWorkersOfEqualObjectivesAreBulkSynchronousInWeights) {
    problem_.gradient = [](int, const Vec& w) { return kUnlike.gradient(w, kUnlike.target(0)); };
    const ServedRun expected = sharedWith(sspRule(0));
    for (std::int64_t backup = 1; backup < workers_; ++backup) {
        const ServedRun run = sharedWith(backupRule(backup));
        EXPECT_EQ(std::ssize(run.updates), problem_.steps);
        expectSame({{run.weights}}, {{expected.weights}}, 1e-12);
    }
}

TEST_P(OracleIdentities, TheFirstGradientsOfTheNewestWeightsMakeEachUpdateOfBackupWorkers) {
    for (std::int64_t backup = 0; backup < workers_; ++backup) {
        const ServedRun run = sharedWith(backupRule(backup));
        ASSERT_EQ(std::ssize(run.updates), problem_.steps);
        for (const auto& update : run.updates) EXPECT_EQ(std::ssize(update), workers_ - backup);
        const auto kept = std::count_if(run.pushes.begin(), run.pushes.end(),
                                        [](const ServedRun::Push& push) { return push.staleness == 0; });
        EXPECT_EQ(kept, (workers_ - backup) * problem_.steps) << "those of older weights are dropped";
    }
}

// K rises by one after each two updates. The last update is made of the gradients that are left.
TEST_P(OracleIdentities, UpdatesOfKAsyncGrowToAllWorkers) {
    const ServedRun run = sharedWith(kAsyncRule({.gradients = 1, .growth = 2}));
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < run.updates.size(); ++i) {
        const std::int64_t size = std::ssize(run.updates[i]), due = std::min<std::int64_t>(1 + i / 2, workers_);
        EXPECT_TRUE(size == due || i + 1 == run.updates.size()) << "update " << i << " of " << size;
        sum += size;
    }
    EXPECT_EQ(sum, workers_ * problem_.steps) << "no gradient is lost";
}

// The second run begins with the weights of the first, and without its momentum.
TEST_P(OracleIdentities, SyncSwitchBeginsAnAsynchronousRunAtItsSwitch) {
    constexpr std::int64_t kSynchronous = 30;
    const ServedRun got = with(syncSwitchRule({.syncSteps = kSynchronous, .resetsMomentum = true}));
    const ServedRun kept = with(syncSwitchRule({.syncSteps = kSynchronous}));
    const std::int64_t steps = problem_.steps;
    problem_.steps = kSynchronous;
    const double rate = std::exchange(problem_.rate, problem_.rate * workers_);
    Trajectory expected = with(sspRule(0)).trajectory();
    problem_.rate = rate;
    problem_.start = expected.back()[0];
    problem_.steps = steps - kSynchronous;
    const ServedRun after = with(asyncRule());
    const Trajectory asynchronous = after.trajectory();
    expected.insert(expected.end(), asynchronous.begin() + 1, asynchronous.end());
    expectSame(got.trajectory(), expected, 0);
    const std::int64_t switched = got.ends[0][kSynchronous - 1];
    for (std::size_t i = 0; i < got.ends.size(); ++i) EXPECT_EQ(got.ends[i].back(), switched + after.ends[i].back());
    EXPECT_EQ(kept.ends, got.ends);
    EXPECT_EQ(kept.trajectory()[kSynchronous], expected[kSynchronous]);
    EXPECT_NE(kept.trajectory()[kSynchronous + 1], expected[kSynchronous + 1]);
}

TEST_P(OracleIdentities, NobodyStartsFurtherAheadThanItMay) {
    for (const std::int64_t staleness : {0, 1, 3}) {
        EXPECT_EQ(with(sspRule(staleness)).largestLead(), staleness) << "and the fast go as far as they may";
        for (const std::int64_t extra : {1, 4, 12}) {
            const ServedRun run = with(dsspRule({.staleness = staleness, .extra = extra, .bounded = true}));
            EXPECT_GE(run.largestLead(), staleness);
            EXPECT_LE(run.largestLead(), staleness + extra);
        }
    }
    EXPECT_GT(with(asyncRule()).largestLead(), 16);
}

INSTANTIATE_TEST_SUITE_P(Paces, OracleIdentities,
                         testing::Values(kPaces, std::vector{1.0, 1.5, 3.0}, std::vector{2.71, 1.0},
                                         std::vector{1.3, 1.3, 1.0, 1.0, 1.9}));

TEST(OracleOfOneWorker, IsSgdWhateverTheRule) {
    const QuadraticProblem problem{.workers = 1, .steps = 50, .weightDecay = 0.01, .nesterov = true};
    const Trajectory sgd = serial(problem, [](std::int64_t, Workers&) {});
    const ServedProblem served = onOracleServer(problem, {1});
    for (const MakeRule& rule :
         {asyncRule(), sspRule(0), sspRule(0, true), sspRule(3), pspRule({.sample = 0}), pspRule({.sample = 1}),
          dsspRule({}), dsspRule({.staleness = 0, .bounded = true}), syncSwitchRule({.syncSteps = 20})}) {
        const ServedRun run = servedWith(served, rule);
        expectSame(run.trajectory(), sgd, 1e-12);
        EXPECT_EQ(run.ends[0].back(), 50 * (kStepNs + 2 * kOneWayNs));
    }
    ServedProblem shared = served;
    shared.sharesWork = true;
    for (const MakeRule& rule :
         {asyncRule(), sspRule(0), kAsyncRule({.gradients = 1}), kAsyncRule({.gradients = 1, .growth = 5}),
          backupRule(0), elasticRule({}), elasticRule({.lookahead = 4, .monitor = 0})}) {
        const ServedRun run = servedWith(shared, rule);
        expectSame(run.trajectory(), sgd, 1e-12);
        EXPECT_EQ(run.ends[0].back(), 50 * (kStepNs + 2 * kOneWayNs));
    }
}

// Instant at which the fast of two workers has made its last step; the slow one takes `ratio` times as long a step.
std::int64_t fastWorkersEnd(double ratio, const MakeRule& rule) {
    QuadraticProblem problem = kUnlike;
    problem.workers = 2;
    problem.steps = 200;
    return servedWith(onOracleServer(problem, {1, ratio}), rule).ends[0].back();
}

// At steady paces the controller grants again as soon as a grant is used up.
TEST(OracleDssp, RunsAtTheRateOfAsyncAsWrittenAndAtThatOfTheSlowWhereItIsBounded) {
    constexpr double kRatio = 2.7;
    const auto async = static_cast<double>(fastWorkersEnd(kRatio, asyncRule()));
    EXPECT_NEAR(static_cast<double>(fastWorkersEnd(kRatio, dsspRule({}))) / async, 1, 0.01);
    // Its last step may be 15 ahead of the slow one's.
    const double slow = (kRatio + 0.02) / 1.02 * (200 - 15) / 200;
    EXPECT_GT(static_cast<double>(fastWorkersEnd(kRatio, dsspRule({.bounded = true}))) / async, 0.99 * slow);
    EXPECT_GT(static_cast<double>(fastWorkersEnd(kRatio, sspRule(15))) / async, 0.99 * slow);
}

TEST(OracleElasticBsp, StopsWhereThePredictedPushesAreClosest) {
    using ::testing::ElementsAre;
    EXPECT_THAT(OracleElasticBsp::meetingOf({{0, 10}, {0, 25}}, 15).pushes, ElementsAre(5, 2)) << "both at 50";
    EXPECT_THAT(OracleElasticBsp::meetingOf({{0, 10}, {0, 25}}, 4).pushes, ElementsAre(2, 1)) << "the earliest of two";
    EXPECT_THAT(OracleElasticBsp::meetingOf({{7, 10}, {3, 25}}, 1).pushes, ElementsAre(1, 1));
    const auto meeting = OracleElasticBsp::meetingOf({{0, 1000}, {990, 15}, {0, 1040}}, 2);
    EXPECT_THAT(meeting.pushes, ElementsAre(1, 2, 1)) << "its newest push before the last one of all";
    EXPECT_EQ(meeting.apartNs, 40);
    EXPECT_EQ(meeting.narrowNs, (2000 - 1020) - 40);
}

// Paces of two workers are drawn from few numbers, so that combinations are equally close. Those of more workers are
// drawn from many: which push between the first and the last is the newest is not defined at equal instants.
TEST(OracleElasticBsp, ChoosesAsZipLineOfTheEngineDoes) {
    OracleSplitMix64 random{5};
    const auto below = [&](std::int64_t end) {
        return static_cast<std::int64_t>(random.next() % static_cast<std::uint64_t>(end));
    };
    for (int trial = 0; trial < 2000; ++trial) {
        const std::int64_t workers = 2 + below(3), lookahead = 1 + below(6), scale = workers == 2 ? 10 : kSecondNs;
        std::vector<OracleElasticBsp::Pace> paces;
        std::vector<std::vector<Ns>> instants;
        for (std::int64_t i = 0; i < workers; ++i) {
            const OracleElasticBsp::Pace pace{below(2 * scale), 1 + below((1 + 3 * i) * scale)};
            paces.push_back(pace);
            auto& own = instants.emplace_back();
            for (std::int64_t r = 1; r <= lookahead; ++r) own.push_back(pace.lastNs + r * pace.intervalNs);
        }
        const auto meeting = OracleElasticBsp::meetingOf(paces, lookahead);
        const ZipLineChoice choice = zipLine(instants);
        EXPECT_EQ(choice.spread, meeting.apartNs) << "trial " << trial;
        for (std::size_t i = 0; i < paces.size(); ++i) {
            EXPECT_EQ(choice.chosen[i] + 1, meeting.pushes[i]) << "worker " << i << " of trial " << trial;
        }
    }
}

// Workers whose steps take 2 : 3 have pushed three times and twice when the prediction is made, and they meet after as
// many further pushes.
TEST(OracleElasticBsp, HoldsTheLastGradientOfEachWorker) {
    QuadraticProblem problem = kUnlike;
    problem.workers = 2;
    problem.steps = 50;
    ServedProblem served = onOracleServer(problem, {2, 3});
    served.messageNs.assign(2, 0);
    served.sharesWork = true;
    const ServedRun run = servedWith(served, elasticRule({.lookahead = 3}));
    std::vector<std::vector<int>> superstep{{0}, {1}, {0}, {0}, {1}, {0}, {1}, {0}, {0, 1}};
    for (std::size_t i = 0; i < run.updates.size(); ++i) {
        EXPECT_EQ(run.updates[i], superstep[i % superstep.size()]) << "update " << i;
    }
    EXPECT_EQ(std::ssize(run.updates), 90) << "of 100 gradients";
}

TEST(OraclePsp, DrawsAStreamOfItsOwnForEachWorkerPushAndDraw) {
    using ::testing::ElementsAre;
    const ServerClocks clocks{{9, 9, 7, 9, 9}};
    const OraclePsp::Settings settings{.sample = 3, .seed = 42};
    EXPECT_THAT(OraclePsp::sampleOf(settings, clocks, 2, 0), ElementsAre(3, 1, 4));
    EXPECT_THAT(OraclePsp::sampleOf(settings, clocks, 2, 1), ElementsAre(1, 2, 3));
    EXPECT_THAT(OraclePsp::sampleOf(settings, clocks, 2, 2), ElementsAre(1, 4, 0));
}

TEST(OraclePsp, WaitsTheMoreTheMoreWorkersItLooksAt) {
    constexpr int kWorkers = 30;
    constexpr std::int64_t kSeconds = 120;
    ServedProblem problem{.gradient = [](int, const Vec&) { return Vec{0}; }, .start = {0}, .steps = 100};
    problem.computeNs.assign(kWorkers, 0);
    problem.messageNs.assign(kWorkers, 0);
    // 1 + Exp(1) seconds, a draw for each worker and step.
    problem.stepNs = [](int worker, std::int64_t step) {
        OracleSplitMix64 stream{static_cast<std::uint64_t>(1000 * worker + step)};
        const double uniform = (static_cast<double>(stream.next() >> 11) + 0.5) * 0x1p-53;
        return std::llround((1 - std::log(uniform)) * kSecondNs);
    };
    const auto stepsOfAWorker = [&](const MakeRule& rule) {
        const ServedRun run = servedWith(problem, rule);
        const auto inTime = std::count_if(run.pushes.begin(), run.pushes.end(), [](const ServedRun::Push& push) {
            return push.atNs <= kSeconds * kSecondNs;
        });
        return static_cast<double>(inTime) / kWorkers;
    };
    double before = stepsOfAWorker(asyncRule());
    EXPECT_NEAR(before, kSeconds / 2, 2) << "2 s a step";
    for (const std::int64_t sample : {1, 3, 8, kWorkers}) {
        const double redrawn = stepsOfAWorker(pspRule({.sample = sample, .seed = 7}));
        EXPECT_LT(redrawn, before) << sample;
        EXPECT_LE(stepsOfAWorker(pspRule({.sample = sample, .redraw = false, .seed = 7})), redrawn) << sample;
        before = redrawn;
    }
    EXPECT_NEAR(before, kSeconds / 4.995, 3) << "1 s and the 30th harmonic number of seconds a step";
}

// Where all quadratics have one matrix the minimum of the weighted sum is the weighted mean of the targets.
TEST(OracleAsync, EndsAtTheMinimumWeightedByTheRates) {
    const QuadraticProblem problem{.workers = 3, .steps = 4000, .rate = 0.002, .momentum = 0};
    const std::vector<double> factors{1, 2.03, 3.07};
    ServedProblem served = onOracleServer(problem, factors);
    served.messageNs.assign(3, 0);
    const ServedRun run = servedWith(served, asyncRule());
    const Vec& end = run.read[0].back();  // the others still train then
    double toWeighted = 0, toMean = 0, rates = 0;
    for (const double each : factors) rates += 1 / each;
    for (std::size_t j = 0; j < end.size(); ++j) {
        double weighted = 0, plain = 0;
        for (int i = 0; i < problem.workers; ++i) {
            weighted += problem.target(i)[j] / factors[static_cast<std::size_t>(i)] / rates;
            plain += problem.target(i)[j] / 3;
        }
        toWeighted = std::max(toWeighted, std::abs(end[j] - weighted));
        toMean = std::max(toMean, std::abs(end[j] - plain));
    }
    EXPECT_LT(toWeighted, 0.01);
    EXPECT_GT(toMean, 0.2);
}

}  // namespace
}  // namespace dasgd::test
