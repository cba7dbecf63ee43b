// Whole runs inside a test: an experiment from a value tree, ranks as threads, everything they record kept in memory.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/spans/overlap.h"
#include "core/backends/backend.h"
#include "core/experiment/experiment.h"
#include "core/step/flat_params.h"
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
        Ns wall = 0;
    };
    void span(const Span& span) override { spans.push_back(span); }
    void metric(const Metric& metric) override {
        metrics[std::string(metric.name)].push_back(
            {metric.step, metric.value, metric.bytesSent, metric.samples, metric.epoch, metric.wall});
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

// End of the last step. In a run of time only it is the end of the progress, which adds up to it; else that of the last
// piece of work.
inline Ns endOfSteps(const RankRecord& record) {
    const auto progress = record.sink.metrics.find("train/step_ms");
    double seconds = 0;
    std::int64_t steps = 0;
    if (progress != record.sink.metrics.end()) {
        for (const auto& point : progress->second) {
            seconds += point.value * 1e-3 * static_cast<double>(point.step - steps);
            steps = point.step;
        }
        return static_cast<Ns>(std::llround(seconds * 1e9));
    }
    Ns end = 0;
    for (const Span& span : record.sink.spans) end = isCompute(span.kind) ? std::max(end, span.end) : end;
    return end;
}

// Mean time of a step of a run of time only, without the first three, in seconds.
inline double meanStepSeconds(const RankRecord& record) {
    constexpr std::int64_t kWarmUp = 3;
    Ns begin = 0;
    for (const Span& span : record.sink.spans) {
        if (span.lane == Lane::Compute && span.step <= kWarmUp) begin = std::max(begin, span.end);
    }
    const std::int64_t steps = record.outcome.step;
    return static_cast<double>(endOfSteps(record) - begin) * 1e-9 / static_cast<double>(steps - kWarmUp);
}

// Overlap that one rank can tell by itself until its last step ended: skew counts as transfer.
inline OverlapSummary overlapOf(const RankRecord& record) {
    std::vector<Span> spans = record.sink.spans;
    for (Span& span : spans) span.kind = span.kind == SpanKind::Reduce ? SpanKind::Transfer : span.kind;
    return summariseOverlap(spans, {0, endOfSteps(record)});
}

// Optional wrapper around each rank's communicator: fault injection, counting.
using Wrap = std::function<std::unique_ptr<Communicator>(Communicator&, Clock&)>;

// Function by which hostRanks() runs ranks elsewhere than in threads, if any: see tests/support/nccl/suite_backend.cpp.
using RunElsewhere = std::function<void(const ClusterParams&, const std::function<void(HostedRank&)>& body)>;
inline RunElsewhere& runElsewhere() {
    static RunElsewhere run;
    return run;
}

// Calls `body` on every rank of `cluster`, each in a thread of its own.
inline void hostRanks(const ClusterParams& cluster, const std::function<void(HostedRank&)>& body) {
    if (runElsewhere()) return runElsewhere()(cluster, body);
    runRanks(Backend::Threads, cluster.ranks(), [&](Communicator& comm, Clock& clock) {
        HostedRank rank{comm, clock};
        body(rank);
    });
}

// True if the ranks of hostRanks() have slots that are padded (FlatLayout), as on a GPU: what they send is longer then.
inline bool& slotsArePadded() {
    static bool padded = false;
    return padded;
}
// Length of a flat vector of one parameter of so many elements, each a float64.
inline std::int64_t flatElements(std::int64_t elements) {
    const std::int64_t unit = slotsArePadded() ? layoutOn(at::kCUDA).alignment / 8 : 1;
    return (elements + unit - 1) / unit * unit;
}
inline std::int64_t flatBytes(std::int64_t elements) { return 8 * flatElements(elements); }

// Optional parts of a run's environment.
struct RunWith {
    const CheckpointEnvironment* checkpoints = nullptr;
    StepGate* gate = nullptr;
};

// Lets all ranks make `steps` steps; 0: any number.
class StopAfter final : public StepGate {
public:
    explicit StopAfter(std::int64_t steps) : steps_(steps) {}
    [[nodiscard]] bool mayContinue(Rank, std::int64_t completed) override { return steps_ == 0 || completed < steps_; }
    [[nodiscard]] bool stopAsked(Rank rank, std::int64_t completed) override { return !mayContinue(rank, completed); }
    void leave(Rank) override {}

private:
    std::int64_t steps_;
};

inline std::vector<RankRecord> train(const Value& document, Backend backend = Backend::Threads,
                                     const Wrap& wrap = nullptr, const RunWith& with = {}) {
    auto experiment = readExperiment(document);
    if (!experiment) throw std::runtime_error(experiment.error().message);
    const int ranks = static_cast<int>(experiment->cluster.workers);
    std::vector<RankRecord> records(static_cast<std::size_t>(ranks));
    const auto body = [&](HostedRank& rank) {
        RankRecord& record = records[static_cast<std::size_t>(rank.comm.rank().value())];
        const std::unique_ptr<Communicator> wrapped = wrap ? wrap(rank.comm, rank.clock) : nullptr;
        record.outcome = runWorker(*experiment, {.comm = wrapped ? *wrapped : rank.comm,
                                                 .clock = rank.clock,
                                                 .sink = record.sink,
                                                 .control = with.gate,
                                                 .executor = rank.executor,
                                                 .device = rank.device,
                                                 .checkpoints = with.checkpoints});
    };
    if (backend == Backend::Threads) {
        hostRanks(experiment->cluster, body);
        return records;
    }
    runRanks(backend, ranks, [&](Communicator& comm, Clock& clock) {
        HostedRank rank{comm, clock};
        body(rank);
    });
    return records;
}

}  // namespace dasgd::test
