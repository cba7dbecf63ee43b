// Fault 13: writes and syncs of lab.db and of checkpoints fail with EIO, or write less than they were given. What could
// not be done is said, and no record is lost.
#include "tests/faults/support/broken_run.h"
#include "tests/faults/support/call_injection.h"
#include "tests/faults/support/fault_case.h"

namespace dasgd::test {
namespace {

struct DiskFault {
    CallFaults::Kind kind;
    const char* path;
    int calls;
    bool isSaid;  // a short write is completed by the next one, without a word
};

// The database's writes go to its WAL, and reach lab.db when that is written back.
const std::vector<DiskFault> kDiskFaults{
    {CallFaults::WriteError, "/lab.db-wal", 3, true},   {CallFaults::ShortWrite, "/lab.db-wal", 20, false},
    {CallFaults::WriteError, "/checkpoints/", 1, true}, {CallFaults::ShortWrite, "/checkpoints/", 4, false},
    {CallFaults::SyncError, "/checkpoints/", 2, true},  {CallFaults::SyncError, "/lab.db$", 1, true},
    {CallFaults::WriteError, "/lab.db$", 2, true}};

bool saysSo(const BrokenRun& run, const std::string& launcher) {
    const auto logs = run.folder().workspace() / "runs" / run.folder().firstRun() / "logs";
    const std::string all =
        launcher + run.row().error + contentOf(logs / "rank-0.log") + contentOf(logs / "rank-1.log");
    return all.find("I/O error") != std::string::npos || all.find("Input/output error") != std::string::npos;
}

// Counts the calls that failed; true where nothing is missing afterwards.
bool holdsWith(const DiskFault& fault, int& injected) {
    const CallInjection calls;
    BrokenRun run("gloo", {"--set", "train.checkpoint.every=\"200 steps\""}, calls.environment());
    calls.order(fault.kind, fault.path, fault.calls);
    const bool struck = eventually([&] { return calls.page().injected == fault.calls; });
    EXPECT_TRUE(struck) << fault.path << ": " << calls.page().injected << " of " << fault.calls;
    injected += static_cast<int>(calls.page().injected);
    const std::int64_t before = run.completed(0);
    EXPECT_TRUE(newestRunComesTo(run.folder().workspace(), [&](const storage::RunRow& row) {
        return row.steps > before + 50;
    })) << "it records on";
    run.launcher().signal(SIGTERM);
    const Ended ended = run.launcher().wait();
    EXPECT_EQ(ended.exit, 130) << ended.err;
    const bool whole = run.holdsEveryStep() && run.row().status == "stopped";
    EXPECT_TRUE(whole) << fault.path << ": " << run.row().status;
    const bool said = saysSo(run, ended.err) == fault.isSaid;
    EXPECT_TRUE(said) << fault.path << ", kind " << fault.kind << ": " << ended.err << run.row().error;
    const Ended weights =
        run.folder().run({"export", run.folder().firstRun(), "-w", "w", "--weights", "model.safetensors"});
    EXPECT_EQ(weights.exit, 0) << "a whole checkpoint is there: " << weights.err;
    return struck && ended.exit == 130 && whole && said && weights.exit == 0;
}

TEST(Fault13, WritesAndSyncsOfTheDiskFail) {
    int injected = 0, held = 0;
    const int rounds = faultCount(3, 70);  // each starts a run; in full every kind ten times
    for (int i = 0; i < rounds; ++i) {
        const int before = injected;
        const bool holds = holdsWith(kDiskFaults[static_cast<std::size_t>(i) % kDiskFaults.size()], injected);
        held += holds ? injected - before : 0;
    }
    reportFault(13, "EIO of writes and syncs, short writes: lab.db and checkpoints",
                "said, nothing lost, a whole checkpoint is there", injected, held);
}

}  // namespace
}  // namespace dasgd::test
