// The list of what a platform file may have.
#include "core/sim/network/platform_elements.h"

#include <gmock/gmock.h>

#include <string>

namespace dasgd {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

const PlatformAttribute& attribute(std::string_view element, std::string_view name) {
    for (const PlatformAttribute& one : platformElements().at(element).attributes) {
        if (one.name == name) return one;
    }
    throw std::runtime_error("no attribute " + std::string(name));
}

bool takes(std::string_view element, std::string_view name, std::string_view value) {
    return attribute(element, name).value->isRight(value);
}

// SimGrid's DTD knows these, and a network needs none of them.
TEST(PlatformElements, HasNothingThatSetsOptionsReadsFilesOrStartsActors) {
    for (const char* name : {"include", "process", "actor", "argument", "model_prop"}) {
        EXPECT_FALSE(platformElements().contains(name)) << name;
    }
    for (const char* name : {"config", "config/prop", "trace", "trace_connect", "random", "storage", "storage_type",
                             "mount", "disk", "prop"}) {
        EXPECT_EQ(platformElements().at(name).written, "") << name << " is read over";
    }
    for (const auto& [name, element] : platformElements()) {
        for (const auto child : element.children) {
            EXPECT_TRUE(platformElements().contains(child)) << name << " " << child;
        }
        for (const auto& one : element.attributes) {
            if (one.value->isRight) {
                EXPECT_THAT(std::string(one.name), Not(HasSubstr("file"))) << name;
            }
        }
    }
}

TEST(PlatformElements, PassesNoPropertyOn) {
    EXPECT_EQ(platformElements().at("prop").written, "");
    EXPECT_THAT(platformElements().at("platform").children, Not(Contains("prop")));
}

TEST(PlatformElements, TakesQuantitiesWithTheirUnits) {
    for (const char* right : {"10Gbps", "1.25GBps", "1e3kbps", "0.5Gibps", "8bps", "10", "10 Gbps", " 1kBps "}) {
        EXPECT_TRUE(takes("link", "bandwidth", right)) << right;
    }
    for (const char* wrong : {"0Gbps", "-1Gbps", "fast", "0", "10 G", "inf", "nanGbps", "1e999Gbps", "10gbps", ""}) {
        EXPECT_FALSE(takes("link", "bandwidth", wrong)) << wrong;
    }
    for (const char* right : {"0", "50us", "1.5ms", "0s", "5", "1E-4"})
        EXPECT_TRUE(takes("link", "latency", right)) << right;
    for (const char* wrong : {"-5", "-1ms", "1min", "us", ""}) EXPECT_FALSE(takes("link", "latency", wrong)) << wrong;
    for (const char* right : {"1Gf", "2gigaflops", "1f", "100Mf, 50Mf", "100Mf ,\t50Mf,0f ", "0f", "1e9"}) {
        EXPECT_TRUE(takes("host", "speed", right)) << right;
    }
    for (const char* wrong : {"-1f", "1G", "1Gf,", "Gf", ""}) EXPECT_FALSE(takes("host", "speed", wrong)) << wrong;
}

TEST(PlatformElements, TakesPlacesOfThreeNumbers) {
    for (const char* right : {"25.5 9.4 1.4", " -12.7 -9.9  2.1 "}) EXPECT_TRUE(takes("peer", "coordinates", right));
    for (const char* wrong : {"", "1 2", "1 2 3 4", "1 2 x", "1 2 3x", "1 2 nan"}) {
        EXPECT_FALSE(takes("peer", "coordinates", wrong)) << wrong;
    }
}

TEST(PlatformElements, TakesNamesWithoutMarkup) {
    EXPECT_TRUE(takes("host", "id", "rack 3/node-7.example"));
    EXPECT_FALSE(takes("host", "id", "a&b;"));
    EXPECT_FALSE(takes("host", "id", "a\nb"));
    EXPECT_FALSE(takes("host", "id", ""));
    EXPECT_FALSE(takes("host", "id", std::string(256, 'a')));
    EXPECT_TRUE(takes("cluster", "suffix", ""));
}

TEST(PlatformElements, CountsTheNumbersOfARadical) {
    EXPECT_EQ(countOfRadical("0-3,7"), 5);
    EXPECT_EQ(countOfRadical("5"), 1);
    EXPECT_EQ(countOfRadical("0-999999999"), 1'000'000'000);
    for (const char* wrong : {"", "3-0", "0-", "a", "0-3,", "-1", "0-1-2", "0-99999999999999999999"}) {
        EXPECT_EQ(countOfRadical(wrong), -1) << wrong;
    }
}

}  // namespace
}  // namespace dasgd
