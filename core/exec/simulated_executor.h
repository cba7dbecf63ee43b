// Executor of the virtual cluster: the work is really done, unless time alone is simulated, and then charged to the
// rank's simulated time.
#pragma once

#include "core/exec/executor.h"
#include "core/exec/simulated_time.h"

namespace dasgd {

class SimulatedExecutor final : public Executor {
public:
    // `time` outlives the executor; it moves `clock` on.
    SimulatedExecutor(Clock& clock, EventSink& sink, TraceLevel level, SimulatedTime& time,
                      const CleanWindowOptions& windows = {})
        : Executor(clock, sink, level, windows), time_(time), computes_(time.computes()) {}
    void gradientReady(std::size_t slot) override { time_.gradientReady(slot); }
    void layerDone(SpanKind pass, std::size_t slot) override { time_.layerDone(pass, slot); }
    void setBatchShare(double share, bool sameStep) override { time_.setBatchShare(share, sameStep); }
    void setUntimed(bool untimed) override { time_.setUntimed(untimed); }

private:
    [[nodiscard]] bool skips(const Work& work) const override { return !computes_ && changesOnlyTensors(work.kind); }
    void finished(const Work& work) override { time_.charge(work.kind, work.bytes); }
    void abandoned() noexcept override { time_.abandon(); }

    SimulatedTime& time_;
    bool computes_;
};

// `time` outlives the executors.
[[nodiscard]] inline MakeExecutor onSimulatedTime(SimulatedTime& time) {
    return [&time](Clock& clock, EventSink& sink, TraceLevel level, const CleanWindowOptions& windows) {
        return std::make_unique<SimulatedExecutor>(clock, sink, level, time, windows);
    };
}

}  // namespace dasgd
