#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "core/datasets/dataset.h"
#include "tests/support/document.h"
#include "tests/support/idx_files.h"
#include "tests/support/selected_samples.h"

namespace dasgd {
namespace {

using test::Fields;
using test::gzip;
using test::integer;
using test::number;
using test::table;
using test::TempDir;
using test::text;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kLines = "-1 1:0.5 3:2\n+1 2:-1\n-1\n+1 3:4\n";
const InputSpec kClasses{.shape = {8}, .classes = 2};
const InputSpec kRegressionValues{.shape = {8}, .classes = 1, .task = Task::kRegression};

class LibsvmTest : public ::testing::Test {
protected:
    Result<Splits> load(const std::string& content, Fields more = {}, const InputSpec& natural = kClasses) const {
        more.emplace_back("path", text(folder_.write("train.txt", content).string()));
        return DatasetRegistry::find("libsvm")->create(table(std::move(more)), {}).value()->load(natural);
    }
    [[nodiscard]] std::string path() const { return (folder_ / "train.txt").string(); }
    static Batch all(const Samples& samples, at::ScalarType type = torch::kFloat) {
        return makeBatch(samples, torch::arange(samples.count(), torch::kInt64), type);
    }

    TempDir folder_;
};

TEST_F(LibsvmTest, MakesDenseRowsAndNumbersTheClasses) {
    const std::string tests = folder_.write("test.txt", "+1 1:1 2:1\n").string();
    for (const std::string& content : {std::string(kLines), gzip(kLines)}) {
        const auto splits = load(content, {{"test_path", text(tests)}});
        ASSERT_TRUE(splits) << splits.error().message;
        EXPECT_EQ(splits->input.shape, (std::vector<std::int64_t>{3}));
        EXPECT_EQ(splits->input.classes, 2);
        const Batch train = all(splits->train);
        EXPECT_TRUE(train.targets.equal(torch::tensor({0, 1, 0, 1}, torch::kInt64)));
        EXPECT_TRUE(train.inputs.equal(
            torch::tensor({{0.5, 0., 2.}, {0., -1., 0.}, {0., 0., 0.}, {0., 0., 4.}}).to(torch::kFloat)));
        EXPECT_TRUE(all(splits->test).inputs.equal(torch::tensor({{1., 1., 0.}}).to(torch::kFloat)));
    }
}

TEST_F(LibsvmTest, TargetsOfARegressionAreTheNumbersThemselves) {
    const std::string tests = folder_.write("test.txt", "7\n").string();
    const Splits splits = load("0.25 1:1\n-3 2:1\n", {{"test_path", text(tests)}}, kRegressionValues).value();
    EXPECT_EQ(splits.input.classes, 1);
    EXPECT_EQ(splits.train.task(), Task::kRegression);
    const Batch train = all(splits.train, torch::kDouble);
    EXPECT_TRUE(train.targets.equal(torch::tensor({{0.25}, {-3.0}}, torch::kDouble)));
}

TEST_F(LibsvmTest, TakesTheTestSetFromItsOwnFileInTheSameWidth) {
    const std::string tests = folder_.write("test.txt", "1 5:1\n").string();
    const Splits splits = load(kLines, {{"test_path", text(tests)}, {"features", integer(6)}}).value();
    EXPECT_EQ(splits.train.count(), 4);
    EXPECT_EQ(splits.test.count(), 1);
    EXPECT_EQ(all(splits.train).inputs.size(1), 6);
    EXPECT_EQ(all(splits.test).inputs[0][4].item<float>(), 1);
    folder_.write("test.txt", "3 1:1\n");
    EXPECT_THAT(load(kLines, {{"test_path", text(tests)}}).error().message,
                StartsWith(tests + ": the test set has target 3"));
}

// scikit-learn's load_svmlight_files with zero_based="auto": one index 0 in any of the files decides for all of them.
TEST_F(LibsvmTest, IndicesCountFromZeroWhereAnIndexZeroOccurs) {
    const std::string tests = folder_.write("test.txt", "1 2:5\n").string();
    const Fields both{{"test_path", text(tests)}};
    const Splits zero = load("-1 0:1 1:2\n+1 1:3\n", both).value();
    EXPECT_TRUE(all(zero.train).inputs.equal(torch::tensor({{1., 2., 0.}, {0., 3., 0.}}).to(torch::kFloat)));
    EXPECT_TRUE(all(zero.test).inputs.equal(torch::tensor({{0., 0., 5.}}).to(torch::kFloat)));
    folder_.write("test.txt", "1 0:7 2:5\n");
    const Splits both0 = load("-1 1:2\n+1 1:3\n", both).value();
    EXPECT_TRUE(all(both0.train).inputs.equal(torch::tensor({{0., 2., 0.}, {0., 3., 0.}}).to(torch::kFloat)));
    EXPECT_THAT(load("-1 1:2\n+1 1:3\n", {{"test_path", text(tests)}, {"features", integer(2)}}).error().message,
                AllOf(StartsWith(tests + ":1:7: index 2 occurs, counted from 0"), HasSubstr("set features = 3 or 0")));
}

// Files are often sorted by class, and a run of their lines is then no sample of what they hold.
TEST_F(LibsvmTest, DrawsTheTestSetWhereThereIsNoFileOfIt) {
    std::string lines;
    for (int i = 0; i < 100; ++i) {
        lines.append(i < 60 ? "-1" : "+1").append(" 1:").append(std::to_string(i)).append("\n");
    }
    const Splits splits = load(lines).value();
    const Batch train = all(splits.train), test = all(splits.test);
    EXPECT_EQ(train.targets.numel(), 90);
    EXPECT_NEAR(test.targets.sum().item<double>(), 4, 1) << "of the second class";
    for (const Batch& batch : {train, test}) {
        EXPECT_TRUE(batch.targets.equal(batch.inputs.flatten().ge(60).to(torch::kLong))) << "each with its target";
    }
    const at::Tensor together = torch::cat({train.inputs, test.inputs}).flatten();
    EXPECT_TRUE(std::get<0>(together.sort()).equal(torch::arange(100, torch::kFloat)));
    EXPECT_TRUE(all(load(lines)->test).inputs.equal(test.inputs)) << "in every process";
    const Splits values = load(lines, {{"test_fraction", number(0.5)}}, kRegressionValues).value();
    EXPECT_NEAR(all(values.test).targets.mean().item<double>(), -0.2, 0.4);
}

// 2^31 − 1 columns of a row are 8 GB.
TEST_F(LibsvmTest, AnIndexOfAbsurdSizeIsRefusedAtItsPlace) {
    const std::string lines = std::string(kLines) + "+1 16777217:1\n";
    EXPECT_THAT(load(lines).error().message,
                AllOf(StartsWith(path() + ":5:4: index 16777217 would make"), HasSubstr("set features in [data]")));
    EXPECT_EQ(load(lines, {{"features", integer(16777217)}})->input.shape[0], 16777217) << "it is meant";
    EXPECT_THAT(load(lines, {{"features", integer(9)}}).error().message,
                AllOf(HasSubstr("set features = 16777217 if that is meant"), testing::Not(HasSubstr("or 0"))))
        << "which would be refused";
    EXPECT_THAT(load(lines, {{"on_damage", text("skip")}}).error().message, StartsWith(path() + ":5:4: index 16777217"))
        << "such data sets exist, and would lose most of their lines";
}

TEST_F(LibsvmTest, ADamagedLineIsRefusedAtItsPlaceOrCounted) {
    const std::string content = std::string(kLines) + "1 1:1e39\n-1 2:3\n";
    EXPECT_THAT(load(content).error().message,
                AllOf(StartsWith(path() + ":5:3: the value of index 1 is '1e39'"), HasSubstr("divide")));
    const auto skipping = load(content, {{"on_damage", text("skip")}});
    ASSERT_TRUE(skipping);
    EXPECT_EQ(skipping->skipped, 1);
    EXPECT_THAT(skipping->firstSkipped, StartsWith(path() + ":5:3: the value of index 1"));
    EXPECT_EQ(skipping->train.count() + skipping->test.count(), 5);
    EXPECT_FALSE(load(kLines)->skipped);
}

TEST_F(LibsvmTest, APartHasItsOwnSamplesInTheirOrder) {
    for (const InputSpec& natural : {kClasses, kRegressionValues}) {
        const Splits splits = load(kLines, {}, natural).value();
        test::expectSelects(splits.train, SampleUse::kTraining);
        test::expectSelects(splits.train, SampleUse::kEvaluation);
    }
}

TEST_F(LibsvmTest, RefusesWhatCannotBeTrainedOn) {
    EXPECT_THAT(load(kLines, {{"features", integer(2)}}).error().message,
                AllOf(StartsWith(path() + ":1:10: index 3 occurs"), HasSubstr("set features = 3 or 0")));
    const std::string tests = folder_.write("test.txt", "1 1:1\n-1 1:1 9:1 # 10:1\n").string();
    EXPECT_THAT(load(kLines, {{"test_path", text(tests)}, {"features", integer(4)}}).error().message,
                StartsWith(tests + ":2:8: index 9 occurs"))
        << "of the file that it is in";
    EXPECT_THAT(load("1 1:1\n1 2:1\n1 3:1\n").error().message, HasSubstr("at least 2 different ones"));
    EXPECT_THAT(load(kLines, {}, {.shape = {8}, .classes = 2, .task = Task::kLanguage}).error().message,
                HasSubstr("libsvm has no text"));
}

}  // namespace
}  // namespace dasgd
