#include "core/train/checkpoint/checkpoint_writer.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include <thread>

#include "core/train/checkpoint/archive_file.h"
#include "tests/support/temp_dir.h"

namespace dasgd::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Archive stateOf(int rank, std::int64_t step) {
    Archive archive;
    archive.put("weights/w", torch::full({3}, static_cast<double>(rank + 10 * step), torch::kFloat));
    archive.put("step", step);
    archive.put("bytes_sent", 0);
    archive.put("wall_ns", 100 * step + rank);
    archive.put("trained_ns", 0);
    archive.put("collectives", step + rank);
    return archive;
}

CheckpointCompletion ofRanks(int ranks, const std::filesystem::path& folder) {
    return {.place = {folder, "run", "hash", {}}, .roles = Roles::allTrain(ranks), .ranks = ranks, .keep = 3};
}

// Ranks that write at the same time, each many steps: every checkpoint is whole, with the mean as its model.
TEST(CheckpointWriter, TheLastRankCompletesTheCheckpoint) {
    const TempDir dir;
    constexpr int kRanks = 4;
    std::vector<std::thread> ranks;
    for (int rank = 0; rank < kRanks; ++rank) {
        ranks.emplace_back([&dir, rank] {
            CheckpointWriter writer(ofRanks(kRanks, dir / "checkpoints"), Rank(rank), CheckpointWriter::Thread::Own);
            for (std::int64_t step = 1; step <= 20; ++step) EXPECT_TRUE(writer.write(step, stateOf(rank, step)));
            EXPECT_TRUE(writer.finish());
        });
    }
    for (std::thread& rank : ranks) rank.join();
    const CheckpointFolder folder(dir / "checkpoints");
    const auto latest = folder.latest();
    ASSERT_TRUE(latest) << latest.error().message;
    EXPECT_EQ(latest->checkpoint.state.step, 20);
    EXPECT_EQ(latest->checkpoint.state.wall, 2003) << "of the last rank";
    EXPECT_EQ(latest->checkpoint.state.collectives, 23U) << "of the one that was ahead";
    EXPECT_EQ(latest->checkpoint.state.configHash, "hash");
    const auto model = readArchive(latest->checkpoint.modelFile());
    ASSERT_TRUE(model);
    EXPECT_TRUE(model->tensors().at("w").equal(torch::full({3}, 201.5F)));
    const auto rank = readRank(latest->checkpoint, Rank(2));
    ASSERT_TRUE(rank);
    EXPECT_TRUE(rank->tensors().at("weights/w").equal(torch::full({3}, 202.0F)));
}

// Ranks on two hosts: one's file is delivered to the other, where the checkpoint becomes whole when it comes.
TEST(CheckpointWriter, AFileThatIsDeliveredCompletesTheCheckpointElsewhere) {
    const TempDir dir;
    const CheckpointCompletion home = ofRanks(2, dir / "home");
    CheckpointCompletion away = ofRanks(2, dir / "away");
    away.place.deliver = [&](const std::filesystem::path& file) -> Status {
        std::filesystem::rename(file, CheckpointFolder(dir / "home").begin(7).value() / file.filename());
        DASGD_ASSIGN(const std::string trouble, completeIfLast(home, 7));
        return trouble.empty() ? Status() : fail(trouble);
    };
    CheckpointWriter first(home, Rank(0), CheckpointWriter::Thread::Callers);
    CheckpointWriter second(away, Rank(1), CheckpointWriter::Thread::Callers);
    EXPECT_TRUE(first.write(7, stateOf(0, 7)));
    EXPECT_TRUE(first.finish());
    EXPECT_FALSE(CheckpointFolder(dir / "home").latest());
    EXPECT_TRUE(second.write(7, stateOf(1, 7)));
    EXPECT_TRUE(second.finish());
    const auto latest = CheckpointFolder(dir / "home").latest();
    ASSERT_TRUE(latest) << latest.error().message;
    EXPECT_TRUE(readArchive(latest->checkpoint.modelFile())->tensors().at("w").equal(torch::full({3}, 70.5F)));
    EXPECT_TRUE(std::filesystem::is_empty(dir / "away" / "step-7.partial")) << "nothing of it is kept there";
    away.place.deliver = [](const std::filesystem::path&) -> Status { return fail("nobody is there"); };
    CheckpointWriter alone(away, Rank(1), CheckpointWriter::Thread::Callers);
    EXPECT_TRUE(alone.write(8, stateOf(1, 8)));
    EXPECT_EQ(alone.finish().error().message, "nobody is there");
}

