#include "core/train/timing/timed_windows.h"

#include <algorithm>

namespace dasgd {

namespace {

constexpr std::int64_t kWarmUpSteps = 3;
constexpr Ns kShortestPart = 200'000'000;
// Longest part for ranks that never wait for each other, in real time.
constexpr std::int64_t kMostStepsOfPart = 64;

}  // namespace

CleanWindowOptions windowsOf(const Experiment& experiment, const Plan& plan, bool unboundedSkew, std::int64_t from) {
    // A single rank has nobody to wait for.
    const bool alone = experiment.cluster.workers == 1;
    CleanWindowOptions windows{.waits = !alone && !unboundedSkew,
                               .warmUpSteps = from + std::min(kWarmUpSteps, (plan.totalSteps - from) / 2),
                               .shortestPart = kShortestPart};
    const std::int64_t part = plan.totalSteps / kReportsOfRun;
    if (experiment.timeSimulated()) windows.fewestSteps = part;
    if (!windows.waits && !alone) {
        windows.shortestPart = 0;
        windows.fewestSteps = std::min(part, experiment.timeSimulated() ? windows.mostSteps : kMostStepsOfPart);
    }
    return windows;
}

}  // namespace dasgd
