// Passes of one rank over its stage.
#include "core/train/steps/stage_step.h"

#include <gtest/gtest.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include <memory>
#include <utility>
#include <vector>

#include "core/exec/cpu_executor.h"
#include "core/optimizers/optimizer.h"
#include "tests/support/staged_runs.h"

namespace dasgd::test {
namespace {

// The stages of a network, each as on a rank of its own.
class Ranks {
public:
    explicit Ranks(const StagedRun& run)
        : experiment_(readExperiment(run.document()).value()), data_(loadTrainingData(experiment_).value()) {
        for (int rank = 0; rank < run.workers; ++rank) {
            auto own = std::make_unique<Own>(experiment_, data_, Rank(rank));
            own->stage =
                makeStage({experiment_, data_, own->model.get(), own->params, own->executor, own->forward}, Rank(rank));
            ranks_.push_back(std::move(own));
        }
    }
    [[nodiscard]] StageStep& at(std::size_t rank) { return *ranks_[rank]->stage; }
    [[nodiscard]] FlatParams& params(std::size_t rank) { return ranks_[rank]->params; }
    [[nodiscard]] const MemorySink& sink(std::size_t rank) const { return ranks_[rank]->sink; }
    [[nodiscard]] const Experiment& experiment() const { return experiment_; }
    [[nodiscard]] const TrainingData& data() const { return data_; }

private:
    struct Own {
        Own(const Experiment& experiment, const TrainingData& data, Rank rank)
            : model(std::move(buildModel(experiment, data, rank, at::kCPU, &forward).value())),
              params(model->module(), experiment.scalarType()),
              executor(clock, sink, TraceLevel::Full) {}
        MonotonicClock clock;
        MemorySink sink;
        at::Generator forward;
        std::unique_ptr<Model> model;
        FlatParams params;
        CpuExecutor executor;
        std::unique_ptr<StageStep> stage;
    };
    Experiment experiment_;
    TrainingData data_;
    std::vector<std::unique_ptr<Own>> ranks_;
};

TEST(StageStep, StagesOneBehindTheOtherAreTheModel) {
    const StagedRun run{.workers = 3, .stages = 3};
    Ranks ranks(run);
    at::Tensor sent;
    std::vector<StagePass> passes;
    for (std::size_t k = 0; k < 3; ++k) {
        passes.push_back(std::move(ranks.at(k).passesOf(1).at(0)));
        EXPECT_EQ(passes[k].samples, 8);
        if (k > 0) passes[k].input.copy_(sent);
        ranks.at(k).forward(passes[k], StageKeeps::Graph);
        sent = passes[k].output.detach();
        EXPECT_EQ(ranks.at(k).loss().defined(), k == 2);
    }
    for (std::size_t k = 3; k-- > 0;) {
        if (k < 2) passes[k].gradient.copy_(sent);
        ranks.params(k).gradients().fill_(7);
        sent = ranks.at(k).backward(passes[k]);
    }
    EXPECT_FALSE(sent.defined()) << "nothing is sent behind the first stage";
    const auto model = std::move(buildModel(ranks.experiment(), ranks.data(), Rank(0)).value());
    FlatParams whole(model->module(), torch::kFloat64);
    const at::Tensor loss = model->loss(openLoader(ranks.experiment(), ranks.data(), Rank(0))->take(8));
    loss.backward();
    EXPECT_TRUE(ranks.at(2).loss().equal(loss.detach()));
    std::int64_t begin = 0;
    for (std::size_t k = 0; k < 3; ++k) {
        FlatParams& part = ranks.at(k).part();
        EXPECT_TRUE(part.gradients().equal(whole.gradients().narrow(0, begin, part.size())));
        EXPECT_EQ(part.weights().storage_offset(), begin);
        // The rest of the flat gradient is not the stage's.
        const at::Tensor all = ranks.params(k).gradients();
        EXPECT_EQ((all == 7).sum().item<std::int64_t>(), all.numel() - part.size());
        begin += part.size();
    }
    EXPECT_EQ(begin, whole.size());
}

// Gradient of a pass over stage 1 of 3 with kept weights, after the present ones have changed.
TEST(StageStep, AKeptGraphHasTheWeightsOfItsPass) {
    const auto gradientAfter = [](StageKeeps keeps, bool changes) {
        Ranks ranks(StagedRun{.workers = 3, .stages = 3});
        StageStep& stage = ranks.at(1);
        StagePass pass = std::move(stage.passesOf(1).at(0));
        pass.input.copy_(torch::arange(1, pass.input.numel() + 1).view_as(pass.input));
        pass.input.sin_();
        stage.forward(pass, keeps);
        const at::Tensor before = stage.part().weights().clone();
        {
            const at::NoGradGuard guard;
            if (changes) stage.part().weights().mul_(-0.5).add_(0.3);
        }
        pass.gradient.fill_(1);
        if (keeps == StageKeeps::Input) stage.recompute(pass);
        const at::Tensor ofInput = stage.backward(pass);
        EXPECT_EQ(stage.part().weights().equal(before), !changes) << "the stage's own weights are in their place";
        return std::pair(stage.part().gradients().clone(), ofInput);
    };
    const auto [expected, passed] = gradientAfter(StageKeeps::Graph, false);
    const auto [kept, keptPassed] = gradientAfter(StageKeeps::GraphAndWeights, true);
    EXPECT_TRUE(kept.equal(expected));
    EXPECT_TRUE(keptPassed.equal(passed));
    const auto [again, againPassed] = gradientAfter(StageKeeps::Input, true);
    EXPECT_FALSE(againPassed.equal(passed)) << "with the weights that the stage then has";
    const auto [same, samePassed] = gradientAfter(StageKeeps::Input, false);
    EXPECT_TRUE(same.equal(expected));
    EXPECT_TRUE(samePassed.equal(passed));
}

TEST(StageStep, LoadsAtTheFirstAndTheLastStage) {
    Ranks ranks(StagedRun{.workers = 6, .stages = 3});
    for (std::size_t rank = 0; rank < 6; ++rank) {
        for (std::int64_t batch = 4; batch <= 5; ++batch) {
            StagePass pass = std::move(ranks.at(rank).passesOf(batch).at(0));
            if (pass.input.defined()) pass.input.fill_(0.5);
            ranks.at(rank).forward(pass, StageKeeps::Graph);
            const auto loader = openLoader(ranks.experiment(), ranks.data(), Rank(static_cast<int>(rank / 3)),
                                           ranks.data().splits.train, batch - 1);
            const Batch expected = loader->take(8);
            EXPECT_TRUE(rank % 3 != 0 || pass.input.equal(expected.inputs));
            EXPECT_EQ(pass.targets.defined(), rank % 3 == 2);
            EXPECT_TRUE(rank % 3 != 2 || pass.targets.equal(expected.targets));
        }
    }
}

TEST(StageStep, DividesABatchIntoMicroBatches) {
    Ranks ranks(StagedRun{.workers = 2, .stages = 2, .batch = 3, .accumulate = 3});
    const auto sizesOf = [&](std::int64_t batch) {
        std::vector<std::int64_t> sizes;
        double shares = 0;
        for (const StagePass& pass : ranks.at(1).passesOf(batch)) {
            EXPECT_EQ(pass.first, sizes.empty());
            EXPECT_EQ(pass.input.size(0), pass.samples);
            EXPECT_FALSE(pass.gradient.defined());
            sizes.push_back(pass.samples);
            shares += pass.share;
        }
        EXPECT_NEAR(shares, 1, 1e-12);
        return sizes;
    };
    EXPECT_EQ(sizesOf(1), (std::vector<std::int64_t>{3, 3, 3}));
    EXPECT_EQ(sizesOf(10), (std::vector<std::int64_t>{3, 3, 3})) << "90 samples are ten steps";
    EXPECT_EQ(ranks.at(0).description(), "stage 1 of 2: layers 1 to 2 of 4, 118 parameters");
}

}  // namespace
}  // namespace dasgd::test
