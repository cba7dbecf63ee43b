// Embedding tables that groups of ranks divide, and average: one process on the whole batch, the late averages of whole
// models, what is sent, and what is refused.
#include <gmock/gmock.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include <string>
#include <tuple>
#include <vector>

#include "core/base/schema/toml_reader.h"
#include "core/experiment/plan_experiment.h"
#include "core/train/run_check.h"
#include "tests/support/algorithm_trials.h"
#include "tests/support/in_child_process.h"
#include "tests/support/quadratic_oracle.h"
#include "tests/support/resumed_runs.h"
#include "tests/support/sim/virtual_cluster.h"
#include "tests/support/staged_runs.h"

namespace dasgd::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::int64_t kTables = 6, kRows = 7, kLookups = 2, kWidth = 3;
constexpr std::int64_t kOfTable = kRows * kWidth, kOfTables = kTables * kOfTable;

struct TableRun {
    std::int64_t group = 0, period = 1, delay = 0;
    double localWeight = 0, correction = 1;
    std::string algorithm = "sparse_2d";
    int workers = 4;
    std::int64_t steps = 12, batch = 4, accumulate = 1;
    std::string optimizer = "sgd";
    double momentum = 0.9;
    std::string precision = "float64", backend = "threads";
    bool weights = true;

    [[nodiscard]] Value document() const {
        Fields rule{{"name", text(algorithm)}};
        if (algorithm == "sparse_2d") {
            rule.insert(rule.end(), {{"group", integer(group)},
                                     {"period", integer(period)},
                                     {"delay", integer(delay)},
                                     {"local_weight", number(localWeight)},
                                     {"correction", number(correction)}});
        }
        Fields steps{{"name", text(optimizer)}, {"learning_rate", number(optimizer == "sgd" ? 0.2 : 0.01)}};
        if (optimizer == "sgd") steps.emplace_back("momentum", number(momentum));
        return table(
            {{"name", text("tables")},
             {"algorithm", table(std::move(rule))},
             {"model", table({{"name", text("dlrm")},
                              {"dense", integer(3)},
                              {"tables", integer(kTables)},
                              {"rows", integer(kRows)},
                              {"lookups", integer(kLookups)},
                              {"width", integer(kWidth)},
                              {"bottom", array<std::int64_t>({4})},
                              {"top", array<std::int64_t>({5})}})},
             {"data",
              table({{"name", text("clicks")}, {"train_samples", integer(192)}, {"test_samples", integer(24)}})},
             {"train", table({{"steps", integer(this->steps)},
                              {"batch_size", integer(batch)},
                              {"accumulate", integer(accumulate)},
                              {"eval_every", integer(5)},
                              {"precision", text(precision)}})},
             {"optimizer", table(std::move(steps))},
             {"cluster", table({{"backend", text(backend)}, {"workers", integer(workers)}})},
             {"record", table({{"weights", boolean(weights)}})}});
    }
    [[nodiscard]] int size() const { return group == 0 ? workers : static_cast<int>(group); }
    [[nodiscard]] int groups() const { return workers / size(); }

    // The same training in one process, on all samples of a step.
    [[nodiscard]] TableRun inOneProcess() const {
        TableRun one = *this;
        one.algorithm = "sync_sgd";
        one.batch = workers * batch * accumulate;
        one.accumulate = one.workers = 1;
        return one;
    }
    // The weights of each group: its tables from the ranks that have them, the rest from its first rank.
    [[nodiscard]] Trajectory ofGroups(const std::vector<RankRecord>& records) const {
        Trajectory all = recorded(records);
        const std::int64_t each = kTables / size() * kOfTable;
        for (Workers& step : all) {
            Workers whole;
            for (int group = 0; group < groups(); ++group) {
                whole.push_back(step[static_cast<std::size_t>(group * size())]);
                for (std::int64_t i = 0; i < kOfTables; ++i) {
                    const auto rank = static_cast<std::size_t>(group * size() + i / each);
                    whole.back()[static_cast<std::size_t>(i)] = step[rank][static_cast<std::size_t>(i)];
                }
            }
            step = whole;
        }
        return all;
    }
};

