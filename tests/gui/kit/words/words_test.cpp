#include "gui/kit/words/words.h"

#include <gtest/gtest.h>

#include <limits>

namespace dasgd::gui {
namespace {

TEST(Words, NumbersHaveFewDigitsAndGroups) {
    EXPECT_EQ(shortNumber(0.11834), QStringLiteral("0.1183"));
    EXPECT_EQ(shortNumber(97.43, 3), QStringLiteral("97.4"));
    EXPECT_EQ(shortNumber(24310), QStringLiteral("24\u2009310"));
    EXPECT_EQ(grouped(-1204311), QStringLiteral("-1\u2009204\u2009311"));
    EXPECT_EQ(grouped(4793), QStringLiteral("4793"));
    EXPECT_EQ(shortNumber(0), QStringLiteral("0"));
    EXPECT_EQ(shortNumber(-0.0, 2), QStringLiteral("0"));
    EXPECT_EQ(shortNumber(3e-7), QStringLiteral("3.00e-07"));
}

TEST(Words, SmallNumbersKeepTheirDigits) {
    EXPECT_EQ(shortNumber(0.011834), QStringLiteral("0.01183"));
    EXPECT_EQ(shortNumber(-0.0012), QStringLiteral("-0.001200"));
    EXPECT_EQ(shortNumber(0.004, 2), QStringLiteral("0.0040")) << "two decimals would say nothing";
    EXPECT_EQ(shortNumber(0.09996, 3), QStringLiteral("0.100"));
    EXPECT_EQ(shortNumber(9.99996), QStringLiteral("10.00"));
    EXPECT_EQ(shortNumber(0.4, 0), QStringLiteral("0"));
    EXPECT_EQ(shortNumber(1234.4, 2), QStringLiteral("1234")) << "whole digits are never rounded away";
}

TEST(Words, NumbersThatAreNoneAreSaid) {
    EXPECT_EQ(shortNumber(std::numeric_limits<double>::quiet_NaN()), QStringLiteral("NaN"));
    EXPECT_EQ(shortNumber(-std::numeric_limits<double>::infinity()), QStringLiteral("−∞"));
    EXPECT_EQ(percent(std::nullopt), kAbsent);
    EXPECT_EQ(percent(std::numeric_limits<double>::quiet_NaN()), kAbsent);
    EXPECT_EQ(percent(0.9921), QStringLiteral("99.2"));
}

TEST(Words, UnitsFollowTheSize) {
    EXPECT_EQ(bytesInWords(246824).text(), QStringLiteral("247\u00a0kB"));
    EXPECT_EQ(bytesInWords(999).unit, QStringLiteral("B"));
    EXPECT_EQ(bytesInWords(999'600).unit, QStringLiteral("MB"));
    EXPECT_EQ(durationInWords(740'000).text(), QStringLiteral("740\u00a0µs"));
    EXPECT_EQ(durationInWords(118'000'000).text(), QStringLiteral("118.0\u00a0ms"));
    EXPECT_EQ(durationInWords(-2'000'000'000).unit, QStringLiteral("s"));
    EXPECT_EQ(clockText(0.31), QStringLiteral("0.3\u00a0s"));
    EXPECT_EQ(clockText(-1), QStringLiteral("0.0\u00a0s"));
    EXPECT_EQ(clockText(9.96), QStringLiteral("00:09")) << "not 10.0 s";
    EXPECT_EQ(clockText(41.9), QStringLiteral("00:41"));
    EXPECT_EQ(clockText(3723), QStringLiteral("1:02:03"));
}

TEST(Words, ATimeInAColumnHasItsUnits) {
    EXPECT_EQ(timeText(5.64), QStringLiteral("5.6\u00a0s"));
    EXPECT_EQ(timeText(11.2), QStringLiteral("11.2\u00a0s"));
    EXPECT_EQ(timeText(-1), QStringLiteral("0.0\u00a0s"));
    EXPECT_EQ(timeText(59.97), QStringLiteral("1\u00a0min\u00a000\u00a0s")) << "not 60.0 s";
    EXPECT_EQ(timeText(125), QStringLiteral("2\u00a0min\u00a005\u00a0s"));
    EXPECT_EQ(timeText(3723), QStringLiteral("1\u00a0h\u00a002\u00a0min"));
}

TEST(Words, ANounFollowsItsNumber) {
    EXPECT_EQ(counted(0, "run"), QStringLiteral("0 runs"));
    EXPECT_EQ(counted(1, "run"), QStringLiteral("1 run"));
    EXPECT_EQ(counted(12345, "run"), grouped(12345) + QStringLiteral(" runs"));
}

TEST(Words, ATipShowsMarkupAsText) {
    EXPECT_EQ(asTip(QStringLiteral("<b>run</b>\n2")),
              QStringLiteral("<p style=\"white-space: pre-wrap\">&lt;b&gt;run&lt;/b&gt;<br>2</p>"));
}

TEST(Words, HoldsNothingThatAFileSystemMinds) {
    EXPECT_EQ(fileStem("delay-sweep"), QStringLiteral("delay-sweep"));
    EXPECT_EQ(fileStem("das2016: vgg / 2"), QStringLiteral("das2016-vgg-2"));
    EXPECT_EQ(fileStem("../../etc/passwd"), QStringLiteral("etc-passwd"));
    EXPECT_EQ(fileStem(" ξ "), QStringLiteral("experiment"));
}

}  // namespace
}  // namespace dasgd::gui
