// Fault 9: SIGTERM to one rank, as a batch system that preempts its node. All ranks stop at one step and save, the run
// is recorded as preempted, and what goes on from there ends with the same bits as a run that nobody stopped, with the
// average that was in flight.
#include "storage/read/metric_reader.h"
#include "storage/read/run_reader.h"
#include "tests/faults/support/fault_case.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/hand_ranks.h"
#include "tests/support/live_run.h"
#include "tests/support/processes.h"

namespace dasgd::test {
namespace {

constexpr int kSteps = 6'000;

class TerminatedRanks {
public:
    TerminatedRanks() {
        folder_.write("e.toml", quickExperiment("gloo", kSteps));
        EXPECT_EQ(folder_.run({"run", "e.toml", "-w", "whole", "-q"}).exit, 0);
        whole_ = modelIn("whole");
        EXPECT_FALSE(whole_.empty());
    }

    // Trains, ends one of two ranks on the way, and lets them go on. `injected` counts runs that the signal stopped
    // before their end.
    bool holdsAfterSignal(int rank, int& injected) {
        std::filesystem::remove_all(folder_.path() / "hand");
        std::vector<StartedProgram> workers = start();
        EXPECT_TRUE(newestRunTrains(folder_.path() / "hand"));
        workers[static_cast<std::size_t>(rank)].signal(SIGTERM);
        bool stopped = true;
        for (StartedProgram& worker : workers) stopped = worker.wait().exit == 130 && stopped;
        EXPECT_TRUE(stopped);
        const storage::RunRow first = newest();
        injected += first.steps < kSteps;
        const bool preempted = first.status == "stopped" && first.error.find("SIGTERM") != std::string::npos &&
                               lastStep(first.runId, 0) == first.steps && lastStep(first.runId, 1) == first.steps;
        EXPECT_TRUE(preempted) << first.status << ", " << first.error;
        bool finished = true;
        for (StartedProgram& worker : start()) finished = worker.wait().exit == 0 && finished;
        const storage::RunRow second = newest();
        const bool sameBits = finished && second.resumedStep == first.steps && modelIn("hand") == whole_;
        EXPECT_TRUE(sameBits) << "stopped after step " << first.steps;
        return stopped && preempted && sameBits;
    }

private:
    [[nodiscard]] std::vector<StartedProgram> start() const {
        return startByHand(folder_, {"hand", "hand"}, {"--resume"});
    }
    [[nodiscard]] storage::RunRow newest(const std::string& workspace = "hand") const {
        return storage::RunReader::open(folder_.path() / workspace)->list()->front();
    }
    [[nodiscard]] std::int64_t lastStep(const std::string& run, int rank) const {
        auto reader = storage::MetricReader::open(folder_.path() / "hand");
        return reader->samples({.runId = run, .name = "train/loss", .rank = rank})->samples.back().step;
    }
    [[nodiscard]] std::string modelIn(const std::string& workspace) const {
        return contentOf(folder_.path() / workspace / "runs" / newest(workspace).runId / "model.safetensors");
    }

    DasgdFolder folder_;
    std::string whole_;
};

TEST(Fault09, ARankIsTerminated) {
    TerminatedRanks ranks;
    int injected = 0, held = 0;
    for (int i = 0; i < faultCount(1, 40); ++i) held += ranks.holdsAfterSignal(i % 2, injected);
    reportFault(9, "SIGTERM to one rank",
                "all stop at one step and save, \"stopped\" by SIGTERM; what goes on ends with equal bits", injected,
                held);
}

}  // namespace
}  // namespace dasgd::test
