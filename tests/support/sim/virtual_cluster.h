// Whole runs on the virtual cluster inside a test, everything they record kept in memory. One engine a process: ctest
// gives every test a process of its own.
#pragma once

#include <fnmatch.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/exec/simulated_executor.h"
#include "core/sim/engine/world.h"
#include "core/train/evaluation/evaluation_board.h"
#include "core/train/steps/measure_step.h"
#include "tests/support/paths.h"
#include "tests/support/training.h"

namespace dasgd::test {

// A star of 1 Gbit/s and 50 µs.
inline constexpr double kBytesPerSecond = 1.25e8;
inline constexpr double kLatency = 50e-6;
inline Value gigabit() { return table({{"bandwidth", text("1Gbps")}, {"latency", text("50us")}}); }

inline double seconds(Ns ns) { return static_cast<double>(ns) * 1e-9; }

// A bowl a worker, every step's weights recorded.
inline Value quadratic(const std::string& algorithm, int workers, const std::string& backend) {
    std::vector<std::vector<double>> targets;
    for (int w = 0; w < workers; ++w) targets.push_back({0.1 * w, 1.0 - 0.3 * w});
    return table({{"algorithm", table({{"name", text(algorithm)}})},
                  {"model", table({{"name", text("quadratic")},
                                   {"matrix", matrix({{2, 0.5}, {0.5, 1}})},
                                   {"targets", matrix(targets)},
                                   {"start", vector({1, -1})}})},
                  {"train", table({{"steps", integer(23)}})},
                  {"cluster", table({{"backend", text(backend)}, {"workers", integer(workers)}})},
                  {"record", table({{"weights", boolean(true)}})}});
}

// Ranks of `world` as actors, without the worker loop.
inline void onVirtualCluster(const std::string& name, const Value& network, const VirtualOptions& options,
                             const std::function<void(VirtualRank&)>& body) {
    const auto topology = TopologyRegistry::find(name)->create(network, {});
    if (!topology) throw std::runtime_error(topology.error().message);
    const auto opened = (*topology)->open({});
    if (!opened) throw std::runtime_error(opened.error().message);
    auto world = VirtualWorld::create(**topology, options);
    if (!world) throw std::runtime_error(world.error().message);
    (*world)->run(body);
}

// True where tests/core/gpu_suites.txt leaves the test out of those of core/algorithms that run on GPUs.
inline bool isLeftOutOnGpus(const std::string& test) {
    std::ifstream file(std::string(kSourceDir) + "/tests/core/gpu_suites.txt");
    std::string program, parts, chosen, leftOut;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        words >> program >> parts >> chosen >> leftOut;
        if (program != "left_out" && program != "algorithms") continue;
        std::istringstream patterns(program == "left_out" ? chosen : leftOut);
        for (std::string pattern; std::getline(patterns, pattern, ':');) {
            if (fnmatch(pattern.c_str(), test.c_str(), 0) == 0) return true;
        }
    }
    return false;
}

// A process has one simulation and none beside NCCL, so that a test that simulates has to be left out on GPUs.
inline void expectLeftOutOnGpus() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    if (!test || std::string(test->file()).find("core/algorithms") == std::string::npos) return;
    const std::string name = std::string(test->test_suite_name()) + "." + test->name();
    if (!isLeftOutOnGpus(name)) throw std::logic_error(name + " simulates: say SimulatedTime in its name");
}

inline std::vector<RankRecord> trainVirtually(const Value& document, const RunWith& with = {}) {
    expectLeftOutOnGpus();
    const auto experiment = readExperiment(document);
    if (!experiment) throw std::runtime_error(experiment.error().message);
    const auto data = loadTrainingData(*experiment);
    if (!data) throw std::runtime_error(data.error().message);
    const auto times = stepTimesOf(*experiment, *data);
    if (!times) throw std::runtime_error(times.error().message);
    const int ranks = static_cast<int>(experiment->cluster.workers);
    std::vector<RankRecord> records(static_cast<std::size_t>(ranks));
    auto world = VirtualWorld::create(
        *experiment->topology,
        {.ranks = ranks,
         .timeout = std::chrono::milliseconds(static_cast<std::int64_t>(experiment->cluster.timeoutS * 1e3)),
         .network = experiment->network,
         .compute = experiment->compute,
         .times = *times,
         .faults = experiment->faults,
         .faulted = [&](const FaultEvent& fault) {
             records[static_cast<std::size_t>(fault.rank)].faults.push_back(fault);
         }});
    if (!world) throw std::runtime_error(world.error().message);
    std::unique_ptr<EvaluationBoard> evaluations;
    if (!experiment->timeOnly())
        evaluations = std::move(EvaluationBoard::create(*experiment, *data, flatLayoutOf(*experiment)).value());
    (*world)->run([&](VirtualRank& rank) {
        RankRecord& record = records[static_cast<std::size_t>(rank.comm.rank().value())];
        record.outcome = runWorker(*experiment, {.comm = rank.comm,
                                                 .clock = rank.clock,
                                                 .sink = record.sink,
                                                 .control = with.gate,
                                                 .executor = onSimulatedTime(rank.simulatedTime),
                                                 .data = &*data,
                                                 .evaluations = evaluations.get(),
                                                 .checkpoints = with.checkpoints});
        if (record.outcome.kind == WorkerOutcome::Kind::Failed) (*world)->abort(record.outcome.error);
    });
    return records;
}

}  // namespace dasgd::test
