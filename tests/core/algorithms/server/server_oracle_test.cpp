// Rules of parameter servers as events in plain doubles (tests/support/server_oracle.h): held to the identities between
// them, and the engine on the virtual cluster held to them in weights, order and instants.
#include "tests/support/server_oracle.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>

#include "core/algorithms/server/zip_line.h"
#include "tests/support/quadratic_oracle.h"
#include "tests/support/sim/virtual_cluster.h"

namespace dasgd::test {
namespace {

constexpr std::int64_t kEndless = 1'000'000;
constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::int64_t kStepNs = 100 * kSecondNs;  // of a worker whose factor is 1
constexpr std::int64_t kOneWayNs = kSecondNs;      // of a push, and of an answer

using MakeRule = std::function<std::unique_ptr<OracleRule>(int workers)>;

MakeRule asyncRule() {
    return [](int) { return std::make_unique<OracleAsync>(); };
}
MakeRule sspRule(std::int64_t staleness, bool perPush = false) {
    return [=](int) { return std::make_unique<OracleSsp>(staleness, perPush); };
}
MakeRule pspRule(const OraclePsp::Settings& settings) {
    return [=](int workers) { return std::make_unique<OraclePsp>(settings, workers); };
}
MakeRule dsspRule(const OracleDssp::Settings& settings) {
    return [=](int workers) { return std::make_unique<OracleDssp>(settings, workers); };
}
MakeRule syncSwitchRule(const OracleSyncSwitch::Settings& settings) {
    return [=](int) { return std::make_unique<OracleSyncSwitch>(settings); };
}
MakeRule kAsyncRule(const OracleKAsync::Settings& settings) {
    return [=](int) { return std::make_unique<OracleKAsync>(settings); };
}
MakeRule backupRule(std::int64_t backup) {
    return [=](int workers) { return std::make_unique<OracleBackup>(backup, workers); };
}
MakeRule elasticRule(const OracleElasticBsp::Settings& settings) {
    return [=](int workers) { return std::make_unique<OracleElasticBsp>(settings, workers); };
}

// The problem on a server, worker i computing `factors[i]` times 100 s a step.
ServedProblem onOracleServer(const QuadraticProblem& problem, const std::vector<double>& factors) {
    ServedProblem made{
        .gradient = [problem](int worker, const Vec& w) { return problem.gradient(w, problem.target(worker)); },
        .start = problem.start,
        .steps = problem.steps,
        .rate = problem.rate,
        .momentum = problem.momentum,
        .dampening = problem.dampening,
        .weightDecay = problem.weightDecay,
        .nesterov = problem.nesterov};
    for (const double factor : factors) made.computeNs.push_back(std::llround(factor * kStepNs));
    made.messageNs.assign(factors.size(), kOneWayNs);
    return made;
}

ServedRun servedWith(const ServedProblem& problem, const MakeRule& make) {
    const auto rule = make(problem.workers());
    return serveOracle(problem, *rule);
}

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

// One setting of a rule: as a document for the engine, and as a rule for the oracle.
struct EngineSetting {
    std::string what;
    Fields algorithm;
    MakeRule rule;
    std::vector<double> factors;  // of the workers' step times
    std::int64_t steps = 120;
    std::int64_t servers = 1;
    bool hiccups = false;         // every 7th step of worker 1 takes 2.3 times as long
    std::string jitter = "none";  // of the engine, whose computing times the oracle then takes
    bool keepsGradients = false;  // SAGA
    bool sharesWork = false;      // the faster workers make more steps

    // Workers of one pace push at equal instants, which go by rank.
    [[nodiscard]] bool hasOnePace() const {
        return std::count(factors.begin(), factors.end(), factors[0]) == workers();
    }

