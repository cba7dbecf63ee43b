// Whole runs on the virtual cluster inside a test, everything they record kept in memory. One engine a process: ctest
// gives every test a process of its own.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "core/train/measure_step.h"
#include "core/virtual/world.h"
#include "tests/support/training.h"

namespace dasgd::test {

// A star of 1 Gbit/s and 50 µs.
inline constexpr double kBytesPerSecond = 1.25e8;
inline constexpr double kLatency = 50e-6;
inline Value gigabit() { return table({{"bandwidth", text("1Gbps")}, {"latency", text("50us")}}); }

inline double seconds(Ns ns) { return static_cast<double>(ns) * 1e-9; }

// Ranks of `world` as actors, without the worker loop.
inline void onVirtualCluster(const std::string& name, const Value& network, const VirtualOptions& options,
                             const std::function<void(VirtualRank&)>& body) {
    const auto topology = TopologyRegistry::find(name)->create(network, {});
    if (!topology) throw std::runtime_error(topology.error().message);
    auto world = VirtualWorld::create(**topology, options);
    if (!world) throw std::runtime_error(world.error().message);
    (*world)->run(body);
}

inline std::vector<RankRecord> trainVirtually(const Value& document) {
    const auto experiment = readExperiment(document);
    if (!experiment) throw std::runtime_error(experiment.error().message);
    const auto data = loadTrainingData(*experiment);
    if (!data) throw std::runtime_error(data.error().message);
    const auto times = stepTimesOf(*experiment, *data);
    if (!times) throw std::runtime_error(times.error().message);
    const int ranks = static_cast<int>(experiment->cluster.workers);
    auto world = VirtualWorld::create(
        *experiment->topology,
        {.ranks = ranks, .network = experiment->network, .compute = experiment->compute, .times = *times});
    if (!world) throw std::runtime_error(world.error().message);
    std::vector<RankRecord> records(static_cast<std::size_t>(ranks));
    (*world)->run([&](VirtualRank& rank) {
        RankRecord& record = records[static_cast<std::size_t>(rank.comm.rank().value())];
        record.outcome = runWorker(*experiment, {rank.comm, rank.clock, record.sink, nullptr, &rank.pace, &*data});
        if (record.outcome.kind == WorkerOutcome::Kind::Failed) (*world)->abort(record.outcome.error);
    });
    return records;
}

}  // namespace dasgd::test
