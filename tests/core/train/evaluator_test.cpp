#include "core/train/evaluator.h"

#include <gtest/gtest.h>
#include <torch/types.h>

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
