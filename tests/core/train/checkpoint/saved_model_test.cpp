#include "core/train/checkpoint/saved_model.h"

#include <gmock/gmock.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include <tuple>

namespace dasgd::test {
namespace {

using ::testing::HasSubstr;

Archive rankWith(double weight, double mean, std::int64_t batches) {
    Archive archive;
    archive.put("weights/fc.weight", torch::full({2, 2}, weight, torch::kFloat));
    archive.put("buffers/bn.running_mean", torch::full({2}, mean, torch::kFloat));
    archive.put("buffers/bn.num_batches_tracked", torch::tensor(batches));
    archive.put("optimizer/velocity", torch::full({4}, 99.0));
    return archive;
}

TEST(SavedModel, IsTheMeanOfTheRanksThatTrain) {
    SavedModel model;
    ASSERT_TRUE(model.add(rankWith(100, 100, 100), false));
    ASSERT_TRUE(model.add(rankWith(1, 10, 7), true));
    ASSERT_TRUE(model.add(rankWith(2, 30, 8), true));
    const Archive saved = model.take();
    ASSERT_EQ(saved.tensors().size(), 3U) << "nothing of the optimiser";
    EXPECT_TRUE(saved.tensors().at("fc.weight").equal(torch::full({2, 2}, 1.5F)));
    EXPECT_TRUE(saved.tensors().at("bn.running_mean").equal(torch::full({2}, 20.0F)));
    EXPECT_TRUE(saved.tensors().at("bn.num_batches_tracked").equal(torch::tensor(std::int64_t{7}))) << "no mean";
}

TEST(SavedModel, IsTheSumOfTheNamedPartsWhereTheAlgorithmNamesIt) {
    Archive server = rankWith(0, 0, 0), worker = rankWith(5, 10, 7);
    server.put("names", 1);
    worker.put("names", 1);
    server.put("named/fc.weight", torch::full({2, 2}, 3.0F));
    SavedModel model;
    ASSERT_TRUE(model.add(server, false));
    ASSERT_TRUE(model.add(worker, true));
    const Archive saved = model.take();
    EXPECT_TRUE(saved.tensors().at("fc.weight").equal(torch::full({2, 2}, 3.0F)));
    EXPECT_TRUE(saved.tensors().at("bn.running_mean").equal(torch::full({2}, 10.0F)));
}

// Ranks that have a stage each: a layer's statistics and its counter are those of the rank that passed batches through
// it.
TEST(SavedModel, CountersAreThoseOfEachRanksOwnLayers) {
    SavedModel model;
    for (const auto& [first, second, trains] : {std::tuple(7, 0, false), std::tuple(0, 5, true)}) {
        Archive rank = rankWith(1, first, first);
        rank.put("names", 1);
        rank.put("named/fc.weight", torch::ones({2, 2}));
        rank.put("named_buffers/bn.running_mean", torch::full({2}, static_cast<float>(first)));
        rank.put("named_buffers/other.running_mean", torch::full({2}, static_cast<float>(second)));
        rank.put("buffers/other.running_mean", torch::full({2}, static_cast<float>(second)));
        rank.put("buffers/other.num_batches_tracked", torch::tensor(std::int64_t{second}));
        ASSERT_TRUE(model.add(rank, trains));
    }
    const Archive saved = model.take();
    EXPECT_TRUE(saved.tensors().at("bn.running_mean").equal(torch::full({2}, 7.0F)));
    EXPECT_TRUE(saved.tensors().at("bn.num_batches_tracked").equal(torch::tensor(std::int64_t{7})));
    EXPECT_TRUE(saved.tensors().at("other.num_batches_tracked").equal(torch::tensor(std::int64_t{5})));
}

TEST(SavedModel, RanksOfAnotherModelAreRefused) {
    SavedModel model;
    ASSERT_TRUE(model.add(rankWith(1, 1, 1), true));
    Archive other = rankWith(1, 1, 1);
    other.put("weights/fc.weight", torch::zeros({3}));
    const Status added = model.add(other, true);
    ASSERT_FALSE(added);
    EXPECT_THAT(added.error().message, HasSubstr("'fc.weight' has another shape"));
}

TEST(ModelOf, HasEveryTensorByItsNameOnce) {
    struct Net : torch::nn::Module {
        torch::nn::Linear a{register_module("a", torch::nn::Linear(2, 3))};
        torch::nn::Linear b{register_module("b", torch::nn::Linear(2, 3))};
        torch::nn::BatchNorm1d bn{register_module("bn", torch::nn::BatchNorm1d(3))};
    };
    Net net;
    net.b->weight = net.b->register_parameter("tied", net.a->weight);
    const Archive model = modelOf(net);
    EXPECT_TRUE(model.has("a.weight"));
    EXPECT_FALSE(model.has("b.tied")) << "shared with a.weight";
    EXPECT_TRUE(model.has("bn.running_var"));
    EXPECT_TRUE(model.has("bn.num_batches_tracked"));
}

}  // namespace
}  // namespace dasgd::test
