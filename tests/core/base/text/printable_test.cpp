// Hostile names must not steer a terminal.
#include "core/base/text/printable.h"

#include <gtest/gtest.h>

namespace dasgd {
namespace {

TEST(Printable, ShowsWhatWouldSteerATerminal) {
    EXPECT_EQ(printable("déjà τ=4"), "déjà τ=4");
    EXPECT_EQ(printable("\x1b[31mred\n"), "\\x1b[31mred\\x0a");
    EXPECT_EQ(printable("a\u202etxt"), "a\\u202etxt");
    EXPECT_EQ(printable("\xc2\x9b"), "\\u009b");
    EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
    EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");
    EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");
    EXPECT_EQ(printable(printable("\x1b\xff")), printable("\x1b\xff"));
}

TEST(Excerpt, IsShortAndPrintable) {
    EXPECT_EQ(excerpt("+1x"), "+1x");
    EXPECT_EQ(excerpt(std::string("\0\x89PNG", 5)), "\\x00\\x89PNG");
    EXPECT_EQ(excerpt(std::string(40, 'a')), std::string(40, 'a'));
    EXPECT_EQ(excerpt(std::string(1'000'000, 'a')), std::string(40, 'a') + "…");
    std::string forty, more;
    for (int i = 0; i < 40; ++i) forty += "é";
    EXPECT_EQ(excerpt(forty + "é"), forty + "…") << "characters are counted, not bytes";
}

}  // namespace
}  // namespace dasgd
