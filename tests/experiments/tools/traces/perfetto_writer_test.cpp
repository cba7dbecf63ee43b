// Spans that perfetto_writer.cpp writes come back as they were; other programs read them by the same rules.
#include <gtest/gtest.h>

#include "tests/experiments/tools/traces/writers.h"

namespace dasgd::experiments {
namespace {

TEST(PerfettoWriterTest, WritesWhatItsReaderReads) {
    EXPECT_EQ(test::writtenAndRead("t.pftrace", test::kSomeSpans, perfettoWriter), test::kSomeLines);
    EXPECT_EQ(test::writtenAndRead("t.pftrace.gz", test::kSomeSpans, perfettoWriter), test::kSomeLines);
}

}  // namespace
}  // namespace dasgd::experiments
