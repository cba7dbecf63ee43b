#include "experiments/tools/published/published.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temp_dir.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

const PublishedSet kSet{
    .name = "set", .paper = "p", .suite = {}, .command = {}, .results = {}, .factor = 1.2, .why = "of the set"};

PublishedNumber number(std::vector<double> published, double rounding = 0, double factor = 0) {
    PublishedNumber one;
    one.published = std::move(published);
    one.rounding = rounding;
    one.factor = factor;
    return one;
}

TEST(Published, ANumberAgreesWithinTheFactorOfItsSet) {
    EXPECT_EQ(judge(kSet, number({10}), 12).verdict, Verdict::Agrees);
    EXPECT_EQ(judge(kSet, number({10}), 10 / 1.2).verdict, Verdict::Agrees);
    EXPECT_EQ(judge(kSet, number({10}), 12.1).verdict, Verdict::Differs);
    EXPECT_EQ(judge(kSet, number({10}), 8.3).verdict, Verdict::Differs);
    EXPECT_DOUBLE_EQ(*judge(kSet, number({10}), 8).ratio, 0.8);
    EXPECT_EQ(judge(kSet, number({10}), 8).why, "of the set");
    EXPECT_EQ(judge(kSet, number({10}), 10).why, "");
}

TEST(Published, RoundingOfThePrintAndAFactorOfItsOwnCount) {
    EXPECT_EQ(judge(kSet, number({0.9}, 0.05), 1.14).verdict, Verdict::Agrees) << "0.95 times 1.2";
    EXPECT_EQ(judge(kSet, number({0.9}, 0.05), 1.141).verdict, Verdict::Differs);
    EXPECT_EQ(judge(kSet, number({10}, 0, 1.01), 10.2).verdict, Verdict::Differs);
    EXPECT_EQ(judge(kSet, number({10}, 0, 2), 19).verdict, Verdict::Agrees);
}

TEST(Published, AnIntervalIsComparedByItsNearerEnd) {
    EXPECT_DOUBLE_EQ(*judge(kSet, number({2, 3}), 2.5).ratio, 1);
    EXPECT_DOUBLE_EQ(*judge(kSet, number({2, 3}), 1.4).ratio, 0.7);
    EXPECT_DOUBLE_EQ(*judge(kSet, number({2, 3}), 6).ratio, 2);
    EXPECT_EQ(judge(kSet, number({2, 3}), 3.5).verdict, Verdict::Agrees);
    EXPECT_EQ(judge(kSet, number({2, 3}), 3.7).verdict, Verdict::Differs);
}

TEST(Published, ABoundIsKeptByWhatIsSmaller) {
    PublishedNumber bound = number({28});
    bound.atMost = true;
    EXPECT_EQ(judge(kSet, bound, 5).verdict, Verdict::Agrees);
    EXPECT_DOUBLE_EQ(*judge(kSet, bound, 14).ratio, 0.5);
    EXPECT_EQ(judge(kSet, bound, 34).verdict, Verdict::Differs);
}

// What limits a comparison is said where it agrees, too.
TEST(Published, ACaveatStaysWithANumberThatAgrees) {
    PublishedNumber one = number({10});
    one.why = "of equal gradients";
    EXPECT_EQ(judge(kSet, one, 10).why, "of equal gradients");
}

class PublishedFile : public ::testing::Test {
protected:
    Result<std::vector<PublishedSet>> read(const std::string& text) {
        std::ofstream(folder_.path() / "list.toml") << text;
        return readPublished(folder_.path() / "list.toml");
    }
    std::string errorOf(const std::string& text) {
        const auto sets = read(text);
        return sets ? "" : sets.error().message;
    }

private:
    test::TempDir folder_;
};

const std::string kHead = "[[set]]\nname = \"a\"\npaper = \"b\"\n";

TEST_F(PublishedFile, HasSetsAndTheirNumbers) {
    const auto sets = read(
        kHead +
        "suite = \"s.toml\"\nfactor = 1.5\n[[set.number]]\nwhat = \"x\"\npublished = [2, 3]\nquery = \"SELECT 1\"\n"
        "[[set.number]]\nwhat = \"y\"\npublished = [1.0]\nwhy = \"its data are not here\"\n");
    ASSERT_TRUE(sets) << sets.error().message;
    ASSERT_EQ(sets->size(), 1u);
    EXPECT_EQ(sets->front().factor, 1.5);
    ASSERT_EQ(sets->front().numbers.size(), 2u);
    EXPECT_EQ(sets->front().numbers[0].published, (std::vector<double>{2, 3}));
    EXPECT_EQ(sets->front().numbers[1].why, "its data are not here");
}

TEST_F(PublishedFile, ANumberWithoutASourceOrAReasonIsRefusedAtItsPlace) {
    const std::string number = "[[set.number]]\nwhat = \"x\"\n";
    EXPECT_THAT(errorOf(kHead + number + "published = [1.0]\n"), HasSubstr("list.toml:5"));
    EXPECT_THAT(errorOf(kHead + number + "published = [1.0]\n"), HasSubstr("say why"));
    EXPECT_THAT(errorOf(kHead + number + "why = \"y\"\n"), HasSubstr("needs one published number"));
    EXPECT_THAT(errorOf(kHead + number + "published = [3, 2]\nwhy = \"y\"\n"), HasSubstr("lower and the upper"));
    EXPECT_THAT(errorOf(kHead + number + "published = [0.0]\nwhy = \"y\"\n"), HasSubstr("above 0"));
    EXPECT_THAT(errorOf(kHead + number + "published = [1.0]\nquery = \"SELECT 1\"\n"), HasSubstr("names no suite"));
    EXPECT_THAT(errorOf(kHead + number + "published = [1.0]\npointer = \"/a\"\n"), HasSubstr("no command"));
    EXPECT_THAT(errorOf(kHead + number + "published = [1.0]\nwhy = \"y\"\nfactor = 0.5\n"), HasSubstr("1 or more"));
    EXPECT_THAT(errorOf(kHead), HasSubstr("no [[set.number]]"));
    EXPECT_THAT(errorOf(""), HasSubstr("no [[set]]"));
    EXPECT_THAT(errorOf("[set]\nname = \"a\"\n"), HasSubstr("[[set]]"));
    const std::string whole = kHead + number + "published = [1.0]\nwhy = \"y\"\n";
    EXPECT_THAT(errorOf(whole + whole), HasSubstr("two sets"));
}

}  // namespace
}  // namespace dasgd::experiments
