#include "experiments/tools/traces/import/chrome_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <sstream>

#include "tests/support/temp_dir.h"

namespace dasgd::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ChromeReaderTest, ReadsMicrosecondsExactly) {
    EXPECT_EQ(nanosecondsOf("0"), 0);
    EXPECT_EQ(nanosecondsOf("1.5"), 1500);
    EXPECT_EQ(nanosecondsOf("-0.500"), -500);
    EXPECT_EQ(nanosecondsOf("1700000000123456.789"), 1'700'000'000'123'456'789);
    EXPECT_EQ(nanosecondsOf("0.0004"), 0);
    EXPECT_EQ(nanosecondsOf("0.0005"), 1);
    EXPECT_EQ(nanosecondsOf("1.25e3"), 1'250'000);
    for (const char* wrong : {"", "-", "1.2.3", "x", "1e300", "99999999999999999999", "nan"}) {
        EXPECT_FALSE(nanosecondsOf(wrong)) << wrong;
    }
}

TEST(ChromeReaderTest, ReadsBothFormsAndWhatTheyAreFrom) {
    const test::TempDir folder;
    const std::string event =
        R"([{"ph":"X","name":"a","pid":1,"tid":"x","ts":"3","dur":2,"args":{"deep":[{"name":"no"}]}}])";
    for (const std::string& text : {event, "{\"other\":{\"traceEvents\":[1,{}]},\"traceEvents\":" + event +
                                               ",\"distributedInfo\":{\"rank\":3,\"world_size\":8}}"}) {
        TraceNames names;
        TraceSlices slices(names, folder.path());
        std::istringstream bytes(text);
        readChromeTrace(bytes, slices);
        ASSERT_TRUE(slices.close());
        EXPECT_EQ(slices.stoppedAt, "");
        EXPECT_EQ(slices.origin.pytorch, slices.origin.rank == 3);
        const auto slice = slices.slices().next();
        ASSERT_TRUE(slice);
        EXPECT_EQ(names[slice->name], "a");
        EXPECT_EQ(slice->start, 3000);
        EXPECT_EQ(slice->end, 5000);
        EXPECT_FALSE(slices.slices().next());
    }
}

// Contents of a document as the reader gives them.
struct Read {
    std::vector<std::string> names;  // by start
    TraceCounts dropped;
    std::int64_t unreadable = 0;
    std::string stoppedAt;
    std::optional<std::int64_t> rank;
};

Read readText(const std::string& text) {
    const test::TempDir folder;
    TraceNames names;
    TraceSlices slices(names, folder.path());
    std::istringstream bytes(text);
    readChromeTrace(bytes, slices);
    EXPECT_TRUE(slices.close());
    Read read{.names = {},
              .dropped = slices.dropped,
              .unreadable = slices.unreadable,
              .stoppedAt = slices.stoppedAt,
              .rank = slices.origin.rank};
    while (const auto slice = slices.slices().next()) read.names.push_back(names[slice->name]);
    return read;
}

std::string eventAt(int at, const std::string& more = "") {
    return R"({"ph":"X","name":"e)" + std::to_string(at) + R"(","pid":1,"tid":1,"ts":)" + std::to_string(at) +
           R"(,"dur":1)" + more + "}";
}

TEST(ChromeReaderTest, AnEndlessNestIsLeftWithWhatStoodBeforeIt) {
    const Read read = readText("[" + eventAt(3) + "," + std::string(2'000'000, '['));
    EXPECT_THAT(read.names, ElementsAre("e3"));
    EXPECT_THAT(read.stoppedAt, HasSubstr("it is cut off at byte 2"));
}

