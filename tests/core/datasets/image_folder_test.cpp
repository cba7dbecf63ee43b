#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "core/datasets/dataset.h"
#include "core/datasets/loader.h"
#include "tests/support/document.h"
#include "tests/support/image_files.h"
#include "tests/support/temp_dir.h"

namespace dasgd {
namespace {

using test::Fields;
using test::gradient;
using test::integer;
using test::jpegOf;
using test::pngOf;
using test::table;
using test::TempDir;
using test::text;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

const InputSpec kNatural{.shape = {3, 16, 16}, .classes = 1000};

std::vector<std::uint8_t> plain(int width, int height, std::uint8_t value) {
    return std::vector<std::uint8_t>(static_cast<std::size_t>(3 * width * height), value);
}

// Two classes: ant, of grey value 40, with 3 training images; bee, of 200, with 2; one test image each.
class ImageFolderTest : public ::testing::Test {
protected:
    ImageFolderTest() {
        for (const char* split : {"train", "val"}) {
            for (const char* name : {"ant", "bee"}) {
                std::filesystem::create_directories(folder_.path() / split / name);
            }
        }
        folder_.write("train/ant/1.png", pngOf(20, 30, plain(20, 30, 40)));
        folder_.write("train/ant/2.JPEG", jpegOf(64, 40, plain(64, 40, 40)));
        folder_.write("train/ant/3.jpg", pngOf(5, 5, plain(5, 5, 40)));  // by its bytes, not by its name
        folder_.write("train/ant/notes.txt", "no image");
        folder_.write("train/bee/1.jpg", jpegOf(33, 33, plain(33, 33, 200)));
        folder_.write("train/bee/2.png", pngOf(50, 16, plain(50, 16, 200)));
        folder_.write("val/ant/9.png", pngOf(40, 40, gradient(40, 40)));
        folder_.write("val/bee/9.png", pngOf(40, 40, plain(40, 40, 200)));
    }

    Result<Splits> load(Fields more = {}, const InputSpec& natural = kNatural) const {
        more.emplace_back("path", text(folder_.path().string()));
        return DatasetRegistry::find("image-folder")->create(table(std::move(more)), {}).value()->load(natural);
    }
    static Batch all(const Samples& samples, std::uint64_t seed = 1) {
        return makeBatch(samples, torch::arange(samples.count(), torch::kInt64), torch::kFloat, seed);
    }

