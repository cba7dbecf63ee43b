// Fault 7: the window is killed with SIGKILL while a run trains: the one that started the run, and one that watches it.
// The run goes on, loses no record, and a new window has it open again.
#include <QCoreApplication>
#include <QFile>
#include <random>

#include "gui/data/session/engine.h"
#include "tests/faults/support/broken_run.h"
#include "tests/faults/support/fault_case.h"

namespace dasgd::test {
namespace {

// The part of a window that starts runs, in a process of its own.
ChildProcess windowThatStarts(const DasgdFolder& folder) {
    return ChildProcess([&folder] {
        ::setenv("OMP_NUM_THREADS", "1", 1);
        char name[] = "dasgd-lab";
        char* words[] = {name, nullptr};
        int count = 1;
        QCoreApplication application(count, words);
        gui::Engine engine(folder.workspace(), QString::fromUtf8(kProgram));
        engine.run(QString::fromStdString((folder.path() / "e.toml").string()));
        return QCoreApplication::exec();
    });
}

StartedProgram windowThatWatches(const DasgdFolder& folder) {
    return {folder.path(),
            {"--workspace", folder.workspace().string(), "--page", "Run"},
            {{"QT_QPA_PLATFORM", "offscreen"}, {"HOME", folder.path().string()}},
            kLabProgram};
}

class WatchedRun {
public:
    // `kills`: of windows that watch, after the one that started it.
    explicit WatchedRun(int kills) : kills_(kills) {
        folder_.write("e.toml", quickExperiment("gloo", 100'000'000));
        std::filesystem::create_directory(folder_.workspace());
    }
    // A run whose window is gone is nobody's child.
    ~WatchedRun() {
        for (const pid_t process : processesWith(folder_.path().string())) ::kill(process, SIGKILL);
    }
    WatchedRun(const WatchedRun&) = delete;
    WatchedRun& operator=(const WatchedRun&) = delete;
    int injected = 0, held = 0;

    void takeKills() {
        {
            ChildProcess window = windowThatStarts(folder_);
            ASSERT_TRUE(newestRunTrains(folder_.workspace()));
            window.kill();
        }
        note(goesOn());
        std::mt19937 random(7);
        for (int i = 0; i < kills_; ++i) {
            StartedProgram window = windowThatWatches(folder_);
            const bool attached = watches(window);
            EXPECT_TRUE(attached) << window.errors();
            std::this_thread::sleep_for(std::chrono::milliseconds(random() % 500));
            window.signal(SIGKILL);
            EXPECT_EQ(window.wait().exit, -SIGKILL);
            note(attached && goesOn());
        }
        StartedProgram again = windowThatWatches(folder_);
        EXPECT_TRUE(watches(again)) << "a new window has the run open";
    }

    // Stops the run; true where nothing is missing of it.
    bool endsWhole() {
        EXPECT_EQ(folder_.run({"stop", run(), "-w", "w"}).exit, 0);
        EXPECT_TRUE(
            newestRunComesTo(folder_.workspace(), [](const storage::RunRow& row) { return row.status == "stopped"; }));
        auto reader = storage::WorkspaceReader::open(folder_.workspace());
        const storage::RunRow row = reader->runs().list()->front();
        bool whole = reader->checkIntegrity().has_value() && row.error.empty();
        for (int rank = 0; rank < 2; ++rank) {
            const auto losses = reader->metrics().samples({.runId = row.runId, .name = "train/loss", .rank = rank});
            whole = whole && static_cast<std::int64_t>(losses->samples.size()) == row.steps;
        }
        return whole;
    }

private:
    [[nodiscard]] std::string run() const { return folder_.firstRun(); }
    [[nodiscard]] bool watches(const StartedProgram& window) const {
        return eventually([&] { return hasOpen(window.id(), folder_.workspace() / "lab.db"); });
    }
    void note(bool unharmed) {
        EXPECT_TRUE(unharmed);
        ++injected;
        held += unharmed;
    }
    // The control page and the database both say so.
    [[nodiscard]] bool goesOn() const {
        const auto control = RunControl::open(folder_.workspace() / "runs" / run() / "control");
        if (!control) return false;
        const std::int64_t before = control->completed(Rank(0));
        return newestRunComesTo(folder_.workspace(), [&](const storage::RunRow& row) {
            return row.status == "running" && row.steps > before + 50;
        });
    }

    DasgdFolder folder_;
    int kills_;
};

TEST(Fault07, TheWindowIsKilledWhileARunTrains) {
    WatchedRun run(faultCount(2, 50));
    run.takeKills();
    const bool whole = run.endsWhole();
    EXPECT_TRUE(whole) << "every step of every rank is there once";
    reportFault(7, "SIGKILL of the window that started a run, then of windows that watch it",
                "the run goes on and loses nothing; a new window has it open", run.injected, whole ? run.held : 0);
}

}  // namespace
}  // namespace dasgd::test
