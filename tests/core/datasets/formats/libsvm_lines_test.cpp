#include "core/datasets/formats/libsvm_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace dasgd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::int64_t kMaxIndex = 1000;

TEST(ParseLibsvm, ReadsSparseRowsCommentsAndEmptyLines) {
    const auto rows =
        parseLibsvm("+1 1:0.5 4:-2e1 # a comment\n\n-1\n# nothing\n2.5\t2:1 3:+7\r\n", "a.txt", false, kMaxIndex);
    ASSERT_TRUE(rows) << rows.error().message;
    EXPECT_THAT(rows->targets, ElementsAre(1, -1, 2.5));
    EXPECT_THAT(rows->starts, ElementsAre(0U, 2U, 2U, 4U));
    EXPECT_THAT(rows->columns, ElementsAre(1, 4, 2, 3));
    EXPECT_THAT(rows->values, ElementsAre(0.5F, -20.0F, 1.0F, 7.0F));
    EXPECT_FALSE(rows->fromZero);
    EXPECT_EQ(rows->largestIndex, 4);
    EXPECT_EQ(rows->widest, "a.txt:1:10");
}

// The default of scikit-learn.
TEST(ParseLibsvm, TellsWhereIndicesBeginWithZero) {
    const auto rows = parseLibsvm("1 1:1\n-1 0:0.5 3:2\n", "a.txt", false, kMaxIndex);
    ASSERT_TRUE(rows) << rows.error().message;
    EXPECT_TRUE(rows->fromZero);
    EXPECT_THAT(rows->columns, ElementsAre(1, 0, 3));
    EXPECT_EQ(rows->largestIndex, 3);
}

TEST(ParseLibsvm, ReadsOverAByteOrderMarkAndQueries) {
    const auto rows = parseLibsvm(
        "\xEF\xBB\xBF"
        "2 qid:7 1:1\n",
        "a.txt", false, kMaxIndex);
    ASSERT_TRUE(rows) << rows.error().message;
    EXPECT_THAT(rows->targets, ElementsAre(2));
    EXPECT_THAT(rows->columns, ElementsAre(1));
    EXPECT_THAT(parseLibsvm("\xEF\xBB\xBF"
                            "2 1:a\n",
                            "a.txt", false, kMaxIndex)
                    .error()
                    .message,
                StartsWith("a.txt:1:3: "));
}

TEST(ParseLibsvm, WhatIsTooSmallForANumberIsZero) {
    const auto rows = parseLibsvm("1e-400 1:1e-400 2:-1e-50 3:1e-40 4:3.4028234e38\n", "a.txt", false, kMaxIndex);
    ASSERT_TRUE(rows) << rows.error().message;
    EXPECT_THAT(rows->targets, ElementsAre(0));
    EXPECT_THAT(rows->values, ElementsAre(0, 0, 1e-40F, 3.4028234e38F));
}

TEST(ParseLibsvm, QuotesBytesThatAreNoTextAsShortEscapes) {
    const std::string binary("\x89PNG\x1b[2J\0" + std::string(5000, '\xff'));
    const std::string message = parseLibsvm(binary, "a.txt", false, kMaxIndex).error().message;
    EXPECT_THAT(message, StartsWith("a.txt:1:1: the target is '\\x89PNG\\x1b[2J\\xff"));
    EXPECT_LT(message.size(), 400U);
}

TEST(ParseLibsvm, TheLargestNumberOfFloat32IsReadAsProgramsPrintIt) {
    const auto rows = parseLibsvm("3.4028235e38 1:-3.402823466385289e38 2:3.4028235e+38\n", "a.txt", false, kMaxIndex);
    ASSERT_TRUE(rows) << rows.error().message;
    constexpr float kMost = std::numeric_limits<float>::max();
    EXPECT_THAT(rows->values, ElementsAre(-kMost, kMost));
    EXPECT_EQ(static_cast<float>(rows->targets.front()), kMost);
}

struct WrongLine {
    std::string line, place, message;
};

class WrongLibsvm : public testing::TestWithParam<WrongLine> {};

