#include "core/base/make_folders.h"

#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"

namespace dasgd::test {
namespace {

TEST(MakeFolders, MakesThoseInsideAndNeverTheFolderAround) {
    const TempDir dir;
    EXPECT_FALSE(makeFoldersBelow(dir.path(), "a/b"));
    EXPECT_TRUE(std::filesystem::is_directory(dir / "a/b"));
    EXPECT_FALSE(makeFoldersBelow(dir.path(), "a/b")) << "they may exist";
    EXPECT_EQ(makeFoldersBelow(dir / "gone", "a/b"), std::errc::no_such_file_or_directory);
    EXPECT_FALSE(std::filesystem::exists(dir / "gone"));
}

}  // namespace
}  // namespace dasgd::test
