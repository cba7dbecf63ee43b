#include "experiments/run/session/resume_point.h"

#include <gmock/gmock.h>

#include "core/base/digest/sha256.h"
#include "core/checkpoint/checkpoint_folder.h"
#include "core/checkpoint/durable_file.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/runs.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

void save(const storage::WorkspacePaths& paths, const storage::RunRow& run, std::int64_t step) {
    const CheckpointFolder folder(paths.checkpoints(run.runId));
    test::orDie(writeDurably(test::orDie(folder.begin(step)) / CheckpointFolder::rankFileName(Rank(0)), "state"));
    DASGD_CHECK(folder.claim(step, 1).value());
    static_cast<void>(test::orDie(folder.complete({.runId = run.runId,
                                                   .step = step,
                                                   .ranks = 1,
                                                   .configHash = sha256Of(run.config),
                                                   .wall = step * 1000,
                                                   .savedAt = ""},
                                                  9)));
}

class ResumePointTest : public ::testing::Test {
protected:
    ResumePointTest() { run_.finish("failed"); }
    [[nodiscard]] Result<FoundResumePoint> find(const std::string& id, std::optional<std::int64_t> step = {}) {
        auto reader = run_.reader();
        return resumePointOf(run_.store.paths(), reader.runs(), test::orDie(reader.runs().detail(id)).row, step);
    }
    test::OneRun run_;
};

TEST_F(ResumePointTest, IsTheNewestCheckpointOrTheOneAskedFor) {
    for (const std::int64_t step : {10, 20}) save(run_.store.paths(), test::rowOf(run_), step);
    EXPECT_EQ(find(run_.runId)->point.step, 20);
    EXPECT_EQ(find(run_.runId)->point.wall, 20'000);
    EXPECT_EQ(find(run_.runId)->point.runId, run_.runId);
    EXPECT_EQ(find(run_.runId, 10)->point.step, 10);
    EXPECT_THAT(find(run_.runId, 15).error().message, HasSubstr("there are those of 10, 20"));
}

TEST_F(ResumePointTest, PassesOverADamagedOne) {
    for (const std::int64_t step : {10, 20}) save(run_.store.paths(), test::rowOf(run_), step);
    std::filesystem::remove(run_.store.paths().checkpoints(run_.runId) / "step-20/rank-0000.safetensors");
    EXPECT_EQ(find(run_.runId)->point.step, 10);
    EXPECT_THAT(find(run_.runId)->passedOver, SizeIs(1));
}

TEST_F(ResumePointTest, TakesThatOfTheRunBeforeWhereAllOfItsOwnAreDamaged) {
    for (const std::int64_t step : {10, 20}) save(run_.store.paths(), test::rowOf(run_), step);
    storage::RunInfo info = test::runInfo("run-b");
    info.resumedFrom = run_.runId;
    info.resumedStep = 20;
    test::orDie(run_.store.addRun(info));
    auto reader = run_.reader();
    save(run_.store.paths(), reader.runs().row("run-b").value(), 30);
    const auto fileOf = [&](const std::string& run, const std::string& step) {
        return run_.store.paths().checkpoints(run) / step / "rank-0000.safetensors";
    };
    test::writeText(fileOf("run-b", "step-30"), "stafe");
    EXPECT_EQ(find("run-b")->point.runId, run_.runId);
    EXPECT_EQ(find("run-b")->point.step, 20);
    EXPECT_THAT(find("run-b")->passedOver, ::testing::ElementsAre(HasSubstr("step-30/rank-0000")));
    test::writeText(fileOf(run_.runId, "step-20"), "stafe");
    EXPECT_EQ(find("run-b")->point.step, 10);
    EXPECT_THAT(find("run-b")->passedOver, SizeIs(2));
    EXPECT_THAT(find(run_.runId, 20).error().message, HasSubstr("step-20/rank-0000"));
}

TEST_F(ResumePointTest, ACheckpointOfAnotherRunIsRefused) {
    save(run_.store.paths(), test::rowOf(run_), 10);
    storage::RunInfo info = test::runInfo("run-b");
    test::orDie(run_.store.addRun(info));
    std::filesystem::copy(run_.store.paths().checkpoints(run_.runId), run_.store.paths().checkpoints("run-b"),
                          std::filesystem::copy_options::recursive | std::filesystem::copy_options::copy_symlinks);
    EXPECT_THAT(find("run-b").error().message, HasSubstr("is of run " + run_.runId + ", not of run run-b"));
}

// One that was copied there, with steps beyond those of the run.
TEST_F(ResumePointTest, ACheckpointOfAnotherRunOrConfigurationDoesNotHideAnOlderOneOfItsOwn) {
    const storage::RunRow run = test::rowOf(run_);
    for (const std::int64_t step : {10, 20, 30}) save(run_.store.paths(), run, step);
    const auto checkpoints = run_.store.paths().checkpoints(run_.runId);
    const auto saveOf = [&](std::int64_t step, const std::string& id, const std::string& config) {
        const CheckpointFolder folder(checkpoints);
        test::orDie(writeDurably(test::orDie(folder.begin(step)) / CheckpointFolder::rankFileName(Rank(0)), "state"));
        static_cast<void>(test::orDie(folder.complete(
            {.runId = id, .step = step, .ranks = 1, .configHash = sha256Of(config), .savedAt = ""}, 9)));
    };
    saveOf(20, run.runId, "another");
    saveOf(30, "run-x", run.config);
    const auto found = find(run_.runId);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->point.step, 10);
    EXPECT_THAT(found->passedOver,
                ::testing::ElementsAre(HasSubstr("step-30: is of run run-x, not of run " + run_.runId),
                                       HasSubstr("step-20: is of another configuration than run " + run_.runId)));
    auto reader = run_.reader();
    const auto restart = restartPointOf(run_.store.paths(), reader.runs(), run);
    ASSERT_TRUE(restart);
    EXPECT_EQ(restart->step, 10) << "a restart does not begin again";
    EXPECT_THAT(find(run_.runId, 30).error().message, HasSubstr("is of run run-x"));
    EXPECT_THAT(find(run_.runId, 20).error().message, HasSubstr("another configuration"));
}

