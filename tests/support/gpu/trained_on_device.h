// Short runs of LeNet on the stand-in accelerator, and the same on the processor.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/gpu/host_device.h"
#include "tests/support/steps_between.h"
#include "tests/support/training.h"

namespace dasgd::test {

// Steps of a run, and the steps between which waits of the host are watched.
inline constexpr int kDigitSteps = 12, kWatchedFrom = 1, kWatchedUntil = 11;
inline constexpr int kDigitRanks = 3;

inline Value digits(const Value& algorithm, Fields train = {}, Fields data = {}) {
    Fields of{{"steps", integer(kDigitSteps)}, {"batch_size", integer(8)}, {"eval_every", integer(1000)}};
    for (auto& field : train) of.push_back(std::move(field));
    Fields from{{"name", text("mnist")}};
    for (auto& field : data) from.push_back(std::move(field));
    return table({{"algorithm", algorithm},
                  {"model", table({{"name", text("lenet")}})},
                  {"data", table(std::move(from))},
                  {"train", table(std::move(of))},
                  {"optimizer", table({{"name", text("sgd")}, {"learning_rate", number(0.02)}})},
                  {"cluster", table({{"backend", text("threads")}, {"workers", integer(kDigitRanks)}})}});
}

struct OnDevice {
    std::vector<RankRecord> records;
    std::vector<std::string> waits;  // of all ranks, in the steps watched
    int brought = 0, captured = 0, replayed = 0;
};

inline OnDevice trainOnDevice(const Value& document, HostDevice::Capture capture = HostDevice::Capture::Refuses) {
    const Experiment experiment = std::move(readExperiment(document).value());
    const int ranks = experiment.cluster.ranks();
    OnDevice run;
    run.records.resize(static_cast<std::size_t>(ranks));
    std::mutex mutex;
    StepsBetween between(
        ranks, kWatchedFrom, kWatchedUntil, [] { (void)HostWaits::take(); }, [&] { run.waits = HostWaits::take(); });
    runRanks(Backend::Threads, ranks, [&](Communicator& comm, Clock& clock) {
        HostDevice device(capture, kDigitSteps);  // the host is ahead of it by all losses
        RankRecord& record = run.records[static_cast<std::size_t>(comm.rank().value())];
        record.outcome = runWorker(
            experiment, {.comm = comm, .clock = clock, .sink = record.sink, .control = &between, .device = &device});
        const std::lock_guard lock(mutex);
        run.brought += device.brought();
        run.captured += device.captured();
        run.replayed += device.replayed();
    });
    return run;
}

inline std::vector<double> valuesOf(const RankRecord& record, const std::string& metric) {
    std::vector<double> values;
    const auto found = record.sink.metrics.find(metric);
    if (found == record.sink.metrics.end()) return values;
    for (const auto& point : found->second) values.push_back(point.value);
    return values;
}

// `tolerance`: relative, of each value; 0: to the last bit.
inline void expectSameTraining(const std::vector<RankRecord>& there, const std::vector<RankRecord>& here,
                               const std::string& what, double tolerance = 0) {
    ASSERT_EQ(there.size(), here.size());
    for (std::size_t rank = 0; rank < there.size(); ++rank) {
        EXPECT_EQ(there[rank].outcome.error, "") << what;
        for (const char* metric : {"train/loss", "eval/loss", "eval/accuracy"}) {
            const std::vector<double> found = valuesOf(there[rank], metric), expected = valuesOf(here[rank], metric);
            const std::string where = what + ", " + metric + ", rank " + std::to_string(rank);
            if (tolerance == 0) {
                EXPECT_EQ(found, expected) << where;
                continue;
            }
            ASSERT_EQ(found.size(), expected.size()) << where;
            for (std::size_t i = 0; i < found.size(); ++i) {
                EXPECT_NEAR(found[i], expected[i], tolerance * std::abs(expected[i])) << where;
            }
        }
    }
}

}  // namespace dasgd::test
