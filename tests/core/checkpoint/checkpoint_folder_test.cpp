#include "core/checkpoint/checkpoint_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <thread>

#include "core/checkpoint/durable_file.h"
#include "core/checkpoint/safetensors_writer.h"
#include "tests/support/failing_disk.h"
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

// Saves a checkpoint as ranks do: each writes its file, and the last one completes it.
Status save(const CheckpointFolder& folder, std::int64_t step, int ranks = 2, int keep = 3) {
    for (int rank = 0; rank < ranks; ++rank) {
        DASGD_ASSIGN(const fs::path making, folder.begin(step));
        DASGD_TRY(writeDurably(making / CheckpointFolder::rankFileName(Rank(rank)),
                               "rank " + std::to_string(rank) + " at step " + std::to_string(step)));
        DASGD_ASSIGN(const bool isLast, folder.claim(step, ranks));
        if (!isLast) continue;
        DASGD_ASSIGN(const std::string trouble, folder.complete(stateAt(step, ranks), keep));
        if (!trouble.empty()) return fail(trouble);
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
    EXPECT_FALSE(folder.claim(10, 2).value());
    EXPECT_THAT(folder.steps(), IsEmpty());
    ASSERT_TRUE(writeDurably(*making / CheckpointFolder::rankFileName(Rank(0)), "first"));
    EXPECT_TRUE(folder.claim(10, 2).value());
    EXPECT_FALSE(folder.claim(10, 2).value()) << "one rank alone completes it";
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
    std::ofstream(dir / "checkpoints/step-1/state.json") << "{\"format\": 3}";
    const auto none = folder.latest();
    ASSERT_FALSE(none);
    EXPECT_THAT(none.error().message, HasSubstr("newer version"));
}

// Saves 16 KiB a rank as safetensors whose metadata name run, rank and step.
void saveTensors(const CheckpointFolder& folder, std::int64_t step, int ranks = 2) {
    for (int rank = 0; rank < ranks; ++rank) {
        const std::vector<unsigned char> bytes(16384, static_cast<unsigned char>(10 * step + rank));
        const auto making = folder.begin(step);
        ASSERT_TRUE(making);
        ASSERT_TRUE(
            writeSafetensors(*making / CheckpointFolder::rankFileName(Rank(rank)),
                             {{.name = "w", .type = "U8", .shape = {16384}, .bytes = bytes}},
                             {{"run", "run-1"}, {"rank", std::to_string(rank)}, {"step", std::to_string(step)}}));
    }
    ASSERT_TRUE(folder.claim(step, ranks).value());
    ASSERT_EQ(folder.complete(stateAt(step, ranks), 9).value(), "");
}

void overwrite(const fs::path& file, std::streamoff at, const std::string& bytes) {
    std::fstream out(file, std::ios::binary | std::ios::in | std::ios::out);
    out.seekp(at);
    out << bytes;
    ASSERT_TRUE(out.good());
}

// Each leaves the sizes as they were.
TEST(CheckpointFolder, FilesThatWereExchangedOrAlteredAreNamedAndAnOlderOneIsTaken) {
    const TempDir dir;
    const CheckpointFolder folder(dir / "checkpoints");
    for (const std::int64_t step : {1, 2, 3, 4, 5, 6}) saveTensors(folder, step);
    ASSERT_EQ(folder.latest()->checkpoint.state.step, 6);
    const fs::path root = dir / "checkpoints";
    const std::string zero = "rank-0000.safetensors", one = "rank-0001.safetensors";
    fs::rename(root / "step-6" / zero, root / "aside");
    fs::rename(root / "step-6" / one, root / "step-6" / zero);
    fs::rename(root / "aside", root / "step-6" / one);
    fs::copy_file(root / "step-5" / one, root / "step-5" / zero, fs::copy_options::overwrite_existing);
    fs::copy_file(root / "step-1" / one, root / "step-4" / one, fs::copy_options::overwrite_existing);
    overwrite(root / "step-3" / one, 8192, std::string(4096, '\0'));
    overwrite(root / "step-2" / zero, 9000, std::string(1, static_cast<char>(20 ^ 1)));  // one bit of a byte that is 20
    const auto latest = folder.latest();
    ASSERT_TRUE(latest) << latest.error().message;
    EXPECT_EQ(latest->checkpoint.state.step, 1);
    EXPECT_THAT(latest->passedOver,
                ElementsAre(AllOf(HasSubstr("step-6/rank-0000"), HasSubstr("rank 1 of step 6 of run run-1")),
                            AllOf(HasSubstr("step-5/rank-0000"), HasSubstr("rank 1 of step 5 of run run-1")),
                            AllOf(HasSubstr("step-4/rank-0001"), HasSubstr("rank 1 of step 1 of run run-1")),
                            AllOf(HasSubstr("step-3/rank-0001"), HasSubstr("SHA-256 differs")),
                            AllOf(HasSubstr("step-2/rank-0000"), HasSubstr("SHA-256 differs"))));
    EXPECT_EQ(folder.checkedAt(2).error().message, latest->passedOver.back());
    EXPECT_EQ(folder.latest(1)->checkpoint.state.step, 1) << "newer ones are not asked for";
}

// A sector that the disk cannot read is an error of the file, and ends no process.
TEST(CheckpointFolder, AFileThatTheDiskCannotReadIsNamedAndAnOlderOneIsTaken) {
    const TempDir dir;
    const CheckpointFolder folder(dir / "checkpoints");
    for (const std::int64_t step : {1, 2}) saveTensors(folder, step);
    DiskFaults faults;
    faults.ofRead = [](const fs::path& file) { return file.string().ends_with("step-2/rank-0001.safetensors"); };
    const auto latest = folder.latest();
    EXPECT_GE(faults.injected, 1);
    ASSERT_TRUE(latest) << latest.error().message;
    EXPECT_EQ(latest->checkpoint.state.step, 1);
    EXPECT_THAT(latest->passedOver,
                ElementsAre(AllOf(HasSubstr("step-2/rank-0001"), HasSubstr("cannot be read: Input/output error"))));
}

TEST(CheckpointFolder, PassesOverWhatDoesNotMeetTheConditionOfTheCaller) {
    const TempDir dir;
    const CheckpointFolder folder(dir / "checkpoints");
    for (const std::int64_t step : {1, 2, 3}) saveTensors(folder, step);
    const auto notOf = [](std::int64_t step) {
        return [step](const Checkpoint& one) -> Status {
            return one.state.step == step ? fail(one.folder.string() + ": is of another run") : Status{};
        };
    };
    const auto latest = folder.latest({}, notOf(3));
    ASSERT_TRUE(latest) << latest.error().message;
    EXPECT_EQ(latest->checkpoint.state.step, 2);
    EXPECT_THAT(latest->passedOver, ElementsAre(HasSubstr("step-3: is of another run")));
    EXPECT_EQ(folder.latest(2, notOf(2))->checkpoint.state.step, 1);
    EXPECT_THAT(folder.checkedAt(2, notOf(2)).error().message, HasSubstr("step-2: is of another run"));
    EXPECT_TRUE(folder.checkedAt(2, notOf(3)));
    EXPECT_THAT(folder.latest(1, notOf(1)).error().message, HasSubstr("that can be used; "));
    const auto isOf = [&](const char* run) {
        return checkIsOfRun(latest->checkpoint.folder, latest->checkpoint.state.runId, run);
    };
    EXPECT_TRUE(isOf("run-1"));
    EXPECT_THAT(isOf("run-2").error().message, HasSubstr("is of run run-1, not of run run-2"));
}

// At the last moment before the checkpoint gets its name, the files of all ranks are in the partial folder.
TEST(CheckpointFolder, NoOtherRankCanClaimACheckpointWhileItIsCompleted) {
    const TempDir dir;
    const CheckpointFolder folder(dir / "checkpoints");
    int claims = 0, asked = 0;
    DiskFaults faults;
    faults.ofRename = [&](const fs::path& from) {
        if (from.filename() != "step-4.partial") return false;
        ++asked;
        claims += folder.claim(4, 2).value_or(true) ? 1 : 0;
        return false;
    };
    ASSERT_TRUE(save(folder, 4));
    EXPECT_EQ(asked, 1);
    EXPECT_EQ(claims, 0);
    EXPECT_FALSE(folder.claim(4, 2).value()) << "nor afterwards";
    EXPECT_FALSE(fs::exists(dir / "checkpoints/step-4/completing"));
    EXPECT_EQ(folder.latest()->checkpoint.state.step, 4);
}

// A rank that is killed after the renaming leaves its claim.
TEST(CheckpointFolder, AClaimThatIsLeftInAWholeCheckpointMeansNothing) {
    const TempDir dir;
    const CheckpointFolder folder(dir / "checkpoints");
    ASSERT_TRUE(save(folder, 4));
    fs::create_directory(dir / "checkpoints/step-4/completing");
    EXPECT_EQ(folder.latest()->checkpoint.state.files.size(), 2U);
    for (const std::int64_t step : {5, 6}) ASSERT_TRUE(save(folder, step, 2, 2));
    EXPECT_THAT(folder.steps(), ElementsAre(5, 6));
    EXPECT_FALSE(fs::exists(dir / "checkpoints/step-4"));
}

TEST(CheckpointFolder, ARunThatWasRemovedDoesNotComeBack) {
    const TempDir dir;
    const CheckpointFolder folder(dir / "runs/a/checkpoints");
    fs::create_directories(dir / "runs/a");
    ASSERT_TRUE(save(folder, 1));
    fs::remove_all(dir / "runs");
    const auto begun = folder.begin(2);
    ASSERT_FALSE(begun);
    EXPECT_THAT(begun.error().message, AllOf(HasSubstr("step-2.partial"), HasSubstr("No such file or directory")));
    EXPECT_FALSE(fs::exists(dir / "runs"));
}

TEST(CheckpointFolder, AnAlteredNumberOfItsStateIsFound) {
    const TempDir dir;
    const CheckpointFolder folder(dir / "checkpoints");
    ASSERT_TRUE(save(folder, 3));
    const fs::path file = dir / "checkpoints/step-3/state.json";
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    std::string altered = text.str();
    const auto at = altered.find("1500000000");
    ASSERT_NE(at, std::string::npos);
    altered[at] = '2';
    std::ofstream(file) << altered;
    EXPECT_THAT(folder.at(3).error().message, HasSubstr("state.json: is damaged"));
}

TEST(CheckpointFolder, ThoseWithoutDigestsAreReadBySize) {
    const TempDir dir;
    const CheckpointFolder folder(dir / "checkpoints");
    fs::create_directories(dir / "checkpoints/step-8");
    dir.write("checkpoints/step-8/rank-0000.safetensors", "state");
    dir.write("checkpoints/step-8/state.json",
              R"({"format": 1, "run": "run-1", "step": 8, "ranks": 1, "wall_ns": 5, "config_sha256": "abc",
                  "saved_at": "t", "files": {"rank-0000.safetensors": 5}})");
    const auto latest = folder.latest();
    ASSERT_TRUE(latest) << latest.error().message;
    EXPECT_FALSE(latest->checkpoint.state.hasDigests());
    EXPECT_TRUE(latest->checkpoint.checkFile("rank-0000.safetensors"));
    ASSERT_TRUE(save(folder, 9));
    EXPECT_TRUE(folder.at(9)->state.hasDigests());
}