TEST_F(ResumePointTest, SaysThatFilesWithoutDigestsWereCheckedBySizeAlone) {
    save(run_.store.paths(), test::rowOf(run_), 10);
    EXPECT_EQ(find(run_.runId)->unchecked, "");
    test::writeText(
        run_.store.paths().checkpoints(run_.runId) / "step-10/state.json",
        R"({"format": 1, "run": ")" + run_.runId + R"(", "step": 10, "ranks": 1, "wall_ns": 5, "config_sha256": ")" +
            sha256Of(test::rowOf(run_).config) + R"(", "saved_at": "", "files": {"rank-0000.safetensors": 5}})");
    EXPECT_EQ(find(run_.runId)->point.step, 10);
    EXPECT_THAT(find(run_.runId)->unchecked, HasSubstr("checked by their size alone"));
}

// The resumed run failed before it had a checkpoint of its own.
TEST_F(ResumePointTest, IsThatOfTheRunBeforeWhereThereIsNone) {
    for (const std::int64_t step : {10, 20}) save(run_.store.paths(), test::rowOf(run_), step);
    storage::RunInfo info = test::runInfo("run-b");
    info.resumedFrom = run_.runId;
    info.resumedStep = 10;
    test::orDie(run_.store.addRun(info));
    const auto found = find("run-b");
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->point.runId, run_.runId);
    EXPECT_EQ(found->point.step, 10) << "where it had gone on from, not what came later";
}

TEST_F(ResumePointTest, SaysWhyThereIsNone) {
    EXPECT_THAT(find(run_.runId).error().message, HasSubstr("cannot go on"));
    save(run_.store.paths(), test::rowOf(run_), 10);
    storage::RunRow other = test::rowOf(run_);
    other.config += "# edited\n";
    auto reader = run_.reader();
    storage::RunRow shared = test::rowOf(run_);
    shared.config = "[train]\nwork = \"shared\"\n";
    EXPECT_THAT(resumePointOf(run_.store.paths(), reader.runs(), shared).error().message,
                HasSubstr("its workers share the work (train.work), and such runs leave no checkpoint yet"));
    EXPECT_THAT(resumePointOf(run_.store.paths(), reader.runs(), other).error().message,
                HasSubstr("another configuration"));
}

}  // namespace
}  // namespace dasgd::experiments
