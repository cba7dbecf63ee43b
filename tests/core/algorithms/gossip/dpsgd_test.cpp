#include <gmock/gmock.h>
#include <torch/types.h>

#include <map>
#include <string>
#include <vector>

#include "core/train/data/training_data.h"
#include "tests/support/algorithm_trials.h"
#include "tests/support/gossip_oracle.h"

namespace dasgd::test {
namespace {

// x ← Wx − ηg(x), or x ← W(x − ηg(x)); v is the rank's own.
TEST(Dpsgd, MixesBeforeOrBehindTheStep) {
    const QuadraticProblem problem{.workers = 5, .steps = 50, .rate = 0.05};
    const Rows w = rowsOf("ring", 5);
    const auto recordedOf = [&](const std::string& order) {
        return recorded(train(problem.experiment({{"name", text("dpsgd")}, {"order", text(order)}})));
    };
    Workers before(5, problem.start);
    const Trajectory published = serial(problem, [&](std::int64_t, Workers& x) {
        const Workers mixture = mixedBy(w, before);
        for (std::size_t i = 0; i < x.size(); ++i) {
            for (std::size_t j = 0; j < x[i].size(); ++j) x[i][j] = mixture[i][j] + (x[i][j] - before[i][j]);
        }
        before = x;
    });
    expectSame(recordedOf("published"), published, 1e-12);
    expectSame(recordedOf("adapt-then-combine"), serial(problem, [&](std::int64_t, Workers& x) { x = mixedBy(w, x); }),
               1e-12);
}

// Decentralised gradient descent with random features (arXiv 2007.00360): full batches, of samples of each agent's own.
struct Agents {
    std::string graph = "complete";  // "": one agent with all samples
    int agents = 8;
    std::int64_t samples = 8, steps = 200, seed = 1;

    [[nodiscard]] Value document() const {
        const bool central = graph.empty();
        Value all = table(
            {{"algorithm", central ? table({{"name", text("independent")}})
                                   : table({{"name", text("dpsgd")}, {"order", text("adapt-then-combine")}})},
             {"model",
              table({{"name", text("random_features")}, {"features", integer(40)}, {"length_scale", number(2)}})},
             {"data", table({{"name", text("synthetic")},
                             {"shape", array<std::int64_t>({3})},
                             {"noise", number(0.5)},
                             {"shuffle", text("none")},
                             {"seed", integer(seed)},
                             {"train_samples", integer(agents * samples)},
                             {"test_samples", integer(512)}})},
             {"train", table({{"steps", integer(steps)},
                              {"batch_size", integer(central ? agents * samples : samples)},
                              {"eval_every", integer(steps)},
                              {"precision", text("float64")}})},
             {"optimizer", table({{"name", text("sgd")}, {"learning_rate", number(0.5)}, {"momentum", number(0)}})},
             {"cluster", table({{"backend", text("threads")}, {"workers", integer(central ? 1 : agents)}})},
             {"record", table({{"weights", boolean(true)}, {"trace", text("off")}})}});
        if (!central) all.set("graph", table({{"name", text(graph)}}));
        return all;
    }
    [[nodiscard]] Trajectory weights() const { return recorded(train(document())); }
    [[nodiscard]] Agents centrally() const {
        Agents one = *this;
        one.graph.clear();
        return one;
    }
    // Mean over the agents of the loss of each one's predictor on the test set.
    [[nodiscard]] double error() const {
        const Experiment experiment = readExperiment(document()).value();
        const TrainingData data = loadTrainingData(experiment).value();
        const auto model = std::move(buildModel(experiment, data, Rank(0)).value());
        FlatParams params(model->module(), at::kDouble);
        const Samples& test = data.splits.test;
        const Batch batch = makeBatch(test, torch::arange(test.count(), torch::kInt64), at::kDouble);
        const Workers last = weights().back();
        double sum = 0;
        for (const Vec& agent : last) {
            const at::NoGradGuard guard;
            params.weights().copy_(torch::tensor(agent, at::kDouble));
            sum += static_cast<double>(model->evaluate(batch).lossSum) / static_cast<double>(test.count());
        }
        return sum / static_cast<double>(last.size());
    }
};

TEST(DpsgdOfRandomFeatures, IsCentralGradientDescentOnTheCompleteGraph) {
    for (const int agents : {2, 5, 8}) {
        const Agents all{.agents = agents};
        const Trajectory one = all.centrally().weights();
        EXPECT_NE(one.front(), one.back()) << "it trains";
        Trajectory expected;
        for (const Workers& step : one) expected.emplace_back(static_cast<std::size_t>(agents), step[0]);
        expectSame(all.weights(), expected, 1e-12);
    }
}

// How much worse the agents predict than one with all samples, relative to its error.
TEST(DpsgdOfRandomFeatures, PredictsAsCentralGradientDescentWithEnoughSamplesAnAgentAndLaterForSmallerGaps) {
    constexpr int kSeeds = 3;
    std::map<std::string, std::vector<double>> worse;
    for (const std::int64_t samples : {2, 32, 128}) {
        std::map<std::string, double> sums;
        for (int seed = 1; seed <= kSeeds; ++seed) {
            const double central = Agents{.graph = "", .samples = samples, .seed = seed}.error();
            for (const char* graph : {"ring", "line"}) {
                sums[graph] += Agents{.graph = graph, .samples = samples, .seed = seed}.error() / central - 1;
            }
        }
        for (const auto& [graph, sum] : sums) worse[graph].push_back(sum / kSeeds);
        EXPECT_LT(worse["ring"].back(), worse["line"].back()) << samples;
    }
    for (const auto& [graph, errors] : worse) {
        SCOPED_TRACE(graph + ": " + testing::PrintToString(errors));
        EXPECT_LT(errors.back(), 0.01);
        for (std::size_t i = 1; i < errors.size(); ++i) EXPECT_LT(errors[i], errors[i - 1]);
    }
}

const AlgorithmTrial::Add kDpsgdTrial{
    {.algorithm = "dpsgd",
     .rule = [](const SerialView& view) { return gossipsOn("ring", {}, view); },
     .identities = {{.with = {}, .algorithm = "gossip_sgd"},
                    {.with = {}, .algorithm = "oldsgd", .fields = {{"period", integer(1)}}}}}};

}  // namespace
}  // namespace dasgd::test
