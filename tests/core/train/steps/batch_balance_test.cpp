// Batches in proportion to the ranks' rates: the same gradients, samples and runs as equal batches, in less time.
#include "core/train/steps/batch_balance.h"

#include <gmock/gmock.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "core/train/steps/local_step.h"
#include "tests/support/resumed_runs.h"
#include "tests/support/small_experiments.h"

namespace dasgd::test {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Not;

using Sizes = std::vector<std::int64_t>;

constexpr std::int64_t kBatch = 16;
constexpr int kWorkers = 4;

// 4 workers, of which `factors` are slow; an epoch of 13 steps, the last of 8 samples each.
Value unlikeWorkers(const std::string& algorithm, const std::string& backend, bool balanced,
                    const std::vector<double>& factors = {1, 1, 1, 2}) {
    Value document =
        table({{"algorithm", table({{"name", text(algorithm)}})},
               {"model", named("logistic")},
               {"data", table({{"name", text("synthetic")},
                               {"shape", array<std::int64_t>({9})},
                               {"classes", integer(4)},
                               {"train_samples", integer(4 * 200)},
                               {"test_samples", integer(40)}})},
               {"train", table({{"steps", integer(40)},
                                {"batch_size", integer(kBatch)},
                                {"eval_every", integer(20)},
                                {"precision", text("float64")}})},
               {"optimizer", table({{"name", text("sgd")}, {"learning_rate", number(0.3)}, {"momentum", number(0)}})},
               {"cluster", table({{"backend", text(backend)}, {"workers", integer(kWorkers)}})}});
    if (balanced) {
        document.find("train")->set("balance", text("rate"));
        document.find("train")->set("rebalance", integer(5));
    }
    if (backend == "virtual") {
        document.set("compute", table({{"step_time", text("20ms")}, {"rank_factors", vector(factors)}}));
        document.set("network", table({{"bandwidth", text("100Gbps")}, {"latency", text("1us")}}));
    }
    return document;
}

// Samples of each rank in each step, from the spans of its forward passes.
std::vector<Sizes> sizesOf(const std::vector<RankRecord>& records) {
    std::vector<Sizes> steps;
    for (const RankRecord& record : records) {
        EXPECT_EQ(record.outcome.error, "");
        std::size_t step = 0;
        for (const Span& span : record.sink.spans) {
            if (span.kind != SpanKind::Forward) continue;
            if (steps.size() == step) steps.emplace_back();
            steps[step++].push_back(span.bytes);
        }
    }
    return steps;
}

void expectAllSamplesInEachStep(const std::vector<Sizes>& steps) {
    ASSERT_EQ(steps.size(), 40U);
    for (std::size_t step = 0; step < steps.size(); ++step) {
        ASSERT_EQ(steps[step].size(), 4U);
        EXPECT_EQ(std::accumulate(steps[step].begin(), steps[step].end(), std::int64_t{0}),
                  kWorkers * ((step + 1) % 13 == 0 ? 8 : kBatch));
    }
}

std::vector<double> lossesOf(const std::vector<RankRecord>& records) {
    std::vector<double> losses;
    for (const auto& point : records[0].sink.metrics.at("eval/loss")) losses.push_back(point.value);
    return losses;
}

void expectNear(const std::vector<double>& values, const std::vector<double>& expected) {
    ASSERT_EQ(values.size(), expected.size());
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], 1e-12) << i;
}

// Σ b·g/B, where g is the mean over a rank's own samples. The oracle is one pass over the samples of all.
TEST(BatchBalance, TheMeanOfTheGradientsIsThatOfAllSamples) {
    const Experiment experiment = readExperiment(unlikeWorkers("sync_sgd", "threads", true)).value();
    const TrainingData data = loadTrainingData(experiment).value();
    const Sizes sizes{29, 1, 23, 11};
    at::Tensor weighed, plain, samples, full;
    for (int rank = 0; rank < kWorkers; ++rank) {
        const auto model = std::move(buildModel(experiment, data, Rank{rank}).value());
        FlatParams params(model->module(), at::kDouble);
        const auto optimizer = experiment.makeOptimizer();
        const auto own = sizes[static_cast<std::size_t>(rank)];
        const auto step = makeLocalStep(experiment, data, *model, params, *optimizer, Rank{rank}, {}, 3,
                                        {.batches = [&](std::int64_t k) {
                                            EXPECT_EQ(k, 4);
                                            return sizes;
                                        }});
        // In two micro-batches where there are more samples than one.
        const double weight = static_cast<double>(own) / kBatch;
        for (std::int64_t before = 0; before < own; before += 20) {
            const MicroBatch part{
                .samples = std::min<std::int64_t>(20, own - before), .before = before, .of = own, .weight = weight};
            step->load(part);
            step->forward(part);
            step->backward();
        }
        const at::Tensor gradient = params.gradients().clone();
        weighed = rank == 0 ? gradient / kWorkers : weighed + gradient / kWorkers;
        plain = rank == 0 ? gradient / weight / kWorkers : plain + gradient / weight / kWorkers;
        if (rank > 0) continue;
        const at::Tensor place = torch::arange(3 * 64, 4 * 64, torch::kInt64);
        params.gradients().zero_();
        model->loss(makeBatch(data.splits.train, data.order->of(0).index_select(0, place), at::kDouble)).backward();
        full = params.gradients().clone();
    }
    EXPECT_LT((weighed - full).abs().max().item<double>(), 1e-12);
    EXPECT_GT((plain - full).abs().max().item<double>(), 1e-3) << "the plain mean is another one";
}

