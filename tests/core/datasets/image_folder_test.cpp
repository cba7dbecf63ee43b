#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "core/datasets/dataset.h"
#include "core/datasets/loader.h"
#include "tests/support/document.h"
#include "tests/support/image_files.h"
#include "tests/support/selected_samples.h"
#include "tests/support/temp_dir.h"

namespace dasgd {
namespace {

using test::array;
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
        EXPECT_THAT(skipping->firstSkipped, StartsWith(file + ": it is "));
        EXPECT_THAT(skipping->firstSkipped, testing::Not(HasSubstr("on_damage"))) << "that is what it is set to";
    }
}

TEST_F(ImageFolderTest, AWrongChecksumIsFoundBeforeAnythingIsDecoded) {
    std::string png = pngOf(64, 64, gradient(64, 64));
    png[png.size() / 2] = static_cast<char>(png[png.size() / 2] ^ 0x55);
    const std::string file = folder_.write("val/bee/8.png", png).string();
    EXPECT_THAT(load().error().message,
                AllOf(StartsWith(file + ": it is damaged: the checksum"), HasSubstr("on_damage = \"skip\"")));
    const Splits skipping = load({{"on_damage", text("skip")}}).value();
    EXPECT_EQ(skipping.skipped, 1);
    EXPECT_EQ(skipping.test.count(), 2);
}

// Whole by its size and its end, damaged in between: found only when it is decoded.
TEST_F(ImageFolderTest, DamageThatDecodingFindsIsSkippedWithItsTarget) {
    const std::string file =
        folder_.write("train/ant/3.jpg", test::endedEarly(jpegOf(64, 64, gradient(64, 64)))).string();
    const Fields structure{{"inspect", text("structure")}};
    const Splits refusing = load(structure).value();
    try {
        static_cast<void>(all(refusing.train));
        ADD_FAILURE() << "the file cannot be decoded";
    } catch (const DataError& error) {
        EXPECT_THAT(error.what(), StartsWith(file + ": it is damaged"));
    }
    const Splits skipping = load({{"on_damage", text("skip")}, {"inspect", text("structure")}}).value();
    EXPECT_EQ(skipping.skipped, 0);
    for (int i = 0; i < 2; ++i) {
        const Batch batch = all(skipping.train);
        EXPECT_TRUE(batch.targets.equal(torch::tensor({0, 0, 1, 1, 1}, torch::kInt64))) << "the next one, a bee";
    }
    EXPECT_EQ(skipping.train.reader->skipped(), 1) << "the file counts once";
}

// The one after it would be judged twice.
TEST_F(ImageFolderTest, WhatIsJudgedDoesWithoutTheDamagedImage) {
    folder_.write("val/ant/8.jpg", test::endedEarly(jpegOf(64, 64, gradient(64, 64))));
    const Splits splits = load({{"on_damage", text("skip")}, {"inspect", text("structure")}}).value();
    ASSERT_EQ(splits.test.count(), 3);
    for (int i = 0; i < 2; ++i) {
        const Batch batch = all(splits.test);
        EXPECT_TRUE(batch.targets.equal(torch::tensor({0, 1}, torch::kInt64)));
        EXPECT_EQ(batch.inputs.size(0), 2);
        EXPECT_NEAR(batch.inputs[1][0].mean().item<double>(), (200 / 255.0 - 0.485) / 0.229, 0.03) << "the bee";
    }
    EXPECT_EQ(splits.test.reader->skipped(), 1);

    for (const int threads : {0, 2}) {
        Samples samples = splits.test;
        samples.loading = {threads, 2};
        BatchLoader loader(samples, torch::kFloat, [i = std::int64_t{0}]() mutable -> std::optional<BatchOrder> {
            if (i == 3) return std::nullopt;
            const std::int64_t one = i++;
            return BatchOrder{torch::tensor({one}, torch::kInt64), 0};
        });
        EXPECT_EQ(loader.take()->targets.item<std::int64_t>(), 0) << "a batch of the damaged image alone is none";
        EXPECT_EQ(loader.take()->targets.item<std::int64_t>(), 1);
        EXPECT_FALSE(loader.take());
    }
    // Set apart for validation.
    const Samples judged = selected(splits.train, torch::tensor({1, 4}, torch::kInt64), SampleUse::kEvaluation);
    folder_.write("train/ant/2.JPEG", "gone");
    EXPECT_TRUE(all(judged).targets.equal(torch::tensor({1}, torch::kInt64)));
    folder_.write("train/bee/2.png", "gone");
    EXPECT_THROW(static_cast<void>(all(judged)), DataError) << "nothing is left";
}

