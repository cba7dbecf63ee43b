#include "core/checkpoint/durable_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "tests/support/processes.h"
#include "tests/support/temp_dir.h"

namespace dasgd::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string textOf(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

TEST(DurableFile, HoldsItsPartsOneAfterTheOther) {
    const TempDir folder;
    const unsigned char one[]{'a', 'b'}, two[]{'c'};
    ASSERT_TRUE(writeDurably(folder / "file", {one, {}, two}));
    EXPECT_EQ(textOf(folder / "file"), "abc");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1) << "nothing else is left";
}

TEST(DurableFile, ReplacesWhatIsThere) {
    const TempDir folder;
    ASSERT_TRUE(writeDurably(folder / "file", "old and longer"));
    ASSERT_TRUE(writeDurably(folder / "file", "new"));
    EXPECT_EQ(textOf(folder / "file"), "new");
}

TEST(DurableFile, AMissingFolderIsNamed) {
    const TempDir folder;
    const Status written = writeDurably(folder / "none" / "file", "text");
    ASSERT_FALSE(written);
    EXPECT_THAT(written.error().message, AllOf(HasSubstr("none/file"), HasSubstr("No such file")));
    EXPECT_FALSE(syncFolder(folder / "none"));
}

// A limit on the size of files stands for a full disk.
TEST(DurableFile, WhatDoesNotFitLeavesTheOldOne) {
    const TempDir folder;
    ASSERT_TRUE(writeDurably(folder / "file", "old"));
    ChildProcess child([&] {
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{1024, 1024};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        const Status written = writeDurably(folder / "file", std::string(100'000, 'x'));
        return !written && written.error().message.find("too large") != std::string::npos ? 0 : 1;
    });
    EXPECT_EQ(child.wait(), 0);
    EXPECT_EQ(textOf(folder / "file"), "old");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
}

}  // namespace
}  // namespace dasgd::test
