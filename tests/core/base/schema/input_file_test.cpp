#include "core/base/schema/input_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/temp_dir.h"

namespace dasgd {
namespace {

TEST(InputFile, IsWhatCanBeOpenedWithoutWaiting) {
    const test::TempDir folder;
    const auto file = folder.write("a.toml", "");
    std::filesystem::create_symlink(file, folder / "link.toml");
    ASSERT_EQ(::mkfifo((folder / "fifo.toml").c_str(), 0600), 0);
    std::filesystem::create_symlink(folder / "fifo.toml", folder / "linked-fifo.toml");
    EXPECT_TRUE(isInputFile(file));
    EXPECT_TRUE(isInputFile(folder / "link.toml"));
    for (const char* name : {"fifo.toml", "linked-fifo.toml", "none.toml", ""})
        EXPECT_FALSE(isInputFile(folder / name));
    EXPECT_FALSE(isInputFile("/dev/zero"));
    for (const char* open : {"/dev/stdin", "/dev/fd/0", "/dev/fd/63", "/proc/self/fd/3"})
        EXPECT_TRUE(isInputFile(open));
    EXPECT_FALSE(isInputFile("/dev/fd/../zero"));
}

TEST(InputFile, NamesCountFromTheFileInWhichTheyStand) {
    const auto at = [](const char* source) {
        return SourcePosition{.source = std::make_shared<const std::string>(source)};
    };
    const Value document(Value::Table{}, at("runs/e.toml"));
    const Value own(std::string("w.csv"), at("other/part.toml")),
        byHand(std::string("w.csv"), at("--set graph.path=w.csv"));
    const Value unplaced(std::string("w.csv"));
    EXPECT_EQ(folderOfNames(document, &own), "other");
    EXPECT_EQ(folderOfNames(document, &byHand), "runs");
    EXPECT_EQ(folderOfNames(document, &unplaced), "runs");
    EXPECT_EQ(folderOfNames(document, nullptr), "runs");
    EXPECT_EQ(folderOfNames(Value(Value::Table{}), nullptr), "");
}

}  // namespace
}  // namespace dasgd