    TempDir folder_;
};

TEST_F(ImageFolderTest, GivesEveryImageTheSizeOfTheModel) {
    const auto splits = load();
    ASSERT_TRUE(splits) << splits.error().message;
    EXPECT_EQ(splits->input.shape, (std::vector<std::int64_t>{3, 16, 16}));
    EXPECT_EQ(splits->input.classes, 2);
    EXPECT_FALSE(splits->skipped) << "damage is refused";
    const Batch batch = all(splits->train);
    EXPECT_TRUE(batch.targets.equal(torch::tensor({0, 0, 0, 1, 1}, torch::kInt64))) << "in the order of their names";
    EXPECT_EQ(batch.inputs.sizes(), at::IntArrayRef({5, 3, 16, 16}));
    const auto scaled = [](double value, double mean, double deviation) { return (value / 255 - mean) / deviation; };
    EXPECT_NEAR(batch.inputs[0][0].mean().item<double>(), scaled(40, 0.485, 0.229), 0.03);
    EXPECT_NEAR(batch.inputs[4][2].mean().item<double>(), scaled(200, 0.406, 0.225), 0.03);
}

TEST_F(ImageFolderTest, GreyImagesHaveOneChannel) {
    const Splits splits = load({{"extent", integer(8)}}, {.shape = {1, 28, 28}, .classes = 10}).value();
    EXPECT_EQ(splits.input.shape, (std::vector<std::int64_t>{1, 8, 8}));
    EXPECT_NEAR(all(splits.train).inputs[0].mean().item<double>(), (40 / 255.0 - 0.449) / 0.226, 0.03);
}

TEST_F(ImageFolderTest, TestsAreCutOutOfTheMiddle) {
    // The whole of 40 pixels at 20: red is 255 x / 39.
    const Splits splits = load({{"extent", integer(20)}, {"resize", integer(40)}}).value();
    const at::Tensor red = all(splits.test).inputs[0][0] * 0.229 + 0.485;
    EXPECT_TRUE(all(splits.test, 1).inputs.equal(all(splits.test, 2).inputs)) << "nothing is drawn";
    // Pixels 10 to 29.
    EXPECT_NEAR(red[10][5].item<double>(), 15.0 / 39, 0.01);
    EXPECT_NEAR(red[10][14].item<double>(), 24.0 / 39, 0.01);
}

TEST_F(ImageFolderTest, DrawsEachTrainingCropFromTheSeedOfItsBatch) {
    for (const char* name : {"ant", "bee"}) {
        for (const char* file : {"1.png", "2.JPEG", "3.jpg", "1.jpg", "2.png"}) {
            std::filesystem::remove(folder_.path() / "train" / name / file);
        }
        folder_.write(std::string("train/") + name + "/g.png", pngOf(40, 40, gradient(40, 40)));
    }
    for (const char* crop : {"resized", "shifted"}) {
        const Splits splits = load({{"crop", text(crop)}, {"resize", integer(32)}}).value();
        EXPECT_TRUE(all(splits.train, 1).inputs.equal(all(splits.train, 1).inputs));
        EXPECT_FALSE(all(splits.train, 1).inputs.equal(all(splits.train, 2).inputs)) << crop;
        EXPECT_FALSE(all(splits.train, 1).inputs[0].equal(all(splits.train, 1).inputs[1])) << "each has its own";
    }
    const Splits still = load({{"crop", text("centre")}, {"mirror", test::boolean(false)}}).value();
    EXPECT_TRUE(all(still.train, 1).inputs.equal(all(still.train, 2).inputs));
}

TEST_F(ImageFolderTest, ThreadsMakeTheSameBatches) {
    const auto batches = [&](int threads) {
        Samples samples = load().value().train;
        samples.loading = {threads, 3};
        BatchLoader loader(samples, torch::kFloat, [i = std::int64_t{0}]() mutable -> std::optional<BatchOrder> {
            if (++i > 12) return std::nullopt;
            return BatchOrder{torch::arange(i, i + 3, torch::kInt64).remainder(5), static_cast<std::uint64_t>(i)};
        });
        return loader.take(100).inputs;
    };
    EXPECT_TRUE(batches(0).equal(batches(1)));
    EXPECT_TRUE(batches(0).equal(batches(3)));
}

TEST_F(ImageFolderTest, ADamagedFileIsRefusedByNameOrLeftOutAndCounted) {
    const std::string jpeg = jpegOf(64, 64, gradient(64, 64));
    for (const std::string& damaged : {jpeg.substr(0, jpeg.size() / 2), std::string("GIF89a"), std::string()}) {
        const std::string file = folder_.write("train/bee/0.jpg", damaged).string();
        const auto refused = load();
        ASSERT_FALSE(refused);
        EXPECT_THAT(refused.error().message, AllOf(StartsWith(file + ": "), HasSubstr("on_damage = \"skip\"")));
        const auto skipping = load({{"on_damage", text("skip")}});
        ASSERT_TRUE(skipping) << skipping.error().message;
        EXPECT_EQ(skipping->skipped, 1);
        EXPECT_EQ(skipping->train.count(), 5);
    }
}

// Whole by its size and its end, damaged in between: found only when it is decoded.
TEST_F(ImageFolderTest, DamageThatDecodingFindsIsSkippedWithItsTarget) {
    std::string png = pngOf(64, 64, gradient(64, 64));
    png[png.size() / 2] = static_cast<char>(png[png.size() / 2] ^ 0x55);
    const std::string file = folder_.write("train/ant/3.jpg", png).string();
    const Splits refusing = load().value();
    try {
        static_cast<void>(all(refusing.train));
        ADD_FAILURE() << "the file cannot be decoded";
    } catch (const DataError& error) {
        EXPECT_THAT(error.what(), StartsWith(file + ": it is damaged"));
    }
    const Splits skipping = load({{"on_damage", text("skip")}}).value();
    EXPECT_EQ(skipping.skipped, 0);
    for (int i = 0; i < 2; ++i) {
        const Batch batch = all(skipping.train);
        EXPECT_TRUE(batch.targets.equal(torch::tensor({0, 0, 1, 1, 1}, torch::kInt64))) << "the next one, a bee";
    }
    EXPECT_EQ(skipping.train.reader->skipped(), 1) << "the file counts once";
}

TEST_F(ImageFolderTest, RefusesFoldersThatMakeNoClasses) {
    std::filesystem::create_directories(folder_.path() / "val" / "cat");
    EXPECT_THAT(load().error().message, StartsWith((folder_ / "val/cat").string() + ": the training set has no class"));
    std::filesystem::remove_all(folder_.path() / "val");
    EXPECT_THAT(load().error().message, StartsWith((folder_ / "test").string() + ": this folder cannot be read"));
    std::filesystem::remove_all(folder_.path() / "train" / "bee");
    EXPECT_THAT(load().error().message, AllOf(HasSubstr("it has 1 folders of a class"), HasSubstr("train/CLASS/FILE")));
    EXPECT_THAT(DatasetRegistry::find("image-folder")->create(Value(), {}).error().message, HasSubstr("needs a path"));
}

}  // namespace
}  // namespace dasgd
