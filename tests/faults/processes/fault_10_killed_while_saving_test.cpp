// Fault 10: the launcher and its ranks are killed with SIGKILL while they save a checkpoint. The newest whole
// checkpoint always loads, nothing of unfinished ones stays, and the training that goes on each time ends with the same
// bits as one that nobody killed.
#include <chrono>
#include <random>
#include <thread>

#include "storage/read/run_reader.h"
#include "tests/faults/support/fault_case.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/processes.h"

namespace dasgd::test {
namespace {

namespace fs = std::filesystem;

// Each step is saved, so that training is saving for most of its time.
std::string savingExperiment(int steps) {
    return "name = \"saving\"\n[algorithm]\nname = \"dasgd\"\nperiod = 4\ndelay = 2\n[model]\nname = \"mlp\"\nhidden = "
           "[200]\n[data]\nname = \"synthetic\"\nshape = [64]\nclasses = 10\ntrain_samples = 80\ntest_samples = "
           "10\n[train]\nsteps = " +
           std::to_string(steps) +
           "\nbatch_size = 4\neval_every = 1000000\ncheckpoint = { every = \"1 steps\", keep = 2 }\n"
           "[optimizer]\nlearning_rate = 0.001\nmomentum = 0.9\n[cluster]\nbackend = \"gloo\"\nworkers = 2\n";
}

class KilledWhileSaving {
public:
    explicit KilledWhileSaving(int kills) : steps_(100 + 60 * kills) {
        folder_.write("e.toml", savingExperiment(steps_));
        EXPECT_EQ(folder_.run({"run", "e.toml", "-w", "whole", "-q", "--set", "train.checkpoint.every=1h"}).exit, 0);
    }

    // One kill: true where an unfinished checkpoint lay there as all processes were gone.
    bool kill() {
        StartedProgram launcher = start();
        const std::string before = newest_;
        EXPECT_TRUE(eventually([&] { return newestRun() != before && fs::exists(checkpoints() / "latest"); },
                               std::chrono::seconds(50)));
        newest_ = newestRun();
        std::this_thread::sleep_for(std::chrono::milliseconds(std::uniform_int_distribution<int>(0, 150)(random_)));
        const std::vector<pid_t> ranks = childrenOf(launcher.id());
        launcher.signal(SIGKILL);
        for (const pid_t rank : ranks) ::kill(rank, SIGKILL);
        EXPECT_EQ(launcher.wait().exit, -SIGKILL);
        EXPECT_TRUE(eventually([&] { return std::ranges::all_of(ranks, hasEnded); }));
        return !namesWith(".partial").empty();
    }
    // Swept, and `latest` names one that is there.
    bool isInOrder() {
        EXPECT_EQ(folder_.run({"recover", "-w", "w"}).exit, 0);
        const bool swept = namesWith(".partial").empty() && namesWith(".removed").empty();
        EXPECT_TRUE(swept);
        const bool hasLatest = fs::exists(checkpoints() / "latest" / "state.json");
        EXPECT_TRUE(hasLatest);
        return swept && hasLatest;
    }
    // The newest checkpoint loads: the training goes on from it to its end.
    bool endsAsWhole() {
        const Ended ended = start().wait();
        EXPECT_EQ(ended.exit, 0) << ended.err;
        EXPECT_EQ(ended.err.find("passed over"), std::string::npos) << ended.err;
        newest_ = newestRun();
        const std::string model = contentOf(folder_.workspace() / "runs" / newest_ / "model.safetensors");
        const auto whole = storage::RunReader::open(folder_.path() / "whole")->list()->front();
        EXPECT_EQ(model, contentOf(folder_.path() / "whole/runs" / whole.runId / "model.safetensors"));
        return ended.exit == 0 && !model.empty();
    }

private:
    [[nodiscard]] StartedProgram start() const {
        if (newest_.empty()) return folder_.start({"run", "e.toml", "-w", "w", "-q"});
        return folder_.start({"resume", newest_, "-w", "w"});
    }
    [[nodiscard]] std::string newestRun() const {
        auto reader = storage::RunReader::open(folder_.workspace());
        const auto rows = reader ? reader->list() : tl::unexpected(Error{});
        return rows && !rows->empty() ? rows->front().runId : "";
    }
    [[nodiscard]] fs::path checkpoints() const { return folder_.workspace() / "runs" / newestRun() / "checkpoints"; }
    [[nodiscard]] std::vector<std::string> namesWith(const std::string& text) const {
        std::vector<std::string> names;
        std::error_code code;
        for (fs::directory_iterator entry(checkpoints(), code), end; !code && entry != end; entry.increment(code)) {
            const std::string name = entry->path().filename().string();
            if (name.find(text) != std::string::npos) names.push_back(name);
        }
        return names;
    }

    DasgdFolder folder_;
    int steps_;
    std::string newest_;  // run, killed or about to be
    std::mt19937 random_{20261128};
};

TEST(Fault10, ItIsKilledWhileItSaves) {
    const int wanted = faultCount(2, 200);
    KilledWhileSaving training(wanted);
    int injected = 0, held = 0;
    for (int kill = 0; kill < 3 * wanted && injected < wanted; ++kill) {
        const bool whileSaving = training.kill();
        const bool inOrder = training.isInOrder();
        injected += whileSaving;
        held += whileSaving && inOrder;
    }
    EXPECT_TRUE(training.endsAsWhole());
    EXPECT_EQ(injected, wanted);
    reportFault(10, "SIGKILL during a checkpoint", "the newest loads, parts are swept, equal bits at the end", injected,
                held);
}

}  // namespace
}  // namespace dasgd::test
