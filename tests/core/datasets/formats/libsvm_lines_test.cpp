#include "core/datasets/formats/libsvm_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dasgd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TEST(ParseLibsvm, ReadsSparseRowsCommentsAndEmptyLines) {
    const auto rows = parseLibsvm("+1 1:0.5 4:-2e1 # a comment\n\n-1\n# nothing\n2.5\t2:1 3:+7\r\n", "a.txt", false);
    ASSERT_TRUE(rows) << rows.error().message;
    EXPECT_THAT(rows->targets, ElementsAre(1, -1, 2.5));
    EXPECT_THAT(rows->starts, ElementsAre(0U, 2U, 2U, 4U));
    EXPECT_THAT(rows->columns, ElementsAre(0, 3, 1, 2));
    EXPECT_THAT(rows->values, ElementsAre(0.5F, -20.0F, 1.0F, 7.0F));
    EXPECT_EQ(rows->width, 4);
}

struct WrongLine {
    std::string line, place, message;
};

class WrongLibsvm : public testing::TestWithParam<WrongLine> {};

TEST_P(WrongLibsvm, IsRefusedAtItsPlaceOrLeftOutAndCounted) {
    const std::string text = "1 1:1\n" + GetParam().line + "\n0 2:1\n";
    const auto refused = parseLibsvm(text, "a.txt", false);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, StartsWith("a.txt:2:" + GetParam().place + ": "));
    EXPECT_THAT(refused.error().message, HasSubstr(GetParam().message));
    EXPECT_THAT(refused.error().message, HasSubstr("on_damage"));
    const auto skipping = parseLibsvm(text, "a.txt", true);
    ASSERT_TRUE(skipping);
    EXPECT_EQ(skipping->skipped, 1);
    EXPECT_THAT(skipping->targets, ElementsAre(1, 0));
    EXPECT_THAT(skipping->columns, ElementsAre(0, 1)) << "nothing of the line stays";
    EXPECT_THAT(skipping->starts, ElementsAre(0U, 1U, 2U));
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongLibsvm,
    testing::Values(WrongLine{"x 1:1", "1", "the target is 'x'"}, WrongLine{"nan 1:1", "1", "no number"},
                    WrongLine{"1 0:1", "3", "indices begin with 1"},
                    WrongLine{"1 2:1 -3:1", "7", "indices begin with 1"}, WrongLine{"1 3:1 3:2", "7", "must ascend"},
                    WrongLine{"1 3:1 2:2", "7", "index 2 follows 3"},
                    WrongLine{"1 1:1 2", "7", "index:value is expected"}, WrongLine{"1 1:1 qid:4", "7", "'qid:4'"},
                    WrongLine{"1 1:a", "3", "the value of index 1 is 'a'"},
                    WrongLine{"1 99999999999:1", "3", "the index is 99999999999"}));

TEST(ParseLibsvm, AFileWithoutSamplesIsRefused) {
    for (const char* text : {"", "\n\n", "# only words\n"}) {
        const auto rows = parseLibsvm(text, "a.txt", true);
        ASSERT_FALSE(rows);
        EXPECT_THAT(rows.error().message, StartsWith("a.txt: it holds no line"));
    }
}

}  // namespace
}  // namespace dasgd
