// NCCL for ranks that are threads of one process on one GPU. Its kernels wait for one another, and many calls of CUDA
// (memory that is taken, libraries that begin) wait for every kernel of the process: a rank that is inside such a call
// while another one's kernel waits for it would never come to launch its own (NCCL documentation, "Concurrency between
// NCCL and CUDA calls"). So here all ranks of a communicator launch at the same time: none before all have come, and
// none goes on before all have launched. Ranks that are processes, as those of runs, need none of this.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

#include "core/backends/gpu_runtime.h"
#include "core/comm/nccl/nccl_api.h"

namespace dasgd::test {

// Meeting of the ranks of a communicator, which wait for each other in it.
class LaunchMeeting {
public:
    explicit LaunchMeeting(int ranks) : ranks_(ranks) {}

    // Waits until all that have not left are here. All give up a rank that is missing for long, for good.
    void meet() {
        std::unique_lock lock(mutex_);
        if (broken_) return;
        const int round = round_;
        ++here_;
        if (letGo()) return;
        if (changed_.wait_for(lock, kPatience, [&] { return round_ != round || broken_; })) return;
        broken_ = true;
        changed_.notify_all();
    }
    void leave() {
        const std::lock_guard lock(mutex_);
        --ranks_;
        if (here_ > 0) letGo();
    }

    static constexpr std::chrono::seconds kPatience{10};

private:
    bool letGo() {
        if (here_ < ranks_) return false;
        here_ = 0;
        ++round_;
        changed_.notify_all();
        return true;
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    int ranks_;  // that have not left
    int here_ = 0;
    int round_ = 0;
    bool broken_ = false;
};

// Meetings of the process, by communicator: each rank has a table of functions of its own.
class LaunchMeetings {
public:
    static LaunchMeetings& instance() {
        static LaunchMeetings meetings;
        return meetings;
    }
    void join(NcclHandle handle, const NcclId& id, int ranks) {
        const std::lock_guard lock(mutex_);
        std::weak_ptr<LaunchMeeting>& known = byId_[std::string(id.bytes, sizeof id.bytes)];
        std::shared_ptr<LaunchMeeting> meeting = known.lock();
        if (!meeting) known = meeting = std::make_shared<LaunchMeeting>(ranks);
        byHandle_[handle] = std::move(meeting);
    }
    [[nodiscard]] std::shared_ptr<LaunchMeeting> of(NcclHandle handle) {
        const std::lock_guard lock(mutex_);
        const auto found = byHandle_.find(handle);
        return found == byHandle_.end() ? nullptr : found->second;
    }
    void leave(NcclHandle handle) {
        const std::shared_ptr<LaunchMeeting> meeting = of(handle);
        if (!meeting) return;
        meeting->leave();
        const std::lock_guard lock(mutex_);
        byHandle_.erase(handle);
    }

private:
    std::mutex mutex_;
    std::map<std::string, std::weak_ptr<LaunchMeeting>> byId_;
    std::map<NcclHandle, std::shared_ptr<LaunchMeeting>> byHandle_;
};

// `nccl` with launches that ranks make together. As NcclGroup calls it: all that is launched is inside a group.
inline NcclApi launchedTogether(NcclApi nccl) {
    // The communicator that the calling thread's group is of.
    static thread_local NcclHandle given = nullptr;
    const auto noted = [](auto& function) {
        function = [call = function](auto... arguments) {
            const auto note = [](auto argument) {
                if constexpr (std::is_same_v<decltype(argument), NcclHandle>) given = argument;
            };
            (note(arguments), ...);
            return call(arguments...);
        };
    };
    noted(nccl.allReduce);
    noted(nccl.reduceScatter);
    noted(nccl.allGather);
    noted(nccl.broadcast);
    noted(nccl.send);
    noted(nccl.receive);
    nccl.groupStart = [start = nccl.groupStart] {
        given = nullptr;
        return start();
    };
    nccl.groupEnd = [end = nccl.groupEnd, stateOf = nccl.commAsyncError] {
        const NcclHandle handle = std::exchange(given, nullptr);
        const std::shared_ptr<LaunchMeeting> meeting = handle ? LaunchMeetings::instance().of(handle) : nullptr;
        if (!meeting) return end();
        meeting->meet();
        int state = end();
        // The caller has a deadline and waits for what takes longer.
        const auto last = std::chrono::steady_clock::now() + LaunchMeeting::kPatience;
        while (state == NcclApi::kInProgress && std::chrono::steady_clock::now() < last &&
               stateOf(handle, &state) == NcclApi::kSuccess) {
            std::this_thread::yield();
        }
        meeting->meet();
        return state;
    };
    nccl.commInit = [init = nccl.commInit](NcclHandle* handle, int ranks, NcclId id, int rank, NcclConfig* config) {
        const int state = init(handle, ranks, id, rank, config);
        if (*handle) LaunchMeetings::instance().join(*handle, id, ranks);
        return state;
    };
    for (auto* end : {&nccl.commFinalize, &nccl.commAbort}) {
        *end = [call = *end](NcclHandle handle) {
            LaunchMeetings::instance().leave(handle);
            return call(handle);
        };
    }
    return nccl;
}

inline LoadGpuRuntime launchedTogether(LoadGpuRuntime load) {
    return [load = std::move(load)]() -> Result<GpuRuntime> {
        DASGD_ASSIGN(GpuRuntime runtime, load());
        runtime.nccl = launchedTogether(std::move(runtime.nccl));
        return runtime;
    };
}

}  // namespace dasgd::test