    [[nodiscard]] int workers() const { return static_cast<int>(factors.size()); }
    [[nodiscard]] QuadraticProblem problem() const {
        return {.workers = workers(), .steps = steps, .rate = 0.02, .momentum = 0.5, .weightDecay = 0.01};
    }
};
void PrintTo(const EngineSetting& setting, std::ostream* stream) { *stream << setting.what; }

constexpr std::int64_t kSeed = 20'261;
constexpr std::int64_t kHiccupEvery = 7;
constexpr double kHiccupFactor = 2.3;

// The oracle leaves out the 0.2 ns that 24 bytes take at 125 GB/s, a few times that where workers share the server's
// link. The simulator holds instants within 1 ns to be one and never sleeps less, so that each computation, message,
// update and copy may shift what follows by 1 ns: fewer than 15 in a step. The longest chain of steps that wait for
// each other has 600: as many as the fastest makes while the slowest makes 200. So no instant is off by 10 µs. Steps of
// 100 s keep whatever an order or a choice depends on ten times as far apart, as the test asserts.
constexpr std::int64_t kToleranceNs = 10'000;
constexpr std::int64_t kApartNs = 10 * kToleranceNs;

Value documentOf(const EngineSetting& setting) {
    Value document = setting.problem().experiment(setting.algorithm);
    document.find("train")->set("seed", integer(kSeed));
    if (setting.sharesWork) {
        document.find("train")->set("work", text("shared"));
        document.find("train")->set("batch_size", integer(1));  // numbers of samples are those of gradients
    }
    document.set("cluster", table({{"backend", text("virtual")},
                                   {"workers", integer(setting.workers() + setting.servers)},
                                   {"timeout_s", number(8e4)}}));
    document.set("network", table({{"bandwidth", text("1000Gbps")}, {"latency", text("1s")}}));
    document.set("compute", table({{"step_time", text("100s")},
                                   {"memory_bandwidth", text("1000TB/s")},
                                   {"jitter", text(setting.jitter)},
                                   {"rank_factors", vector(setting.factors)}}));
    if (setting.hiccups) {
        document.find("compute")->set("straggler", table({{"ranks", array<std::int64_t>({1})},
                                                          {"factor", number(kHiccupFactor)},
                                                          {"every", integer(kHiccupEvery)}}));
    }
    return document;
}

// Computing time of each worker and step. Where steps scatter the engine draws it, which is no part of the rule, so the
// oracle is told.
std::map<std::pair<int, std::int64_t>, Ns> computingTimes(const std::vector<RankRecord>& records, int workers) {
    std::map<std::pair<int, std::int64_t>, Ns> times;
    for (int worker = 0; worker < workers; ++worker) {
        for (const Span& span : records[static_cast<std::size_t>(worker)].sink.spans) {
            const bool pass = span.kind == SpanKind::Forward || span.kind == SpanKind::Backward;
            if (pass) times[{worker, span.step}] += span.end - span.start;
        }
    }
    return times;
}

// SAGA of one component a worker: δ is what is new in its gradient, and the server adds the mean of the old ones.
void keepGradients(ServedProblem& problem) {
    const std::size_t elements = problem.start.size();
    problem.gradient = [gradient = problem.gradient, kept = Workers(problem.computeNs.size(), Vec(elements, 0))](
                           int worker, const Vec& w) mutable {
        Vec delta = gradient(worker, w);
        Vec& last = kept[static_cast<std::size_t>(worker)];
        for (std::size_t j = 0; j < delta.size(); ++j) {
            delta[j] -= last[j];
            last[j] += delta[j];
        }
        return delta;
    };
    problem.direction = [workers = problem.workers(), mean = Vec(elements, 0)](const Vec& delta) mutable {
        Vec along(delta);
        for (std::size_t j = 0; j < along.size(); ++j) {
            along[j] += mean[j];
            mean[j] += delta[j] / workers;
        }
        return along;
    };
}

ServedProblem servedProblemOf(const EngineSetting& setting, const std::vector<RankRecord>& records) {
    ServedProblem problem = onOracleServer(setting.problem(), setting.factors);
    problem.sharesWork = setting.sharesWork;
    if (setting.keepsGradients) keepGradients(problem);
    if (setting.jitter != "none") {
        problem.stepNs = [times = computingTimes(records, setting.workers())](int worker, std::int64_t step) {
            return times.at({worker, step});
        };
    } else if (setting.hiccups) {
        problem.stepNs = [factors = setting.factors](int worker, std::int64_t step) {
            const bool slow = worker == 1 && step % kHiccupEvery == 0;
            return std::llround(factors[static_cast<std::size_t>(worker)] * (slow ? kHiccupFactor : 1) * kStepNs);
        };
    }
    return problem;
}

// Messages of one step of a worker: its pushes are the earliest, its pulls the latest.
struct StepMessages {
    Ns sent = 0;     // when the first push sets out
    Ns arrived = 0;  // when it arrives
    Ns end = 0;      // when the last pull arrives
};

std::map<std::int64_t, StepMessages> messagesOf(const RankRecord& record) {
    std::map<std::int64_t, StepMessages> all;
    for (const Span& span : record.sink.spans) {
        if (span.lane != Lane::Comm) continue;
        const auto [known, isNew] = all.try_emplace(span.step, StepMessages{span.start, span.end, span.end});
        StepMessages& step = known->second;
        if (span.start < step.sent) step = {span.start, span.end, step.end};
        step.end = std::max(step.end, span.end);
    }
    return all;
}

void expectSamePushes(const std::vector<RankRecord>& records, const ServedRun& expected) {
    std::vector<std::tuple<Ns, int, std::int64_t>> pushes;
    for (int worker = 0; worker < static_cast<int>(expected.ends.size()); ++worker) {
        for (const auto& [step, messages] : messagesOf(records[static_cast<std::size_t>(worker)])) {
            pushes.emplace_back(messages.arrived, worker, step);
        }
    }
    std::sort(pushes.begin(), pushes.end());
    ASSERT_EQ(pushes.size(), expected.pushes.size());
    for (std::size_t i = 0; i < pushes.size(); ++i) {
        const ServedRun::Push& push = expected.pushes[i];
        const auto& [arrived, worker, step] = pushes[i];
        ASSERT_EQ(std::pair(worker, step), std::pair(push.worker, push.clock)) << "push " << i;
        ASSERT_NEAR(static_cast<double>(arrived), static_cast<double>(push.atNs), kToleranceNs) << "push " << i;
    }
}

// With shared work each gradient has a number among those of all workers, and as many gradients as there are workers
// are a step of the run.
void expectSameNumbers(const std::vector<RankRecord>& records, const ServedRun& expected) {
    const auto workers = std::ssize(expected.read);
    for (const ServedRun::Push& push : expected.pushes) {
        const auto& points = records[static_cast<std::size_t>(push.worker)].sink.metrics.at("weight/0");
        const auto& point = points.at(static_cast<std::size_t>(push.clock));
        const bool isShared = push.number > 0;
        SCOPED_TRACE("step " + std::to_string(push.clock) + " of worker " + std::to_string(push.worker));
        ASSERT_EQ(point.step, isShared ? (push.number - 1) / workers + 1 : push.clock);
        ASSERT_EQ(isShared ? point.samples : 0, push.number);
    }
}

// Weights that a worker had at the start and after each of its steps, which may be more or fewer than another's.
void expectSameReads(const std::vector<RankRecord>& records, const ServedRun& expected) {
    for (std::size_t worker = 0; worker < expected.read.size(); ++worker) {
        SCOPED_TRACE("worker " + std::to_string(worker));
        Trajectory read(expected.read[worker].size(), Workers(1)), recorded(read);
        for (std::size_t k = 0; k < read.size(); ++k) read[k][0] = expected.read[worker][k];
        for (std::size_t j = 0; j < expected.weights.size(); ++j) {
            const auto& points = records[worker].sink.metrics.at("weight/" + std::to_string(j));
            ASSERT_EQ(points.size(), recorded.size());
            for (std::size_t k = 0; k < points.size(); ++k) recorded[k][0].push_back(points[k].value);
        }
        expectSame(recorded, read, 1e-12);
    }
}

void expectSameEnds(const std::vector<RankRecord>& records, const ServedRun& expected) {
    for (std::size_t worker = 0; worker < expected.ends.size(); ++worker) {
        const auto messages = messagesOf(records[worker]);
        for (std::size_t k = 0; k < expected.ends[worker].size(); ++k) {
            const auto step = static_cast<std::int64_t>(k) + 1;
            ASSERT_TRUE(messages.contains(step)) << "step " << step << " of worker " << worker;
            ASSERT_NEAR(static_cast<double>(messages.at(step).end), static_cast<double>(expected.ends[worker][k]),
                        kToleranceNs)
                << "step " << step << " of worker " << worker;
        }
    }
}

// Each server's share of the weights at the end.
void expectSameServers(const std::vector<RankRecord>& records, const ServedRun& expected, std::int64_t servers) {
    const std::size_t workers = expected.ends.size(), count = records.size() - workers;
    ASSERT_EQ(static_cast<std::int64_t>(count), servers);
    const std::size_t elements = expected.weights.size();
    Vec weights;
    for (std::size_t server = 0; server < count; ++server) {
        for (std::size_t j = elements * server / count; j < elements * (server + 1) / count; ++j) {
            weights.push_back(records[workers + server].sink.metrics.at("weight/" + std::to_string(j)).back().value);
        }
    }
    expectSame({{weights}}, {{expected.weights}}, 1e-12);
}

class ServerOnTheVirtualCluster : public testing::TestWithParam<EngineSetting> {};

TEST_P(ServerOnTheVirtualCluster, IsThatOfTheOracle) {
    const EngineSetting& setting = GetParam();
    const auto records = trainVirtually(documentOf(setting));
    for (const RankRecord& record : records) ASSERT_EQ(record.outcome.error, "");
    const ServedProblem problem = servedProblemOf(setting, records);
    const auto rule = setting.rule(setting.workers());
    const ServedRun expected = serveOracle(problem, *rule);
    if (setting.hasOnePace()) {
        ASSERT_EQ(expected.closestPushesNs(), 0);
    } else {
        ASSERT_GT(expected.closestPushesNs(), kApartNs) << "the order must not depend on what the oracle leaves out";
    }
    ASSERT_GT(rule->narrowestChoiceNs(), kApartNs) << "nor must a choice by instants";
    expectSamePushes(records, expected);
    expectSameNumbers(records, expected);
    expectSameEnds(records, expected);
    expectSameReads(records, expected);
    expectSameServers(records, expected, setting.servers);
}

const std::vector<double> kThree{1, 1.7137, 1.2319}, kFour{1.0471, 1.7137, 1, 1.4173};
const std::vector<double> kFive{1.4173, 1, 1.7137, 1.0871, 1.2319};

std::vector<EngineSetting> asynchronousSettings() {
    return {{"Async", {{"name", text("async_sgd")}}, asyncRule(), kFour, 200},
            {"AsyncOnTwoServers", {{"name", text("async_sgd")}, {"servers", integer(2)}}, asyncRule(), kThree, 120, 2},
            {"AsyncWithHiccups", {{"name", text("async_sgd")}}, asyncRule(), kFive, 100, 1, true},
            {"Saga", {{"name", text("async_saga")}}, asyncRule(), kFour, 150, 1, false, "none", true},
            {"SagaOnTwoServers",
             {{"name", text("async_saga")}, {"servers", integer(2)}},
             asyncRule(),
             kThree,
             120,
             2,
             false,
             "none",
             true},
            {"AsyncOfOnePace", {{"name", text("async_sgd")}}, asyncRule(), {1, 1, 1, 1}, 60}};
}

EngineSetting sspSetting(const std::string& what, std::int64_t staleness, const std::vector<double>& factors,
                         std::int64_t servers = 1) {
    return {what,
            {{"name", text("ssp")}, {"staleness", integer(staleness)}, {"servers", integer(servers)}},
            sspRule(staleness),
            factors,
            120,
            servers};
}

constexpr const char* kScattered = "normal(0.1)";

EngineSetting pspSetting(const std::string& what, std::int64_t sample, std::int64_t staleness, bool redraw,
                         const std::vector<double>& factors, const std::string& jitter = kScattered) {
    return {what,
            {{"name", text("psp")},
             {"sample", integer(sample)},
             {"staleness", integer(staleness)},
             {"redraw", boolean(redraw)}},
            pspRule({.sample = sample, .staleness = staleness, .redraw = redraw, .seed = kSeed}),
            factors,
            150,
            1,
            false,
            jitter};
}

EngineSetting dsspSetting(const std::string& what, const OracleDssp::Settings& settings,
                          const std::vector<double>& factors, const std::string& jitter = kScattered) {
    return {what,
            {{"name", text("dssp")},
             {"staleness", integer(settings.staleness)},
             {"extra", integer(settings.extra)},
             {"bounded", boolean(settings.bounded)}},
            dsspRule(settings),
            factors,
            150,
            1,
            false,
            jitter};
}

EngineSetting syncSwitchSetting(const std::string& what, const OracleSyncSwitch::Settings& settings,
                                const std::vector<double>& factors, std::int64_t servers = 1) {
    return {what,
            {{"name", text("sync_switch")},
             {"servers", integer(servers)},
             {"sync_steps", integer(settings.syncSteps)},
             {"sync_rate", number(settings.syncRate)},
             {"momentum", text(settings.resetsMomentum ? "reset" : "keep")}},
            syncSwitchRule(settings),
            factors,
            100,
            servers};
}

std::vector<EngineSetting> boundedSettings() {
    return {sspSetting("SspOfNoLead", 0, kFour), sspSetting("Ssp", 2, kFive),
            sspSetting("SspOnTwoServers", 3, kThree, 2)};
}

// A worker that waits starts at the instant of another's push. With steady paces two sums of the same times in
// different orders then give equal instants, so steps scatter here.
std::vector<EngineSetting> pspSettings() {
    return {pspSetting("PspOfNone", 0, 0, true, kThree, "none"),
            pspSetting("PspOfOne", 1, 0, true, kFour),
            pspSetting("PspOfTwo", 2, 2, true, kFive),
            pspSetting("PspOfThree", 3, 1, true, kFive),
            pspSetting("PspOfOneKept", 1, 1, false, kFour),
            pspSetting("PspOfTwoKept", 2, 0, false, kFive),
            pspSetting("PspOfAll", 4, 3, true, kFour, "none"),
            pspSetting("PspOfAllOfNoLead", 3, 0, true, kThree, "none")};
}

// With steady paces a worker that waits for the slowest at each step has the same interval as that one. Then the
// controller finds several grants equally good, or a nanosecond apart, so steps scatter here too.
std::vector<EngineSetting> dsspSettings() {
    return {dsspSetting("Dssp", {}, {1, 2.7183}, "none"),
            dsspSetting("DsspOfThree", {.staleness = 1, .extra = 4}, kThree),
            dsspSetting("DsspOfFive", {.staleness = 2, .extra = 7}, kFive),
            dsspSetting("DsspOfNoLead", {.staleness = 0, .extra = 5}, kFour),
            dsspSetting("DsspBoundedOfTwo", {.bounded = true}, {1, 2.7183}, "none"),
            dsspSetting("DsspBoundedOfThree", {.staleness = 2, .extra = 5, .bounded = true}, {1, 2.7183, 1.4142}),
            dsspSetting("DsspBoundedOfFour", {.staleness = 1, .extra = 6, .bounded = true}, kFour),
            dsspSetting("DsspBoundedOfNoLead", {.staleness = 0, .extra = 3, .bounded = true}, kFive),
            dsspSetting("DsspOfNoExtra", {.staleness = 2, .extra = 0}, kFour, "none")};
}

std::vector<EngineSetting> syncSwitchSettings() {
    return {syncSwitchSetting("SyncSwitch", {.syncSteps = 25}, kFour),
            syncSwitchSetting("SyncSwitchReset", {.syncSteps = 40, .syncRate = 1.5, .resetsMomentum = true}, kThree, 2),
            syncSwitchSetting("SyncSwitchAtOnce", {.syncSteps = 0}, kFive),
            syncSwitchSetting("SyncSwitchNever", {.syncSteps = 100, .syncRate = 1}, kThree)};
}

EngineSetting sharedSetting(const std::string& what, Fields algorithm, MakeRule rule,
                            const std::vector<double>& factors, const std::string& jitter = "none") {
    return {what, std::move(algorithm), std::move(rule), factors, 120, 1, false, jitter, false, true};
}

EngineSetting kAsyncSetting(const std::string& what, const OracleKAsync::Settings& settings,
                            const std::vector<double>& factors, const std::string& jitter = "none") {
    return sharedSetting(
        what,
        {{"name", text("k_async")}, {"gradients", integer(settings.gradients)}, {"growth", integer(settings.growth)}},
        kAsyncRule(settings), factors, jitter);
}

EngineSetting backupSetting(const std::string& what, std::int64_t backup, const std::vector<double>& factors,
                            const std::string& jitter = "none") {
    return sharedSetting(what, {{"name", text("backup_workers")}, {"backup", integer(backup)}}, backupRule(backup),
                         factors, jitter);
}

EngineSetting elasticSetting(const std::string& what, const OracleElasticBsp::Settings& settings,
                             const std::vector<double>& factors, const std::string& jitter = "none") {
    return sharedSetting(what,
                         {{"name", text("elastic_bsp")},
                          {"lookahead", integer(settings.lookahead)},
                          {"monitor", integer(settings.monitor)}},
                         elasticRule(settings), factors, jitter);
}

EngineSetting sharedSspSetting(const std::string& what, std::int64_t staleness, const std::vector<double>& factors,
                               const std::string& jitter = "none") {
    return sharedSetting(what, {{"name", text("ssp")}, {"staleness", integer(staleness)}}, sspRule(staleness), factors,
                         jitter);
}

// With one step each worker's gradient is its last one, and all are begun at the start.
EngineSetting ofOneStep(EngineSetting setting) {
    setting.steps = 1;
    return setting;
}

EngineSetting ofSharedWork(EngineSetting setting) {
    setting.what += "Shared";
    setting.sharesWork = true;
    return setting;
}

std::vector<EngineSetting> sharedSettings() {
    return {sharedSetting("AsyncOfFour", {{"name", text("async_sgd")}}, asyncRule(), kFour),
            sharedSetting("AsyncOfFive", {{"name", text("async_sgd")}}, asyncRule(), kFive),
            sharedSetting("AsyncOfOnePace", {{"name", text("async_sgd")}}, asyncRule(), {1, 1, 1, 1}),
            sharedSspSetting("SspOfNoLead", 0, kFour),
            sharedSspSetting("SspOfThree", 3, kThree),
            sharedSspSetting("SspOfFive", 2, kFive, kScattered),
            ofSharedWork(pspSetting("Psp", 2, 1, true, kFive)),
            ofSharedWork(pspSetting("PspKept", 1, 0, false, kFour)),
            ofSharedWork(dsspSetting("Dssp", {.staleness = 1, .extra = 4}, kThree)),
            ofSharedWork(dsspSetting("DsspBounded", {.staleness = 1, .extra = 6, .bounded = true}, kFour)),
            ofSharedWork(syncSwitchSetting("SyncSwitch", {.syncSteps = 25}, kFour))};
}

std::vector<EngineSetting> kAsyncSettings() {
    return {kAsyncSetting("KAsyncTwoOfFour", {.gradients = 2}, kFour),
            kAsyncSetting("KAsyncThreeOfFive", {.gradients = 3}, kFive),
            kAsyncSetting("KAsyncGrowing", {.gradients = 1, .growth = 20}, kFour),
            kAsyncSetting("KAsyncGrowingScattered", {.gradients = 2, .growth = 35}, kFive, kScattered),
            kAsyncSetting("KAsyncOfOne", {.gradients = 1}, kThree),
            kAsyncSetting("KAsyncOfAll", {.gradients = 4}, kFour),
            kAsyncSetting("KAsyncScattered", {.gradients = 3}, kFour, kScattered),
            kAsyncSetting("KAsyncOfOnePace", {.gradients = 3}, {1, 1, 1, 1}),
            ofOneStep(kAsyncSetting("KAsyncOfOneStep", {.gradients = 3}, kFour))};
}

std::vector<EngineSetting> backupSettings() {
    return {backupSetting("BackupOneOfFour", 1, kFour),
            backupSetting("BackupTwoOfFive", 2, kFive),
            backupSetting("BackupNone", 0, kThree),
            backupSetting("BackupAllButOne", 3, kFour),
            backupSetting("BackupScattered", 1, kFive, kScattered),
            backupSetting("BackupOfOnePace", 1, {1, 1, 1, 1}),
            ofOneStep(backupSetting("BackupOfOneStep", 1, kFour))};
}

std::vector<EngineSetting> elasticSettings() {
    return {elasticSetting("ElasticOfThree", {.lookahead = 4}, kThree),
            elasticSetting("ElasticOfFour", {.lookahead = 4}, kFour),
            elasticSetting("ElasticByDefault", {}, kThree),
            elasticSetting("ElasticUnmonitored", {.lookahead = 4, .monitor = 0}, kFour),
            elasticSetting("ElasticScattered", {.lookahead = 5}, kFour, kScattered),
            elasticSetting("ElasticUnmonitoredScattered", {.lookahead = 6, .monitor = 0}, kThree, kScattered),
            elasticSetting("ElasticOfUnlikePaces", {.lookahead = 8}, {1, 2.7183, 0.3141}, kScattered),
            elasticSetting("ElasticMonitoredLonger", {.lookahead = 3, .monitor = 5}, kFour),
            elasticSetting("ElasticOfOnePush", {.lookahead = 1}, kFour),
            elasticSetting("ElasticOfOnePushUnmonitored", {.lookahead = 1, .monitor = 0}, kThree),
            ofOneStep(elasticSetting("ElasticOfOneStep", {.lookahead = 2, .monitor = 0}, kFour))};
}

std::string nameOfSetting(const testing::TestParamInfo<EngineSetting>& info) { return info.param.what; }

INSTANTIATE_TEST_SUITE_P(Asynchronous, ServerOnTheVirtualCluster, testing::ValuesIn(asynchronousSettings()),
                         nameOfSetting);
INSTANTIATE_TEST_SUITE_P(Bounded, ServerOnTheVirtualCluster, testing::ValuesIn(boundedSettings()), nameOfSetting);
INSTANTIATE_TEST_SUITE_P(Psp, ServerOnTheVirtualCluster, testing::ValuesIn(pspSettings()), nameOfSetting);
INSTANTIATE_TEST_SUITE_P(Dssp, ServerOnTheVirtualCluster, testing::ValuesIn(dsspSettings()), nameOfSetting);
INSTANTIATE_TEST_SUITE_P(SyncSwitch, ServerOnTheVirtualCluster, testing::ValuesIn(syncSwitchSettings()), nameOfSetting);
INSTANTIATE_TEST_SUITE_P(Shared, ServerOnTheVirtualCluster, testing::ValuesIn(sharedSettings()), nameOfSetting);
INSTANTIATE_TEST_SUITE_P(KAsync, ServerOnTheVirtualCluster, testing::ValuesIn(kAsyncSettings()), nameOfSetting);
INSTANTIATE_TEST_SUITE_P(Backup, ServerOnTheVirtualCluster, testing::ValuesIn(backupSettings()), nameOfSetting);
INSTANTIATE_TEST_SUITE_P(Elastic, ServerOnTheVirtualCluster, testing::ValuesIn(elasticSettings()), nameOfSetting);

}  // namespace
}  // namespace dasgd::test
