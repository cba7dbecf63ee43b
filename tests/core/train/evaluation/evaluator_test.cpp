#include "core/train/evaluation/evaluator.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

#include "tests/support/ranks.h"
#include "tests/support/sign_model.h"

namespace dasgd::test {
namespace {

TEST(Evaluator, JudgesTheMeanModelOnTheWholeTestSetAndPutsEverythingBack) {
    constexpr int kSamples = 10;
    Samples test;
    test.inputs = torch::stack({torch::arange(kSamples) - 4.5, torch::ones({kSamples})}, 1).to(torch::kFloat32);
    test.targets = (torch::arange(kSamples) >= 5).to(torch::kInt64);
    for (const int ranks : {1, 2, 4, 7}) {
        runRanks(Backend::Threads, ranks, [&](Communicator& comm, Clock&) {
            SignModel model;
            FlatParams params(model.module(), torch::kFloat32);
            const int rank = comm.rank().value();
            // ⟨w⟩ = (1, 0) up to the spread in the second element, which has mean 0.
            const float off = static_cast<float>(rank) - static_cast<float>(ranks - 1) / 2;
            {
                const at::NoGradGuard guard;
                model.net.weight[0] = 1;
                model.net.weight[1] = off;
                model.net.norm->running_mean.fill_(rank);
            }
            const at::Tensor before = params.weights().clone();
            Evaluator evaluator(model, params, comm, test, Roles::allTrain(ranks));
            const EvaluationReport report = evaluator.evaluate();
            EXPECT_NEAR(report.loss, 0, 1e-6);  // Σ(x − 4.5) over the set
            EXPECT_DOUBLE_EQ(report.accuracy, 1);
            double spread = 0;
            for (int r = 0; r < ranks; ++r) spread += std::pow(r - (ranks - 1) / 2.0, 2) / ranks;
            EXPECT_NEAR(report.consensusDistance, spread, 1e-5);
            if (ranks == 7) {
                EXPECT_LT(report.replicaAccuracy, 1);
            }
            EXPECT_TRUE(torch::equal(params.weights(), before));
            EXPECT_FLOAT_EQ(model.net.norm->running_mean[0].item<float>(), static_cast<float>(rank));
        });
    }
}

TEST(Evaluator, JudgesTheWholeTestSetInThePrecisionOfTheRun) {
    runRanks(Backend::Threads, 3, [&](Communicator& comm, Clock&) {
        SignModel model;
        FlatParams params(model.module(), torch::kFloat64);
        Samples test;
        test.inputs = torch::ones({7, 2});   // float32
        test.targets = torch::ones({7, 1});  // values
        const EvaluationReport report =
            Evaluator(model, params, comm, test, Roles::allTrain(3)).evaluate();  // matmul wants equal types
        EXPECT_EQ(report.loss, 0);
        EXPECT_TRUE(std::isnan(report.accuracy)) << "values are not classified";
        EXPECT_TRUE(std::isnan(report.perplexity));
    });
}

// Notes which tokens it is shown and when a pass begins.
class ReadingModel final : public Model {
public:
    Status build(const BuildContext&) override { return {}; }
    torch::nn::Module& module() override { return net_; }
    at::Tensor loss(const Batch&) override { return {}; }
    Evaluation evaluate(const Batch& batch) override {
        EXPECT_EQ(batch.inputs.scalar_type(), torch::kInt64);
        seen.push_back(batch.inputs);
        return {.lossSum = 2.0 * static_cast<double>(batch.targets.numel()),
                .correct = 0,
                .samples = batch.targets.numel()};
    }
    void beginPass(bool training) override {
        EXPECT_FALSE(training);
        passes.push_back(seen.size());
    }
    InputSpec naturalInput() const override { return {{4}, 100, Task::kLanguage}; }
    std::vector<at::Tensor> seen;
    std::vector<std::size_t> passes;

private:
    torch::nn::Module net_;
};

TEST(EvaluateOn, EachRowOfATextGoesOnAndEveryTokenIsJudgedOnce) {
    const Samples text = cutText(torch::arange(4 * 75 + 1, torch::kInt32), 4);
    ReadingModel model;
    std::int64_t tokens = 0;
    for (const int rank : {0, 1}) {
        model.seen.clear();
        model.passes.clear();
        const Evaluation judged = evaluateOn(model, shareOf(text, Rank{rank}, 2, torch::kFloat));
        // 37 or 38 samples: 16 rows of 2, then 5 or 6 in one row.
        const std::size_t left = rank == 0 ? 5 : 6;
        ASSERT_EQ(model.seen.size(), 2 + left);
        EXPECT_EQ(model.passes, (std::vector<std::size_t>{0, 2}));
        EXPECT_TRUE(model.seen[1].equal(model.seen[0] + 4)) << "each row goes on where it ended";
        for (std::size_t i = 3; i < model.seen.size(); ++i) EXPECT_TRUE(model.seen[i].equal(model.seen[i - 1] + 4));
        EXPECT_EQ(model.seen[0][0][0].item<std::int64_t>(), rank == 0 ? 0 : 37 * 4) << "a contiguous part";
        tokens += judged.samples;
    }
    EXPECT_EQ(tokens, 300);
}

TEST(ShareOf, RanksBeyondTheLastSampleJudgeNothing) {
    Samples test;
    test.inputs = torch::zeros({3, 1});
    test.targets = torch::zeros({3}, torch::kInt64);
    std::vector<std::int64_t> judged;
    for (int rank = 0; rank < 6; ++rank) {
        judged.push_back(shareOf(test, Rank{rank}, 6, torch::kFloat).indices.numel());
    }
    EXPECT_EQ(judged, (std::vector<std::int64_t>{1, 1, 1, 0, 0, 0}));
}

TEST(ReportOf, PerplexityIsTheExponentialOfTheMeanLossAToken) {
    const at::Tensor sums = summandsOf({.mean = {.lossSum = 30, .correct = 4, .samples = 20},
                                        .replica = {.correct = 5},
                                        .validation = {.lossSum = 8, .correct = 2, .samples = 4}},
                                       0);
    EXPECT_DOUBLE_EQ(reportOf(sums, 1, Task::kLanguage).perplexity, std::exp(1.5));
    EXPECT_DOUBLE_EQ(reportOf(sums, 1, Task::kLanguage).accuracy, 0.2) << "of the next token";
    EXPECT_DOUBLE_EQ(reportOf(sums, 1, Task::kLanguage).validationPerplexity, std::exp(2.0));
    EXPECT_TRUE(std::isnan(reportOf(sums, 1, Task::kClassification).perplexity));
    EXPECT_TRUE(std::isnan(reportOf(sums, 1, Task::kClassification).validationPerplexity));
    EXPECT_DOUBLE_EQ(reportOf(sums, 1, Task::kRegression).validationLoss, 2);
    EXPECT_TRUE(std::isnan(reportOf(sums, 1, Task::kRegression).validationAccuracy));
    EXPECT_TRUE(std::isnan(reportOf(sums, 1, Task::kRegression).accuracy));
    EXPECT_TRUE(reportOf(sums, 1, Task::kClassification).classifies);
    EXPECT_FALSE(reportOf(sums, 1, Task::kLanguage).classifies) << "what it is judged by is its loss";
    EXPECT_FALSE(reportOf(sums, 1, Task::kRegression).classifies);
}

// The sign of the first element decides; two of the validation samples have the wrong label.
TEST(Evaluator, JudgesTheValidationSetByItself) {
    const auto set = [](std::int64_t wrong) {
        Samples made;
        made.inputs = torch::stack({torch::arange(8) - 3.5, torch::zeros({8})}, 1).to(torch::kFloat32);
        made.targets = (torch::arange(8) >= 4).to(torch::kInt64);
        made.targets.slice(0, 0, wrong).fill_(1);
        return made;
    };
    for (const int ranks : {1, 3}) {
        runRanks(Backend::Threads, ranks, [&](Communicator& comm, Clock&) {
            SignModel model;
            FlatParams params(model.module(), torch::kFloat32);
            {
                const at::NoGradGuard guard;
                model.net.weight[0] = 1;
                model.net.weight[1] = 0;
            }
            const Roles roles = Roles::allTrain(ranks);
            const auto report = Evaluator(model, params, comm, {set(0), set(2)}, roles).evaluate();
            EXPECT_TRUE(report.validated());
            EXPECT_DOUBLE_EQ(report.accuracy, 1);
            EXPECT_DOUBLE_EQ(report.validationAccuracy, 0.75);
            EXPECT_FALSE(Evaluator(model, params, comm, set(0), roles).evaluate().validated());
        });
    }
}

TEST(Evaluator, ANamedModelIsTheSumOfThePartsWithTheMeanStatistics) {
    runRanks(Backend::Threads, 4, [&](Communicator& comm, Clock&) {
        SignModel model;
        FlatParams params(model.module(), torch::kFloat32);
        const auto rank = static_cast<float>(comm.rank().value());
        {
            const at::NoGradGuard guard;
            model.net.weight.fill_(rank);
            model.net.norm->running_mean.fill_(rank);
        }
        // Rank 0 names nothing, rank 2 its own weights.
        at::Tensor part = torch::full({params.size()}, 10.0F);
        part[0] = rank;
        if (comm.rank() == Rank{0}) part = at::Tensor();
        if (comm.rank() == Rank{2}) part = params.weights();
        takeNamedModel(part, params, comm, Roles::allTrain(4));
        EXPECT_FLOAT_EQ(model.net.weight[0].item<float>(), 1 + 2 + 3);
        EXPECT_FLOAT_EQ(model.net.weight[1].item<float>(), 10 + 2 + 10);
        EXPECT_FLOAT_EQ(model.net.norm->running_mean[0].item<float>(), 1.5F);
    });
}

TEST(Evaluator, AverageModelAveragesWeightsAndStatisticsButCountsNothing) {
    runRanks(Backend::Threads, 4, [&](Communicator& comm, Clock&) {
        SignModel model;
        FlatParams params(model.module(), torch::kFloat32);
        {
            const at::NoGradGuard guard;
            model.net.weight.fill_(comm.rank().value());
            model.net.norm->running_var.fill_(comm.rank().value() * 2);
            model.net.norm->num_batches_tracked.fill_(comm.rank().value());
        }
        averageModel(params, comm, Roles::allTrain(4));
        EXPECT_FLOAT_EQ(model.net.weight[1].item<float>(), 1.5F);
        EXPECT_FLOAT_EQ(model.net.norm->running_var[0].item<float>(), 3);
        EXPECT_EQ(model.net.norm->num_batches_tracked.item<std::int64_t>(), comm.rank().value());
    });
}

}  // namespace
}  // namespace dasgd::test
