// Fault 12: the disk of the checkpoints fills up, and so has $TMPDIR. The checkpoint that was whole stays and loads,
// training goes on, and the record says what was lost.
#include <unistd.h>

#include "storage/read/run_reader.h"
#include "tests/faults/support/fault_case.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/processes.h"

namespace dasgd::test {
namespace {

namespace fs = std::filesystem;

// A checkpoint of its has about 600 KB.
const std::string kExperiment =
    "name = \"full\"\n[algorithm]\nname = \"dasgd\"\nperiod = 4\ndelay = 2\n[model]\nname = \"mlp\"\nhidden = "
    "[200]\n[data]\nname = \"synthetic\"\nshape = [64]\nclasses = 10\ntrain_samples = 80\ntest_samples = "
    "10\n[train]\nsteps = 3000\nbatch_size = 4\neval_every = 1000000\ncheckpoint = { every = \"100 steps\", keep = 2 "
    "}\n"
    "[optimizer]\nlearning_rate = 0.001\nmomentum = 0.9\n[cluster]\nbackend = \"gloo\"\nworkers = 2\n";

// In a mount namespace of its own: `disk` has room for one checkpoint, `tmp` for nothing. What is on the disk at the
// end is copied to `kept`.
constexpr const char* kScript =
    "mount -t tmpfs -o size=900k none disk && mount -t tmpfs -o size=4k none tmp && head -c 4096 /dev/zero > tmp/full "
    "&& "
    "\"$0\" queue work -w w --until-empty; cp -r disk kept";

class FullDisk {
public:
    FullDisk() {
        folder_.write("e.toml", kExperiment);
        EXPECT_EQ(folder_.run({"run", "e.toml", "-w", "whole", "-q", "--set", "train.checkpoint.every=1h"}).exit, 0);
    }

    // `injected` counts trainings that a full disk refused a checkpoint.
    bool holds(int& injected) {
        for (const char* old : {"w", "disk", "tmp", "kept"}) fs::remove_all(folder_.path() / old);
        for (const char* mount : {"disk", "tmp"}) fs::create_directory(folder_.path() / mount);
        EXPECT_EQ(folder_.run({"queue", "add", "e.toml", "-w", "w"}).exit, 0);
        const std::string run = folder_.firstRun();
        const fs::path own = folder_.workspace() / "runs" / run;
        fs::create_directory_symlink(folder_.path() / "disk", own / "checkpoints");
        StartedProgram shell(folder_.path(), {"-m", "sh", "-c", kScript, kProgram},
                             {{"TMPDIR", (folder_.path() / "tmp").string()}}, "/usr/bin/unshare");
        const bool wasFull = eventually(
            [&] {
                return (contentOf(own / "logs/rank-0.log") + contentOf(own / "logs/rank-1.log"))
                           .find("No space left on device") != std::string::npos;
            },
            std::chrono::seconds(50));
        EXPECT_TRUE(wasFull) << shell.errors();
        injected += wasFull;
        EXPECT_EQ(folder_.run({"stop", run, "-w", "w"}).exit, 0);
        static_cast<void>(shell.wait());
        const storage::RunRow stopped = rowOf("w", run);
        const bool said = stopped.status == "stopped" && stopped.error.find("lost") != std::string::npos;
        EXPECT_TRUE(said) << stopped.status << ", " << stopped.error;
        fs::remove(own / "checkpoints");
        fs::rename(folder_.path() / "kept", own / "checkpoints");
        return goesOnFrom(run, stopped.steps) && said && wasFull;
    }

private:
    bool goesOnFrom(const std::string& run, std::int64_t stoppedAt) {
        const Ended ended = folder_.run({"resume", run, "-w", "w", "-q"});
        EXPECT_EQ(ended.exit, 0) << ended.err;
        const storage::RunRow next = newest("w");
        const bool fromWhole = next.resumedStep >= 100 && next.resumedStep <= stoppedAt;
        EXPECT_TRUE(fromWhole) << next.resumedStep << " of " << stoppedAt;
        const bool equal = modelOf("w", next.runId) == modelOf("whole", newest("whole").runId);
        EXPECT_TRUE(equal);
        return ended.exit == 0 && fromWhole && equal;
    }
    [[nodiscard]] storage::RunRow rowOf(const std::string& workspace, const std::string& run) const {
        return storage::RunReader::open(folder_.path() / workspace)->row(run).value();
    }
    [[nodiscard]] storage::RunRow newest(const std::string& workspace) const {
        return storage::RunReader::open(folder_.path() / workspace)->list()->front();
    }
    [[nodiscard]] std::string modelOf(const std::string& workspace, const std::string& run) const {
        return contentOf(folder_.path() / workspace / "runs" / run / "model.safetensors");
    }

    DasgdFolder folder_;
};

TEST(Fault12, ThereIsNoRoomForACheckpoint) {
    if (::getuid() != 0) GTEST_SKIP() << "mount namespaces need root";
    FullDisk disk;
    int injected = 0, held = 0;
    for (int i = 0; i < faultCount(1, 20); ++i) held += disk.holds(injected);
    reportFault(12, "ENOSPC in a checkpoint, $TMPDIR full",
                "the old one stays and loads, training goes on, the loss is said", injected, held);
}

}  // namespace
}  // namespace dasgd::test
