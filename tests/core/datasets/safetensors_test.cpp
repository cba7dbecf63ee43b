#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

#include "core/datasets/dataset.h"
#include "tests/support/document.h"
#include "tests/support/safetensors_files.h"
#include "tests/support/selected_samples.h"
#include "tests/support/temp_dir.h"

namespace dasgd {
namespace {

using test::Fields;
using test::number;
using test::rawBytes;
using test::safetensors;
using test::table;
using test::TempDir;
using test::tensorEntry;
using test::text;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

const InputSpec kTwoClasses{.shape = {2}, .classes = 2};
const InputSpec kValues{.shape = {2}, .classes = 1, .task = Task::kRegression};
const InputSpec kText{.shape = {2}, .classes = 2, .task = Task::kLanguage};

struct Stored {
    std::string name, type, shape, bytes;
};

// `blanks` behind the header move the data, so that they lie aligned or not.
std::string fileOf(const std::vector<Stored>& tensors, std::size_t blanks = 0) {
    std::string header = "{", data;
    for (const Stored& tensor : tensors) {
        header += (header.size() == 1 ? "" : ",") +
                  tensorEntry(tensor.name, tensor.type, tensor.shape, data.size(), data.size() + tensor.bytes.size());
        data += tensor.bytes;
    }
    return safetensors(header + "}" + std::string(blanks, ' '), data);
}

const Stored kInputs{"inputs", "F32", "[4,2]", rawBytes<float>({1, 2, 3, 4, 5, 6, 7, 8})};
const Stored kTargets{"targets", "I64", "[4]", rawBytes<std::int64_t>({0, 2, 1, 2})};

class SafetensorsTest : public ::testing::Test {
protected:
    Result<Splits> load(const std::vector<Stored>& tensors, const InputSpec& natural = kTwoClasses, Fields more = {},
                        std::size_t blanks = 0) const {
        more.emplace_back("path", text(folder_.write("a.safetensors", fileOf(tensors, blanks)).string()));
        return DatasetRegistry::find("safetensors")->create(table(std::move(more)), {}).value()->load(natural);
    }
    [[nodiscard]] std::string errorOf(const std::vector<Stored>& tensors,
                                      const InputSpec& natural = kTwoClasses) const {
        const auto splits = load(tensors, natural);
        EXPECT_FALSE(splits);
        const std::string message = splits ? "" : splits.error().message;
        EXPECT_THAT(message, StartsWith((folder_ / "a.safetensors").string() + ": "));
        return message;
    }
    // The test set is the same file: all of it is the training set.
    [[nodiscard]] Fields sameForTests() const { return {{"test_path", text((folder_ / "a.safetensors").string())}}; }
    static Batch all(const Samples& samples, at::ScalarType type = torch::kFloat) {
        return makeBatch(samples, torch::arange(samples.count(), torch::kInt64), type);
    }

