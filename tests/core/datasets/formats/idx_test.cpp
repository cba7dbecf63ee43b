#include "core/datasets/formats/idx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/idx_files.h"

namespace dasgd {
namespace {

using test::gzip;
using test::idx;
using test::TempDir;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(IdxTest, ReadsPlainAndGzipAlike) {
    const TempDir folder;
    const std::string bytes = idx({2, 1, 3}, "abcdef");
    for (const std::string& content : {bytes, gzip(bytes)}) {
        const auto array = readIdx(folder.write("a", content), 3);
        ASSERT_TRUE(array) << array.error().message;
        EXPECT_THAT(array->extents, ElementsAre(2, 1, 3));
        EXPECT_EQ(std::string(array->bytes.begin(), array->bytes.end()), "abcdef");
    }
}

// Pages of the file itself, which all processes of a host share: a private copy would not see the change.
TEST(IdxTest, DoesNotCopyAPlainFile) {
    const TempDir folder;
    const auto file = folder.write("a", idx({2, 1, 3}, "abcdef"));
    const auto array = readIdx(file, 3);
    ASSERT_TRUE(array) << array.error().message;
    std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).seekp(4 + 3 * 4) << "ABC";
    EXPECT_EQ(std::string(array->bytes.begin(), array->bytes.end()), "ABCdef");
}

TEST(IdxTest, ReadsAGzipFileOfSeveralMembers) {
    const TempDir folder;
    const std::string bytes = idx({6}, "abcdef");
    const auto array = readIdx(folder.write("a.gz", gzip(bytes.substr(0, 9)) + gzip(bytes.substr(9))), 1);
    ASSERT_TRUE(array) << array.error().message;
    EXPECT_EQ(std::string(array->bytes.begin(), array->bytes.end()), "abcdef");
}

TEST(IdxTest, ReadsAnEmptyArray) {
    const TempDir folder;
    const auto array = readIdx(folder.write("a", idx({0}, "")), 1);
    ASSERT_TRUE(array);
    EXPECT_TRUE(array->bytes.empty());
}

struct Broken {
    std::string name;
    std::string content;
    std::string message;
};

class BrokenIdxTest : public testing::TestWithParam<Broken> {};

TEST_P(BrokenIdxTest, IsRefusedWithPathCauseAndRemedy) {
    const TempDir folder;
    const auto file = folder.write("images", GetParam().content);
    const auto array = readIdx(file, 3);
    ASSERT_FALSE(array);
    EXPECT_THAT(array.error().message,
                AllOf(HasSubstr(file.string()), HasSubstr(GetParam().message), HasSubstr("Fetch the file anew")));
}

std::string damaged() {
    std::string bytes = gzip(idx({4, 28, 28}, std::string(4 * 784, 'x')));
    for (std::size_t i = 12; i < bytes.size() - 8; ++i) bytes[i] = static_cast<char>(bytes[i] ^ 0x5A);
    return bytes;
}

std::string wrongChecksum() {
    std::string bytes = gzip(idx({1, 2, 2}, "abcd"));
    bytes[bytes.size() - 8] = static_cast<char>(bytes[bytes.size() - 8] ^ 1);
    return bytes;
}

// 2^31 images of 2^31 x 2^31: the product overflows 64 bits unless it is checked.
std::string overflowing() { return idx({0x80000000U, 0x80000000U, 0x80000000U}, "x"); }

INSTANTIATE_TEST_SUITE_P(
    All, BrokenIdxTest,
    testing::Values(Broken{"Empty", "", "it is truncated: the magic number needs 4 bytes, 0 are there"},
                    Broken{"Magic", idx({4}, "abcd"), "its magic number is 0x00000801, expected 0x00000803"},
                    Broken{"Text", "<html>404</html>", "its magic number is 0x3c68746d"},
                    Broken{"HeaderCut", idx({4, 28, 28}, "").substr(0, 10), "it is truncated: the header"},
                    Broken{"BodyCut", idx({2, 2, 2}, "abcdefg"), "truncated"},
                    Broken{"Surplus", idx({1, 2, 2}, "abcde"), "it holds more bytes than its header announces (4)"},
                    Broken{"Huge", idx({60000, 28, 28}, "x"), "announces more than the file can hold"},
                    Broken{"Overflow", overflowing(), "announces more than the file can hold"},
                    Broken{"GzipHuge", gzip(idx({4000000000U, 28, 28}, "x")), "announces more than the file can hold"},
                    Broken{"GzipDamaged", damaged(), "its gzip stream is damaged"},
                    Broken{"GzipChecksum", wrongChecksum(), "its gzip stream is damaged"},
                    Broken{"GzipCut", gzip(idx({1, 2, 2}, "abcd")).substr(0, 20), "its gzip stream breaks off early"},
                    Broken{"GzipShort", gzip(idx({1, 2, 2}, "abc")), "4 bytes, 3 are there"},
                    Broken{"GzipSurplus", gzip(idx({1, 2, 2}, "abcde")), "it holds more bytes"}),
    [](const auto& parameters) { return parameters.param.name; });

TEST(IdxTest, MissingFileAndFolderAreNamed) {
    const TempDir folder;
    const auto missing = readIdx(folder.path() / "none", 1);
    ASSERT_FALSE(missing);
    EXPECT_THAT(missing.error().message, AllOf(HasSubstr("none"), HasSubstr("there is no such file")));
    const auto directory = readIdx(folder.path(), 1);
    ASSERT_FALSE(directory);
    EXPECT_THAT(directory.error().message, HasSubstr("not a regular file"));
}

}  // namespace
}  // namespace dasgd
