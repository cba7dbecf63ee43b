// The operators and kernels of some steps of a rank, recorded by LibTorch's profiler (Kineto): the work of its training
// thread and of autograd's threads, and on a GPU the kernels, by CUPTI.
//
// They are recorded as named spans of the kind `compute` in lane io, on the run's time line, each with the step in
// which it began: for a rank on the CPU the outermost operators, for one on a GPU the GPU's work without NCCL's
// kernels, which are recorded as transfers already. Everything that the profiler records is also written to a trace
// file in Chrome's format.
//
// Profiled steps are slower than others, so the executor is told that each of them was disturbed: no clean window, and
// no figure that is formed from windows, includes them. They still count as time of training.
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

// An action that the profiler recorded for a thread of the host or for a device, on the system's clock.
struct ProfiledAction {
    std::string name;
    bool onDevice = false;     // a kernel, a copy
    std::uint64_t thread = 0;  // for an operator
    Ns start = 0, end = 0;
};
// The actions that are recorded, by their start: where a device did anything its kernels and copies without NCCL's,
// else the operators that are inside no other one of their thread.
[[nodiscard]] std::vector<ProfiledAction> recordedOf(std::vector<ProfiledAction> all);

// Trace file of rank `rank` of the run in `folder`.
[[nodiscard]] std::filesystem::path profileTraceIn(const std::filesystem::path& folder, Rank rank);

// Owner: the training thread. One at a time in a process: LibTorch has one profiler.
class StepProfiler {
public:
    // Without `params` it does nothing. `trace`: the file, "" for none; its folder is made where it is missing. All
    // arguments outlive the profiler.
    StepProfiler(const std::optional<ProfileParams>& params, std::filesystem::path trace, Clock& clock,
                 Executor& executor, EventSink& sink)
        : params_(params), trace_(std::move(trace)), clock_(clock), executor_(executor), sink_(sink) {}

    // Called before step `step`.
    void beforeStep(std::int64_t step) {
        if (params_ && step >= params_->first && step <= params_->last() + 1) follow(step);
    }
    // Called when the run ends.
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
