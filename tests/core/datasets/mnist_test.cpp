#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <filesystem>

#include "core/datasets/dataset.h"
#include "tests/support/document.h"
#include "tests/support/idx_files.h"
#include "tests/support/selected_samples.h"

namespace dasgd {
namespace {

using test::gzip;
using test::idx;
using test::table;
using test::TempDir;
using test::text;
using testing::HasSubstr;

Result<Splits> load(const std::string& name, const std::string& path) {
    const auto set = DatasetRegistry::find(name)->create(table({{"path", text(path)}}), {});
    return set.value()->load({});
}

// The whole set as a model takes it.
at::Tensor inputsOf(const Samples& samples) {
    return makeBatch(samples, torch::arange(samples.count(), torch::kInt64), torch::kFloat32).inputs;
}

std::string idxImages(std::uint32_t count, std::uint32_t extent = 28) {
    return idx({count, extent, extent}, std::string(std::size_t{count} * extent * extent, '\xFF'));
}

// A whole set: 3 training and 2 test images, all white.
TempDir& fill(TempDir& folder) {
    folder.write("train-images-idx3-ubyte", idxImages(3));
    folder.write("train-labels-idx1-ubyte.gz", gzip(idx({3}, std::string("\x00\x05\x09", 3))));
    folder.write("t10k-images-idx3-ubyte.gz", gzip(idxImages(2)));
    folder.write("t10k-labels-idx1-ubyte", idx({2}, std::string("\x01\x02", 2)));
    return folder;
}

TEST(MnistTest, ShippedDigitsAreTheBalancedSubset) {
    const auto splits = load("mnist", "");
    ASSERT_TRUE(splits) << splits.error().message;
    EXPECT_EQ(splits->input.shape, (std::vector<std::int64_t>{1, 28, 28}));
    EXPECT_EQ(splits->input.classes, 10);
    EXPECT_EQ(splits->train.inputs.sizes(), at::IntArrayRef({4000, 1, 28, 28}));
    EXPECT_EQ(splits->train.inputs.scalar_type(), torch::kByte) << "as it is stored";
    EXPECT_EQ(splits->test.count(), 1000);
    EXPECT_TRUE(torch::bincount(splits->train.targets).eq(400).all().item<bool>());
    EXPECT_TRUE(torch::bincount(splits->test.targets).eq(100).all().item<bool>());
    // Normalised by the statistics of the full set, the subset is nearly standard.
    const at::Tensor inputs = inputsOf(splits->train);
    EXPECT_EQ(inputs.scalar_type(), torch::kFloat32);
    EXPECT_NEAR(inputs.mean().item<double>(), 0, 0.05);
    EXPECT_NEAR(inputs.std().item<double>(), 1, 0.05);
}

TEST(MnistTest, ReadsAFolderOfPlainAndGzipFiles) {
    TempDir folder;
    const auto splits = load("mnist", fill(folder).path().string());
    ASSERT_TRUE(splits) << splits.error().message;
    EXPECT_EQ(splits->train.count(), 3);
    EXPECT_TRUE(splits->train.targets.equal(torch::tensor({0, 5, 9}, torch::kInt64)));
    EXPECT_TRUE(splits->test.targets.equal(torch::tensor({1, 2}, torch::kInt64)));
    EXPECT_FLOAT_EQ(inputsOf(splits->test)[1][0][27][27].item<float>(), static_cast<float>((1 - 0.1307) / 0.3081));
}

TEST(MnistTest, FashionHasItsOwnNormalisation) {
    TempDir folder;
    const auto splits = load("fashion_mnist", fill(folder).path().string());
    ASSERT_TRUE(splits);
    EXPECT_FLOAT_EQ(inputsOf(splits->train)[0][0][0][0].item<float>(), static_cast<float>((1 - 0.2860) / 0.3530));
}

TEST(MnistTest, FashionWithoutAPathIsThatOfDebiansPackage) {
    const auto splits = load("fashion_mnist", "");
    if (!std::filesystem::exists("/usr/share/datasets/fashion-mnist")) {
        ASSERT_FALSE(splits);
        EXPECT_THAT(splits.error().message, HasSubstr("install Debian's package dataset-fashion-mnist"));
        return;
    }
    ASSERT_TRUE(splits) << splits.error().message;
    EXPECT_EQ(splits->train.count(), 60'000);
    EXPECT_EQ(splits->test.count(), 10'000);
    EXPECT_TRUE(splits->train.targets.bincount().equal(torch::full({10}, 6'000, torch::kLong)))
        << "its classes are equally frequent";
}

TEST(MnistTest, APartHasItsOwnSamplesInTheirOrder) {
    const Splits splits = load("mnist", "").value();
    test::expectSelects(splits.train, SampleUse::kTraining);
    test::expectSelects(splits.train, SampleUse::kEvaluation);
}

struct Broken {
    std::string name;
    std::string file;
    std::string content;
    std::string message;
};

class BrokenMnistTest : public testing::TestWithParam<Broken> {};

TEST_P(BrokenMnistTest, NamesTheFileAndTheCause) {
    TempDir folder;
    fill(folder).write(GetParam().file, GetParam().content);
    const auto splits = load("mnist", folder.path().string());
    ASSERT_FALSE(splits);
    EXPECT_THAT(splits.error().message, HasSubstr((folder.path() / GetParam().file).string()));
    EXPECT_THAT(splits.error().message, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, BrokenMnistTest,
    testing::Values(Broken{"Size", "train-images-idx3-ubyte", idxImages(3, 32), "its images are 32x32"},
                    Broken{"Count", "train-images-idx3-ubyte", idxImages(4), "has 4 images, but"},
                    Broken{"Label", "t10k-labels-idx1-ubyte", idx({2}, "\x01\x0A"), "label 10 of sample 1"},
                    Broken{"Truncated", "train-images-idx3-ubyte", idxImages(3).substr(0, 100), "truncated"},
                    Broken{"Magic", "train-images-idx3-ubyte", idx({3}, "abc"), "its magic number is 0x00000801"},
                    Broken{"Gzip", "t10k-images-idx3-ubyte.gz", gzip(idxImages(2)).substr(0, 30), "gzip stream"}),
    [](const auto& parameters) { return parameters.param.name; });

TEST(MnistTest, EmptySetIsRefused) {
    TempDir folder;
    fill(folder).write("t10k-labels-idx1-ubyte", idx({0}, ""));
    folder.write("t10k-images-idx3-ubyte.gz", gzip(idxImages(0)));
    const auto splits = load("mnist", folder.path().string());
    ASSERT_FALSE(splits);
    EXPECT_THAT(splits.error().message, HasSubstr("it holds no images"));
}

TEST(MnistTest, MissingFilesNameTheFolderAndWhatBelongsThere) {
    const auto splits = load("mnist", "/nonexistent/digits");
    ASSERT_FALSE(splits);
    EXPECT_THAT(splits.error().message,
                HasSubstr("/nonexistent/digits/train-images-idx3-ubyte: there is no such file"));
    EXPECT_THAT(splits.error().message, HasSubstr("t10k-labels-idx1-ubyte"));
}

}  // namespace
}  // namespace dasgd