    TempDir folder_;
};

TEST_F(SafetensorsTest, ReadsClassesWhateverTheAlignmentOfTheFile) {
    for (std::size_t blanks = 0; blanks < 8; ++blanks) {
        const auto splits = load({kInputs, kTargets}, kTwoClasses, {{"test_fraction", number(0.25)}}, blanks);
        ASSERT_TRUE(splits) << splits.error().message;
        EXPECT_EQ(splits->input.shape, (std::vector<std::int64_t>{2}));
        EXPECT_EQ(splits->input.classes, 3);
        const Batch train = all(splits->train), test = all(splits->test);
        EXPECT_EQ(train.targets.numel(), 3);
        EXPECT_TRUE(test.targets.equal(torch::tensor({2}, torch::kInt64))) << "others there are only to train on";
        const at::Tensor inputs = torch::cat({train.inputs, test.inputs});
        const at::Tensor order = inputs.select(1, 0).argsort();
        EXPECT_TRUE(inputs.index_select(0, order).flatten().equal(torch::arange(1, 9, torch::kFloat)));
        EXPECT_TRUE(torch::cat({train.targets, test.targets})
                        .index_select(0, order)
                        .equal(torch::tensor({0, 2, 1, 2}, torch::kInt64)));
    }
}

TEST_F(SafetensorsTest, TensorsThatAreNotAskedForMayBeOfAnyType) {
    const Stored scale{"scale", "F8_E4M3", "[3]", "abc"}, wave{"wave", "C64", "[1]", "12345678"};
    const auto splits = load({kInputs, kTargets, scale, wave});
    ASSERT_TRUE(splits) << splits.error().message;
    EXPECT_THAT(errorOf({{"inputs", "F8_E4M3", "[4,2]", "12345678"}, kTargets}), HasSubstr("its type F8_E4M3 is none"));
    const std::string foreign = errorOf({{"inputs", std::string(5000, 'T'), "[4,2]", "12345678"}, kTargets});
    EXPECT_THAT(foreign, HasSubstr("its type " + std::string(40, 'T') + "… is none"));
}

TEST_F(SafetensorsTest, NumbersThatAreNotFiniteInFloat32AreRefusedWithTheirSample) {
    const double huge = 1e39, nan = std::nan("");
    EXPECT_THAT(errorOf({{"inputs", "F64", "[4,2]", rawBytes<double>({1, 2, 3, 4, 5, huge, 7, 8})}, kTargets}),
                HasSubstr("'inputs' holds a number in sample 2 that is not finite in float32"));
    EXPECT_THAT(errorOf({kInputs, {"targets", "F64", "[4]", rawBytes<double>({1, 2, 3, nan})}}, kValues),
                HasSubstr("'targets' holds a number in sample 3"));
    EXPECT_TRUE(load({{"inputs", "F64", "[4,2]", rawBytes<double>({1, 2, 3, 4, 5, 3e38, 1e-320, 8})}, kTargets}));
}

TEST_F(SafetensorsTest, BytesArePixels) {
    const Splits splits = load({{"inputs", "U8", "[2,1,1,2]", std::string("\x00\xFF\x33\x66", 4)},
                                {"targets", "U8", "[2]", std::string("\x00\x01", 2)}},
                               kTwoClasses, sameForTests())
                              .value();
    EXPECT_EQ(splits.train.inputs.scalar_type(), torch::kByte) << "until a batch is made";
    EXPECT_TRUE(all(splits.train).inputs[0].flatten().equal(torch::tensor({0., 1.}).to(torch::kFloat)));
    EXPECT_EQ(splits.input.classes, 2);
}

TEST_F(SafetensorsTest, ValuesMayBeSeveralASample) {
    const Splits one = load({kInputs, {"targets", "F64", "[4]", rawBytes<double>({1, 2, 3, 4})}}, kValues).value();
    EXPECT_EQ(one.input.classes, 1);
    EXPECT_EQ(all(one.train, torch::kDouble).targets.sizes(), at::IntArrayRef({3, 1}));
    const Splits two =
        load({kInputs, {"targets", "F32", "[4,2]", rawBytes<float>({1, 2, 3, 4, 5, 6, 7, 8})}}, kValues, sameForTests())
            .value();
    EXPECT_EQ(two.input.classes, 2);
    EXPECT_EQ(all(two.train).targets[2][1].item<float>(), 6);
}

TEST_F(SafetensorsTest, TextIsAStreamOrPairsOfIntegers) {
    const Splits stream =
        load({{"inputs", "I32", "[13]", rawBytes<std::int32_t>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13})}}, kText,
             {{"test_fraction", number(0.34)}})
            .value();
    EXPECT_EQ(stream.input.classes, 14);
    EXPECT_EQ(stream.train.count(), 4) << "two of six are for the test";
    EXPECT_TRUE(all(stream.train).inputs[3].equal(torch::tensor({7, 8}, torch::kInt64)));
    EXPECT_TRUE(all(stream.test).targets[1].equal(torch::tensor({12, 13}, torch::kInt64)));
    const Stored tokens{"inputs", "U8", "[2,2]", "\x01\x02\x03\x04"},
        next{"targets", "U8", "[2,2]", "\x02\x03\x04\x09"};
    const Splits pairs = load({tokens, next}, kText).value();
    EXPECT_EQ(pairs.input.classes, 10);
    EXPECT_TRUE(pairs.train.continuous);
}

