// Spans that chrome_writer.cpp writes come back as they were; other programs read them by the same rules.
#include <gtest/gtest.h>

#include "tests/experiments/tools/traces/writers.h"

namespace dasgd::experiments {
namespace {

TEST(ChromeWriterTest, WritesWhatItsReaderReads) {
    EXPECT_EQ(test::writtenAndRead("t.json", test::kSomeSpans, chromeWriter), test::kSomeLines);
    EXPECT_EQ(test::writtenAndRead("t.json.gz", test::kSomeSpans, chromeWriter), test::kSomeLines);
}

}  // namespace
}  // namespace dasgd::experiments
