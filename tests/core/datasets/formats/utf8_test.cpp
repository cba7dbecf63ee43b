#include "core/datasets/formats/utf8.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace dasgd {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

TEST(DecodeUtf8, ReadsCharactersOfEveryLength) {
    EXPECT_THAT(decodeUtf8("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80").value(),
                ElementsAre(U'a', U'\u00e9', U'\u20ac', U'\U0001F600'));
    EXPECT_TRUE(decodeUtf8("").value().empty());
    EXPECT_THAT(decodeUtf8("\xF4\x8F\xBF\xBF").value(), ElementsAre(char32_t{0x10FFFF})) << "the last there is";
}

TEST(DecodeUtf8, RefusesWhatIsNoneAndSaysTheLine) {
    // A lone continuation, Latin-1, a cut character, overlong forms, a surrogate, beyond the last.
    for (const char* wrong :
         {"\x80", "\xE9t", "\xE2\x82", "\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xFF"}) {
        const auto decoded = decodeUtf8(std::string("one\ntwo\n") + wrong);
        ASSERT_FALSE(decoded);
        EXPECT_THAT(decoded.error().message, StartsWith("3: byte 8 "));
    }
}

}  // namespace
}  // namespace dasgd
