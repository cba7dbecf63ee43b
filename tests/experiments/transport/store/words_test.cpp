#include "experiments/transport/store/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/transport/curve/curve_server.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

class WordsTest : public ::testing::Test {
protected:
    std::string value(const Parts& request) {
        const Parts answer = words_.answer(request);
        return answer[0] == std::string(1, kYes) ? answer[1] : answer[0] == std::string(1, kNo) ? "not there" : "wrong";
    }
    std::string wrong(const Parts& request) {
        const Parts answer = words_.answer(request);
        return answer[0] == std::string(1, kRefused) ? answer[1] : "not refused";
    }
    Words words_;
};

TEST_F(WordsTest, KeepWhatIsSet) {
    EXPECT_EQ(value({"G", "a"}), "not there");
    const std::string bytes("\0\xFF\n", 3);
    EXPECT_EQ(value({"S", "a", bytes}), bytes);
    EXPECT_EQ(value({"S", "b", ""}), "");
    EXPECT_EQ(value({"G", "a"}), bytes);
    EXPECT_EQ(value({"N"}), "2");
    EXPECT_EQ(value({"H", "a", "b"}), "");
    EXPECT_EQ(value({"H", "a", "c"}), "not there");
    EXPECT_EQ(value({"D", "a"}), "");
    EXPECT_EQ(value({"D", "a"}), "not there");
    EXPECT_EQ(value({"N"}), "1");
}

TEST_F(WordsTest, CountAndCompareAsC10dDoes) {
    EXPECT_EQ(value({"A", "n", "3"}), "3");
    EXPECT_EQ(value({"A", "n", "-5"}), "-2");
    EXPECT_EQ(value({"C", "k", "old", "new"}), "old") << "it is not there: nothing is set";
    EXPECT_EQ(value({"G", "k"}), "not there");
    EXPECT_EQ(value({"C", "k", "", "first"}), "first");
    EXPECT_EQ(value({"C", "k", "other", "second"}), "first");
    EXPECT_EQ(value({"C", "k", "first", "second"}), "second");
}

TEST_F(WordsTest, RefuseWhatIsNoRequestAndChangeNothing) {
    for (const Parts& request :
         {Parts{"?"}, Parts{""}, Parts{"S", "a"}, Parts{"G"}, Parts{"SS", "a", "b"}, Parts{"C", "a", "b"}}) {
        EXPECT_EQ(wrong(request), "no such request") << request.front();
    }
    value({"S", "word", "no number"});
    EXPECT_THAT(wrong({"A", "word", "1"}), HasSubstr("holds no number"));
    EXPECT_EQ(value({"N"}), "1");
}

// Limit of what a hostile rank can make rank 0 keep.
TEST_F(WordsTest, AreBoundedTogether) {
    const std::string large(std::size_t{60} << 20, 'x');
    for (const char* key : {"a", "b", "c", "d"}) EXPECT_NE(value({"S", key, large}), "wrong");
    EXPECT_EQ(wrong({"S", "e", large}), "the store is full");
    EXPECT_EQ(value({"D", "a"}), "");
    EXPECT_NE(value({"S", "e", large}), "wrong");
}

}  // namespace
}  // namespace dasgd::experiments