TEST(ChromeReaderTest, StepsOverEventsThatAreNoJson) {
    for (const std::string bad :
         {R"j({"ph":"X","name":"torch\cuda\__init__.py(219)","pid":1,"tid":1,"ts":2,"dur":1})j",
          R"({"name":"C:\users\a","ph":"X","pid":1,"tid":1,"ts":2,"dur":1})",
          R"j({"ph":"X","name":"operator"" _x(int)","pid":1,"tid":1,"ts":2,"dur":1,"args":{}})j",
          R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":2,"dur":1,"args":{"occupancy":-nan}})",
          R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":2,"dur":,"args":{"x":1}})",
          R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":2,"dur":1,})",
          R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":2,"dur":1e999})",
          R"({"ph":"X","name":"a","bad":NaN,"args":{"list":[{"x":1}, {"y":2}],"z":[[1],[2]]}})", "oops"}) {
        const std::string list = eventAt(1) + ",\n" + bad + ",\n" + eventAt(3) + ", " + eventAt(4);
        for (const std::string& text :
             {"[" + list + "]", R"({"schemaVersion":1,"distributedInfo":{"rank":3},"traceEvents":[)" + list + "]}"}) {
            const Read read = readText(text);
            EXPECT_THAT(read.names, ElementsAre("e1", "e3", "e4")) << bad;
            EXPECT_EQ(read.unreadable, 1) << bad;
            EXPECT_EQ(read.dropped.at("events that are no JSON"), 1) << bad;
            EXPECT_EQ(read.stoppedAt, "") << bad;
        }
        const Read twice = readText("[" + eventAt(1) + "," + bad + "," + bad + "," + eventAt(3) + "," + bad + "]");
        EXPECT_THAT(twice.names, ElementsAre("e1", "e3")) << bad;
        EXPECT_EQ(twice.unreadable, 3) << bad;
        EXPECT_EQ(twice.stoppedAt, "") << bad;
    }
}

TEST(ChromeReaderTest, AHeadThatIsNoJsonCostsNoEvent) {
    const Read read = readText(R"({"host":"C:\users","deep":{"traceEvents":1},"traceEvents": [)" + eventAt(1) + "]}");
    EXPECT_THAT(read.names, ElementsAre("e1"));
    EXPECT_EQ(read.unreadable, 1);
    EXPECT_EQ(read.stoppedAt, "");
}

TEST(ChromeReaderTest, TellsACutOffFileFromADamagedOne) {
    const std::string whole = R"({"schemaVersion":1,"traceEvents":[)" + eventAt(1) + "," +
                              eventAt(2, R"(,"args":{"a":[1,2]})") + R"(],"traceName":"t.json","n":5})";
    EXPECT_EQ(readText(whole).stoppedAt, "");
    EXPECT_EQ(readText(whole).names.size(), 2U);
    for (std::size_t length = 1; length < whole.size(); ++length) {
        const Read read = readText(whole.substr(0, length));
        EXPECT_EQ(read.stoppedAt, "it is cut off at byte " + std::to_string(length)) << whole.substr(0, length);
        EXPECT_EQ(read.unreadable, 0) << whole.substr(0, length);
    }
    EXPECT_EQ(readText("hello").stoppedAt, "it is no JSON at byte 0");
}

TEST(ChromeReaderTest, CountsBytesOfEveryTypeOfElement) {
    const std::map<std::string, std::int64_t> kBytes{
        {"Float", 400},          {"Double", 800},        {"Half", 200},
        {"BFloat16", 200},       {"Byte", 100},          {"Char", 100},
        {"Short", 200},          {"Int", 400},           {"Long", 800},
        {"Bool", 100},           {"UInt16", 200},        {"UInt32", 400},
        {"UInt64", 800},         {"ComplexHalf", 400},   {"ComplexFloat", 800},
        {"ComplexDouble", 1600}, {"Float8_e4m3fn", 100}, {"Float8_e5m2fnuz", 100},
        {"Float8_e8m0fnu", 100}, {"QInt32", 400},        {"Bits16", 200},
        {"UInt4", 100},          {"Int1", 100},          {"torch.float16", 200},
        {"c10::complex", 0}};
    for (const auto& [type, bytes] : kBytes) {
        const test::TempDir folder;
        TraceNames names;
        TraceSlices slices(names, folder.path());
        std::istringstream text("[" + eventAt(1, R"(,"args":{"In msg nelems":100,"dtype":")" + type + "\"}") + "]");
        readChromeTrace(text, slices);
        ASSERT_TRUE(slices.close());
        EXPECT_EQ(slices.slices().next()->bytes, bytes) << type;
        EXPECT_EQ(slices.remarks.size(), bytes == 0 ? 1U : 0U) << "a size that is not known is said: " << type;
    }
}

}  // namespace
}  // namespace dasgd::experiments