TEST(BatchBalance, EachStepHasTheSamplesOfEqualBatchesHoweverTheyAreDivided) {
    const Experiment experiment = readExperiment(unlikeWorkers("sync_sgd", "threads", true)).value();
    const TrainingData data = loadTrainingData(experiment).value();
    const auto sizes = [](std::int64_t step) {
        return step % 13 == 0 ? Sizes{1, 9, 2, 20} : step % 2 == 0 ? Sizes{1, 40, 20, 3} : Sizes{16, 16, 16, 16};
    };
    std::map<std::int64_t, int> seen;
    std::vector<std::unique_ptr<BatchLoader>> equal, uneven;
    for (int rank = 0; rank < kWorkers; ++rank) {
        equal.push_back(openLoader(experiment, data, Rank{rank}));
        uneven.push_back(openUnevenLoader(experiment, data, Rank{rank}, data.splits.train, sizes));
    }
    for (std::int64_t step = 1; step <= 26; ++step) {
        std::multiset<std::int64_t> expected, found;
        for (std::size_t rank = 0; rank < kWorkers; ++rank) {
            const at::Tensor of = equal[rank]->take()->indices, own = uneven[rank]->take()->indices;
            EXPECT_EQ(own.numel(), sizes(step)[rank]);
            const bool alike = step % 2 == 1 && step % 13 != 0;
            EXPECT_TRUE(!alike || of.equal(own)) << "equal batches are those of any run";
            for (std::int64_t i = 0; i < of.numel(); ++i) expected.insert(of[i].item<std::int64_t>());
            for (std::int64_t i = 0; i < own.numel(); ++i) found.insert(own[i].item<std::int64_t>());
        }
        EXPECT_EQ(found, expected) << step;
        for (const std::int64_t sample : found) ++seen[sample];
    }
    EXPECT_EQ(seen.size(), 800U);
    for (const auto& [sample, times] : seen) EXPECT_EQ(times, 2) << "two epochs";
}

// A run that resumes opens its loader in the middle of an epoch.
TEST(BatchBalance, ALoaderCanBeginAfterAnyStep) {
    const Experiment experiment = readExperiment(unlikeWorkers("sync_sgd", "threads", true)).value();
    const TrainingData data = loadTrainingData(experiment).value();
    const auto sizes = [](std::int64_t step) { return step % 13 == 0 ? Sizes{20, 9, 2, 1} : Sizes{1, 40, 20, 3}; };
    const auto whole = openUnevenLoader(experiment, data, Rank{2}, data.splits.train, sizes);
    for (std::int64_t step = 1; step <= 30; ++step) {
        const at::Tensor indices = whole->take()->indices;
        const auto begun = openUnevenLoader(experiment, data, Rank{2}, data.splits.train, sizes, step - 1);
        EXPECT_TRUE(begun->take()->indices.equal(indices)) << step;
    }
}

// The slow rank needs 2.5 ms a sample, the others 1.25: all together 2,800 samples a second.
TEST(BatchBalanceSimulatedTime, TheTimeOfAStepIsThatOfAllRatesTogether) {
    const auto records = trainVirtually(unlikeWorkers("sync_sgd", "virtual", true));
    const std::vector<Sizes> steps = sizesOf(records);
    expectAllSamplesInEachStep(steps);
    for (std::size_t step = 0; step < 5; ++step) EXPECT_THAT(steps[step], Each(kBatch)) << "nothing is known yet";
    EXPECT_THAT(steps[5], ElementsAre(19, 18, 18, 9)) << "of the quotas 18.29 and 9.14";
    const auto stepSeconds = [&](std::int64_t first, std::int64_t last) {
        Ns begin = 0, end = 0;
        for (const Span& span : records[0].sink.spans) {
            if (span.kind == SpanKind::Update && span.step == first - 1) begin = span.end;
            if (span.kind == SpanKind::Update && span.step == last) end = span.end;
        }
        return seconds(end - begin) / static_cast<double>(last - first + 1);
    };
    EXPECT_NEAR(stepSeconds(2, 5), 40e-3, 1e-3) << "the slow rank holds up all";
    const double together = kWorkers * kBatch / 2800.0;
    EXPECT_LE(stepSeconds(22, 25), 1.05 * together);
    EXPECT_GE(stepSeconds(22, 25), together);
}

