// The operators and kernels of some steps of a rank, by LibTorch's profiler (Kineto): what its training thread and
// autograd's threads did for it, and on a GPU the kernels, by CUPTI.
//
// They are recorded as named spans of the kind `compute` in lane io, on the run's time line, each with the step that it
// began in: of a rank on the processor the outermost operators, of one on a GPU what the GPU did, but for NCCL's
// kernels, which are transfers already. Everything that the profiler knows is also written to a trace file of Chrome's
// format.
//
// Profiled steps are slower than others, so the executor is told that each of them was disturbed: no clean window has
// any of them, and no figure that is formed from windows. They stay part of the time of training, as they did train.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/event.h"
#include "core/base/ids.h"
#include "core/exec/executor.h"
#include "core/experiment/profile_params.h"

namespace torch::autograd::profiler {
struct ProfilerResult;
}

namespace dasgd {

// What the profiler saw of a thread of the host or of a device, on the system's clock.
struct ProfiledAction {
    std::string name;
    bool onDevice = false;     // a kernel, a copy
    std::uint64_t thread = 0;  // of an operator
    Ns start = 0, end = 0;
};
// Those that are recorded, by their start: where a device did anything its kernels and copies but for NCCL's, else the
// operators that lie in no other one of their thread.
[[nodiscard]] std::vector<ProfiledAction> recordedOf(std::vector<ProfiledAction> all);

// Where rank `rank` of the run in `folder` writes its trace.
[[nodiscard]] std::filesystem::path profileTraceIn(const std::filesystem::path& folder, Rank rank);

// Owner: the training thread. One a process at a time: LibTorch has one profiler.
class StepProfiler {
public:
    // No `params`: it does nothing. `trace`: the file, "" for none; a folder that is missing is made. What is given
    // outlives the profiler.
    StepProfiler(const std::optional<ProfileParams>& params, std::filesystem::path trace, Clock& clock,
                 Executor& executor, EventSink& sink)
        : params_(params), trace_(std::move(trace)), clock_(clock), executor_(executor), sink_(sink) {}

    // Step `step` begins.
    void beforeStep(std::int64_t step) {
        if (params_ && step >= params_->first && step <= params_->last() + 1) follow(step);
    }
    // The run ends after `step` steps.
    void end() {
        if (profiling_) stop();
    }

private:
    struct Step {
        std::int64_t number = 0;
        Ns start = 0;
    };
    void follow(std::int64_t step);
    void start();
    void stop();
    void record(torch::autograd::profiler::ProfilerResult& result);
    [[nodiscard]] std::int64_t stepAt(Ns instant) const;

    const std::optional<ProfileParams> params_;
    const std::filesystem::path trace_;
    Clock& clock_;
    Executor& executor_;
    EventSink& sink_;
    bool profiling_ = false;
    std::vector<Step> steps_;
};

}  // namespace dasgd
