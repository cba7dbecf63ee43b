#include "experiments/trace/chrome_reader.h"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "tests/support/temp_dir.h"

namespace dasgd::experiments {
namespace {

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

TEST(ChromeReaderTest, AnEndlessNestIsLeftWithWhatStoodBeforeIt) {
    const test::TempDir folder;
    TraceNames names;
    TraceSlices slices(names, folder.path());
    std::istringstream bytes(R"([{"ph":"X","name":"a","pid":1,"tid":"x","ts":3,"dur":2},)" +
                             std::string(2'000'000, '['));
    readChromeTrace(bytes, slices);
    ASSERT_TRUE(slices.close());
    EXPECT_EQ(slices.stoppedAt, "its objects lie more than 1000 deep in each other");
    EXPECT_TRUE(slices.slices().next());
}

}  // namespace
}  // namespace dasgd::experiments
