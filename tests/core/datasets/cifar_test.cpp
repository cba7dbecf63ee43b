#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "core/datasets/dataset.h"
#include "tests/support/document.h"
#include "tests/support/temp_dir.h"

namespace dasgd {
namespace {

using test::boolean;
using test::table;
using test::TempDir;
using test::text;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::size_t kPixels = 3 * 32 * 32;

// Labels, then pixels that all have one value, but for the first of each channel: 1, 2, 3.
std::string record(const std::string& labels, char value) {
    std::string pixels(kPixels, value);
    for (std::size_t channel = 0; channel < 3; ++channel) pixels[channel * 1024] = static_cast<char>(channel + 1);
    return labels + pixels;
}

// Six training images with labels 0, 1, …, 5 in five files, two test images with labels 9 and 8.
TempDir& fillTen(TempDir& folder) {
    for (int file = 1; file <= 5; ++file) {
        std::string content = record(std::string(1, static_cast<char>(file)), static_cast<char>(10 * file));
        if (file == 1) content = record(std::string(1, '\0'), 5) + content;
        folder.write("data_batch_" + std::to_string(file) + ".bin", content);
    }
    folder.write("test_batch.bin", record("\x09", 100) + record("\x08", 101));
    return folder;
}

Result<Splits> load(const TempDir& folder, bool augment = false) {
    const auto fields = table({{"path", text(folder.path().string())}, {"augment", boolean(augment)}});
    return DatasetRegistry::find("cifar")->create(fields, {}).value()->load({});
}

TEST(CifarTest, ReadsTheRecordsOfAllFilesInOrder) {
    TempDir folder;
    const auto splits = load(fillTen(folder));
    ASSERT_TRUE(splits) << splits.error().message;
    EXPECT_EQ(splits->input.shape, (std::vector<std::int64_t>{3, 32, 32}));
    EXPECT_EQ(splits->input.classes, 10);
    EXPECT_TRUE(splits->train.targets.equal(torch::arange(6, torch::kInt64)));
    EXPECT_TRUE(splits->test.targets.equal(torch::tensor({9, 8}, torch::kInt64)));
    EXPECT_FALSE(splits->train.inputs.defined()) << "no copy of the files";
    const Batch batch = makeBatch(splits->train, torch::tensor({5, 1}, torch::kInt64), torch::kFloat);
    EXPECT_TRUE(batch.targets.equal(torch::tensor({5, 1}, torch::kInt64)));
    EXPECT_NEAR(batch.inputs[0][0][3][4].item<double>(), (50 / 255.0 - 0.4914) / 0.2470, 1e-5);
    EXPECT_NEAR(batch.inputs[1][2][31][31].item<double>(), (10 / 255.0 - 0.4465) / 0.2616, 1e-5);
    EXPECT_NEAR(batch.inputs[1][1][0][0].item<double>(), (2 / 255.0 - 0.4822) / 0.2435, 1e-5) << "channel by channel";
}

TEST(CifarTest, AugmentsTheTrainingSetAlone) {
    TempDir folder;
    const Splits splits = load(fillTen(folder), true).value();
    const at::Tensor all = torch::arange(2, torch::kInt64);
    const auto inputs = [&](const Samples& samples, std::uint64_t seed) {
        return makeBatch(samples, all, torch::kFloat, seed).inputs;
    };
    EXPECT_FALSE(inputs(splits.train, 1).equal(inputs(splits.train, 2)));
    EXPECT_TRUE(inputs(splits.train, 1).equal(inputs(splits.train, 1)));
    EXPECT_TRUE(inputs(splits.test, 1).equal(inputs(splits.test, 2)));
}

TEST(CifarTest, OfAHundredTheFineLabelCounts) {
    TempDir folder;
    folder.write("train.bin", record(std::string("\x03\x63", 2), 7) + record(std::string("\x04\x00", 2), 8));
    folder.write("test.bin", record(std::string("\x05\x2A", 2), 9));
    const auto splits = load(folder);
    ASSERT_TRUE(splits) << splits.error().message;
    EXPECT_EQ(splits->input.classes, 100);
    EXPECT_TRUE(splits->train.targets.equal(torch::tensor({99, 0}, torch::kInt64)));
    EXPECT_TRUE(splits->test.targets.equal(torch::tensor({42}, torch::kInt64)));
}

TEST(CifarTest, NamesTheFileThatIsWrong) {
    const auto errorAfter = [](const std::string& file, const std::string& content) {
        TempDir folder;
        fillTen(folder).write(file, content);
        const auto splits = load(folder);
        EXPECT_FALSE(splits);
        const std::string message = splits ? "" : splits.error().message;
        EXPECT_THAT(message, StartsWith((folder / file).string() + ": "));
        return message;
    };
    EXPECT_THAT(errorAfter("data_batch_3.bin", record("\x01", 1).substr(0, 3000)),
                HasSubstr("its length of 3000 bytes is no whole number of records of 3073 bytes"));
    EXPECT_THAT(errorAfter("test_batch.bin", record("\x01", 1) + record("\x0A", 1)),
                HasSubstr("label 10 of record 1 is out of range 0..9"));
    EXPECT_THAT(errorAfter("data_batch_5.bin", ""), HasSubstr("it is empty"));
    TempDir folder;
    std::filesystem::remove(fillTen(folder) / "data_batch_4.bin");
    EXPECT_THAT(load(folder).error().message, HasSubstr("data_batch_4.bin: there is no such file"));
    EXPECT_THAT(DatasetRegistry::find("cifar")->create(Value(), {}).error().message, HasSubstr("needs a path"));
}

}  // namespace
}  // namespace dasgd
