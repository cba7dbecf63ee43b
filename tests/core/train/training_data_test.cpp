#include "core/train/training_data.h"

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

Experiment of(const std::string& model, Fields more = {}) {
    Fields fields{{"algorithm", table({{"name", text("independent")}})},
                  {"cluster", table({{"backend", text("virtual")}, {"workers", integer(3)}})}};
    more.emplace_back("name", text(model));
    fields.emplace_back("model", table(std::move(more)));
    return std::move(readExperiment(table(std::move(fields))).value());
}

TEST(TrainingData, SharesTheSamplesOutAmongTheRanks) {
    const TrainingData data = loadTrainingData(of("logistic")).value();
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

TEST(TrainingData, IsOnlyShapesForAModelWithoutData) {
    const Experiment experiment = of("quadratic", {{"matrix", matrix({{1, 0}, {0, 1}})},
                                                   {"targets", matrix({{0, 0}, {1, 0}, {0, 1}})},
                                                   {"start", vector({1, 1})}});
    const TrainingData data = loadTrainingData(experiment).value();
    EXPECT_THAT(data.shards, IsEmpty());
    EXPECT_THAT(data.parameterSizes(), ElementsAre(2));
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
