#include "experiments/transport/mirror/workspace_import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/dasgd_program.h"
#include "tests/support/mirrors.h"

namespace dasgd::experiments {
namespace {

using namespace dasgd::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

class WorkspaceImportTest : public ::testing::Test {
protected:
    WorkspaceImportTest() {
        addRecords(there(), "run-a", 20'000, 20'000);
        const fs::path files = there() / "runs" / "run-a";
        writeText(files / "experiment.toml", "name = \"e\"\n");
        writeText(files / "logs" / "rank-0000.log", "said\n");
        writeText(files / "artefacts" / "profile-rank-0000.json", "{}");
        writeText(files / "model.safetensors", "model");
        writeText(files / "checkpoints" / "step-4" / "state.json", "{}");
        writeText(files / "checkpoints" / "step-8.partial" / "state.json", "{");
        fs::create_symlink("step-4", files / "checkpoints" / "latest");
        run_.finish();
    }
    [[nodiscard]] fs::path there() const { return run_.folder / "workspace"; }
    [[nodiscard]] fs::path here() const { return run_.folder / "here"; }
    [[nodiscard]] fs::path copied() const { return here() / "runs" / "run-a"; }
    WorkspaceImportOutcome take(bool checkpoints = false) {
        return orDie(importWorkspace({.from = there(), .workspace = here(), .checkpoints = checkpoints}));
    }
    OneRun run_;
};

TEST_F(WorkspaceImportTest, RecordsAndSmallFilesComeOnce) {
    const auto outcome = take();
    EXPECT_THAT(outcome.runs, ElementsAre("run-a"));
    EXPECT_EQ(outcome.records, 40'000);
    EXPECT_THAT(outcome.notCopied, IsEmpty());
    EXPECT_EQ(contentOfRun(here(), "run-a"), contentOfRun(there(), "run-a"));
    EXPECT_EQ(contentOf(copied() / "experiment.toml"), "name = \"e\"\n");
    EXPECT_EQ(contentOf(copied() / "logs" / "rank-0000.log"), "said\n");
    EXPECT_EQ(contentOf(copied() / "artefacts" / "profile-rank-0000.json"), "{}");
    EXPECT_FALSE(fs::exists(copied() / "model.safetensors"));
    EXPECT_FALSE(fs::exists(copied() / "checkpoints"));
    EXPECT_FALSE(fs::exists(copied() / "owner.lock"));
    const auto again = take();
    EXPECT_THAT(again.runs, IsEmpty());
    EXPECT_EQ(again.records, 0);
}

TEST_F(WorkspaceImportTest, CheckpointsComeWhenAskedForAlsoLater) {
    take();
    take(true);
    EXPECT_EQ(contentOf(copied() / "model.safetensors"), "model");
    EXPECT_EQ(contentOf(copied() / "checkpoints" / "latest" / "state.json"), "{}");
    EXPECT_FALSE(fs::exists(copied() / "checkpoints" / "step-8.partial"));
}

TEST_F(WorkspaceImportTest, ItCanBeEndedAndGoesOn) {
    int asked = 0;
    const auto outcome = orDie(importWorkspace(
        {.from = there(), .workspace = here(), .checkpoints = false, .cancelled = [&] { return ++asked > 1; }}));
    EXPECT_TRUE(outcome.cancelled);
    EXPECT_LT(outcome.records, 40'000);
    EXPECT_EQ(orDie(orDie(storage::RunReader::open(here())).row("run-a")).status, "running");
    EXPECT_EQ(outcome.records + take().records, 40'000);
    EXPECT_EQ(contentOfRun(here(), "run-a"), contentOfRun(there(), "run-a"));
}

TEST_F(WorkspaceImportTest, ItsOwnWorkspaceIsRefused) {
    const auto refused = importWorkspace({.from = there(), .workspace = there()});
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("is the workspace that the runs would go to"));
}

// Three workspaces, one of which has another's run already.
TEST_F(WorkspaceImportTest, ARunThatIsHereFromElsewhereIsNamedAndLeft) {
    take();
    const fs::path third = run_.folder / "third";
    EXPECT_EQ(orDie(importWorkspace({.from = here(), .workspace = third})).records, 40'000);
    const auto outcome = orDie(importWorkspace({.from = there(), .workspace = third}));
    EXPECT_THAT(outcome.passedOver, ElementsAre("run-a"));
    EXPECT_EQ(outcome.records, 0);
    EXPECT_EQ(contentOfRun(third, "run-a"), contentOfRun(there(), "run-a"));
    const auto back = orDie(importWorkspace({.from = third, .workspace = there()}));
    EXPECT_THAT(back.passedOver, ElementsAre("run-a"));
}

// Two copies that each went on: what either has new is taken.
TEST_F(WorkspaceImportTest, CopiesThatWentOnApartAreBothTaken) {
    const fs::path copy = run_.folder / "copy";
    fs::copy(there(), copy, fs::copy_options::recursive);
    const auto addTo = [](const fs::path& workspace, const std::string& id, int records) {
        storage::Store store = orDie(storage::Store::open(workspace));
        orDie(store.addRun(runInfo(id)));
        addRecords(workspace, id, records, records);
        orDie(store.abandonRun(id, "failed", "why"));
    };
    addTo(there(), "run-b", 100);
    addTo(copy, "run-c", 200);
    take();
    EXPECT_EQ(orDie(importWorkspace({.from = copy, .workspace = here()})).records, 400);
    for (const auto& [id, from] :
         {std::pair("run-a", there()), std::pair("run-b", there()), std::pair("run-c", copy)}) {
        EXPECT_EQ(contentOfRun(here(), id), contentOfRun(from, id)) << id;
    }
}

// Reading such a row takes longer than one look at the runs; the others are imported nevertheless.
TEST_F(WorkspaceImportTest, ARunWithAHugeConfigurationIsRefusedAndTheOthersCome) {
    {
        storage::Store store = orDie(storage::Store::open(there()));
        orDie(store.addRun(runInfo("run-b")));
        orDie(store.abandonRun("run-b", "failed", "its own end"));
    }
    SQLite::Database((there() / "lab.db").string(), SQLite::OPEN_READWRITE)
        .exec("UPDATE run SET config = hex(zeroblob(20000000)) WHERE run_id = 'run-b'");
    const auto outcome = take();
    EXPECT_THAT(outcome.runs, ElementsAre("run-a"));
    EXPECT_EQ(outcome.records, 40'000);
    EXPECT_THAT(outcome.notCopied, ElementsAre(HasSubstr("run run-b has a text of more than 8 MiB")));
}

TEST_F(WorkspaceImportTest, LinksAreNotFollowed) {
    writeText(run_.folder / "secret", "key");
    fs::create_symlink(run_.folder / "secret", there() / "runs" / "run-a" / "logs" / "rank-0001.log");
    take();
    EXPECT_FALSE(fs::exists(copied() / "logs" / "rank-0001.log"));
}

TEST_F(WorkspaceImportTest, AWorkspaceIsToldFromATrace) {
    EXPECT_TRUE(isWorkspaceOrDatabase(there()));
    EXPECT_TRUE(isWorkspaceOrDatabase(there() / "lab.db"));
    writeText(run_.folder / "trace.json", "{\"traceEvents\":[]}");
    EXPECT_FALSE(isWorkspaceOrDatabase(run_.folder / "trace.json"));
    EXPECT_FALSE(isWorkspaceOrDatabase(run_.folder / "none"));
}

}  // namespace
}  // namespace dasgd::experiments
