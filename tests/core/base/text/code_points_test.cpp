#include "core/base/text/code_points.h"

#include <gtest/gtest.h>

namespace dasgd {
namespace {

TEST(CodePoints, AreReadOfOneToFourBytes) {
    for (const auto& [text, value, bytes] :
         {std::tuple{"a", 0x61U, 1U}, {"ä", 0xe4U, 2U}, {"τ", 0x3c4U, 2U}, {"€", 0x20acU, 3U}, {"😀", 0x1f600U, 4U}}) {
        const CodePoint point = firstCodePoint(text);
        EXPECT_EQ(point.value, value) << text;
        EXPECT_EQ(point.bytes, bytes) << text;
    }
}

TEST(CodePoints, WhatIsNoUtf8HasNoBytes) {
    for (const char* text : {"\x80", "\xc0\xaf", "\xe2\x82", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xff"}) {
        EXPECT_EQ(firstCodePoint(text).bytes, 0U);
        EXPECT_TRUE(hasHidden(text));
    }
}

TEST(CodePoints, HiddenOnesAreFoundWhereverTheyStand) {
    for (const char* text : {"a\nb", "a\x7f", "\xc2\xad",
                             "a\xe2\x80\xae"
                             "b",
                             "a\xe2\x80\x8b",
                             "\xef\xbb\xbf"
                             "a"}) {
        EXPECT_TRUE(hasHidden(text)) << text;
    }
    for (const char* text : {"", "delay sweep", "τ=4, ξ = ¼", "näive", "数字"}) EXPECT_FALSE(hasHidden(text)) << text;
}

}  // namespace
}  // namespace dasgd
