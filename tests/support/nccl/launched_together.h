// NCCL for ranks that are threads of one process on one GPU. Its kernels wait for one another, and many calls of CUDA
// (memory that is taken, libraries that begin) wait for every kernel of the process: a rank that is inside such a call
// while another one's kernel waits for it would never come to launch its own (NCCL documentation, "Concurrency between
// NCCL and CUDA calls"). So here all ranks of a communicator launch at the same time: none before all have come, and
// none goes on before all have launched. Sends and receives alone are launched so by the ranks that they join; others
// may have none. Ranks that are processes, as those of runs, need none of this.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <set>
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
    // The same of rank `own` and each of `peers`, who meet as often as they name each other.
    void meet(int own, const std::set<int>& peers) {
        std::unique_lock lock(mutex_);
        for (const int peer : peers) ++came_[{own, peer}];
        changed_.notify_all();
        const auto areHere = [&] {
            return std::ranges::all_of(peers, [&](int peer) {
                return left_.contains(peer) || came_[{peer, own}] >= came_[{own, peer}];
            });
        };
        if (broken_ || changed_.wait_for(lock, kPatience, [&] { return broken_ || areHere(); })) return;
        broken_ = true;
        changed_.notify_all();
    }
    void leave(int rank) {
        const std::lock_guard lock(mutex_);
        left_.insert(rank);
        --ranks_;
        if (here_ > 0) letGo();
        changed_.notify_all();
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
    std::map<std::pair<int, int>, int> came_;  // of a rank and a peer: how often the rank came to meet the peer
    std::set<int> left_;
    bool broken_ = false;
};

// Meetings of the process, by communicator: each rank has a table of functions of its own.
class LaunchMeetings {
public:
    static LaunchMeetings& instance() {
        static LaunchMeetings meetings;
        return meetings;
    }
    struct Seat {
        std::shared_ptr<LaunchMeeting> meeting;
        int rank = 0;
    };
    void join(NcclHandle handle, const NcclId& id, int ranks, int rank) {
        const std::lock_guard lock(mutex_);
        std::weak_ptr<LaunchMeeting>& known = byId_[std::string(id.bytes, sizeof id.bytes)];
        std::shared_ptr<LaunchMeeting> meeting = known.lock();
        if (!meeting) known = meeting = std::make_shared<LaunchMeeting>(ranks);
        byHandle_[handle] = {std::move(meeting), rank};
    }
    // Without a meeting where the handle is none.
    [[nodiscard]] Seat of(NcclHandle handle) {
        const std::lock_guard lock(mutex_);
        const auto found = byHandle_.find(handle);
        return found == byHandle_.end() ? Seat() : found->second;
    }
    void leave(NcclHandle handle) {
        const Seat seat = of(handle);
        if (!seat.meeting) return;
        seat.meeting->leave(seat.rank);
        const std::lock_guard lock(mutex_);
        byHandle_.erase(handle);
    }

private:
    std::mutex mutex_;
    std::map<std::string, std::weak_ptr<LaunchMeeting>> byId_;
    std::map<NcclHandle, Seat> byHandle_;
};

// `nccl` with launches that ranks make together. As NcclGroup calls it: all that is launched is inside a group.
inline NcclApi launchedTogether(NcclApi nccl) {
    // The group of the calling thread: its communicator, and the peers of its messages where it has no collective.
    struct Given {
        NcclHandle handle = nullptr;
        std::set<int> peers;
        bool isOfAll = false;
    };
    static thread_local Given given;
    const auto noted = [](auto& function) {
        function = [call = function](auto... arguments) {
            const auto note = [](auto argument) {
                if constexpr (std::is_same_v<decltype(argument), NcclHandle>) given.handle = argument;
            };
            (note(arguments), ...);
            given.isOfAll = true;
            return call(arguments...);
        };
    };
    noted(nccl.allReduce);
    noted(nccl.reduceScatter);
    noted(nccl.allGather);
    noted(nccl.broadcast);
    nccl.send = [call = nccl.send](const void* in, std::size_t count, int type, int peer, NcclHandle handle,
                                   StreamHandle stream) {
        given.handle = handle;
        given.peers.insert(peer);
        return call(in, count, type, peer, handle, stream);
    };
    nccl.receive = [call = nccl.receive](void* out, std::size_t count, int type, int peer, NcclHandle handle,
                                         StreamHandle stream) {
        given.handle = handle;
        given.peers.insert(peer);
        return call(out, count, type, peer, handle, stream);
    };
    nccl.groupStart = [start = nccl.groupStart] {
        given = {};
        return start();
    };
    nccl.groupEnd = [end = nccl.groupEnd, stateOf = nccl.commAsyncError] {
        const Given group = std::exchange(given, {});
        const auto [meeting, rank] = LaunchMeetings::instance().of(group.handle);
        if (!meeting) return end();
        const auto meet = [&, &meeting = meeting, rank = rank] {
            group.isOfAll ? meeting->meet() : meeting->meet(rank, group.peers);
        };
        meet();
        int state = end();
        // The caller has a deadline and waits for what takes longer.
        const auto last = std::chrono::steady_clock::now() + LaunchMeeting::kPatience;
        while (state == NcclApi::kInProgress && std::chrono::steady_clock::now() < last &&
               stateOf(group.handle, &state) == NcclApi::kSuccess) {
            std::this_thread::yield();
        }
        meet();
        return state;
    };
    nccl.commInit = [init = nccl.commInit](NcclHandle* handle, int ranks, NcclId id, int rank, NcclConfig* config) {
        const int state = init(handle, ranks, id, rank, config);
        if (*handle) LaunchMeetings::instance().join(*handle, id, ranks, rank);
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
