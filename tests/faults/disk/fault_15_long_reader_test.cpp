// Fault 15: a program keeps a read transaction on lab.db open while a run records. The WAL cannot start over until that
// ends: past 128 MiB this is said. The window keeps no transaction open.
#include <SQLiteCpp/SQLiteCpp.h>

#include "tests/faults/support/broken_run.h"
#include "tests/faults/support/fault_case.h"
#include "tests/support/runs.h"

namespace dasgd::test {
namespace {

constexpr std::uintmax_t kMiB = 1 << 20;

std::uintmax_t walBytesOf(const std::filesystem::path& workspace) {
    std::error_code code;
    const auto size = std::filesystem::file_size(workspace / "lab.db-wal", code);
    return code ? 0 : size;
}

// A read transaction of another program.
class LongRead {
public:
    explicit LongRead(const std::filesystem::path& workspace)
        : database_((workspace / "lab.db").string(), SQLite::OPEN_READONLY) {
        database_.exec("BEGIN");
        runs_ = rows("run_list");
        points_ = rows("metric_points");
    }
    // The control: it sees what was there as it began.
    [[nodiscard]] bool isHeld() { return rows("run_list") == runs_ && rows("metric_points") == points_; }
    void end() { database_.exec("COMMIT"); }

private:
    int rows(const std::string& view) { return database_.execAndGet("SELECT count(*) FROM " + view).getInt(); }

    SQLite::Database database_;
    int runs_ = 0, points_ = 0;
};

// A real run beside such a program.
bool recordsBeside(std::chrono::seconds lasts, int& injected) {
    BrokenRun run("threads");
    const auto workspace = run.folder().workspace();
    LongRead read(workspace);
    const std::int64_t before = run.row().steps;
    const auto began = SteadyClock::now();
    while (secondsSince(began) < static_cast<double>(lasts.count())) {
        EXPECT_EQ(run.folder().run({"list", "-w", "w"}).exit, 0) << "others read on";
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
    EXPECT_TRUE(newestRunComesTo(workspace, [&](const storage::RunRow& row) { return row.steps > before + 100; }));
    const bool bounded = walBytesOf(workspace) <= 128 * kMiB || eventually([&] {
                             return run.launcher().errors().find("grown past 128 MiB") != std::string::npos;
                         });
    EXPECT_TRUE(bounded) << walBytesOf(workspace) / kMiB << " MiB and nothing said";
    injected += read.isHeld();
    read.end();
    run.launcher().signal(SIGTERM);
    const Ended ended = run.launcher().wait();
    EXPECT_EQ(ended.exit, 130) << ended.err;
    EXPECT_EQ(walBytesOf(workspace), 0U) << "written back once nobody reads";
    return bounded && ended.exit == 130 && walBytesOf(workspace) == 0 && run.holdsEveryStep();
}

// A run whose rank says much, so that the WAL grows by what it is told.
class TalkativeRun {
public:
    void say(int mebibytes) {
        for (int i = 0; i < mebibytes; ++i) run_.rank(0).state(RankState::Running, ++said_, std::string(kMiB, 't'));
        EXPECT_TRUE(eventually([&] { return recorder_->recordsStored() >= said_; }, std::chrono::seconds(50)));
    }
    bool endsWhole() {
        run_.journal.reset();
        EXPECT_TRUE(recorder_->finish("finished", ""));
        return walBytesOf(workspace()) == 0 && recorder_->recordsStored() == said_ && run_.reader().checkIntegrity();
    }
    [[nodiscard]] std::string error() const { return recorder_->currentError(); }
    [[nodiscard]] std::filesystem::path workspace() const { return run_.store.paths().root; }

private:
    SharedRun run_{1, "run-a", {}};
    std::unique_ptr<storage::Recorder> recorder_ = run_.record();
    std::int64_t said_ = 0;
};

bool saysThatTheWalGrows(int& injected) {
    TalkativeRun run;
    LongRead read(run.workspace());
    run.say(140);
    injected += read.isHeld() && walBytesOf(run.workspace()) > 128 * kMiB;
    const bool said = eventually([&] { return run.error().find("grown past 128 MiB") != std::string::npos; });
    EXPECT_TRUE(said) << run.error();
    read.end();
    for (int i = 0; i < 5; ++i) run.say(1);
    const bool silent = eventually([&] { return run.error().empty(); });
    EXPECT_TRUE(silent) << run.error();
    return run.endsWhole() && said && silent;
}

TEST(Fault15, AReaderKeepsATransactionOpen) {
    int injected = 0, held = 0;
    for (int i = 0; i < faultCount(1, 3); ++i) {
        held += saysThatTheWalGrows(injected);
        held += recordsBeside(std::chrono::seconds(faultCount(3, i == 0 ? 600 : 60)), injected);
    }
    reportFault(15, "a reader keeps a transaction open, 600 s in full",
                "the WAL is bounded or its growth said, and written back afterwards; nothing is lost", injected, held);
}

// A window that kept a transaction open would let the WAL grow by all that is written.
TEST(Fault15, TheWindowReadsInShortTransactions) {
    if (*kLabProgram == '\0') return;
    TalkativeRun run;
    const TempDir home;
    const StartedProgram window(home.path(), {"--workspace", run.workspace().string(), "--page", "Run"},
                                {{"QT_QPA_PLATFORM", "offscreen"}, {"HOME", home.path().string()}}, kLabProgram);
    EXPECT_TRUE(eventually([&] { return hasOpen(window.id(), run.workspace() / "lab.db"); })) << window.errors();
    for (int i = 0; i < 25; ++i) run.say(4);
    EXPECT_TRUE(hasOpen(window.id(), run.workspace() / "lab.db")) << "the control: it is still there";
    EXPECT_LT(walBytesOf(run.workspace()), 60 * kMiB) << "100 MiB were written";
    EXPECT_EQ(run.error(), "");
}

}  // namespace
}  // namespace dasgd::test
