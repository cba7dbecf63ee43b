#include "core/base/schema/units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dasgd {
namespace {

TEST(UnitsTest, BandwidthIsBitsInPowersOfTen) {
    EXPECT_DOUBLE_EQ(parseBandwidth("8bps").value(), 1);
    EXPECT_DOUBLE_EQ(parseBandwidth("8kbps").value(), 1e3);
    EXPECT_DOUBLE_EQ(parseBandwidth("200Mbps").value(), 25e6);
    EXPECT_DOUBLE_EQ(parseBandwidth("1.5 Gbps").value(), 187.5e6);
}

TEST(UnitsTest, LatencyIsInSeconds) {
    EXPECT_DOUBLE_EQ(parseLatency("0ms").value(), 0);
    EXPECT_DOUBLE_EQ(parseLatency("250ns").value(), 250e-9);
    EXPECT_DOUBLE_EQ(parseLatency("50us").value(), 50e-6);
    EXPECT_DOUBLE_EQ(parseLatency("1.5ms").value(), 1.5e-3);
    EXPECT_DOUBLE_EQ(parseLatency("2s").value(), 2);
}

TEST(UnitsTest, RefusesTheRestAndSaysHow) {
    for (const char* text :
         {"", "200", "Mbps", "0Mbps", "-1Mbps", "200MBps", "200mbps", "nanMbps", "infGbps", "1Mbps x"}) {
        const auto parsed = parseBandwidth(text);
        ASSERT_FALSE(parsed) << text;
        EXPECT_THAT(parsed.error().message, testing::HasSubstr("as 200Mbps"));
    }
    for (const char* text : {"", "1", "ms", "-1ms", "1min", "nanms"}) {
        const auto parsed = parseLatency(text);
        ASSERT_FALSE(parsed) << text;
        EXPECT_THAT(parsed.error().message, testing::HasSubstr("as 1ms"));
    }
}

TEST(UnitsTest, SizesAreInPowersOfTen) {
    EXPECT_DOUBLE_EQ(parseBytes("1B").value(), 1);
    EXPECT_DOUBLE_EQ(parseBytes("64kB").value(), 64e3);
    EXPECT_DOUBLE_EQ(parseBytes("1.5 MB").value(), 1.5e6);
    EXPECT_DOUBLE_EQ(parseBytes("2GB").value(), 2e9);
    for (const char* text : {"", "1", "0MB", "0.5B", "-1MB", "1MiB", "1Mb"}) {
        const auto parsed = parseBytes(text);
        ASSERT_FALSE(parsed) << text;
        EXPECT_THAT(parsed.error().message, testing::HasSubstr("as 1MB"));
    }
}

TEST(UnitsTest, ReadsDurationsAndRates) {
    EXPECT_DOUBLE_EQ(parseDuration("60ms").value(), 0.06);
    EXPECT_DOUBLE_EQ(parseDuration("1.5min").value(), 90);
    EXPECT_DOUBLE_EQ(parseDuration("2h").value(), 7200);
    EXPECT_DOUBLE_EQ(parseRate("10GB/s").value(), 1e10);
    EXPECT_DOUBLE_EQ(parseRate("0 MB/s").value(), 0);
    for (const char* text : {"0ms", "-1s", "60", ""}) {
        const auto parsed = parseDuration(text);
        ASSERT_FALSE(parsed) << text;
        EXPECT_THAT(parsed.error().message, testing::HasSubstr("as 60ms"));
    }
    for (const char* text : {"10Gbps", "-1GB/s", "10", ""}) {
        const auto parsed = parseRate(text);
        ASSERT_FALSE(parsed) << text;
        EXPECT_THAT(parsed.error().message, testing::HasSubstr("as 10GB/s"));
    }
}

}  // namespace
}  // namespace dasgd
