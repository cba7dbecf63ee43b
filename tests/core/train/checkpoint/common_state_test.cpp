#include "core/train/checkpoint/common_state.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include "core/train/checkpoint/archive_file.h"
#include "tests/support/temp_dir.h"

namespace dasgd::test {
namespace {

using ::testing::HasSubstr;

class CommonStateTest : public testing::Test {
protected:
    void write(int rank, double velocity, const std::string& without = "") const {
        Archive archive;
        archive.put("weights/fc.weight", torch::full({2}, 10.0 * rank, torch::kFloat));
        archive.put("buffers/bn.mean", torch::full({1}, 1.0F));
        archive.put("optimizer/velocity", torch::full({2}, velocity, torch::kFloat));
        archive.put("optimizer/steps", 7);
        archive.put("model/0", torch::full({1}, 60 + rank));
        archive.put("rule/mean", torch::full({2}, 5.0F));
        archive.put("random/own", torch::full({1}, rank));
        if (without != "random/shared") archive.put("random/shared", torch::full({1}, 40 + rank));
        archive.put("selection", torch::full({1}, 3.0));
        putCounters(archive, {.step = 8, .bytesSent = 100 + rank, .wall = 50 + rank, .trained = 40 - rank});
        ASSERT_TRUE(writeArchive(checkpoint_.rankFile(Rank(rank)), archive));
    }
    void SetUp() override {
        checkpoint_.folder = folder_.path();
        checkpoint_.state.ranks = 3;
        checkpoint_.state.step = 8;
        for (int rank = 0; rank < 3; ++rank) checkpoint_.state.files[CheckpointFolder::rankFileName(Rank(rank))] = {};
        checkpoint_.state.files[CheckpointFolder::kModelFile] = {};
        Archive model;
        model.put("fc.weight", torch::full({2}, 10.0F));
        model.put("bn.mean", torch::full({1}, 2.0F));
        ASSERT_TRUE(writeArchive(checkpoint_.modelFile(), model));
    }
    TempDir folder_;
    Checkpoint checkpoint_;
};

TEST_F(CommonStateTest, IsTheModelAndTheMeanOfTheOptimisersAndNothingOfTheRule) {
    for (int rank = 0; rank < 3; ++rank) write(rank, 1 + rank);
    const auto common = commonStateOf(checkpoint_);
    ASSERT_TRUE(common) << common.error().message;
    const auto& tensors = common->archive.tensors();
    EXPECT_TRUE(tensors.at("weights/fc.weight").equal(torch::full({2}, 10.0F)));
    EXPECT_TRUE(tensors.at("buffers/bn.mean").equal(torch::full({1}, 2.0F))) << "of the model, not of a rank";
    EXPECT_TRUE(tensors.at("optimizer/velocity").equal(torch::full({2}, 2.0F)));
    EXPECT_EQ(common->archive.integers().at("optimizer/steps"), 7);
    EXPECT_TRUE(tensors.at("random/shared").equal(torch::full({1}, 40)));
    EXPECT_TRUE(tensors.contains("selection"));
    EXPECT_TRUE(tensors.at("model/0").equal(torch::full({1}, 60))) << "the counters of rank 0";
    EXPECT_EQ(tensors.size(), 6U) << "neither the rule's nor a rank's own";
    ASSERT_EQ(common->counters.size(), 3U);
    EXPECT_EQ(common->counters[2].bytesSent, 102);
}

TEST_F(CommonStateTest, NamesTheFileAndWhatIsMissing) {
    for (int rank = 0; rank < 2; ++rank) write(rank, 1);
    const auto missing = commonStateOf(checkpoint_);
    ASSERT_FALSE(missing);
    EXPECT_THAT(missing.error().message, HasSubstr(checkpoint_.rankFile(Rank(2)).string()));
    write(0, 1, "random/shared");
    const auto damaged = commonStateOf(checkpoint_);
    ASSERT_FALSE(damaged);
    EXPECT_THAT(damaged.error().message, HasSubstr("'random/shared'"));
}

TEST_F(CommonStateTest, IsFormedOnceForTheRanksOfAProcessAndThenLetGo) {
    for (int rank = 0; rank < 3; ++rank) write(rank, 1);
    CommonStateOnce once;
    const auto first = once.of(checkpoint_, 2), second = once.of(checkpoint_, 2);
    ASSERT_TRUE(first && second);
    EXPECT_EQ(first->get(), second->get());
    EXPECT_EQ(first->use_count(), 2) << "nobody else keeps it";
}

TEST(TakenOver, NoByteIsLostOrCountedTwice) {
    const std::vector<RankCounters> three{{.step = 8, .bytesSent = 1, .wall = 5, .trained = 9},
                                          {.step = 8, .bytesSent = 10, .wall = 6, .trained = 8},
                                          {.step = 8, .bytesSent = 100, .wall = 4, .trained = 7}};
    for (const int ranks : {1, 2, 4, 7}) {
        std::int64_t sum = 0;
        for (int rank = 0; rank < ranks; ++rank) {
            const std::int64_t sent = takenOver(three, Rank(rank), ranks).bytesSent;
            EXPECT_LE(std::abs(sent - 111 / ranks), 1) << "as much as every other rank";
            sum += sent;
        }
        EXPECT_EQ(sum, 111) << ranks;
    }
    EXPECT_EQ(takenOver(three, Rank(1), 2).wall, 6);
    EXPECT_EQ(takenOver(three, Rank(1), 2).trained, 9);
}

}  // namespace
}  // namespace dasgd::test
