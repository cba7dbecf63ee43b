#include "core/train/evaluation/run_evaluations.h"

#include <gmock/gmock.h>

#include "core/exec/cpu_executor.h"
#include "core/train/checkpoint/saved_model.h"
#include "core/train/data/training_data.h"
#include "tests/support/training.h"

namespace dasgd::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A rank that evaluates and does not train.
class EvaluatingRank {
public:
    EvaluatingRank(const Experiment& experiment, const TrainingData& data, Communicator& comm, Clock& clock,
                   EvaluationBoard::KeepBest keep = nullptr)
        : model_(std::move(buildModel(experiment, data, comm.rank()).value())),
          params_(model_->module(), experiment.scalarType()),
          executor_(clock, sink, TraceLevel::Full),
          algorithm_(experiment.makeAlgorithm()),
          context_(comm, clock, params_, executor_),
          evaluations({.experiment = experiment,
                       .model = *model_,
                       .context = context_,
                       .algorithm = *algorithm_,
                       .sink = sink,
                       .trainedUntil = [](Ns) { return Ns{1'500'000'000}; },
                       .windowsEnded = [this] { ++windows; },
                       .keepBest = std::move(keep)},
                      EvaluationSets(data.splits.test, data.validation)) {}

    void evaluate(std::int64_t step) {
        evaluations.evaluate({.name = "", .step = step, .samples = 32 * step, .bytesSent = 7}, false);
    }
    void scale(double factor) {
        const at::NoGradGuard guard;
        params_.weights().mul_(factor);
    }
    [[nodiscard]] at::Tensor weights() { return params_.weights().detach().clone(); }
    [[nodiscard]] at::Tensor firstTensor() { return modelOf(model_->module()).tensors().begin()->second; }

    MemorySink sink;
    int windows = 0;

private:
    std::unique_ptr<Model> model_;
    FlatParams params_;
    CpuExecutor executor_;
    std::unique_ptr<Algorithm> algorithm_;
    StepContext context_;

public:
    RunEvaluations evaluations;
};

Value document(Fields train = {}) {
    train.emplace_back("steps", integer(10));
    return table({{"algorithm", table({{"name", text("local_sgd")}})},
                  {"model", table({{"name", text("logistic")}})},
                  {"data", table({{"name", text("synthetic")},
                                  {"shape", array<std::int64_t>({5})},
                                  {"classes", integer(3)},
                                  {"train_samples", integer(60)},
                                  {"test_samples", integer(30)},
                                  {"validation", number(0.3)}})},
                  {"train", table(std::move(train))},
                  {"cluster", table({{"backend", text("threads")}, {"workers", integer(2)}})}});
}

void onBothRanks(const Value& doc,
                 const std::function<void(const Experiment&, const TrainingData&, Communicator&, Clock&)>& body) {
    const Experiment experiment = std::move(readExperiment(doc).value());
    const TrainingData data = loadTrainingData(experiment).value();
    runRanks(Backend::Threads, 2, [&](Communicator& comm, Clock& clock) { body(experiment, data, comm, clock); });
}

TEST(RunEvaluations, RankZeroSpeaksAndNobodysWeightsChange) {
    onBothRanks(document(),
                [](const Experiment& experiment, const TrainingData& data, Communicator& comm, Clock& clock) {
                    EvaluatingRank rank(experiment, data, comm, clock);
                    rank.scale(1.0 + comm.rank().value());
                    const at::Tensor before = rank.weights();
                    const std::int64_t sent = comm.bytesSent();
                    rank.evaluate(4);
                    EXPECT_TRUE(rank.weights().equal(before));
                    EXPECT_EQ(rank.windows, 1);
                    EXPECT_EQ(rank.evaluations.bytesSent(), comm.bytesSent() - sent) << "none of it is the algorithm's";
                    EXPECT_GT(rank.evaluations.bytesSent(), 0);
                    if (comm.rank() == Rank{1}) {
                        EXPECT_THAT(rank.sink.metrics, IsEmpty());
                        return;
                    }
                    const auto& losses = rank.sink.metrics.at("eval/loss");
                    ASSERT_EQ(losses.size(), 1U);
                    EXPECT_EQ(losses[0].step, 4);
                    EXPECT_EQ(losses[0].samples, 128);
                    EXPECT_EQ(losses[0].bytesSent, 7);
                    EXPECT_EQ(rank.sink.metrics.at("eval/trained_s")[0].value, 1.5);
                    EXPECT_GT(rank.sink.metrics.at("consensus/distance")[0].value, 0);
                });
}

// After three evaluations without a better one all ranks end together.
TEST(RunEvaluations, EndTheRunOnAllRanksAtOnce) {
    onBothRanks(document({{"patience", integer(3)}}),
                [](const Experiment& experiment, const TrainingData& data, Communicator& comm, Clock& clock) {
                    EvaluatingRank rank(experiment, data, comm, clock);
                    for (std::int64_t step = 0; step < 4; ++step) {
                        EXPECT_TRUE(rank.evaluations.mayContinue(step)) << step;
                        EXPECT_FALSE(rank.evaluations.over());
                        rank.evaluate(step);
                    }
                    EXPECT_TRUE(rank.evaluations.over());
                    EXPECT_FALSE(rank.evaluations.mayContinue(4));
                });
}

// The model that was judged, not the rank's own, and only where it is the best so far.
TEST(RunEvaluations, TheBestModelIsHandedOutByRankZero) {
    std::vector<std::int64_t> kept;
    at::Tensor judged, mean;
    onBothRanks(document(),
                [&](const Experiment& experiment, const TrainingData& data, Communicator& comm, Clock& clock) {
                    const bool first = comm.rank() == Rank{0};
                    EvaluatingRank rank(experiment, data, comm, clock, [&](std::int64_t step, Archive network) {
                        EXPECT_TRUE(first);
                        kept.push_back(step);
                        judged = network.tensors().begin()->second;
                    });
                    rank.scale(first ? 1 : 3);
                    rank.evaluate(0);
                    rank.evaluate(5);
                    rank.evaluations.takeModel(1);
                    if (first) mean = rank.firstTensor();
                });
    EXPECT_THAT(kept, ElementsAre(0)) << "the second evaluation is of the same model";
    ASSERT_TRUE(judged.defined() && mean.defined());
    EXPECT_TRUE(judged.equal(mean));
}

}  // namespace
}  // namespace dasgd::test
