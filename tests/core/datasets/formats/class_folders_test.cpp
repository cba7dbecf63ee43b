#include "core/datasets/formats/class_folders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"

namespace dasgd {
namespace {

namespace fs = std::filesystem;

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class ClassFoldersTest : public ::testing::Test {
protected:
    void put(const std::string& file) {
        fs::create_directories((folder_ / file).parent_path());
        folder_.write(file, "x");
    }
    std::vector<std::string> relative(const std::vector<fs::path>& paths) const {
        std::vector<std::string> names;
        for (const fs::path& path : paths) names.push_back(path.lexically_relative(folder_.path()).string());
        return names;
    }
    test::TempDir folder_;
};

TEST_F(ClassFoldersTest, NamesThatBeginWithADotAreNoClasses) {
    for (const char* file : {"dog/1.jpg", "cat/1.jpg", ".ipynb_checkpoints/1-checkpoint.jpg", "notes.txt"}) put(file);
    EXPECT_THAT(relative(classFolders(folder_.path()).value()), ElementsAre("cat", "dog"));
    EXPECT_THAT(classFolders(folder_ / "none").error().message, HasSubstr("none: this folder cannot be read"));
}

// The order of torchvision 0.26's make_dataset: sorted(os.walk(…)), then sorted names.
TEST_F(ClassFoldersTest, FilesOfAllSubFoldersAreFoundInTheOrderOfTorchvision) {
    for (const char* file : {"cat/z.jpg", "cat/b/2.jpg", "cat/b/1.jpg", "cat/a/deep/3.png", "cat/b-c/4.jpg",
                             "cat/.hidden/5.jpg", "cat/._z.jpg", "cat/Y.webp"}) {
        put(file);
    }
    EXPECT_THAT(
        relative(filesBelow(folder_ / "cat").value()),
        ElementsAre("cat/Y.webp", "cat/z.jpg", "cat/a/deep/3.png", "cat/b/1.jpg", "cat/b/2.jpg", "cat/b-c/4.jpg"));
    fs::create_directories(folder_ / "empty");
    EXPECT_THAT(filesBelow(folder_ / "empty").value(), IsEmpty());
}

TEST_F(ClassFoldersTest, LinksAreFollowedAndCirclesRefused) {
    put("elsewhere/1.jpg");
    put("cat/2.jpg");
    fs::create_directory_symlink(folder_ / "elsewhere", folder_ / "cat" / "more");
    EXPECT_THAT(relative(filesBelow(folder_ / "cat").value()), ElementsAre("cat/2.jpg", "cat/more/1.jpg"));
    fs::create_directory_symlink(folder_ / "cat", folder_ / "elsewhere" / "back");
    EXPECT_THAT(filesBelow(folder_ / "cat").error().message,
                AllOf(StartsWith((folder_ / "cat/more/back").string()), HasSubstr("leads back")));
}

TEST(HasImageName, TakesTheEndingsOfTorchvisionInAnyCase) {
    for (const char* name : {"a.jpg", "a.JPEG", "a.png", "a.ppm", "a.bmp", "a.pgm", "a.tif", "a.tiff", "a.WebP"}) {
        EXPECT_TRUE(hasImageName(name)) << name;
    }
    for (const char* name : {"a.txt", "jpg", "a.jpg.part", "a.gif"}) EXPECT_FALSE(hasImageName(name)) << name;
}

}  // namespace
}  // namespace dasgd
