// The engine on the virtual cluster, held to rules of parameter servers as events in plain doubles
// (tests/support/server_oracle.h) in weights, order and instants.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>

#include "tests/support/served_quadratic.h"
#include "tests/support/sim/virtual_cluster.h"

namespace dasgd::test {
namespace {

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

// With shared work each gradient has a number among those of all workers, and belongs to a step of the run: one of as
// many gradients as there are workers, or the update that its weights wait for.
void expectSameNumbers(const std::vector<RankRecord>& records, const ServedRun& expected, bool countsUpdates) {
    const auto workers = std::ssize(expected.read);
    for (const ServedRun::Push& push : expected.pushes) {
        const auto& points = records[static_cast<std::size_t>(push.worker)].sink.metrics.at("weight/0");
        const auto& point = points.at(static_cast<std::size_t>(push.clock));
        const bool isShared = push.number > 0;
        SCOPED_TRACE("step " + std::to_string(push.clock) + " of worker " + std::to_string(push.worker));
        const std::int64_t step = countsUpdates ? push.version + 1 : (push.number - 1) / workers + 1;
        ASSERT_EQ(point.step, isShared ? step : push.clock);
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
    expectSameNumbers(records, expected, setting.what.starts_with("Backup"));
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
