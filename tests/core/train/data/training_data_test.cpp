#include "core/train/data/training_data.h"

#include <gmock/gmock.h>
#include <torch/nn.h>
#include <torch/types.h>

#include <numeric>
#include <set>

#include "tests/support/document.h"

namespace dasgd::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Experiment of(const std::string& model, Fields more = {}, Fields data = {}) {
    Fields fields{{"algorithm", table({{"name", text("independent")}})},
                  {"cluster", table({{"backend", text("virtual")}, {"workers", integer(3)}})}};
    more.emplace_back("name", text(model));
    fields.emplace_back("model", table(std::move(more)));
    if (!data.empty()) fields.emplace_back("data", table(std::move(data)));
    return std::move(readExperiment(table(std::move(fields))).value());
}

TEST(TrainingData, SharesTheSamplesOutAmongTheRanks) {
    const TrainingData data = loadTrainingData(of("logistic", {}, {{"shuffle", text("shard")}})).value();
    ASSERT_EQ(data.shards.size(), 3U);
    std::set<std::int64_t> all;
    std::size_t count = 0;
    for (const auto& shard : data.shards) {
        all.insert(shard.begin(), shard.end());
        count += shard.size();
    }
    EXPECT_EQ(all.size(), count) << "no sample belongs to two ranks";
    EXPECT_EQ(count, static_cast<std::size_t>(data.splits.train.count()));
    EXPECT_THAT(data.parameterSizes(), ElementsAre(7840, 10));
}

// Each sample by its pixels: nothing is in both sets, nothing is lost, and the seed decides.
TEST(TrainingData, TheValidationSetIsDrawnFromTheTrainingSetBySeed) {
    const auto all = loadTrainingData(of("logistic")).value();
    const auto split = loadTrainingData(of("logistic", {}, {{"validation", number(0.1)}})).value();
    EXPECT_EQ(split.validation.count(), 400);
    EXPECT_EQ(split.splits.train.count(), 3600);
    EXPECT_EQ(split.splits.test.count(), all.splits.test.count());
    const at::Tensor keys = torch::arange(1, 785, torch::kDouble).sqrt();
    const auto inputs = [](const Samples& samples) {
        return makeBatch(samples, torch::arange(samples.count(), torch::kInt64), torch::kDouble).inputs;
    };
    const auto sums = [&](const Samples& samples) { return inputs(samples).flatten(1).mv(keys); };
    const at::Tensor together = torch::cat({sums(split.splits.train), sums(split.validation)});
    EXPECT_TRUE(torch::allclose(std::get<0>(together.sort()), std::get<0>(sums(all.splits.train).sort())));
    EXPECT_EQ(all.validation.count(), 0);

    Experiment other = of("logistic", {}, {{"validation", number(0.1)}});
    const auto again = loadTrainingData(other).value();
    EXPECT_TRUE(inputs(again.validation).equal(inputs(split.validation))) << "the same seed";
    other.train.seed = 2;
    EXPECT_FALSE(inputs(loadTrainingData(other).value().validation).equal(inputs(split.validation)));
}

// Samples that all ranks draw in `passes` passes, one rank after the other.
std::vector<std::int64_t> drawnIn(const Experiment& experiment, std::int64_t passes) {
    const TrainingData data = loadTrainingData(experiment).value();
    std::vector<std::int64_t> all;
    for (std::int64_t pass = 0; pass < passes; ++pass) {
        for (int rank = 0; rank < 3; ++rank) {
            const at::Tensor own = passesOf(experiment, data, Rank{rank})(pass).contiguous();
            const auto* samples = own.const_data_ptr<std::int64_t>();
            all.insert(all.end(), samples, samples + own.numel());
        }
    }
    return all;
}

TEST(TrainingData, AGlobalShuffleDealsAllSamplesOutAnewEachEpoch) {
    const Experiment experiment = of("logistic");
    EXPECT_EQ(experiment.data.shuffle, "global");
    const std::vector<std::int64_t> two = drawnIn(experiment, 2);
    ASSERT_EQ(two.size(), 2U * 4002) << "4,000 samples of 3 ranks, and 2 to make the shares equal";
    const std::set<std::int64_t> first(two.begin(), two.begin() + 4002);
    EXPECT_EQ(first.size(), 4000U) << "every sample in the first epoch";
    EXPECT_EQ(std::set(two.begin() + 4002, two.end()).size(), 4000U) << "and in the second";
    const std::set<std::int64_t> rank0(two.begin(), two.begin() + 1334);
    const std::set<std::int64_t> rank0Later(two.begin() + 4002, two.begin() + 4002 + 1334);
    EXPECT_NE(rank0, rank0Later) << "a rank has other samples in the next epoch";
}