TEST_F(ImageFolderTest, APartHasItsOwnSamplesInTheirOrder) {
    std::uint8_t value = 20;
    for (const char* file : {"train/ant/1.png", "train/ant/2.JPEG", "train/ant/3.jpg", "train/bee/1.jpg"}) {
        folder_.write(file, pngOf(40, 40, plain(40, 40, value += 30)));
    }
    test::expectSelects(load().value().train, SampleUse::kTraining);
    const Splits still = load({{"crop", text("centre")}, {"mirror", test::boolean(false)}}).value();
    test::expectSelects(still.train, SampleUse::kTraining);
    test::expectSelects(still.train, SampleUse::kEvaluation);

    // Drawn in training, cut out of the middle in evaluation.
    folder_.write("train/ant/1.png", pngOf(40, 40, gradient(40, 40)));
    const at::Tensor first = torch::tensor({0, 3}, torch::kInt64);
    const Samples train = load().value().train, judged = selected(train, first, SampleUse::kEvaluation);
    EXPECT_FALSE(all(train, 1).inputs[0].equal(all(train, 2).inputs[0]));
    EXPECT_TRUE(all(judged, 1).inputs.equal(all(judged, 2).inputs));
}

// A sample of the validation set would otherwise be trained on, or the other way round.
TEST_F(ImageFolderTest, ADamagedFileOfAPartIsReplacedByAnotherOfThePart) {
    const Splits splits =
        load({{"on_damage", text("skip")}, {"crop", text("centre")}, {"mirror", test::boolean(false)}}).value();
    const at::Tensor some = torch::tensor({1, 3}, torch::kInt64);
    const Samples part = selected(splits.train, some, SampleUse::kTraining);
    folder_.write("train/bee/1.jpg", "no image any more");
    // The next sample of the whole set is another bee; the part begins anew with its ant.
    const Batch batch = all(part);
    EXPECT_TRUE(batch.targets.equal(torch::tensor({0, 0}, torch::kInt64)));
    EXPECT_TRUE(batch.inputs[1].equal(batch.inputs[0]));
    EXPECT_EQ(part.reader->skipped(), 1);
    EXPECT_EQ(splits.train.reader->skipped(), 0) << "of the whole set nothing was read";
}

TEST_F(ImageFolderTest, PixelsAreLookedAtBeforeTheRunWhereToldTo) {
    const std::string file = "train/bee/3.jpg";
    folder_.write(file, test::endedEarly(jpegOf(64, 64, gradient(64, 64))));
    EXPECT_EQ(load({{"inspect", text("structure")}}).value().train.count(), 6) << "header and end are in order";
    for (const Fields& chosen : {Fields{{"inspect", text("pixels")}}, Fields{}}) {
        EXPECT_THAT(load(chosen).error().message, AllOf(StartsWith((folder_ / file).string() + ": it is damaged: "),
                                                        HasSubstr("on_damage = \"skip\"")));
    }
    const auto skipping = load({{"inspect", text("pixels")}, {"on_damage", text("skip")}});
    ASSERT_TRUE(skipping) << skipping.error().message;
    EXPECT_EQ(skipping->train.count(), 5);
    EXPECT_EQ(skipping->skipped, 1);
    std::filesystem::remove(folder_.path() / file);
    EXPECT_EQ(load({{"inspect", text("pixels")}}).value().train.count(), 5) << "whole images of all kinds pass";
}

// A cache may give each of its files another ending.
TEST_F(ImageFolderTest, OnlyTheMostFrequentEndingsOfUnreadFilesAreNamed) {
    const std::string base = "train/bee/0.x";
    for (int i = 1; i <= 30; ++i) folder_.write(base + std::to_string(100 + i), "cached");
    folder_.write("train/bee/1.x117", "cached");
    folder_.write("train/bee/0." + std::string(150, 'y') + "\x1b[2J", "cached");
    folder_.write("train/bee/1." + std::string(150, 'y') + "\x1b[2J", "cached");
    const auto splits = load();
    ASSERT_TRUE(splits) << splits.error().message;
    EXPECT_THAT(splits->notRead,
                StartsWith("34 files are left out as neither JPEG nor PNG (.x117 2, ." + std::string(39, 'y') +
                           "… 2, .txt 1, .x101 1, .x102 1 and 27 more endings), the first: "));
}