// The folder has an error, not the checkpoint in it: old checkpoints are removed all the same.
TEST(CheckpointFolder, ErrorsOfTheFolderAreToldAndStopNoPruning) {
    const TempDir dir;
    const CheckpointFolder folder(dir / "checkpoints");
    DiskFaults faults;
    faults.ofSync = [](const fs::path& file) { return file.filename() == "checkpoints"; };
    for (std::int64_t step = 1; step <= 20; ++step) {
        const Status saved = save(folder, step, 2, 3);
        ASSERT_FALSE(saved) << "it is told each time";
        EXPECT_THAT(saved.error().message, HasSubstr("checkpoints: Input/output error"));
    }
    EXPECT_GE(faults.injected, 20);
    EXPECT_THAT(folder.steps(), ElementsAre(18, 19, 20));
    EXPECT_EQ(fs::read_symlink(dir / "checkpoints/latest"), "step-20");
    EXPECT_EQ(folder.latest()->checkpoint.state.step, 20);
}

TEST(CheckpointFolder, ARenameThatFailsIsTold) {
    const TempDir dir;
    const CheckpointFolder folder(dir / "checkpoints");
    for (const std::int64_t step : {1, 2}) ASSERT_TRUE(save(folder, step, 2, 2));
    const auto fails = [&](std::int64_t step, const std::string& name) {
        DiskFaults faults;
        faults.ofRename = [&](const fs::path& from) { return from.filename() == name; };
        const Status saved = save(folder, step, 2, 2);
        EXPECT_GE(faults.injected, 1) << name;
        return saved ? std::string() : saved.error().message;
    };
    EXPECT_THAT(fails(3, "latest.writing"), HasSubstr("latest: cannot be moved: Input/output error"));
    EXPECT_THAT(folder.steps(), ElementsAre(2, 3)) << "whole, and old ones went";
    EXPECT_THAT(fails(4, "step-2"), HasSubstr("step-2: cannot be removed: Input/output error"));
    EXPECT_THAT(folder.steps(), ElementsAre(2, 3, 4));
    ASSERT_TRUE(save(folder, 5, 2, 2));
    EXPECT_THAT(folder.steps(), ElementsAre(4, 5)) << "removed with the next";
    EXPECT_THAT(fails(6, "step-6.partial"), HasSubstr("step-6.partial: cannot be renamed: Input/output error"));
    EXPECT_THAT(folder.steps(), ElementsAre(4, 5));
    EXPECT_EQ(fs::read_symlink(dir / "checkpoints/latest"), "step-5");
}