TEST(CheckpointWriter, WhatWentWrongIsToldWithTheNextOne) {
    const TempDir dir;
    const auto file = dir.write("file", "no folder");
    CheckpointWriter writer(ofRanks(1, file / "checkpoints"), Rank(0), CheckpointWriter::Thread::Callers);
    EXPECT_TRUE(writer.write(1, stateOf(0, 1)));
    const auto before = writer.write(2, stateOf(0, 2));
    ASSERT_FALSE(before);
    EXPECT_THAT(before.error().message, HasSubstr("step-1.partial"));
    EXPECT_FALSE(writer.finish());
    EXPECT_TRUE(writer.finish()) << "told once";
}

// Two ranks' files exchanged, which no digest tells where there was none yet.
TEST(CheckpointWriter, AFileOfAnotherRankOrStepIsNamed) {
    const TempDir dir;
    const CheckpointCompletion run = ofRanks(2, dir / "checkpoints");
    CheckpointWriter first(run, Rank(0), CheckpointWriter::Thread::Callers);
    CheckpointWriter second(run, Rank(1), CheckpointWriter::Thread::Callers);
    const std::filesystem::path partial = dir / "checkpoints/step-5.partial";
    EXPECT_TRUE(first.write(5, stateOf(0, 5)));
    std::filesystem::copy_file(partial / "rank-0000.safetensors", dir / "other");
    std::filesystem::remove(partial / "rank-0000.safetensors");
    EXPECT_TRUE(second.write(5, stateOf(1, 5)));
    std::filesystem::copy_file(partial / "rank-0001.safetensors", partial / "rank-0000.safetensors");
    EXPECT_THAT(completeIfLast(run, 5).error().message,
                AllOf(HasSubstr("rank-0000.safetensors"), HasSubstr("is of rank 1, not of rank 0")));
    EXPECT_FALSE(std::filesystem::exists(partial)) << "nobody will complete it";
    EXPECT_TRUE(first.write(6, stateOf(0, 6)));
    EXPECT_TRUE(second.write(6, stateOf(1, 6)));
    EXPECT_TRUE(second.finish());
    Checkpoint found = CheckpointFolder(dir / "checkpoints").at(6).value();
    ASSERT_TRUE(readRank(found, Rank(0)));
    std::filesystem::copy_file(dir / "other", found.rankFile(Rank(0)),
                               std::filesystem::copy_options::overwrite_existing);
    EXPECT_THAT(readRank(found, Rank(0)).error().message, HasSubstr("rank 0 of step 5 of run run"));
    for (auto& [name, file] : found.state.files) file.sha256.clear();  // as they were written before digests
    EXPECT_THAT(readRank(found, Rank(0)).error().message, HasSubstr("is of step 5, not of step 6"));
    EXPECT_TRUE(readModel(found));
}

// Rank and step are the same, so that only the run tells.
TEST(CheckpointWriter, AFileOfAnotherRunIsNamed) {
    const TempDir dir;
    const CheckpointCompletion run = ofRanks(1, dir / "checkpoints");
    CheckpointWriter writer(run, Rank(0), CheckpointWriter::Thread::Callers);
    EXPECT_TRUE(writer.write(5, stateOf(0, 5)));
    EXPECT_TRUE(writer.finish());
    Archive foreign = stateOf(0, 5);
    foreign.put("rank", 0);
    Checkpoint found = CheckpointFolder(dir / "checkpoints").at(5).value();
    for (auto& [name, file] : found.state.files) file.sha256.clear();  // as they were written before digests
    ASSERT_TRUE(readRank(found, Rank(0)));
    ASSERT_TRUE(writeArchive(found.rankFile(Rank(0)), foreign, "other"));
    ASSERT_TRUE(writeArchive(found.modelFile(), foreign, "other"));
    const auto isNamed = AllOf(HasSubstr("step-5"), HasSubstr("is of run other, not of run run"));
    EXPECT_THAT(readRank(found, Rank(0)).error().message, isNamed);
    EXPECT_THAT(readModel(found).error().message, isNamed);
    ASSERT_TRUE(writeArchive(found.rankFile(Rank(0)), foreign));
    EXPECT_TRUE(readRank(found, Rank(0))) << "files written before format 2 name no run";

    const auto partial = CheckpointFolder(dir / "checkpoints").begin(5);
    ASSERT_TRUE(partial);
    ASSERT_TRUE(writeArchive(*partial / "rank-0000.safetensors", foreign, "other"));
    EXPECT_THAT(completeIfLast(run, 5).error().message, isNamed);
    EXPECT_FALSE(std::filesystem::exists(*partial));
}

}  // namespace
}  // namespace dasgd::test
