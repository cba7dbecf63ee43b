// Every algorithm of the registry on a network as it is used: four ranks that train LeNet on the digits in float32 take
// the way of its serial rule in float64, which its own test registers (tests/support/algorithm_trials.h), to 1e-5.
//
// The rule makes a trajectory of its own; only the gradients are those of float32 at the weights that the ranks have.
// A gradient of LeNet jumps where a ReLU or a pool changes sides, and two runs of one algorithm that are 1e-8 apart
// come 1e-4 apart within 24 steps wherever that happens: which ones do is chance. With the gradients in common nothing
// can jump, and what is left are sums in another order.
//
// Errors are of all weights of a rank in the Euclidean norm: a weight is a sum of far larger numbers than the smallest
// ones are, so that its error is relative to the others and not to itself.
#include <gtest/gtest.h>
#include <torch/types.h>

#include <ATen/Parallel.h>

#include <memory>

#include "core/base/metric_names.h"
#include "core/step/flat_params.h"
#include "core/train/worker.h"
#include "tests/support/algorithm_trials.h"
#include "tests/support/full_tests.h"
#include "tests/support/training.h"

namespace dasgd::test {
namespace {

constexpr int kLenetRanks = 4;
const std::int64_t kLenetSteps = test::testsInFull() ? 24 : 16;
constexpr std::int64_t kLenetBatch = 8;
constexpr double kLenetRate = 0.02, kLenetMomentum = 0.9;
constexpr double kTolerance = 1e-5;

Experiment lenetWith(const AlgorithmTrial& trial) {
    return std::move(
        readExperiment(table({{"algorithm", trial.table()},
                              {"model", table({{"name", text("lenet")}})},
                              {"data", table({{"name", text("mnist")}})},
                              {"train", table({{"steps", integer(kLenetSteps)}, {"batch_size", integer(kLenetBatch)}})},
                              {"optimizer", table({{"name", text("sgd")},
                                                   {"learning_rate", number(kLenetRate)},
                                                   {"momentum", number(kLenetMomentum)}})},
                              {"cluster", table({{"backend", text("threads")}, {"workers", integer(kLenetRanks)}})},
                              {"record", table({{"weights", boolean(true)}, {"trace", text("off")}})}}))
            .value());
}

// The weights of one rank, which records them one after the other.
class WeightLog final : public EventSink {
public:
    void span(const Span&) override {}
    void metric(const Metric& metric) override {
        if (metric.name.starts_with(metrics::kWeight)) values_.push_back(metric.value);
    }
    void state(RankState, std::int64_t, std::string_view) override {}
    // [steps + 1, N], from before the first step on.
    [[nodiscard]] at::Tensor steps() const { return torch::tensor(values_, at::kDouble).view({kLenetSteps + 1, -1}); }

private:
    std::vector<double> values_;
};

// Weights of each rank that trains, [steps + 1, N].
struct Trained {
    std::vector<at::Tensor> ranks;
    at::Device device = at::kCPU;  // of rank 0
};
Trained trained(const Experiment& experiment) {
    std::vector<WeightLog> logs(kLenetRanks);
    Trained all;
    hostRanks(experiment.cluster, [&](HostedRank& rank) {
        const int number = rank.comm.rank().value();
        const WorkerOutcome outcome = runWorker(experiment, {.comm = rank.comm,
                                                             .clock = rank.clock,
                                                             .sink = logs[static_cast<std::size_t>(number)],
                                                             .executor = rank.executor,
                                                             .device = rank.device});
        EXPECT_EQ(outcome.error, "");
        if (number == 0 && rank.device) all.device = rank.device->device();
    });
    for (int rank = 0; rank < kLenetRanks; ++rank) {
        if (experiment.roles().trains(Rank(rank))) all.ranks.push_back(logs[static_cast<std::size_t>(rank)].steps());
    }
    return all;
}

// Every worker's batches, and the gradients of one network on them: on the device on which the ranks trained, as
// another one rounds otherwise, and a ReLU or a pool may change sides by that alone.
class SerialLenet {
public:
    SerialLenet(const Experiment& experiment, at::Device device)
        : data_(loadTrainingData(experiment).value()),
          model_(std::move(buildModel(experiment, data_, Rank(0), device).value())),
          params_(model_->module(), at::kFloat, flatLayoutOf(experiment, device)) {
        Samples& samples = data_.splits.train;
        samples.inputs = samples.inputs.to(device);
        samples.targets = samples.targets.to(device);
        for (int i = 0; i < experiment.roles().trainers(); ++i) {
            loaders_.push_back(openLoader(experiment, data_, Rank(i)));
        }
    }
    [[nodiscard]] std::size_t workers() const { return loaders_.size(); }
    [[nodiscard]] at::Tensor start() { return onHost(params_.weights()); }
    // Elements of each layer: a weight and the bias behind it.
    [[nodiscard]] std::vector<std::int64_t> layers() const {
        std::vector<std::int64_t> all;
        for (const FlatParams::Slot& slot : params_.slots()) {
            if (slot.parameter.dim() > 1) all.push_back(0);
            all.back() += slot.numel;
        }
        return all;
    }

