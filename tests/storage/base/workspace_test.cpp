#include "storage/base/workspace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;
using ::testing::HasSubstr;
using Kind = FileLock::Kind;

TEST(FileLockTest, OneExclusiveOrManyShared) {
    const TempDir folder;
    const auto file = folder / "lock";
    {
        const FileLock first = orDie(FileLock::wait(file, Kind::Shared));
        EXPECT_TRUE(orDie(FileLock::tryNow(file, Kind::Shared)));
        EXPECT_FALSE(orDie(FileLock::tryNow(file, Kind::Exclusive)));
    }
    const auto alone = orDie(FileLock::tryNow(file, Kind::Exclusive));
    EXPECT_TRUE(alone);
    EXPECT_FALSE(orDie(FileLock::tryNow(file, Kind::Shared)));
}

TEST(FileLockTest, UpgradesOnlyAlone) {
    const TempDir folder;
    const auto file = folder / "lock";
    FileLock first = orDie(FileLock::wait(file, Kind::Shared));
    {
        FileLock second = orDie(FileLock::wait(file, Kind::Shared));
        EXPECT_FALSE(second.tryUpgrade());
    }
    EXPECT_TRUE(first.tryUpgrade());
    EXPECT_FALSE(orDie(FileLock::tryNow(file, Kind::Shared)));
}

TEST(FileLockTest, DiesWithItsProcessAndNamesIt) {
    const TempDir folder;
    const auto file = folder / "lock";
    SharedCounter held;
    ChildProcess holder([&] {
        const FileLock lock = orDie(FileLock::wait(file, Kind::Exclusive));
        lock.sign();
        held.set(1);
        ::pause();
        return 0;
    });
    ASSERT_TRUE(eventually([&] { return held.get() == 1; }));
    EXPECT_FALSE(orDie(FileLock::tryNow(file, Kind::Exclusive)));
    EXPECT_THAT(FileLock::holder(file), HasSubstr(std::to_string(holder.id()) + " "));
    holder.kill();
    EXPECT_TRUE(orDie(FileLock::tryNow(file, Kind::Exclusive)));
}

TEST(FileLockTest, IsFreeOnceNobodyHoldsIt) {
    const TempDir folder;
    const auto file = folder / "lock";
    EXPECT_FALSE(FileLock::isFree(file)) << "nothing is known of a lock that is not there";
    EXPECT_FALSE(std::filesystem::exists(file));
    for (const Kind kind : {Kind::Shared, Kind::Exclusive}) {
        FileLock held = orDie(FileLock::wait(file, kind));
        EXPECT_FALSE(FileLock::isFree(file));
        EXPECT_TRUE(held.tryUpgrade()) << "whoever looked is in nobody's way";
        held = FileLock();
        EXPECT_TRUE(FileLock::isFree(file));
    }
    EXPECT_EQ(std::filesystem::file_size(file), 0U);
}

TEST(WorkspaceTest, LocksOfOtherHostsAreNotSeenEverywhere) {
    EXPECT_TRUE(mayHideLocks(0x6969)) << "NFS";
    EXPECT_TRUE(mayHideLocks(0x65735546)) << "FUSE, as sshfs";
    EXPECT_FALSE(mayHideLocks(0xEF53)) << "ext4";
    EXPECT_FALSE(mayHideLocks(0x01021994)) << "tmpfs";
}

TEST(WorkspaceTest, NetworkFileSystemsAreKnownByNumber) {
    EXPECT_EQ(networkFileSystem(0x6969), "NFS");
    EXPECT_EQ(networkFileSystem(static_cast<long>(0xFF534D42)), "CIFS");
    EXPECT_EQ(networkFileSystem(static_cast<int>(0xFE534D42)), "SMB2") << "as a 32-bit kernel would answer";
    EXPECT_EQ(networkFileSystem(0xEF53), "") << "ext4";
    EXPECT_EQ(networkFileSystem(0x01021994), "") << "tmpfs";
}

TEST(WorkspaceTest, AnUnwritablePlaceIsRefusedAndStaysAsItWas) {
    const auto prepared = prepareWorkspace("/proc/dasgd-workspace");
    ASSERT_FALSE(prepared);
    EXPECT_THAT(prepared.error().message, HasSubstr("/proc/dasgd-workspace"));
    EXPECT_FALSE(std::filesystem::exists("/proc/dasgd-workspace"));
}

TEST(WorkspaceTest, RunIdsAreSafeAsFolders) {
    EXPECT_TRUE(isRunId("20261121-120301-dasgd-4f2a"));
    EXPECT_TRUE(isRunId(std::string(128, 'a')));
    EXPECT_FALSE(isRunId(std::string(129, 'a')));
    EXPECT_FALSE(isRunId("a/b"));
    EXPECT_FALSE(isRunId(".."));
    EXPECT_FALSE(isRunId(std::string("a\0b", 3)));
}

TEST(WorkspaceTest, PathsHangTogether) {
    const WorkspacePaths paths{"w"};
    EXPECT_EQ(paths.journal("r", 3), std::filesystem::path("w/runs/r/journal/rank-0003"));
    EXPECT_EQ(paths.journal("r", 12345), std::filesystem::path("w/runs/r/journal/rank-12345"));
    EXPECT_EQ(paths.owner("r").parent_path(), paths.run("r"));
}

}  // namespace
}  // namespace dasgd::storage
