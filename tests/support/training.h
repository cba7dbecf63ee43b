// Whole runs inside a test: an experiment from a value tree, ranks as threads, everything they record kept in memory.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/train/experiment.h"
#include "core/train/worker.h"
#include "tests/support/document.h"
#include "tests/support/ranks.h"

namespace dasgd::test {

// Keeps what one rank records.
class MemorySink final : public EventSink {
public:
    struct Point {
        std::int64_t step = 0;
        double value = 0;
        std::int64_t bytesSent = 0;
        std::int64_t samples = 0;
        double epoch = 0;
    };
    void span(const Span& span) override { spans.push_back(span); }
    void metric(const Metric& metric) override {
        metrics[std::string(metric.name)].push_back(
            {metric.step, metric.value, metric.bytesSent, metric.samples, metric.epoch});
    }
    void state(RankState state, std::int64_t, std::string_view text) override { states.emplace_back(state, text); }

    std::vector<Span> spans;
    std::map<std::string, std::vector<Point>> metrics;
    std::vector<std::pair<RankState, std::string>> states;
};

struct RankRecord {
    MemorySink sink;
    WorkerOutcome outcome;
    std::vector<FaultEvent> faults;  // of a virtual run
};

// Optional wrapper around each rank's communicator: fault injection, counting.
using Wrap = std::function<std::unique_ptr<Communicator>(Communicator&, Clock&)>;

inline std::vector<RankRecord> train(const Value& document, Backend backend = Backend::Threads,
                                     const Wrap& wrap = nullptr) {
    auto experiment = readExperiment(document);
    if (!experiment) throw std::runtime_error(experiment.error().message);
    const int ranks = static_cast<int>(experiment->cluster.workers);
    std::vector<RankRecord> records(static_cast<std::size_t>(ranks));
    runRanks(backend, ranks, [&](Communicator& comm, Clock& clock) {
        RankRecord& record = records[static_cast<std::size_t>(comm.rank().value())];
        const std::unique_ptr<Communicator> wrapped = wrap ? wrap(comm, clock) : nullptr;
        record.outcome = runWorker(*experiment, {wrapped ? *wrapped : comm, clock, record.sink});
    });
    return records;
}

}  // namespace dasgd::test
