// Ranks as the launchers in use start them: torchrun, srun and mpirun themselves, each where it is installed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "experiments/base/errors.h"
#include "storage/read/run_reader.h"
#include "tests/support/free_port.h"
#include "tests/support/slurm.h"

namespace dasgd::experiments {
namespace {

// "" where no folder of PATH has it.
std::string programNamed(const std::string& name) {
    std::istringstream folders(std::getenv("PATH"));
    for (std::string folder; std::getline(folders, folder, ':');) {
        const std::string path = folder + "/" + name;
        if (::access(path.c_str(), X_OK) == 0) return path;
    }
    return {};
}

class Launchers : public ::testing::Test {
protected:
    Launchers() { folder_.write("e.toml", test::quickExperiment("gloo", 100)); }
    // Expects that both ranks made one run of it.
    void expectTrains(const std::string& launcher, std::vector<std::string> arguments,
                      const test::Environment& environment = {}) {
        arguments.insert(arguments.end(), {test::kProgram, "worker", "e.toml", "-w", "w"});
        test::StartedProgram program(folder_.path(), arguments, environment, launcher);
        const test::Ended ended = program.wait();
        ASSERT_EQ(ended.exit, kFinished) << ended.err << ended.out;
        auto reader = storage::RunReader::open(folder_.workspace());
        ASSERT_TRUE(reader);
        const auto runs = reader->list().value();
        ASSERT_EQ(runs.size(), 1u);
        EXPECT_EQ(runs.front().status, "finished");
        EXPECT_EQ(runs.front().workers, 2);
        EXPECT_EQ(reader->ranks(runs.front().runId)->size(), 2u);
    }
    test::DasgdFolder folder_;
};

TEST_F(Launchers, Torchrun) {
    const std::string torchrun = programNamed("torchrun");
    if (torchrun.empty()) GTEST_SKIP() << "torchrun is not installed (pip install torch)";
    // Underscores: those before 2.0 know no other.
    expectTrains(torchrun, {"--no_python", "--nnodes", "1", "--nproc_per_node", "2", "--master_addr", "127.0.0.1",
                            "--master_port", std::to_string(test::freePort())});
}

TEST_F(Launchers, Mpirun) {
    const std::string mpirun = programNamed("mpirun");
    if (mpirun.empty()) GTEST_SKIP() << "mpirun is not installed (openmpi-bin)";
    expectTrains(mpirun, {"--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "--mca", "oob_tcp_if_include",
                          "lo", "-n", "2"});
}

TEST_F(Launchers, Srun) {
    if (::getuid() != 0) GTEST_SKIP() << "SLURM's daemons need root";
    const test::TwoNodes nodes;
    if (!nodes.areThere()) GTEST_SKIP() << "srun is not installed (slurmctld, slurmd, slurm-client, munge)";
    test::Environment environment = nodes.environment();
    environment["MASTER_ADDR"] = "127.0.0.1";  // the nodes' names are SLURM's alone
    expectTrains(programNamed("srun"), {"--nodes", "2", "--ntasks", "2"}, environment);
}

}  // namespace
}  // namespace dasgd::experiments
