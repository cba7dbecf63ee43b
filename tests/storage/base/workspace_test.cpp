#include "storage/base/workspace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "storage/base/lock_wait.h"
#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
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

TEST(FileLockTest, AWaitEndsAndNamesWhoHoldsIt) {
    const TempDir folder;
    const auto file = folder / "lock";
    SharedCounter held;
    ChildProcess holder([&] {
        const FileLock lock = orDie(FileLock::wait(file, Kind::Exclusive));
        held.set(1);
        ::pause();
        return 0;
    });
    ASSERT_TRUE(eventually([&] { return held.get() == 1; }));
    EXPECT_THAT(flockHolders(file), ElementsAre(static_cast<int>(holder.id())));
    const auto waited = FileLock::wait(file, Kind::Exclusive, std::chrono::milliseconds(1000));
    ASSERT_FALSE(waited);
    EXPECT_THAT(waited.error().message,
                AllOf(HasSubstr(file.string()), HasSubstr("process " + std::to_string(holder.id()) + " (")));
    holder.kill();
    EXPECT_TRUE(FileLock::wait(file, Kind::Exclusive, std::chrono::milliseconds(1000)));
    EXPECT_THAT(flockHolders(folder / "none"), IsEmpty());
}

TEST(WorkspaceTest, OnlyFileSystemsOfOneHostAreTakenForThat) {
    for (const long local : {0xEF53L, 0x58465342L, 0x01021994L, 0x794C7630L}) EXPECT_EQ(sharedFileSystem(local), "");
    EXPECT_EQ(sharedFileSystem(0x6969), "NFS");
    EXPECT_EQ(sharedFileSystem(static_cast<long>(0xFF534D42)), "CIFS");
    EXPECT_EQ(sharedFileSystem(static_cast<int>(0xFE534D42)), "SMB2") << "as a 32-bit kernel would answer";
    EXPECT_EQ(sharedFileSystem(0x65735546), "FUSE") << "sshfs, for instance";
    EXPECT_EQ(sharedFileSystem(0x0BD00BD0), "Lustre");
    EXPECT_EQ(sharedFileSystem(0x47504653), "GPFS");
    EXPECT_EQ(sharedFileSystem(0x19830326), "BeeGFS");
    EXPECT_EQ(sharedFileSystem(0x00C36400), "CephFS");
    EXPECT_EQ(sharedFileSystem(0x123456), "a file system of type 0x123456") << "what is not known is not trusted";
}

TEST(WorkspaceTest, WhatWasAllowedAndMayBeSharedIsWarnedOfEachTime) {
    EXPECT_EQ(orDie(judgeFileSystem("w", 0xEF53, false)), "");
    EXPECT_EQ(orDie(judgeFileSystem("w", 0xEF53, true)), "") << "a disk of this host needs no word";
    const auto refused = judgeFileSystem("w", 0x6969, false);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("--allow-filesystem"), std::string::npos);
    const std::string warning = orDie(judgeFileSystem("w", 0x6969, true));
    EXPECT_NE(warning.find("NFS"), std::string::npos);
    EXPECT_NE(warning.find("another host"), std::string::npos);
}

TEST(WorkspaceTest, WhatWasAllowedIsRemembered) {
    const TempDir folder;
    const auto root = folder / "w";
    EXPECT_FALSE(isFileSystemAllowed(root));
    orDie(allowFileSystem(root));
    EXPECT_TRUE(isFileSystemAllowed(root));
    EXPECT_TRUE(prepareWorkspace(root));
    EXPECT_FALSE(allowFileSystem("/proc/dasgd-workspace"));
}

TEST(WorkspaceTest, ANewOneIsItsOwnersAlone) {
    const TempDir folder;
    const auto root = folder / "new";
    orDie(prepareWorkspace(root));
    using std::filesystem::perms;
    EXPECT_EQ(std::filesystem::status(root).permissions(), perms::owner_all);
    const FileLock lock = orDie(FileLock::wait(WorkspacePaths{root}.lock(), Kind::Exclusive));
    EXPECT_EQ(std::filesystem::status(WorkspacePaths{root}.lock()).permissions(),
              perms::owner_read | perms::owner_write);
    // Permissions that somebody opened to others were meant so.
    std::filesystem::permissions(root, perms::owner_all | perms::group_read | perms::group_exec);
    orDie(prepareWorkspace(root));
    EXPECT_NE(std::filesystem::status(root).permissions(), perms::owner_all);
}

TEST(WorkspaceTest, APlaceThatEverybodyMayWriteToIsRefused) {
    using std::filesystem::perms;
    const TempDir folder;
    const auto place = folder / "place", root = place / "w";
    std::filesystem::create_directory(place);
    orDie(prepareWorkspace(root));
    const perms all = perms::owner_all | perms::group_all | perms::others_all;
    for (const auto& open : {root, place}) {
        const perms before = std::filesystem::status(open).permissions();
        std::filesystem::permissions(open, all);
        for (const Status& judged : {prepareWorkspace(root), checkPlace(root)}) {
            ASSERT_FALSE(judged);
            EXPECT_THAT(judged.error().message,
                        AllOf(HasSubstr("everybody may write to " + open.string()), HasSubstr("chmod o-w")));
        }
        std::filesystem::permissions(open, all | perms::sticky_bit);
        EXPECT_TRUE(prepareWorkspace(root)) << "as /tmp is";
        std::filesystem::permissions(open, before);
    }
}

TEST(WorkspaceTest, ALinkThatAnotherUserMadeIsNotFollowed) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can make files of another user";
    const TempDir folder;
    const auto root = folder / "w", other = folder / "other";
    orDie(prepareWorkspace(root));
    std::filesystem::create_directory(other);
    std::filesystem::remove(root / "runs");
    std::filesystem::create_directory_symlink(other, root / "runs");
    EXPECT_TRUE(prepareWorkspace(root)) << "our own leads to where we want";
    ASSERT_EQ(::lchown((root / "runs").c_str(), 12345, 12345), 0);
    const auto refused = prepareWorkspace(root);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message,
                AllOf(HasSubstr("w/runs is a link that user 12345 made"), HasSubstr("remove it")));
    ASSERT_EQ(::chown(root.c_str(), 12345, 12345), 0);
    EXPECT_TRUE(prepareWorkspace(root)) << "root in a folder of that user";
}

TEST(WorkspaceTest, ADatabaseThatIsNoFileIsRefusedAtOnce) {
    const TempDir folder;
    const WorkspacePaths paths{folder / "w"};
    orDie(prepareWorkspace(paths.root));
    ASSERT_EQ(::mkfifo(paths.database().c_str(), 0600), 0);
    EXPECT_THAT(prepareWorkspace(paths.root).error().message, HasSubstr("named pipe"));
    std::filesystem::remove(paths.database());
    std::filesystem::create_directory(paths.database());
    EXPECT_THAT(prepareWorkspace(paths.root).error().message, HasSubstr("folder: move it away"));
}

TEST(WorkspaceTest, APathThatSqliteCannotOpenIsRefusedWithItsLength) {
    const TempDir folder;
    const auto root = folder.path() / std::string(200, 'x') / std::string(200, 'y') / std::string(100, 'z');
    const auto prepared = prepareWorkspace(root);
    ASSERT_FALSE(prepared);
    EXPECT_THAT(prepared.error().message, AllOf(HasSubstr("too long"), HasSubstr("480")));
    EXPECT_FALSE(std::filesystem::exists(root));
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
