#include "core/checkpoint/checkpoint_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <thread>

#include "core/checkpoint/durable_file.h"
#include "tests/support/processes.h"
#include "tests/support/temp_dir.h"

namespace dasgd::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

CheckpointState stateAt(std::int64_t step, int ranks = 2) {
    return {.runId = "run-1",
            .step = step,
            .ranks = ranks,
            .configHash = "abc",
            .wall = 1'500'000'000,
            .savedAt = "2026-11-24T12:00:00Z"};
}

// As ranks save: each its file, whichever is last completes it.
Status save(const CheckpointFolder& folder, std::int64_t step, int ranks = 2, int keep = 3) {
    for (int rank = 0; rank < ranks; ++rank) {
        DASGD_ASSIGN(const fs::path making, folder.begin(step));
        DASGD_TRY(writeDurably(making / CheckpointFolder::rankFileName(Rank(rank)),
                               "rank " + std::to_string(rank) + " at step " + std::to_string(step)));
        if (folder.claim(step, ranks)) DASGD_TRY(folder.complete(stateAt(step, ranks), keep));
    }
    return {};
}

TEST(CheckpointFolder, HasNothingAtFirst) {
    const TempDir dir;
    const CheckpointFolder folder(dir / "checkpoints");
    EXPECT_THAT(folder.steps(), IsEmpty());
    const auto latest = folder.latest();
    ASSERT_FALSE(latest);
    EXPECT_THAT(latest.error().message, HasSubstr("there is no checkpoint"));
    EXPECT_FALSE(folder.at(3));
}

TEST(CheckpointFolder, GivesBackWhatWasSaved) {
    const TempDir dir;
    const CheckpointFolder folder(dir / "checkpoints");
    ASSERT_TRUE(save(folder, 400));
    const auto found = folder.at(400);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->state.runId, "run-1");
    EXPECT_EQ(found->state.ranks, 2);
    EXPECT_EQ(found->state.configHash, "abc");
    EXPECT_EQ(found->state.wall, 1'500'000'000);
    EXPECT_THAT(found->state.files, SizeIs(2));
    EXPECT_TRUE(fs::exists(found->rankFile(Rank(1))));
    EXPECT_EQ(fs::read_symlink(dir / "checkpoints/latest"), "step-400") << "for people and for Python";
}

TEST(CheckpointFolder, IsNoCheckpointUntilTheLastRankHasWritten) {
    const TempDir dir;
    const CheckpointFolder folder(dir / "checkpoints");
    const auto making = folder.begin(10);
    ASSERT_TRUE(making);
    ASSERT_TRUE(writeDurably(*making / CheckpointFolder::rankFileName(Rank(1)), "second"));
    EXPECT_FALSE(folder.claim(10, 2));
    EXPECT_THAT(folder.steps(), IsEmpty());
    ASSERT_TRUE(writeDurably(*making / CheckpointFolder::rankFileName(Rank(0)), "first"));
    EXPECT_TRUE(folder.claim(10, 2));
    EXPECT_FALSE(folder.claim(10, 2)) << "one rank alone completes it";
    ASSERT_TRUE(folder.complete(stateAt(10), 3));
    EXPECT_THAT(folder.steps(), ElementsAre(10));
}

TEST(CheckpointFolder, KeepsTheNewest) {
    const TempDir dir;
    const CheckpointFolder folder(dir / "checkpoints");
    for (const std::int64_t step : {5, 10, 100, 1000}) ASSERT_TRUE(save(folder, step, 2, 2));
    EXPECT_THAT(folder.steps(), ElementsAre(100, 1000));
    EXPECT_EQ(folder.latest()->checkpoint.state.step, 1000);
}

TEST(CheckpointFolder, WhatSomeRankLostGoesWithTheNextThatIsWhole) {
    const TempDir dir;
    const CheckpointFolder folder(dir / "checkpoints");
    for (const std::int64_t step : {5, 30}) {
        ASSERT_TRUE(writeDurably(*folder.begin(step) / CheckpointFolder::rankFileName(Rank(1)), "part"));
    }
    ASSERT_TRUE(save(folder, 10));
    EXPECT_FALSE(fs::exists(dir / "checkpoints/step-5.partial"));
    EXPECT_TRUE(fs::exists(dir / "checkpoints/step-30.partial")) << "it may be on its way";
}

