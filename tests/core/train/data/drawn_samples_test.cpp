// Runs whose workers draw their samples by importance (data.sampler = "srg").
#include <gmock/gmock.h>
#include <torch/types.h>

#include "core/base/random.h"
#include "core/train/steps/local_step.h"
#include "tests/support/in_child_process.h"
#include "tests/support/resumed_runs.h"
#include "tests/support/small_experiments.h"

namespace dasgd::test {
namespace {

Value drawing(const std::string& form, const std::string& backend, std::int64_t accumulate = 1) {
    Value document =
        table({{"algorithm", table({{"name", text("local_sgd")}, {"period", integer(3)}})},
               {"model", named("logistic")},
               {"data", table({{"name", text("synthetic")},
                               {"shape", array<std::int64_t>({7})},
                               {"classes", integer(3)},
                               {"train_samples", integer(60)},
                               {"test_samples", integer(30)},
                               {"sampler", text("srg")},
                               {"sampler_form", text(form)}})},
               {"train", table({{"steps", integer(31)},
                                {"batch_size", integer(4)},
                                {"accumulate", integer(accumulate)},
                                {"eval_every", integer(31)}})},
               {"optimizer", table({{"name", text("sgd")}, {"learning_rate", number(0.2)}, {"momentum", number(0)}})},
               {"cluster", table({{"backend", text(backend)}, {"workers", integer(2)}})}});
    if (backend == "virtual") document.set("compute", table({{"step_time", text("2ms")}}));
    return document;
}

class DrawnSamples : public testing::TestWithParam<std::string> {};

// The gradient of a step is (1/B)·Σ ∇f_i/(n·p_i), and afterwards the sampler knows the norms.
TEST_P(DrawnSamples, AStepDescendsAlongTheWeighedGradientOfWhatItDrew) {
    Value document = drawing(GetParam(), "threads", 2);
    document.find("data")->set("train_samples", integer(64));  // no short batches
    const Experiment experiment = readExperiment(document).value();
    const TrainingData data = loadTrainingData(experiment).value();
    ASSERT_EQ(data.shards.size(), 2U);
    const auto model = std::move(buildModel(experiment, data, Rank{1}).value());
    FlatParams params(model->module(), at::kFloat);
    const auto optimizer = experiment.makeOptimizer();
    SrgSampler sampler(data.shards[1], GetParam(), 0.5), oracle(data.shards[1], GetParam(), 0.5);
    const auto step = makeLocalStep(experiment, data, *model, params, *optimizer, Rank{1}, {}, 0,
                                    {.batches = {}, .sampler = &sampler});
    for (std::uint64_t k = 0; k < 12; ++k) {
        for (const std::int64_t before : {0, 4}) {
            const MicroBatch part{.samples = 4, .before = before, .of = 8};
            step->load(part);
            step->learnNorms();
            step->forward(part);
            step->backward();
        }
        const at::Tensor gradients = params.gradients().clone();
        const auto seed = static_cast<std::uint64_t>(experiment.train.seed);
        const SrgSampler::Drawn drawn = oracle.draw(8, streamSeed(seed, 1, StreamPurpose::Draws, k));
        at::Tensor expected = torch::zeros_like(gradients), norms = torch::empty({8});
        for (std::int64_t i = 0; i < 8; ++i) {
            params.gradients().zero_();
            model->loss(makeBatch(data.splits.train, drawn.indices.slice(0, i, i + 1), at::kFloat)).backward();
            norms[i] = params.gradients().norm();
            expected += params.gradients() * drawn.weights[i].item<double>() / 8;
        }
        oracle.learn(norms);
        EXPECT_TRUE(gradients.allclose(expected, 1e-4, 1e-6)) << k;
        EXPECT_TRUE(sampler.norms().allclose(oracle.norms(), 1e-4, 1e-6)) << k;
        oracle.setNorms(sampler.norms());  // the same draws, whatever the rounding of the norms
        params.gradients().copy_(gradients);
        step->update(0.2);
    }
    EXPECT_GT((sampler.norms() != 1).sum().item<std::int64_t>(), 10);
}

TEST_P(DrawnSamples, EveryBackendDrawsTheSameSamplesInSimulatedTimeToo) {
    const auto losses = [](const std::vector<RankRecord>& records) {
        std::vector<double> all;
        for (const RankRecord& record : records) {
            EXPECT_EQ(record.outcome.error, "");
            for (const auto& point : record.sink.metrics.at("train/loss")) all.push_back(point.value);
        }
        return all;
    };
    const auto virtually = losses(trainVirtually(drawing(GetParam(), "virtual")));
    EXPECT_EQ(virtually.size(), 62U);
    EXPECT_EQ(virtually, losses(train(drawing(GetParam(), "threads"))));
    EXPECT_EQ(virtually, losses(train(drawing(GetParam(), "gloo"), Backend::Gloo)));
}

TEST_P(DrawnSamples, AResumedRunDrawsWhatTheWholeOneDoes) {
    for (const TrainedOn on : {TrainedOn::Threads, TrainedOn::Gloo}) {
        expectSameModelAfterStops(on, drawing(GetParam(), nameOf(on)), {4, 17});
    }
}

TEST_P(DrawnSamples, AResumedRunDrawsTheSameInSimulatedTime) {
    expectSameModelAfterStops(TrainedOn::Virtual, drawing(GetParam(), "virtual"), {4, 17});
}

// A third of a step of 3 ms is its forward pass, and the norms take another one, whether anything is computed or not.
TEST(DrawnSamplesInSimulatedTime, TheNormsTakeAForwardPass) {
    const auto stepMs = [](const std::string& sampler, const std::string& mode) {
        Value document = drawing("mixture", "virtual", 2);
        document.find("data")->set("sampler", text(sampler));
        document.find("data")->set("train_samples", integer(64));  // no short batches
        document.set("algorithm", named("independent"));
        document.set("compute",
                     table({{"step_time", text("3ms")}, {"forward_share", number(1.0 / 3)}, {"mode", text(mode)}}));
        return inChildProcess([&] {
                   return std::vector<double>{static_cast<double>(endOfSteps(trainVirtually(document)[0])) * 1e-6 / 31};
               })
            .at(0);
    };
    for (const char* mode : {"maths", "time-only"}) {
        EXPECT_NEAR(stepMs("passes", mode), 2 * 3, 1e-6) << mode;
        EXPECT_NEAR(stepMs("srg", mode), 2 * (3 + 1), 1e-6) << mode;
    }
}

INSTANTIATE_TEST_SUITE_P(Forms, DrawnSamples, testing::Values("mixture", "threshold"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace dasgd::test
