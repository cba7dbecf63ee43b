#include "core/datasets/formats/byte_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/idx_files.h"

namespace dasgd {
namespace {

using test::gzip;
using testing::HasSubstr;

std::string longText() {
    std::string text;
    for (int i = 0; i < 400'000; ++i) text += std::to_string(i);
    return text;
}

Result<std::string> wholeOf(const std::string& file, std::size_t limit = 1 << 30) {
    return readWhole(*openSource({reinterpret_cast<const unsigned char*>(file.data()), file.size()}), limit);
}

TEST(ReadWhole, IsTheSameOfPlainAndOfGzip) {
    const std::string text = longText();
    EXPECT_EQ(wholeOf(text).value(), text);
    EXPECT_EQ(wholeOf(gzip(text)).value(), text);
    EXPECT_EQ(wholeOf(gzip(text) + gzip("more")).value(), text + "more") << "a file of two members";
    EXPECT_EQ(wholeOf("").value(), "");
}

TEST(ReadWhole, RefusesDamageAndWhatIsTooLong) {
    const std::string file = gzip(longText());
    EXPECT_THAT(wholeOf(file.substr(0, file.size() / 2)).error().message,
                HasSubstr("breaks off early. Copy or download it again"));
    std::string damaged = file;
    damaged[file.size() / 2] = static_cast<char>(damaged[file.size() / 2] ^ 0x55);
    EXPECT_FALSE(wholeOf(damaged));
    EXPECT_THAT(wholeOf(gzip(std::string(5'000'000, 'a')), 1'000'000).error().message, HasSubstr("more than 1000000"));
}

}  // namespace
}  // namespace dasgd