// Two workers that take gradients in turns of their own: together they take every sample of each epoch once.
TEST(TrainingData, OfSharedWorkEverySampleIsDrawnOnceAnEpochByAllTogether) {
    Experiment experiment = of("logistic", {}, {{"name", text("synthetic")}, {"train_samples", integer(50)}});
    experiment.train.work = "shared";
    experiment.train.epochs = 3;
    experiment.train.batchSize = 8;
    const TrainingData data = loadTrainingData(experiment).value();
    const Plan plan = planGradients(experiment, 50);
    EXPECT_EQ(plan.stepsPerEpoch, 7);
    EXPECT_EQ(plan.totalSteps, 21);
    std::int64_t gradient = 0, other = 0;
    const auto one = openSharedLoader(experiment, data, data.splits.train, gradient);
    const auto two = openSharedLoader(experiment, data, data.splits.train, other);
    // Each sample by its first number.
    const auto keysOf = [](const at::Tensor& inputs) {
        const at::Tensor first = inputs.to(torch::kDouble).flatten(1).select(1, 0).contiguous();
        return std::multiset<double>(first.data_ptr<double>(), first.data_ptr<double>() + first.numel());
    };
    const auto all = keysOf(makeBatch(data.splits.train, torch::arange(50, torch::kInt64), torch::kFloat32).inputs);
    std::multiset<double> epoch;
    for (std::int64_t next = 1; next <= 21; ++next) {
        const bool first = next % 5 < 3;
        (first ? gradient : other) = next;
        epoch.merge(keysOf((first ? one : two)->take(plan.batchOf(next)).inputs));
        if (next % 7 != 0) continue;
        EXPECT_EQ(epoch, all) << "after gradient " << next;
        epoch.clear();
    }
}

TEST(TrainingData, DropsWhatFillsNoBatch) {
    // 1,333 samples a rank are 41 batches of 32.
    EXPECT_EQ(drawnIn(of("logistic", {}, {{"drop_last", boolean(true)}}), 1).size(), 3U * 41 * 32);
}

TEST(TrainingData, WithoutShufflingEveryEpochIsTheSame) {
    const std::vector<std::int64_t> two = drawnIn(of("logistic", {}, {{"shuffle", text("none")}}), 2);
    EXPECT_EQ(two[1], 3) << "rank 0 takes every third sample";
    EXPECT_TRUE(std::equal(two.begin(), two.begin() + 4002, two.begin() + 4002));
}

TEST(TrainingData, IsOnlyShapesForAModelWithoutData) {
    const Experiment experiment = of("quadratic", {{"matrix", matrix({{1, 0}, {0, 1}})},
                                                   {"targets", matrix({{0, 0}, {1, 0}, {0, 1}})},
                                                   {"start", vector({1, 1})}});
    const TrainingData data = loadTrainingData(experiment).value();
    EXPECT_THAT(data.shards, IsEmpty());
    EXPECT_THAT(data.parameterSizes(), ElementsAre(2));
}

std::vector<at::Tensor> inputsOf(Fields data, Rank rank) {
    const Experiment experiment = of("logistic", {}, std::move(data));
    const TrainingData loaded = loadTrainingData(experiment).value();
    const auto loader = openLoader(experiment, loaded, rank);
    std::vector<at::Tensor> inputs;
    for (int step = 0; step < 50; ++step) inputs.push_back(loader->take()->inputs);
    return inputs;
}

TEST(OpenLoader, GivesTheBatchesOfThePlanWhateverTheThreads) {
    // 1,334 samples a rank in batches of 32: 41, and one of 22.
    const auto plain = inputsOf({}, Rank{1});
    EXPECT_EQ(plain[40].size(0), 32);
    EXPECT_EQ(plain[41].size(0), 22);
    EXPECT_EQ(plain[42].size(0), 32);
    const auto threaded = inputsOf({{"threads", integer(3)}, {"prefetch", integer(2)}}, Rank{1});
    const auto other = inputsOf({}, Rank{2});
    for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_TRUE(plain[i].equal(threaded[i])) << "step " << i;
    EXPECT_FALSE(plain[0].equal(other[0]));
}

TEST(TrainingData, DigitsNeedNoThreads) {
    EXPECT_EQ(loadTrainingData(of("logistic")).value().splits.train.loading.threads, 0);
    EXPECT_EQ(loadTrainingData(of("logistic", {}, {{"threads", integer(2)}})).value().splits.test.loading.threads, 2);
    EXPECT_FALSE(loadTrainingData(of("logistic")).value().skipped()) << "no file is ever left out";
}

TEST(BuildModel, GivesEveryRankTheSameWeights) {
    const Experiment experiment = of("lenet");
    const TrainingData data = loadTrainingData(experiment).value();
    const auto one = std::move(buildModel(experiment, data, Rank{0}).value());
    const auto two = std::move(buildModel(experiment, data, Rank{2}).value());
    const auto first = one->module().parameters(), second = two->module().parameters();
    ASSERT_EQ(first.size(), second.size());
    for (std::size_t i = 0; i < first.size(); ++i) EXPECT_TRUE(first[i].equal(second[i]));
}

}  // namespace
}  // namespace dasgd::test