TEST_P(WrongLibsvm, IsRefusedAtItsPlaceOrLeftOutAndCounted) {
    const std::string text = "1 1:1\n" + GetParam().line + "\n0 2:1\n";
    const auto refused = parseLibsvm(text, "a.txt", false, kMaxIndex);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, StartsWith("a.txt:2:" + GetParam().place + ": "));
    EXPECT_THAT(refused.error().message, HasSubstr(GetParam().message));
    EXPECT_THAT(refused.error().message, HasSubstr("on_damage"));
    const auto skipping = parseLibsvm(text, "a.txt", true, kMaxIndex);
    ASSERT_TRUE(skipping);
    EXPECT_EQ(skipping->skipped, 1);
    EXPECT_THAT(skipping->firstSkipped, StartsWith("a.txt:2:" + GetParam().place + ": "));
    EXPECT_THAT(skipping->targets, ElementsAre(1, 0));
    EXPECT_THAT(skipping->columns, ElementsAre(1, 2)) << "nothing of the line stays";
    EXPECT_THAT(skipping->starts, ElementsAre(0U, 1U, 2U));
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongLibsvm,
    testing::Values(WrongLine{"x 1:1", "1", "the target is 'x'"}, WrongLine{"nan 1:1", "1", "no number"},
                    WrongLine{"1e39 1:1", "1", "'1e39', which is not finite in float32"},
                    WrongLine{"1 1:3.4028236e38", "3", "'3.4028236e38', which is not finite in float32"},
                    WrongLine{"1 1:1e39", "3", "'1e39', which is not finite in float32"},
                    WrongLine{"1 1:1 2:-1e400", "7", "'-1e400', which is not finite in float32"},
                    WrongLine{"1 1:inf", "3", "not finite in float32"}, WrongLine{"1 1:nan", "3", "no number"},
                    WrongLine{"1 2:1 -3:1", "7", "indices begin with 0 or 1"},
                    WrongLine{"1 3:1 3:2", "7", "must ascend"}, WrongLine{"1 3:1 2:2", "7", "index 2 follows 3"},
                    WrongLine{"1 1:1 2", "7", "index:value is expected"}, WrongLine{"1 1:1 qid:4", "7", "'qid:4'"},
                    WrongLine{"1 1:a", "3", "the value of index 1 is 'a'"},
                    WrongLine{"1 99999999999:1", "3", "index 99999999999 would make each sample as many values wide"},
                    WrongLine{"1 1001:1 2:1", "10", "index 2 follows 1001"},
                    WrongLine{"1 1001:1 x", "10", "index:value is expected"}));

// Such a line is no damage but as its writer meant it, so training may not leave it out unasked.
TEST(ParseLibsvm, ALineInOrderBeyondTheAllowedIndexIsRefusedWhateverIsDoneToDamage) {
    for (const bool skipsDamage : {false, true}) {
        const auto rows = parseLibsvm("1 1:1\n1 1:1 1001:1 1002:1\n0 2:1\n", "a.txt", skipsDamage, kMaxIndex);
        ASSERT_FALSE(rows) << skipsDamage;
        EXPECT_EQ(rows.error().message,
                  "a.txt:2:7: index 1001 would make each sample as many values wide; above 1000 set features in [data] "
                  "to the width that is meant, at most 2000000000, or correct the line");
    }
}

TEST(ParseLibsvm, TakesTheLargestIndexThatIsAllowed) {
    EXPECT_EQ(parseLibsvm("1 1000:1\n", "a.txt", false, kMaxIndex)->largestIndex, 1000);
    const auto widest = [](const char* line) { return parseLibsvm(line, "a.txt", false, kMaxLibsvmFeatures); };
    EXPECT_EQ(widest("1 2000000000:1\n")->largestIndex, 2000000000);
    EXPECT_THAT(widest("1 2000000001:1\n").error().message,
                testing::AllOf(HasSubstr("values wide; at most 2000000000 are possible. Correct"),
                               testing::Not(HasSubstr("set features"))));
}

TEST(ParseLibsvm, AFileWithoutSamplesIsRefused) {
    for (const char* text : {"", "\n\n", "# only words\n"}) {
        const auto rows = parseLibsvm(text, "a.txt", true, kMaxIndex);
        ASSERT_FALSE(rows);
        EXPECT_THAT(rows.error().message, StartsWith("a.txt: it holds no line"));
    }
}

}  // namespace
}  // namespace dasgd
