#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <fstream>
#include <string>

#include "core/datasets/dataset.h"
#include "tests/support/document.h"
#include "tests/support/selected_samples.h"
#include "tests/support/temp_dir.h"

namespace dasgd {
namespace {

using test::boolean;
using test::table;
using test::TempDir;
using test::text;
using testing::AllOf;
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

Result<Splits> loadCifar(const TempDir& folder, bool augment = false, bool subset = true) {
    const auto fields =
        table({{"path", text(folder.path().string())}, {"augment", boolean(augment)}, {"subset", boolean(subset)}});
    return DatasetRegistry::find("cifar")->create(fields, {}).value()->load({});
}

TEST(CifarTest, ReadsTheRecordsOfAllFilesInOrder) {
    TempDir folder;
    const auto splits = loadCifar(fillTen(folder));
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

// Memory of this process in bytes, without the mapped pages of files.
std::int64_t anonymousMemory() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("RssAnon:")) return 1024 * std::stoll(line.substr(line.find_first_of("0123456789")));
    }
    ADD_FAILURE() << "the kernel does not say";
    return 0;
}

// 18 MB of records, which would be 74 MB as floating-point numbers. tests/experiments/ranks/whole_runs_test.cpp sees
// that the processes of a run share the mapping.
TEST(CifarTest, TakesNoMemoryForPixelsButThoseOfABatch) {
    TempDir folder;
    fillTen(folder);
    std::string records;
    for (int i = 0; i < 3000; ++i) records += record(std::string(1, static_cast<char>(i % 10)), static_cast<char>(i));
    folder.write("data_batch_1.bin", records);
    folder.write("data_batch_5.bin", records);
    const auto takeBatch = [](const Samples& samples, std::int64_t begin) {
        const at::Tensor indices = torch::arange(begin, begin + 64, torch::kInt64).remainder(samples.count());
        EXPECT_GT(makeBatch(samples, indices, torch::kFloat).inputs.std().item<float>(), 0);
    };
    TempDir few;
    takeBatch(loadCifar(fillTen(few)).value().train, 0);  // what libraries and the allocator keep
    const std::int64_t before = anonymousMemory();
    const Splits splits = loadCifar(folder).value();
    ASSERT_EQ(splits.train.count(), 6003);
    for (std::int64_t begin = 0; begin < splits.train.count(); begin += 64) takeBatch(splits.train, begin);
    EXPECT_LT(anonymousMemory() - before, 6 << 20);
}

TEST(CifarTest, AugmentsTheTrainingSetAlone) {
    TempDir folder;
    const Splits splits = loadCifar(fillTen(folder), true).value();
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
    const auto splits = loadCifar(folder);
    ASSERT_TRUE(splits) << splits.error().message;
    EXPECT_EQ(splits->input.classes, 100);
    EXPECT_TRUE(splits->train.targets.equal(torch::tensor({99, 0}, torch::kInt64)));
    EXPECT_TRUE(splits->test.targets.equal(torch::tensor({42}, torch::kInt64)));
}

TEST(CifarTest, APartHasItsOwnSamplesInTheirOrder) {
    TempDir folder;
    const Splits plain = loadCifar(fillTen(folder)).value(), augmented = loadCifar(folder, true).value();
    test::expectSelects(plain.train, SampleUse::kTraining);
    test::expectSelects(plain.train, SampleUse::kEvaluation);
    test::expectSelects(augmented.train, SampleUse::kTraining);
    EXPECT_FALSE(selected(augmented.train, torch::arange(2, torch::kInt64), SampleUse::kEvaluation).augmentation.any());
}

TEST(CifarTest, NamesTheFileThatIsWrong) {
    const auto errorAfter = [](const std::string& file, const std::string& content) {
        TempDir folder;
        fillTen(folder).write(file, content);
        const auto splits = loadCifar(folder);
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
    EXPECT_THAT(loadCifar(folder).error().message,
                HasSubstr("data_batch_4.bin: there is no such file. data.path must name the folder that "
                          "cifar-10-binary.tar.gz is unpacked to"));
    EXPECT_THAT(DatasetRegistry::find("cifar")->create(Value(), {}).error().message, HasSubstr("needs a path"));
}

// A file of so many records without pixels, which takes no room on the disk.
void writeRecords(const TempDir& folder, const std::string& file, std::uintmax_t records, std::uintmax_t bytes) {
    folder.write(file, "");
    std::filesystem::resize_file(folder / file, records * bytes);
}

// A download that was cut off between two records looks like data.
TEST(CifarTest, HasAsManyRecordsAsTheOriginal) {
    TempDir ten;
    for (int file = 1; file <= 5; ++file)
        writeRecords(ten, "data_batch_" + std::to_string(file) + ".bin", 10'000, 3073);
    writeRecords(ten, "test_batch.bin", 10'000, 3073);
    const auto whole = loadCifar(ten, false, false);
    ASSERT_TRUE(whole) << whole.error().message;
    EXPECT_EQ(whole->train.count(), 50'000);
    EXPECT_EQ(whole->test.count(), 10'000);
    writeRecords(ten, "data_batch_5.bin", 9'999, 3073);
    EXPECT_THAT(loadCifar(ten, false, false).error().message,
                AllOf(StartsWith((ten / "data_batch_5.bin").string() +
                                 ": it has 9999 records, and this file of CIFAR-10 has 10000"),
                      HasSubstr("Download cifar-10-binary.tar.gz again"), HasSubstr("subset = true")));
    EXPECT_EQ(loadCifar(ten, false, true).value().train.count(), 49'999);

    TempDir hundred;
    writeRecords(hundred, "train.bin", 50'000, 3074);
    writeRecords(hundred, "test.bin", 9'000, 3074);
    EXPECT_THAT(loadCifar(hundred, false, false).error().message,
                AllOf(StartsWith((hundred / "test.bin").string() + ": it has 9000 records"),
                      HasSubstr("CIFAR-100 has 10000"), HasSubstr("Download cifar-100-binary.tar.gz again")));
}

}  // namespace
}  // namespace dasgd
