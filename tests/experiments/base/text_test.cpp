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

TEST(Text, ATableIsMarkdownWithTheSameRows) {
    TextTable table({"what", "n", ""});
    table.leftAlign(2);
    table.add({"a|b*", "12.5", "<i>"});
    table.add({"short"});
    EXPECT_EQ(table.toString(Markup::Markdown),
              "\n| what   |    n |       |\n| :----- | ---: | :---- |\n| a\\|b\\* | 12.5 | \\<i\\> |\n"
              "| short  |      |       |\n\n");
    EXPECT_EQ(table.toString(), "what      n\na|b*   12.5  <i>\nshort\n");
}

TEST(Text, WordsAreNoMarkupAndLinesStayApartInMarkdown) {
    EXPECT_EQ(plainWords("[a](b) _c_ sync_sgd", Markup::Terminal), "[a](b) _c_ sync_sgd");
    EXPECT_EQ(plainWords("[a](b) _c_ sync_sgd", Markup::Markdown), "\\[a\\](b) \\_c\\_ sync_sgd");
    EXPECT_EQ(ownLine("a", Markup::Terminal), "a\n");
    EXPECT_EQ(ownLine("a", Markup::Markdown), "a\n\n");
    EXPECT_EQ(tomlBlock("a = 1\n", Markup::Terminal), "a = 1\n");
    EXPECT_EQ(tomlBlock("a = 1\n", Markup::Markdown), "```toml\na = 1\n```\n");
}

TEST(Text, TheUnitOfADurationFollowsItsMagnitude) {
    EXPECT_EQ(secondsInWords(0), "0 s");
    EXPECT_EQ(secondsInWords(3e-9), "3.00 ns");
    EXPECT_EQ(secondsInWords(740e-6), "740 µs");
    EXPECT_EQ(secondsInWords(0.0123), "12.3 ms");
    EXPECT_EQ(secondsInWords(4.21), "4.21 s");
    EXPECT_EQ(secondsInWords(86'400), "86400 s");
}

TEST(Text, AlignsColumnsByWhatIsSeen) {
    TextTable table({"name", "n"});
    table.add({"τ", "10"});
    table.add({"long name", "1"});
    EXPECT_EQ(table.toString(), "name        n\nτ          10\nlong name   1\n");
}

TEST(Text, ANumberIsAllOfItsText) {
    EXPECT_EQ(decimalOf("-42"), -42);
    EXPECT_EQ(decimalOf("9223372036854775807"), INT64_MAX);
    for (const char* none : {"", " 1", "1 ", "+1", "0x1", "1.0", "9223372036854775808"}) EXPECT_FALSE(decimalOf(none));
}

}  // namespace
}  // namespace dasgd::experiments
