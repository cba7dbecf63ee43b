// Names that are hostile to a terminal, a spreadsheet or a table, and numbers and columns as they are written.
#include "experiments/base/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

namespace dasgd::experiments {
namespace {

TEST(Text, ShowsWhatWouldSteerATerminalLineByLine) {
    EXPECT_EQ(printableLines("one\n\x1b[2J\n", "; "), "one; \\x1b[2J; ");
}

TEST(Text, SaysAgainWhatAnotherDasgdSaid) {
    EXPECT_EQ(printableWords("dasgd: rank 1: full\x1b"), "rank 1: full\\x1b");
    EXPECT_EQ(printableWords("ssh: dasgd: no"), "ssh: dasgd: no");
}

TEST(Text, QuotesAndDisarmsCsv) {
    EXPECT_EQ(csvText("plain"), "plain");
    EXPECT_EQ(csvText("a,\"b\""), "\"a,\"\"b\"\"\"");
    EXPECT_EQ(csvText("=cmd()"), "'=cmd()");
    EXPECT_EQ(csvText("@x\ny"), "\"'@x\ny\"");
}

TEST(Text, WritesNumbersThatReadBack) {
    for (const double value : {0.1, 1e308, 5e-324, -1.0 / 3})
        EXPECT_EQ(std::strtod(csvNumber(value).c_str(), nullptr), value);
    EXPECT_EQ(csvNumber(std::nan("")), "nan");
    EXPECT_EQ(csvNumber(-std::numeric_limits<double>::infinity()), "-inf");
}

TEST(Text, ShortensForPeople) {
    EXPECT_EQ(shortNumber(std::nullopt), "–");
    EXPECT_EQ(shortNumber(0.0), "0");
    EXPECT_EQ(shortNumber(0.08123), "0.0812");
    EXPECT_EQ(shortNumber(1234.5), "1234");
    EXPECT_EQ(percent(0.9731), "97.3 %");
    EXPECT_EQ(duration(4.21), "4.2 s");
    EXPECT_EQ(duration(200), "3 min 20 s");
    EXPECT_EQ(duration(3720), "1 h 02 min");
    EXPECT_EQ(byteCount(999), "999 B");
    EXPECT_EQ(byteCount(247'000), "247.0 kB");
}

TEST(Text, AlignsColumnsByWhatIsSeen) {
    TextTable table({"name", "n"});
    table.add({"τ", "10"});
    table.add({"long name", "1"});
    EXPECT_EQ(table.toString(), "name        n\nτ          10\nlong name   1\n");
}

}  // namespace
}  // namespace dasgd::experiments
