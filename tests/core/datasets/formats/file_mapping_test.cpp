#include "core/datasets/formats/file_mapping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include "tests/support/temp_dir.h"

namespace dasgd {
namespace {

using test::TempDir;
using testing::ElementsAre;
using testing::StartsWith;

TEST(FileMapping, HasTheFilesBytesAndOutlivesItsName) {
    const TempDir folder;
    const auto path = folder.write("a.bin", std::string("\x01\x00\xFF", 3));
    const auto mapping = FileMapping::open(path).value();
    std::filesystem::remove(path);
    EXPECT_THAT(mapping->bytes(), ElementsAre(1, 0, 255));
}

TEST(FileMapping, RefusesWhatIsNoFileWithBytes) {
    const TempDir folder;
    const auto errorOf = [](const std::filesystem::path& path) {
        const auto mapping = FileMapping::open(path);
        EXPECT_FALSE(mapping);
        return mapping ? "" : mapping.error().message;
    };
    EXPECT_EQ(errorOf(folder / "none"), (folder / "none").string() + ": there is no such file");
    EXPECT_EQ(errorOf(folder.write("empty", "")),
              (folder / "empty").string() + ": it is empty. Copy or download it again");
    EXPECT_EQ(errorOf(folder.path()), folder.path().string() + ": this is not a regular file");
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    EXPECT_EQ(errorOf(folder / "pipe"), (folder / "pipe").string() + ": this is not a regular file")
        << "and does not wait";
}

}  // namespace
}  // namespace dasgd