TEST(CheckpointFolder, PartsThatNobodyCanCompleteGoWithTheFailure) {
    const TempDir dir;
    const CheckpointFolder folder(dir / "checkpoints");
    for (const std::int64_t step : {5, 30}) {
        ASSERT_TRUE(writeDurably(*folder.begin(step) / CheckpointFolder::rankFileName(Rank(1)), "part"));
    }
    ASSERT_TRUE(writeDurably(*folder.begin(10) / CheckpointFolder::rankFileName(Rank(0)), "part"));
    folder.giveUp(20, Rank(0));
    EXPECT_FALSE(fs::exists(dir / "checkpoints/step-5.partial")) << "rank 0 has come past it";
    EXPECT_TRUE(fs::exists(dir / "checkpoints/step-10.partial")) << "rank 1 may be on its way";
    EXPECT_TRUE(fs::exists(dir / "checkpoints/step-30.partial"));
    folder.giveUp(30, Rank(1));
    EXPECT_FALSE(fs::exists(dir / "checkpoints/step-30.partial"));
}

TEST(CheckpointFolder, NamesThatAreNoneOfItsOwnDoNotCount) {
    const TempDir dir;
    const CheckpointFolder folder(dir / "checkpoints");
    ASSERT_TRUE(save(folder, 7));
    for (const char* name : {"best.safetensors.writing", "best.safetensors.arriving", "best.safetensors"}) {
        dir.write(std::string("checkpoints/") + name, "model");
    }
    fs::create_directory_symlink("step-7", dir / "checkpoints/latest.writing");
    for (const char* name : {"model.safetensors.writing", "model.safetensors", "notes.writing"}) {
        dir.write(name, "model");
    }
    for (const char* name : {"step-", "step-x", "step-8.partial", "step-9.removed", "step--3", "steps-1", "step-12x"}) {
        fs::create_directory(dir / "checkpoints" / name);
    }
    EXPECT_THAT(folder.steps(), ElementsAre(7));
    folder.sweep();
    EXPECT_FALSE(fs::exists(dir / "checkpoints/step-8.partial"));
    EXPECT_FALSE(fs::exists(dir / "checkpoints/step-9.removed"));
    for (const char* name : {"checkpoints/best.safetensors.writing", "checkpoints/best.safetensors.arriving",
                             "checkpoints/latest.writing", "model.safetensors.writing"}) {
        EXPECT_FALSE(fs::exists(fs::symlink_status(dir / name))) << name;
    }
    for (const char* name :
         {"checkpoints/best.safetensors", "checkpoints/latest", "model.safetensors", "notes.writing"}) {
        EXPECT_TRUE(fs::exists(dir / name)) << name;
    }
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
