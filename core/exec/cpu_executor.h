// Executor for work on the CPU: the work is done when the call returns, so the clock is read before and after it.
#pragma once

#include "core/exec/executor.h"

namespace dasgd {

class CpuExecutor final : public Executor {
public:
    using Executor::Executor;
    void gradientReady(std::size_t) override {}
    void layerDone(SpanKind, std::size_t) override {}
    void setBatchShare(double, bool) override {}
    void setUntimed(bool) override {}

private:
    void finished(const Work&) override {}
    void abandoned() noexcept override {}
};

[[nodiscard]] inline MakeExecutor onProcessor() {
    return [](Clock& clock, EventSink& sink, TraceLevel level, const CleanWindowOptions& windows) {
        return std::make_unique<CpuExecutor>(clock, sink, level, windows);
    };
}

}  // namespace dasgd
