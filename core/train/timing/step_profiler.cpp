#include "core/train/timing/step_profiler.h"

#include <ATen/Context.h>
#include <kineto/ActivityType.h>
#include <torch/csrc/autograd/profiler_kineto.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "core/base/log.h"
#include "core/base/named_spans.h"
#include "core/base/text/zero_padded.h"
#include "core/base/utc.h"

namespace dasgd {

namespace {

namespace kineto = torch::autograd::profiler;
using libkineto::ActivityType;
using torch::profiler::impl::ProfilerConfig;
using torch::profiler::impl::ProfilerState;

constexpr int kClockReadings = 8;

// Offset from the system's clock, which the profiler uses, to `clock`.
Ns offsetOf(Clock& clock) {
    std::pair<Ns, Ns> best{0, 0};  // duration of the reading, offset
    for (int i = 0; i < kClockReadings; ++i) {
        const Ns before = calendarNow();
        const Ns now = clock.now();
        const Ns after = calendarNow();
        const std::pair<Ns, Ns> reading{after - before, now - (before + after) / 2};
        if (i == 0 || reading < best) best = reading;
    }
    return best.second;
}

bool isOperator(ActivityType type) { return type == ActivityType::CPU_OP || type == ActivityType::USER_ANNOTATION; }

bool isOnDevice(ActivityType type) {
    return type == ActivityType::CONCURRENT_KERNEL || type == ActivityType::GPU_MEMCPY ||
           type == ActivityType::GPU_MEMSET;
}

std::vector<ProfiledAction> actionsOf(const kineto::ProfilerResult& result) {
    std::vector<ProfiledAction> actions;
    for (const kineto::KinetoEvent& event : result.events()) {
        const auto type = static_cast<ActivityType>(event.activityType());
        if (!isOperator(type) && !isOnDevice(type)) continue;
        actions.push_back({.name = event.name(),
                           .onDevice = isOnDevice(type),
                           .thread = event.startThreadId(),
                           .start = static_cast<Ns>(event.startNs()),
                           .end = static_cast<Ns>(event.endNs())});
    }
    return actions;
}

// Kineto names a collective's kernels after the library.
bool isTransfer(const ProfiledAction& action) { return action.onDevice && action.name.starts_with("nccl"); }

}  // namespace

std::vector<ProfiledAction> recordedOf(std::vector<ProfiledAction> all) {
    std::erase_if(all, isTransfer);
    const bool device = std::ranges::any_of(all, &ProfiledAction::onDevice);
    std::erase_if(all, [&](const ProfiledAction& action) { return action.onDevice != device; });
    std::ranges::sort(all, [](const ProfiledAction& a, const ProfiledAction& b) {
        return std::pair(a.start, -a.end) < std::pair(b.start, -b.end);
    });
    if (device) return all;
    std::map<std::uint64_t, Ns> ends;
    std::erase_if(all, [&](const ProfiledAction& action) {
        Ns& end = ends[action.thread];
        if (action.end <= end) return true;
        end = action.end;
        return false;
    });
    return all;
}

std::filesystem::path profileTraceIn(const std::filesystem::path& folder, Rank rank) {
    return folder / "artefacts" / ("profile-rank-" + zeroPadded(static_cast<std::uint64_t>(rank.value()), 4) + ".json");
}

void StepProfiler::follow(std::int64_t step) {
    if (step == params_->first) return start();
    if (!profiling_) return;
    if (step > params_->last()) return stop();
    executor_.run({SpanKind::Other}, [] {});
    steps_.push_back({step, clock_.now()});
}

void StepProfiler::start() {
    executor_.run({SpanKind::Other}, [&] {
        try {
            std::set<torch::profiler::impl::ActivityType> activities{torch::profiler::impl::ActivityType::CPU};
            if (at::globalContext().hasCUDA()) activities.insert(torch::profiler::impl::ActivityType::CUDA);
            const ProfilerConfig config(ProfilerState::KINETO);
            kineto::prepareProfiler(config, activities);
            kineto::enableProfiler(config, activities);
            profiling_ = true;
        } catch (const std::exception& error) {
            logLine(LogLevel::Warning, std::string("no step is profiled: LibTorch's profiler says ") + error.what());
        }
    });
    if (profiling_) steps_.push_back({params_->first, clock_.now()});
}

void StepProfiler::stop() {
    profiling_ = false;
    executor_.run({SpanKind::Other}, [&] {
        try {
            record(*kineto::disableProfiler());
        } catch (const std::exception& error) {
            logLine(LogLevel::Warning,
                    std::string("what was profiled is lost: LibTorch's profiler says ") + error.what());
        }
    });
}

void StepProfiler::record(kineto::ProfilerResult& result) {
    const Ns offset = offsetOf(clock_);
    auto* named = dynamic_cast<NamedSpanSink*>(&sink_);
    for (const ProfiledAction& action : recordedOf(actionsOf(result))) {
        const Ns start = action.start + offset;
        const Span span{.lane = Lane::Io,
                        .kind = SpanKind::Compute,
                        .step = stepAt(start),
                        .start = start,
                        .end = action.end + offset};
        named ? named->namedSpan(span, action.name) : sink_.span(span);
    }
    if (trace_.empty()) return;
    std::error_code error;
    std::filesystem::create_directories(trace_.parent_path(), error);
    result.save(trace_.string());
    if (!std::filesystem::exists(trace_, error)) {
        logLine(LogLevel::Warning, "the profile could not be written to " + trace_.string());
    }
}

// Step at an instant; actions that began before the first step belong to that.
std::int64_t StepProfiler::stepAt(Ns instant) const {
    const auto after = std::ranges::upper_bound(steps_, instant, {}, [](const Step& step) { return step.start; });
    return after == steps_.begin() ? steps_.front().number : std::prev(after)->number;
}

}  // namespace dasgd