TEST_F(SafetensorsTest, DrawsTheTestSetWhereThereIsNoFileOfIt) {
    std::vector<float> inputs;
    std::vector<std::int64_t> targets;
    for (int i = 0; i < 100; ++i) {
        inputs.push_back(static_cast<float>(i));
        targets.push_back(i < 60 ? 0 : 1);
    }
    const Splits splits =
        load({{"inputs", "F32", "[100,1]", rawBytes(inputs)}, {"targets", "I64", "[100]", rawBytes(targets)}}).value();
    const Batch test = all(splits.test);
    EXPECT_EQ(test.targets.numel(), 10);
    EXPECT_NEAR(test.targets.sum().item<double>(), 4, 1) << "of the class at the end of the file";
    EXPECT_TRUE(test.targets.equal(test.inputs.flatten().ge(60).to(torch::kLong)));
    EXPECT_EQ(splits.train.count(), 90);
}

TEST_F(SafetensorsTest, NamesTheSampleWhoseClassIsNone) {
    EXPECT_THAT(errorOf({kInputs, {"targets", "I64", "[4]", rawBytes<std::int64_t>({0, 1, -100, 1})}}),
                AllOf(HasSubstr("'targets' is -100 in sample 2"), HasSubstr("leave out samples that have none")));
    EXPECT_THAT(errorOf({kInputs, {"targets", "I32", "[4]", rawBytes<std::int32_t>({0, 1 << 30, 1, 1})}}),
                HasSubstr("'targets' is 1073741824 in sample 1; numbers of classes and tokens go from 0 to at most"));
    EXPECT_THAT(
        errorOf({{"inputs", "I32", "[13]", rawBytes<std::int32_t>({1, 2, 3, 4, 5, 6, -7, 8, 9, 10, 11, 12, 13})}},
                kText),
        HasSubstr("'inputs' is -7 in sample 6"));
}

TEST_F(SafetensorsTest, APartHasItsOwnSamplesInTheirOrder) {
    const Splits classes = load({kInputs, kTargets}).value();
    test::expectSelects(classes.train, SampleUse::kTraining);
    test::expectSelects(classes.train, SampleUse::kEvaluation);
    const Stored targets{"targets", "F32", "[4,2]", rawBytes<float>({1, 2, 3, 4, 5, 6, 7, 8})};
    test::expectSelects(load({kInputs, targets}, kValues).value().train, SampleUse::kEvaluation);
}

TEST_F(SafetensorsTest, RefusesTensorsThatDoNotGoTogether) {
    EXPECT_THAT(errorOf({kTargets}), HasSubstr("it has no tensor 'inputs', but targets"));
    EXPECT_THAT(errorOf({kInputs, {"targets", "I64", "[3]", rawBytes<std::int64_t>({0, 1, 2})}}),
                HasSubstr("'inputs' has 4 samples and 'targets' 3"));
    EXPECT_THAT(errorOf({kInputs, {"targets", "F32", "[4]", rawBytes<float>({0, 1, 2, 3})}}),
                HasSubstr("targets are floating [4]; this model takes classes"));
    EXPECT_THAT(errorOf({kInputs, kTargets}, kValues), HasSubstr("takes floating ones"));
    EXPECT_THAT(errorOf({kInputs}, kText), HasSubstr("tokens are integers"));
    EXPECT_THAT(errorOf({{"inputs", "BOOL", "[2]", "ab"}, kTargets}), HasSubstr("its type BOOL is none of"));
    EXPECT_THAT(errorOf({{"inputs", "F32", "[0,2]", ""}, kTargets}), HasSubstr("holds no samples"));
    EXPECT_THAT(errorOf({{"inputs", "I32", "[4,1]", rawBytes<std::int32_t>({1, 2, 3, 4})}, kTargets}),
                HasSubstr("store 'inputs' as F32"));
}

TEST_F(SafetensorsTest, ATestFileHasTheSameShape) {
    const std::string other =
        folder_
            .write("b.safetensors", fileOf({{"inputs", "F32", "[1,3]", rawBytes<float>({1, 2, 3})},
                                            {"targets", "I64", "[1]", rawBytes<std::int64_t>({0})}}))
            .string();
    const auto splits = load({kInputs, kTargets}, kTwoClasses, {{"test_path", text(other)}});
    ASSERT_FALSE(splits);
    EXPECT_THAT(splits.error().message, StartsWith(other + ": its inputs are [1, 3]"));
}

}  // namespace
}  // namespace dasgd
