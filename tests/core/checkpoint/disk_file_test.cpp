#include "core/checkpoint/disk_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "core/base/digest/sha256.h"
#include "tests/support/temp_dir.h"

namespace dasgd::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Lengths of no piece, of a part of one, of pieces exactly and of more.
TEST(DiskFile, ItsDigestIsThatOfAllItsBytes) {
    const TempDir dir;
    for (const std::size_t length :
         {std::size_t{0}, std::size_t{5}, std::size_t{2} << 20, (std::size_t{2} << 20) + 3}) {
        std::string bytes(length, '\0');
        for (std::size_t i = 0; i < length; ++i) bytes[i] = static_cast<char>(i * 2654435761U >> 13);
        EXPECT_EQ(DiskFile::open(dir.write("file", bytes))->sha256().value(), sha256Of(bytes)) << length;
    }
}

TEST(DiskFile, ReadsFromAPositionAndNamesAFileThatEndsBefore) {
    const TempDir dir;
    const auto file = DiskFile::open(dir.write("file", "abcdef"));
    std::array<unsigned char, 3> read{};
    ASSERT_TRUE(file->read(2, read));
    EXPECT_EQ(std::string(read.begin(), read.end()), "cde");
    EXPECT_THAT(file->read(4, read).error().message, AllOf(HasSubstr("file"), HasSubstr("ends after 6 bytes")));
}

// The kernel answers a position of no memory with EIO, as a disk a sector that it cannot read.
TEST(DiskFile, ASectorThatCannotBeReadIsAnError) {
    const auto file = DiskFile::open("/proc/self/mem");
    ASSERT_TRUE(file) << file.error().message;
    std::array<unsigned char, 16> read{};
    EXPECT_THAT(file->read(0, read).error().message, HasSubstr("/proc/self/mem: cannot be read: Input/output error"));
}

TEST(DiskFile, NamesWhatIsNoFile) {
    const TempDir dir;
    EXPECT_THAT(DiskFile::open(dir / "none").error().message, AllOf(HasSubstr("none"), HasSubstr("No such file")));
    EXPECT_THAT(DiskFile::open(dir.path()).error().message, HasSubstr("this is not a regular file"));
}

}  // namespace
}  // namespace dasgd::test
