#include "core/datasets/loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <atomic>
#include <set>

namespace dasgd {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kBatches = 30;
constexpr std::int64_t kBatch = 4;

// Sample i has the value i, plus what its batch draws; reading sample `broken` fails.
class CountingReader final : public SampleReader {
public:
    explicit CountingReader(std::int64_t broken = -1) : broken_(broken) {}
    Inputs read(const at::Tensor& indices, std::uint64_t seed) const override {
        const std::lock_guard lock(mutex_);
        threads_.insert(std::this_thread::get_id());
        if (indices.eq(broken_).any().item<bool>()) throw DataError("sample.png: it is gone");
        return {indices.to(torch::kFloat).unsqueeze(1) + static_cast<float>(seed), indices};
    }
    bool isSlow() const override { return true; }
    std::int64_t skipped() const override { return 0; }
    std::shared_ptr<const SampleReader> selected(const at::Tensor&, SampleUse) const override { return nullptr; }
    [[nodiscard]] std::set<std::thread::id> threads() const {
        const std::lock_guard lock(mutex_);
        return threads_;
    }

private:
    std::int64_t broken_;
    mutable std::mutex mutex_;
    mutable std::set<std::thread::id> threads_;
};

Samples samplesOf(std::shared_ptr<const SampleReader> reader, int threads, int ahead = 4) {
    Samples samples;
    samples.targets = torch::arange(kBatches * kBatch, torch::kInt64);
    samples.reader = std::move(reader);
    samples.loading = {threads, ahead};
    return samples;
}

// Batch b has the samples from 4 b on and the seed 1000 b. `ordered` counts what was asked for.
BatchLoader::NextOrder inTurn(std::atomic<int>* ordered = nullptr) {
    return [ordered, batch = std::int64_t{0}]() mutable -> std::optional<BatchOrder> {
        if (batch == kBatches) return std::nullopt;
        if (ordered) ++*ordered;
        const std::int64_t begin = batch * kBatch;
        return BatchOrder{torch::arange(begin, begin + kBatch, torch::kInt64),
                          1000 * static_cast<std::uint64_t>(batch++)};
    };
}

class LoaderTest : public ::testing::TestWithParam<int> {};

TEST_P(LoaderTest, GivesTheSameBatchesInOrderWhateverItsThreads) {
    const auto reader = std::make_shared<CountingReader>();
    BatchLoader loader(samplesOf(reader, GetParam()), torch::kFloat, inTurn());
    for (std::int64_t b = 0; b < kBatches; ++b) {
        const auto batch = loader.take();
        ASSERT_TRUE(batch);
        const at::Tensor samples = torch::arange(kBatch * b, kBatch * (b + 1), torch::kInt64);
        EXPECT_TRUE(batch->targets.equal(samples));
        EXPECT_TRUE(batch->inputs.squeeze(1).equal(samples.to(torch::kFloat) + 1000.0 * static_cast<double>(b)));
    }
    EXPECT_FALSE(loader.take());
    EXPECT_EQ(reader->threads().count(std::this_thread::get_id()), GetParam() == 0 ? 1U : 0U);
}

TEST_P(LoaderTest, PutsOtherSizesTogetherWithoutLosingASample) {
    BatchLoader loader(samplesOf(std::make_shared<CountingReader>(), GetParam()), torch::kFloat, inTurn());
    std::int64_t next = 0;
    for (const std::int64_t count : {1, 4, 3, 11, 2, 5}) {
        EXPECT_TRUE(loader.take(count).targets.equal(torch::arange(next, next + count, torch::kInt64)));
        next += count;
    }
    EXPECT_EQ(loader.take(1000).targets.size(0), kBatches * kBatch - next) << "what is left";
    EXPECT_FALSE(loader.take(1).targets.defined());
}

// Parts of batches of 4, put together to 3, keep the samples' numbers and weights.
TEST_P(LoaderTest, NumbersAndWeightsStayWithTheirSamples) {
    BatchLoader loader(samplesOf(std::make_shared<CountingReader>(), GetParam()), torch::kFloat,
                       [order = inTurn()]() -> std::optional<BatchOrder> {
                           std::optional<BatchOrder> next = order();
                           if (next) next->weights = next->indices.to(torch::kDouble) / 8;
                           return next;
                       });
    for (std::int64_t begin = 0; begin < kBatches * kBatch; begin += 3) {
        const Batch batch = loader.take(3);
        const at::Tensor samples = torch::arange(begin, begin + 3, torch::kInt64);
        EXPECT_TRUE(batch.targets.equal(samples));
        EXPECT_TRUE(batch.indices.equal(samples));
        EXPECT_TRUE(batch.weights.equal(samples.to(torch::kFloat) / 8)) << "in the type of the model";
    }
    BatchLoader plain(samplesOf(std::make_shared<CountingReader>(), GetParam()), torch::kFloat, inTurn());
    EXPECT_FALSE(plain.take(6).weights.defined());
}

TEST_P(LoaderTest, SaysWhatWentWrongWithTheBatchThatItHappenedTo) {
    BatchLoader loader(samplesOf(std::make_shared<CountingReader>(9), GetParam()), torch::kFloat, inTurn());
    EXPECT_TRUE(loader.take());
    EXPECT_TRUE(loader.take());
    try {
        static_cast<void>(loader.take());
        ADD_FAILURE() << "batch 2 has the sample that cannot be read";
    } catch (const DataError& error) {
        EXPECT_THAT(error.what(), HasSubstr("sample.png"));
    }
}

INSTANTIATE_TEST_SUITE_P(Threads, LoaderTest, ::testing::Values(0, 1, 2, 5));

TEST(BatchLoader, IsAsFarAheadAsItWasTold) {
    std::atomic<int> ordered = 0;
    BatchLoader loader(samplesOf(std::make_shared<CountingReader>(), 2, 3), torch::kFloat, inTurn(&ordered));
    EXPECT_EQ(ordered, 3) << "before anybody asks";
    static_cast<void>(loader.take());
    EXPECT_EQ(ordered, 4);
}

TEST(BatchLoader, WithoutThreadsMakesNothingAhead) {
    std::atomic<int> ordered = 0;
    BatchLoader loader(samplesOf(std::make_shared<CountingReader>(), 0), torch::kFloat, inTurn(&ordered));
    EXPECT_EQ(ordered, 0);
    static_cast<void>(loader.take());
    EXPECT_EQ(ordered, 1);
}

}  // namespace
}  // namespace dasgd