TEST_F(ImageFolderTest, FilesThatAreNotReadAreCountedAndNamed) {
    folder_.write("train/ant/0.webp", "RIFF");
    folder_.write("train/bee/0.bmp", "BM");
    folder_.write("val/bee/8.webp", "RIFF");
    folder_.write("train/bee/4.tif", pngOf(20, 20, plain(20, 20, 200)));  // by its bytes, not by its name
    folder_.write("train/ant/._1.png", "left behind by a copy");
    const auto splits = load();
    ASSERT_TRUE(splits) << splits.error().message;
    EXPECT_EQ(splits->train.count(), 6);
    EXPECT_EQ(splits->test.count(), 2);
    EXPECT_THAT(splits->notRead, AllOf(StartsWith("4 files are left out as neither JPEG nor PNG (.webp 2, .bmp 1, "
                                                  ".txt 1), the first: "),
                                       HasSubstr("Convert images")));
    EXPECT_THAT(splits->notRead, HasSubstr((folder_ / "train/ant/notes.txt").string())) << "found before any is opened";
    EXPECT_FALSE(splits->skipped) << "they are not damaged";
    for (const char* file : {"train/ant/0.webp", "train/bee/0.bmp", "val/bee/8.webp", "train/ant/notes.txt"}) {
        std::filesystem::remove(folder_ / file);
    }
    EXPECT_EQ(load().value().notRead, "");
}

TEST_F(ImageFolderTest, ImagesInSubFoldersAreOfTheirClassAndDotNamesOfNone) {
    for (const char* folder : {"train/ant/queens/old", "train/.ipynb_checkpoints", "train/bee/.thumbnails"}) {
        std::filesystem::create_directories(folder_ / folder);
    }
    folder_.write("train/ant/queens/old/7.png", pngOf(20, 20, plain(20, 20, 40)));
    folder_.write("train/.ipynb_checkpoints/1-checkpoint.png", pngOf(20, 20, plain(20, 20, 90)));
    folder_.write("train/bee/.thumbnails/1.png", pngOf(20, 20, plain(20, 20, 90)));
    const auto splits = load();
    ASSERT_TRUE(splits) << splits.error().message;
    EXPECT_EQ(splits->input.classes, 2);
    EXPECT_TRUE(splits->train.targets.equal(torch::tensor({0, 0, 0, 0, 1, 1}, torch::kInt64)));
}

// Values as they are stored: a gamma in a PNG does not count, as elsewhere.
TEST_F(ImageFolderTest, PixelsAreThoseOfPilWhateverTheGamma) {
    std::string png = pngOf(20, 20, plain(20, 20, 64));
    const std::string gamma("\0\0\0\x04gAMA\0\x01\x86\xa0\x31\xe8\x96\x5f", 16);  // 1.0
    const std::size_t data = png.find("IDAT") - 4;
    if (const std::size_t own = png.find("gAMA"); own < data) png.erase(own - 4, 16);
    png.insert(png.find("IDAT") - 4, gamma);
    for (const char* file : {"train/ant/1.png", "train/ant/2.JPEG", "train/ant/3.jpg"}) folder_.write(file, png);
    const auto splits = load({{"mean", array(std::vector<double>{0})}, {"deviation", array(std::vector<double>{1})}});
    ASSERT_TRUE(splits) << splits.error().message;
    EXPECT_NEAR(all(splits->train).inputs[0].mean().item<double>(), 64 / 255.0, 1e-6);
}

TEST_F(ImageFolderTest, RefusesAClassWithoutAnImage) {
    std::filesystem::create_directories(folder_.path() / "train" / "cat");
    folder_.write("train/cat/notes.txt", "no image");
    folder_.write("train/cat/1.webp", "RIFF");
    EXPECT_THAT(load().error().message,
                AllOf(StartsWith((folder_ / "train/cat").string() + ": this class has no image that is read"),
                      HasSubstr("convert its files to PNG"), HasSubstr("remove the folder")));
}

TEST_F(ImageFolderTest, RefusesFoldersThatMakeNoClasses) {
    std::filesystem::create_directories(folder_.path() / "val" / "cat");
    EXPECT_THAT(load().error().message, StartsWith((folder_ / "val/cat").string() + ": the training set has no class"));
    std::filesystem::remove_all(folder_.path() / "val");
    EXPECT_THAT(load().error().message, AllOf(StartsWith((folder_ / "test").string() + ": this folder cannot be read"),
                                              HasSubstr("val/CLASS/FILE (or test/)")));
    std::filesystem::remove_all(folder_.path() / "train" / "bee");
    EXPECT_THAT(load().error().message, AllOf(HasSubstr("it has 1 folder of a class"), HasSubstr("train/CLASS/FILE")));
    EXPECT_THAT(DatasetRegistry::find("image-folder")->create(Value(), {}).error().message, HasSubstr("needs a path"));
}

}  // namespace
}  // namespace dasgd
