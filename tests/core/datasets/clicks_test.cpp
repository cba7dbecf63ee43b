#include <gmock/gmock.h>
#include <torch/types.h>

#include "core/datasets/dataset.h"
#include "tests/support/document.h"

namespace dasgd::test {
namespace {

using ::testing::HasSubstr;

const InputSpec kOfTables{.shape = {9}, .classes = 2, .categories = {.features = 3, .rows = 8, .lookups = 2}};

Result<Splits> loadClicks(Fields fields, const InputSpec& input = kOfTables) {
    return DatasetRegistry::find("clicks")->create(table(std::move(fields)), {}).value()->load(input);
}

TEST(Clicks, HaveNumbersAndTheRowsOfEachTable) {
    const Splits splits =
        loadClicks({{"train_samples", integer(4000)}, {"test_samples", integer(500)}, {"skew", number(1)}}).value();
    EXPECT_EQ(splits.input.shape, kOfTables.shape);
    ASSERT_EQ(splits.train.inputs.sizes(), at::IntArrayRef({4000, 9}));
    EXPECT_EQ(splits.test.count(), 500);
    EXPECT_EQ(splits.train.task(), Task::kClassification);
    const at::Tensor rows = splits.train.inputs.slice(1, 3);
    EXPECT_TRUE(rows.equal(rows.floor()));
    EXPECT_EQ(rows.min().item<double>(), 0);
    EXPECT_EQ(rows.max().item<double>(), 7);
    EXPECT_NEAR(splits.train.inputs.slice(1, 0, 3).std().item<double>(), 1, 0.05);
    // Row k as often as 1 / (k + 1), among 8,000 of each table: within five deviations.
    double sum = 0;
    for (int k = 1; k <= 8; ++k) sum += 1.0 / k;
    for (int t = 0; t < 3; ++t) {
        for (int k = 0; k < 8; ++k) {
            const double share = rows.slice(1, 2 * t, 2 * t + 2).eq(k).to(at::kDouble).mean().item<double>();
            EXPECT_NEAR(share, 1 / (sum * (k + 1)), 5 * 0.006) << t << " " << k;
        }
    }
}

TEST(Clicks, DependOnTheirSeedAlone) {
    torch::manual_seed(1);
    const Splits first = loadClicks({}).value();
    torch::manual_seed(2);
    const Splits second = loadClicks({}).value(), other = loadClicks({{"seed", integer(2)}}).value();
    EXPECT_TRUE(first.train.inputs.equal(second.train.inputs));
    EXPECT_TRUE(first.train.targets.equal(second.train.targets));
    EXPECT_TRUE(first.test.inputs.equal(second.test.inputs));
    EXPECT_FALSE(first.train.inputs.equal(other.train.inputs));
}

// Share of clicks among the samples that name a row of the first table, by row.
at::Tensor ratesByRow(const Samples& samples) {
    const at::Tensor rows = samples.inputs.select(1, 3).to(at::kLong);
    const at::Tensor clicks = samples.targets.to(at::kDouble);
    return torch::bincount(rows, clicks, 8) / torch::bincount(rows, {}, 8).clamp_min(1);
}

TEST(Clicks, TeachWhatHoldsOnTheTestSet) {
    const Fields sizes{{"train_samples", integer(40000)}, {"test_samples", integer(40000)}, {"skew", number(0)}};
    const Splits splits = loadClicks(sizes).value();
    const at::Tensor train = ratesByRow(splits.train), test = ratesByRow(splits.test);
    // 5,000 samples a row: a deviation of 0.007 each.
    EXPECT_LT((train - test).abs().max().item<double>(), 5 * 0.01);
    EXPECT_GT((train.max() - train.min()).item<double>(), 0.1) << "rows differ";
    Fields none = sizes;
    none.emplace_back("strength", number(0));
    const at::Tensor alike = ratesByRow(loadClicks(none).value().train);
    EXPECT_LT((alike.max() - alike.min()).item<double>(), 0.05) << "without strength they do not";
}

TEST(Clicks, AreForModelsWithTablesThatFitIntoMemory) {
    const auto plain = loadClicks({}, {.shape = {9}, .classes = 2});
    ASSERT_FALSE(plain);
    EXPECT_THAT(plain.error().message, HasSubstr("set name = \"dlrm\" in [model]"));
    for (const Categories& large : {Categories{.features = 3, .rows = 8, .lookups = 2},
                                    Categories{.features = 1000, .rows = 16'777'216, .lookups = 1}}) {
        const auto splits =
            loadClicks({{"train_samples", integer(large.lookups == 2 ? 1'000'000'000 : 10)}},
                       {.shape = {3 + large.features * large.lookups}, .classes = 2, .categories = large});
        ASSERT_FALSE(splits);
        EXPECT_THAT(splits.error().message, HasSubstr("lower train_samples"));
    }
}

}  // namespace
}  // namespace dasgd::test