    [[nodiscard]] std::vector<std::int64_t> tensors() const {
        std::vector<std::int64_t> all;
        for (const FlatParams::Slot& slot : params_.slots()) all.push_back(slot.numel);
        return all;
    }

    struct Descent {
        at::Tensor gradient;
        double loss = 0;
    };
    // Gradient and loss at `weights`, on the worker's next batch.
    [[nodiscard]] Descent at(std::size_t worker, const at::Tensor& weights) {
        const Batch batch = loaders_[worker]->take(kLenetBatch);
        {
            const at::NoGradGuard guard;
            std::int64_t begin = 0;  // without padding
            for (const FlatParams::Slot& slot : params_.slots()) {
                at::Tensor(slot.parameter).copy_(weights.narrow(0, begin, slot.numel).view(slot.parameter.sizes()));
                begin += slot.numel;
            }
            params_.gradients().zero_();
        }
        const at::Tensor loss = model_->loss(batch);
        loss.backward();
        return {onHost(params_.gradients()), loss.item<double>()};
    }

private:
    // Parameters alone, [N].
    [[nodiscard]] at::Tensor onHost(const at::Tensor& flat) const {
        return params_.withoutPadding(flat).to(at::kCPU, at::kDouble);
    }

    TrainingData data_;
    std::unique_ptr<Model> model_;
    FlatParams params_;
    std::vector<std::unique_ptr<BatchLoader>> loaders_;
};

Vectors afterStep(const std::vector<at::Tensor>& ranks, std::int64_t k) {
    Vectors all;
    for (const at::Tensor& rank : ranks) all.push_back(rank[k]);
    return all;
}

class LenetOracle : public ::testing::TestWithParam<AlgorithmTrial> {};

TEST_P(LenetOracle, FourRanksTakeTheWayOfTheSerialRule) {
    const Experiment experiment = lenetWith(GetParam());
    const Trained run = trained(experiment);
    const std::vector<at::Tensor>& ranks = run.ranks;

    at::set_num_threads(1);
    SerialLenet lenet(experiment, run.device);
    ASSERT_EQ(ranks.size(), lenet.workers());
    SerialView view{.start = lenet.start(),
                    .workers = lenet.workers(),
                    .rate = kLenetRate,
                    .layers = lenet.layers(),
                    .tensors = lenet.tensors(),
                    .ranks = [&](std::int64_t k) { return afterStep(ranks, k); }};
    const SerialRule rule = GetParam().rule(view);
    Vectors w(lenet.workers(), view.start), v(lenet.workers(), torch::zeros_like(view.start));
    for (std::int64_t k = 1; k <= kLenetSteps; ++k) {
        Vectors g;
        double losses = 0;
        view.workerLosses.emplace_back();
        for (std::size_t i = 0; i < w.size(); ++i) {
            const auto [gradient, loss] = lenet.at(i, ranks[i][k - 1]);
            g.push_back(gradient);
            losses += loss;
            view.workerLosses.back().push_back(loss);
        }
        view.losses.push_back(losses / static_cast<double>(w.size()));
        if (rule.gradients) rule.gradients(k, g);
        for (std::size_t i = 0; i < w.size(); ++i) {
            v[i] = v[i] * kLenetMomentum + g[i];
            w[i] = w[i] - v[i] * kLenetRate;
        }
        if (rule.weights) rule.weights(k, w);
        for (std::size_t i = 0; i < w.size(); ++i) {
            const double error = ((ranks[i][k] - w[i]).norm() / w[i].norm()).item<double>();
            ASSERT_LE(error, kTolerance) << "rank " << i << " after step " << k;
        }
    }
    const double way = ((w[0] - view.start).norm() / view.start.norm()).item<double>();
    EXPECT_GT(way, 500 * kTolerance) << "it trains";
}

INSTANTIATE_TEST_SUITE_P(Registry, LenetOracle, ::testing::ValuesIn(trialsThat([](const AlgorithmTrial& trial) {
                             return trial.rule != nullptr;
                         })),
                         trialName);

}  // namespace
}  // namespace dasgd::test