class Sparse2dIs : public testing::TestWithParam<std::tuple<Backend, int>> {};

TEST_P(Sparse2dIs, OneProcessWhereAllRanksAreAGroup) {
    const auto& [backend, workers] = GetParam();
    for (const char* optimizer : {"sgd", "adam"}) {
        const TableRun run{.workers = workers, .optimizer = optimizer};
        const auto records = train(run.document(), backend);
        const auto one = train(run.inOneProcess().document());
        const Trajectory got = run.ofGroups(records);
        EXPECT_NE(got.front(), got.back()) << "it trains";
        expectSame(got, recorded(one), 1e-12);
        const auto losses = metricOf(records[0], "eval/loss"), expected = metricOf(one[0], "eval/loss");
        ASSERT_EQ(losses.size(), expected.size());
        for (std::size_t i = 0; i < losses.size(); ++i) EXPECT_NEAR(losses[i], expected[i], 1e-12);
        EXPECT_TRUE(metricOf(records[0], "eval/replica_accuracy").empty()) << "no rank has a whole model";
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Sparse2dIs,
                         testing::Combine(testing::Values(Backend::Threads, Backend::Gloo),
                                          testing::Values(1, 2, 3, 6)));

// The mean of the groups' steps from one point is the step along the mean gradient, and so is that of velocities.
TEST(Sparse2d, AveragedInEveryStepIsSynchronousSgd) {
    for (const std::int64_t group : {1, 2, 3}) {
        for (const double momentum : {0.0, 0.9}) {
            const TableRun run{.group = group, .workers = 6, .momentum = momentum};
            const Trajectory one = recorded(train(run.inOneProcess().document()));
            Trajectory expected;
            for (const Workers& step : one) {
                expected.emplace_back(static_cast<std::size_t>(run.groups()), step[0]);
            }
            expectSame(run.ofGroups(train(run.document())), expected, 1e-12);
        }
    }
}

TEST(Sparse2d, AddsUpMicroBatches) {
    const TableRun run{.group = 2, .batch = 2, .accumulate = 3};
    const Trajectory one = recorded(train(run.inOneProcess().document()));
    Trajectory expected;
    for (const Workers& step : one) expected.emplace_back(2, step[0]);
    expectSame(run.ofGroups(train(run.document())), expected, 1e-12);
}

// A whole model for each group, with a gradient for each rank by automatic differentiation, momentum, and tables that
// merge the mean of those that left d steps ago; so does their momentum, without the correction.
Trajectory serialGroups(const TableRun& run) {
    const Experiment experiment = readExperiment(run.document()).value();
    const TrainingData data = loadTrainingData(experiment).value();
    const auto model = std::move(buildModel(experiment, data, Rank(0)).value());
    FlatParams params(model->module(), at::kDouble);
    const at::Tensor start = params.weights().clone();
    std::vector<std::unique_ptr<BatchLoader>> loaders;
    for (int rank = 0; rank < run.workers; ++rank) loaders.push_back(openLoader(experiment, data, Rank(rank)));

    const auto groups = static_cast<std::size_t>(run.groups());
    Vectors w(groups, start), v(groups, torch::zeros_like(start)), left, leftV;
    std::int64_t due = -1;
    const auto tablesOf = [](const Vectors& all) {
        Vectors tables;
        for (const at::Tensor& one : all) tables.push_back(one.narrow(0, 0, kOfTables));
        return tables;
    };
    const auto merged = [&](const Vectors& now, const Vectors& then, double c) {
        const at::Tensor mean = meanOf(tablesOf(then));
        Vectors after;
        for (std::size_t g = 0; g < groups; ++g) {
            const at::Tensor own = now[g].narrow(0, 0, kOfTables), s = then[g].narrow(0, 0, kOfTables);
            const at::Tensor tables = own * run.localWeight + (mean + (own - s) * c) * (1 - run.localWeight);
            after.push_back(torch::cat({tables, now[g].narrow(0, kOfTables, start.numel() - kOfTables)}));
        }
        return after;
    };
    const auto merge = [&] {
        w = merged(w, left, run.correction);
        v = merged(v, leftV, 0);
    };
    const auto flat = [](const Vectors& all) {
        Workers step;
        for (const at::Tensor& one : all) {
            const auto* values = one.const_data_ptr<double>();
            step.emplace_back(values, values + one.numel());
        }
        return step;
    };
    Trajectory all{flat(w)};
    for (std::int64_t k = 1; k <= run.steps; ++k) {
        Vectors g(groups, torch::zeros_like(start));
        at::Tensor rest = torch::zeros_like(start);
        for (int rank = 0; rank < run.workers; ++rank) {
            const auto group = static_cast<std::size_t>(rank / run.size());
            {
                const at::NoGradGuard guard;
                params.weights().copy_(w[group]);
                params.gradients().zero_();
            }
            model->loss(loaders[static_cast<std::size_t>(rank)]->take(run.batch)).backward();
            g[group] = g[group] + params.gradients() / run.size();
            rest = rest + params.gradients() / run.workers;
        }
        for (std::size_t i = 0; i < groups; ++i) {
            const at::Tensor own =
                torch::cat({g[i].narrow(0, 0, kOfTables), rest.narrow(0, kOfTables, start.numel() - kOfTables)});
            v[i] = v[i] * run.momentum + own;
            w[i] = w[i] - v[i] * 0.2;
        }
        if (k == due) merge();
        if (k % run.period == 0) {
            left = w;
            leftV = v;
            due = k + run.delay;
            if (run.delay == 0) merge();
        }
        all.push_back(flat(w));
    }
    return all;
}

class Sparse2dOracle : public testing::TestWithParam<std::tuple<Backend, std::int64_t>> {};

TEST_P(Sparse2dOracle, MergesTheTablesThatLeftEarlier) {
    const auto& [backend, group] = GetParam();
    for (TableRun run : {TableRun{.period = 3, .delay = 2}, TableRun{.period = 4, .delay = 0},
                         TableRun{.period = 2, .delay = 2, .localWeight = 0.25, .correction = 0.5},
                         TableRun{.period = 5, .delay = 1, .localWeight = 0.5, .correction = 0}}) {
        run.workers = 6;
        run.group = group;
        const Trajectory expected = serialGroups(run);
        EXPECT_TRUE(expected[11][0] != expected[11][1]) << "groups differ";
        expectSame(run.ofGroups(train(run.document(), backend)), expected, 1e-12);
    }
}

INSTANTIATE_TEST_SUITE_P(Groups, Sparse2dOracle,
                         testing::Combine(testing::Values(Backend::Threads), testing::Values<std::int64_t>(1, 2, 3)));
INSTANTIATE_TEST_SUITE_P(OverGloo, Sparse2dOracle,
                         testing::Combine(testing::Values(Backend::Gloo), testing::Values<std::int64_t>(2)));

// 4·b·E·width·(G−1)/G each way, as many row numbers before them, the rest in a ring, and the tables in another one
// every T steps: an average that is under way at the end was sent.
TEST(Sparse2d, SendsWhatTheFormulaSays) {
    for (const std::int64_t group : {1, 2, 3, 6}) {
        const TableRun run{
            .group = group, .period = 3, .delay = 2, .workers = 6, .momentum = 0, .precision = "float32"};
        const auto records = train(run.document());
        const std::int64_t parameters = [&] {
            std::int64_t n = 0;
            while (records[0].sink.metrics.contains("weight/" + std::to_string(n))) ++n;
            return n;
        }();
        const std::int64_t lookups = 4 * run.batch * kTables * (2 * kWidth + kLookups) * (group - 1) / group;
        const double peers = run.groups(), tables = 4.0 * kOfTables / static_cast<double>(group);
        for (const RankRecord& record : records) {
            const auto& losses = record.sink.metrics.at("train/loss");
            const double expected =
                static_cast<double>(run.steps * lookups) +
                static_cast<double>(run.steps) * 2 * 4.0 * static_cast<double>(parameters - kOfTables) * 5 / 6 +
                static_cast<double>(run.steps / run.period) * 2 * tables * (peers - 1) / peers;
            // Each ring rounds its parts to whole elements.
            EXPECT_NEAR(static_cast<double>(losses.back().bytesSent), expected, 8.0 * 2 * 17) << group;
        }
    }
}

// Both ends of an exchange say what it carries, and the delay of the average is recorded.
TEST(Sparse2d, RecordsTheDelayOfItsAverages) {
    const TableRun run{.group = 2, .period = 3, .delay = 2};
    const auto records = train(run.document());
    EXPECT_EQ(metricOf(records[3], "staleness/steps"), std::vector<double>(3, 2));
    const auto alone = train(TableRun{}.document());
    EXPECT_TRUE(metricOf(alone[0], "staleness/steps").empty()) << "one group averages nothing";
}

TEST(Sparse2dSimulatedTime, HasTheWeightsOfThreads) {
    TableRun run{.group = 2, .period = 3, .delay = 2, .backend = "virtual"};
    Value document = run.document();
    document.set("compute", table({{"step_time", text("3ms")}}));
    const auto virtually = trainVirtually(document);
    run.backend = "threads";
    const auto really = train(run.document());
    expectSame(recorded(virtually), recorded(really), 0);
    EXPECT_EQ(metricOf(virtually[0], "eval/loss"), metricOf(really[0], "eval/loss"));
}

// Nothing of the time depends on values.
TEST(Sparse2dSimulatedTime, IsThatOfTimeOnlyRuns) {
    const auto ends = [](const std::string& mode) {
        TableRun run{.group = 2, .period = 3, .delay = 2, .backend = "virtual", .weights = false};
        Value document = run.document();
        document.find("train")->set("eval_every", integer(1000));
        document.set("network", gigabit());
        document.set("compute", table({{"step_time", text("3ms")}, {"mode", text(mode)}}));
        return inChildProcess([&] {
            std::vector<double> all;
            for (const RankRecord& record : trainVirtually(document)) {
                EXPECT_EQ(record.outcome.error, "");
                for (const Span& span : record.sink.spans) {
                    if (span.kind == SpanKind::Update) all.push_back(static_cast<double>(span.end));
                }
            }
            return all;
        });
    };
    const auto maths = ends("maths");
    EXPECT_EQ(maths.size(), 4U * 12);
    EXPECT_EQ(ends("time-only"), maths);
}

class Sparse2dResumed : public testing::TestWithParam<TrainedOn> {};

TEST_P(Sparse2dResumed, HasTheBitsOfARunThatNeverStopped) {
    for (const char* optimizer : {"sgd", "adam"}) {
        TableRun run{.group = 2, .period = 3, .delay = 2, .steps = 14, .optimizer = optimizer, .precision = "float32"};
        run.backend = nameOf(GetParam());
        run.weights = false;
        // In step 7 an average is under way.
        expectSameModelAfterStops(GetParam(), run.document(), {1, 7});
    }
}

// Simulated ones have a process each and come first.
INSTANTIATE_TEST_SUITE_P(SimulatedTime, Sparse2dResumed, testing::Values(TrainedOn::Virtual),
                         [](const auto& info) { return nameOf(info.param); });
INSTANTIATE_TEST_SUITE_P(Backends, Sparse2dResumed, testing::Values(TrainedOn::Threads, TrainedOn::Gloo),
                         [](const auto& info) { return nameOf(info.param); });

std::string saidOf(const std::string& algorithm, const std::string& more = "", const std::string& model = "dlrm") {
    const auto document =
        parseToml("[algorithm]\nname = \"sparse_2d\"\n" + algorithm + "[model]\nname = \"" + model + "\"\n" +
                      (model == "dlrm" ? "[data]\nname = \"clicks\"\n" : "") + "[optimizer]\nname = \"sgd\"\n" + more,
                  "e.toml");
    if (!document) return document.error().message;
    const auto experiment = readExperiment(*document);
    if (!experiment) return experiment.error().message;
    const auto plan = planExperiment(*experiment);
    if (!plan) return plan.error().message;
    const Status checked = checkRun(*document, *experiment, *plan);
    return checked ? "" : checked.error().message;
}

TEST(Sparse2d, RefusesWhatDoesNotFit) {
    const std::string six = "[cluster]\nworkers = 6\n", four = "[cluster]\nworkers = 4\n";
    EXPECT_EQ(saidOf("group = 2\n", six), "");
    EXPECT_EQ(saidOf("", four), "");
    EXPECT_THAT(saidOf("", four, "lenet"),
                StartsWith("e.toml:4:8: sparse_2d divides embedding tables among ranks, and lenet has none: set name"));
    EXPECT_THAT(saidOf("group = 4\n", six), StartsWith("e.toml:3:9: group is 4, and workers is 6"));
    EXPECT_THAT(saidOf("group = 7\n", six), StartsWith("e.toml:3:9: group is 7, and workers is 6"));
    EXPECT_THAT(saidOf("group = 3\n", six),
                StartsWith("e.toml:3:9: a group of 3 ranks divides 8 embedding tables, each as many as the others"));
    EXPECT_THAT(saidOf("", six), StartsWith("e.toml:1:1: a group of 6 ranks divides 8 embedding tables"));
    EXPECT_THAT(saidOf("group = -1\n", four), StartsWith("e.toml:3:9: group is -1"));
    EXPECT_THAT(saidOf("delay = 2\n", four), StartsWith("e.toml:3:9: delay is 2; allowed: 0 to period (1) steps"));
    EXPECT_THAT(saidOf("group = 2\n", four + "[compression]\nname = \"topk\"\n"),
                HasSubstr("sparse_2d sends rows of tables and their gradients"));
    EXPECT_THAT(saidOf("", four + "[train]\ngradient_clip = 1.0\n"),
                StartsWith("e.toml:12:17: gradients are clipped by the norm of all of them"));
    EXPECT_THAT(saidOf("", four + "stages = 2\n"), HasSubstr("sparse_2d trains whole models: set stages = 1"));
    EXPECT_THAT(saidOf("", four + "[train]\nbalance = \"rate\"\n"), HasSubstr("sparse_2d forms no mean over ranks"));
    EXPECT_THAT(saidOf("", four + "[train]\nwork = \"shared\"\n"), HasSubstr("makes equal steps on all workers"));
    EXPECT_THAT(saidOf("", four + "[graph]\nname = \"ring\"\n"), HasSubstr("sparse_2d mixes over no graph"));
    const auto onGpus = AlgorithmRegistry::find("sparse_2d")
                            ->create(table({}), {})
                            .value()
                            ->check({.workers = 2, .onGpus = true, .tables = 2});
    ASSERT_TRUE(onGpus);
    EXPECT_EQ(onGpus->field, "cluster.backend");
}

// A model without tables, which a run is refused with, has the rest alone.
const AlgorithmTrial::Add kSparse2dTrial{
    {.algorithm = "sparse_2d",
     .rule = [](const SerialView&) { return SerialRule{.gradients = averagesUntil(kEveryStep)}; },
     .snapshotPasses = 0,
     .mergePasses = 0,
     .onGpus = false,
     .identities = {{.with = {}, .algorithm = "sync_sgd"}}}};

}  // namespace
}  // namespace dasgd::test