TEST(BatchBalanceSimulatedTime, WithLargeBatchesNothingIsLeftToRounding) {
    Value document = unlikeWorkers("sync_sgd", "virtual", true, {1, 1, 2, 1.3});
    document.find("compute")->set("mode", text("time-only"));
    document.find("train")->set("batch_size", integer(256));
    const auto records = trainVirtually(document);
    const std::vector<Sizes> steps = sizesOf(records);
    const double rates = 256 / 20e-3 * (1 + 1 + 1 / 2.0 + 1 / 1.3);
    Ns begin = 0, end = 0;
    for (const Span& span : records[2].sink.spans) {
        if (span.kind != SpanKind::Backward) continue;
        if (span.step == 20) begin = span.end;
        if (span.step == 40) end = span.end;
    }
    const double ratio = seconds(end - begin) / 20 / (4 * 256 / rates);
    EXPECT_LE(ratio, 1.05);
    EXPECT_GE(ratio, 1);
    EXPECT_EQ(std::accumulate(steps[30].begin(), steps[30].end(), std::int64_t{0}), 4 * 256);
}

// The batches differ, the run does not.
TEST(BatchBalanceSimulatedTime, SynchronousStepsAreThoseOfEqualBatches) {
    const auto balanced = trainVirtually(unlikeWorkers("sync_sgd", "virtual", true, {1, 3, 1.5, 2}));
    const std::vector<Sizes> steps = sizesOf(balanced);
    expectAllSamplesInEachStep(steps);
    EXPECT_THAT(steps[20], Not(Each(kBatch)));
    expectNear(lossesOf(balanced), lossesOf(train(unlikeWorkers("sync_sgd", "threads", false))));
}

TEST(BatchBalanceSimulatedTime, RanksThatAreEquallyFastMakeTheSameRunToTheLastBit) {
    const auto balanced = trainVirtually(unlikeWorkers("dasgd", "virtual", true, {1}));
    const auto plain = train(unlikeWorkers("dasgd", "threads", false));
    for (std::size_t rank = 0; rank < kWorkers; ++rank) {
        const auto &losses = balanced[rank].sink.metrics.at("train/loss"),
                   &expected = plain[rank].sink.metrics.at("train/loss");
        ASSERT_EQ(losses.size(), expected.size());
        for (std::size_t i = 0; i < losses.size(); ++i) EXPECT_EQ(losses[i].value, expected[i].value) << rank << i;
    }
    EXPECT_EQ(lossesOf(balanced), lossesOf(plain));
}

Value averagingEachStep(const std::string& weigh) {
    Value document = unlikeWorkers("local_sgd", "virtual", true, {1, 3, 1.5, 2});
    document.set("algorithm", table({{"name", text("local_sgd")}, {"period", integer(1)}}));
    document.find("train")->set("weigh", text(weigh));
    return document;
}

// w − η·Σ b·g/B, one step from common weights.
TEST(BatchBalanceSimulatedTime, MeansOfWeightsBySamplesAreStepsAlongTheMeanOfAllSamples) {
    const auto weighed = trainVirtually(averagingEachStep("samples"));
    expectNear(lossesOf(weighed), lossesOf(train(unlikeWorkers("sync_sgd", "threads", false))));
}

TEST(BatchBalanceSimulatedTime, MeansOfWeightsCountRanksAlikeUnlessTold) {
    const auto alike = trainVirtually(averagingEachStep("ranks"));
    const std::vector<double> expected = lossesOf(train(unlikeWorkers("sync_sgd", "threads", false)));
    EXPECT_GT(std::abs(lossesOf(alike).back() - expected.back()), 1e-6);
}

// Synchronous steps come first and average gradients; then weights travel.
TEST(BatchBalanceSimulatedTime, FirstSynchronousStepsAverageGradients) {
    Value document = averagingEachStep("samples");
    document.find("algorithm")->set("sync_steps", integer(17));
    expectNear(lossesOf(trainVirtually(document)), lossesOf(train(unlikeWorkers("sync_sgd", "threads", false))));
}

TEST(BatchBalanceSimulatedTime, AResumedRunHasTheSameBatches) {
    for (const char* algorithm : {"sync_sgd", "dasgd"}) {
        const Value document = unlikeWorkers(algorithm, "virtual", true, {1, 3, 1.5, 2});
        expectSameModelAfterStops(TrainedOn::Virtual, document, {7, 10, 23});
    }
}

// In real time the rates are what they are: whatever they are, the mean is that of all samples.
TEST(BatchBalance, RealBackendsMakeTheStepsOfEqualBatches) {
    const std::vector<double> expected = lossesOf(train(unlikeWorkers("sync_sgd", "threads", false)));
    for (const Backend backend : {Backend::Threads, Backend::Gloo}) {
        const auto records = train(unlikeWorkers("sync_sgd", "threads", true), backend);
        expectAllSamplesInEachStep(sizesOf(records));
        expectNear(lossesOf(records), expected);
    }
    for (const char* algorithm : {"zero_sgd", "dga", "cocod_sgd", "slowmo", "dpsgd"}) {
        expectAllSamplesInEachStep(sizesOf(train(unlikeWorkers(algorithm, "threads", true))));
    }
    expectNear(lossesOf(train(unlikeWorkers("zero_sgd", "threads", true))), expected);
}

}  // namespace
}  // namespace dasgd::test
