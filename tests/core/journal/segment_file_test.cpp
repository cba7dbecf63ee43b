#include "core/journal/segment_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>

#include "core/journal/journal.h"
#include "tests/support/journals.h"
#include "tests/support/temp_dir.h"

namespace dasgd::journal {
namespace {

using namespace dasgd::test;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr std::size_t kBytes = 4096;

TEST(SegmentFile, AppearsWithItsHeaderUnderItsName) {
    const TempDir folder;
    const SegmentHeader header{.slots = 64, .number = 7};
    const auto made = mapSegment(folder.path(), header, kBytes);
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_FALSE(made->lost);
    EXPECT_EQ(std::memcmp(made->memory, &header, sizeof header), 0);
    EXPECT_EQ(fs::file_size(folder / "0000000007.seg"), kBytes);
    EXPECT_FALSE(fs::exists(folder / "0000000007.tmp"));
    ::munmap(made->memory, kBytes);
}

TEST(SegmentFile, AFolderThatCannotBeWrittenIsAnError) {
    const auto made = mapSegment("/proc/self", {.slots = 64, .number = 0}, kBytes);
    ASSERT_FALSE(made);
    EXPECT_THAT(made.error().message, HasSubstr("cannot create the journal segment /proc/self/"));
}

TEST(SegmentFile, WithoutAFolderTheWriterGoesOn) {
    const TempDir folder;
    const auto made = mapSegment(folder / "none", {.slots = 64, .number = 0}, kBytes);
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_TRUE(made->lost);
    ::munmap(made->memory, kBytes);
    EXPECT_FALSE(fs::exists(folder / "none"));

    const auto journal = newJournal(folder / "rank", {.segmentRecords = 64});
    fs::remove_all(folder / "rank");
    // The spans fill ten segments: a writer that needed its folder would wait for the third one for ever.
    for (std::int64_t step = 0; step < 640; ++step) journal->span({.step = step});
    EXPECT_FALSE(fs::exists(folder / "rank"));
}

}  // namespace
}  // namespace dasgd::journal