TEST(CheckpointFolder, PassesOverWhatIsDamagedAndSaysWhat) {
    const TempDir dir;
    const CheckpointFolder folder(dir / "checkpoints");
    for (const std::int64_t step : {1, 2, 3, 4}) ASSERT_TRUE(save(folder, step, 2, 9));
    std::ofstream(dir / "checkpoints/step-4/rank-0001.safetensors", std::ios::app) << "more";
    std::ofstream(dir / "checkpoints/step-3/state.json") << "{\"format\": 1";
    fs::remove(dir / "checkpoints/step-2/rank-0000.safetensors");
    const auto latest = folder.latest();
    ASSERT_TRUE(latest) << latest.error().message;
    EXPECT_EQ(latest->checkpoint.state.step, 1);
    EXPECT_THAT(latest->passedOver,
                ElementsAre(AllOf(HasSubstr("step-4/rank-0001"), HasSubstr("it was written with")),
                            HasSubstr("step-3/state.json: is damaged"), HasSubstr("step-2/rank-0000")));
    std::ofstream(dir / "checkpoints/step-1/state.json") << "{\"format\": 2}";
    const auto none = folder.latest();
    ASSERT_FALSE(none);
    EXPECT_THAT(none.error().message, HasSubstr("newer version"));
}

TEST(CheckpointFolder, NamesThatAreNoneOfItsOwnDoNotCount) {
    const TempDir dir;
    const CheckpointFolder folder(dir / "checkpoints");
    ASSERT_TRUE(save(folder, 7));
    for (const char* name : {"step-", "step-x", "step-8.partial", "step-9.removed", "step--3", "steps-1", "step-12x"}) {
        fs::create_directory(dir / "checkpoints" / name);
    }
    EXPECT_THAT(folder.steps(), ElementsAre(7));
    folder.sweep();
    EXPECT_FALSE(fs::exists(dir / "checkpoints/step-8.partial"));
    EXPECT_FALSE(fs::exists(dir / "checkpoints/step-9.removed"));
    EXPECT_TRUE(fs::exists(dir / "checkpoints/steps-1")) << "not ours";
    EXPECT_EQ(folder.latest()->checkpoint.state.step, 7);
}

// Two ranks save without end and are killed at random: whatever was whole once stays, and `latest` names it.
TEST(CheckpointFolder, TwoHundredKillsLeaveOneThatLoads) {
    const TempDir dir;
    const CheckpointFolder folder(dir / "checkpoints");
    ASSERT_TRUE(save(folder, 1));
    std::mt19937 random(20261124);
    // A kill comes at any moment of the first few saves, however slow this machine and its build are.
    const auto begin = std::chrono::steady_clock::now();
    ASSERT_EQ(ChildProcess([&] { return save(folder, 2, 2, 2) ? 0 : 1; }).wait(), 0);
    const std::chrono::microseconds most =
        4 * std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
    std::int64_t before = 2;
    for (int kill = 0; kill < 200; ++kill) {
        SharedCounter completed;
        ChildProcess child([&] {
            for (std::int64_t step = before + 1;; ++step) {
                if (!save(folder, step, 2, 2)) return 1;
                completed.set(step);
            }
        });
        std::this_thread::sleep_for(
            std::chrono::microseconds(std::uniform_int_distribution<std::int64_t>(0, most.count())(random)));
        child.kill();
        const auto latest = folder.latest();
        ASSERT_TRUE(latest) << "after kill " << kill << ": " << latest.error().message;
        EXPECT_THAT(latest->passedOver, IsEmpty());
        EXPECT_GE(latest->checkpoint.state.step, std::max(before, completed.get()));
        EXPECT_TRUE(fs::exists(dir / "checkpoints/latest/state.json"));
        before = latest->checkpoint.state.step;
        folder.sweep();
    }
    EXPECT_GT(before, 20) << "some were completed between the kills";
}

}  // namespace
}  // namespace dasgd::test
