// A stand-in for NCCL: the functions of core/comm/nccl/nccl_api.h over shared memory, on streams of a stand-in device,
// so that everything above them runs where no GPU is: connecting, collectives, deadlines, errors, aborts. It is not
// NCCL, no figure comes from it, and it is stricter: a send ends when it has been received, and a broadcast ends when
// all have come.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "core/comm/nccl/nccl_api.h"
#include "tests/support/nccl/standin_segment.h"

namespace dasgd::test {

class StandInNccl {
public:
    // `launch` puts work on a stream.
    using Launch = std::function<void(StreamHandle, std::function<void()>)>;
    explicit StandInNccl(Launch launch) : launch_(std::move(launch)) {}
    ~StandInNccl() {
        for (const std::string& name : made_) ::shm_unlink(name.c_str());
    }
    StandInNccl(const StandInNccl&) = delete;
    StandInNccl& operator=(const StandInNccl&) = delete;

    // Functions that hold a pointer to this.
    [[nodiscard]] NcclApi api();

    int version = 23001;

private:
    struct Comm {
        std::shared_ptr<StandInSegment> segment;
        std::string name;  // of the segment
        int rank = 0, size = 1;
        std::uint64_t operations = 0;  // of all ranks; of the stream's thread
        std::atomic<int> error = NcclApi::kSuccess;
        std::atomic<int> underWay = 0;
        std::atomic<int> asked = 0;  // how often it still answers that it is in progress
        std::atomic<bool> aborted = false, closing = false;
    };
    using CommPointer = std::shared_ptr<Comm>;
    using SlotOf = std::function<const char*(int rank)>;
    // One piece of work: what a rank shows to the others, and what it makes of what they show.
    struct Work {
        std::function<void(char* slot)> show;
        std::function<bool(const SlotOf& slotOf)> take;  // false: what the ranks give does not fit together
    };
    struct Message {
        bool sends = false;
        const void* in = nullptr;
        void* out = nullptr;
        std::size_t bytes = 0;
        int peer = 0;
    };
    // The calling thread's group of calls.
    struct Calls {
        int depth = 0;
        NcclHandle handle = nullptr;
        StreamHandle stream = nullptr;
        std::vector<Message> messages;
    };
    static Calls& calls() {
        static thread_local Calls calls;
        return calls;
    }

    static std::size_t widthOf(int type) {
        switch (type) {
            case NcclApi::kDouble:
            case NcclApi::kInt64: return 8;
            case NcclApi::kFloat:
            case NcclApi::kInt32: return 4;
            default: return type == NcclApi::kHalf || type == NcclApi::kBfloat16 ? 2 : 1;
        }
    }
    template <class T>
    static void reduceAs(void* out, const std::vector<const char*>& from, std::size_t count, int op) {
        T* result = static_cast<T*>(out);
        const auto at = [&](std::size_t rank, std::size_t i) {
            T value;
            std::memcpy(&value, from[rank] + i * sizeof(T), sizeof(T));
            return value;
        };
        for (std::size_t i = 0; i < count; ++i) {
            T value = at(0, i);
            for (std::size_t r = 1; r < from.size(); ++r)
                value = op == NcclApi::kMax ? std::max(value, at(r, i)) : value + at(r, i);
            result[i] = op == NcclApi::kMean ? value / static_cast<T>(from.size()) : value;
        }
    }
    // False: a type that the stand-in does not reduce.
    static bool reduce(void* out, const std::vector<const char*>& from, std::size_t count, int type, int op) {
        switch (type) {
            case NcclApi::kDouble: return reduceAs<double>(out, from, count, op), true;
            case NcclApi::kFloat: return reduceAs<float>(out, from, count, op), true;
            case NcclApi::kInt64: return reduceAs<std::int64_t>(out, from, count, op), true;
            case NcclApi::kInt32: return reduceAs<std::int32_t>(out, from, count, op), true;
            default: return false;
        }
    }

    CommPointer comm(NcclHandle handle) {
        const std::lock_guard lock(mutex_);
        const auto found = comms_.find(handle);
        return found == comms_.end() ? nullptr : found->second;
    }
    CommPointer takeOut(NcclHandle handle) {
        const std::lock_guard lock(mutex_);
        const auto found = comms_.find(handle);
        if (found == comms_.end()) return nullptr;
        CommPointer taken = found->second;
        comms_.erase(found);
        taken->segment->seat(taken->rank).closed = true;
        return taken;
    }

    // Removes the name once all ranks have the segment open, so that a process that is killed leaves nothing behind.
    void forgetName(const std::string& name) {
        const std::lock_guard lock(mutex_);
        if (std::erase(made_, name) > 0) ::shm_unlink(name.c_str());
    }

    int makeId(NcclId* id);
    int init(NcclHandle* handle, int ranks, const NcclId& id, int rank);
    int asyncError(NcclHandle handle, int* state);
    int groupEnd();
    // `bytes`: size of what the rank shows.
    int give(NcclHandle handle, StreamHandle stream, std::size_t bytes, Work work);
    int collect(NcclHandle handle, StreamHandle stream, const Message& message);
    // Both run on the stream's thread and return when the work is done, or the communicator is aborted.
    static void work(Comm& comm, const Work& work);
    static void exchange(Comm& comm, const std::vector<Message>& messages);
    static void awaitAbort(const Comm& comm);

    Launch launch_;
    std::mutex mutex_;
    std::map<NcclHandle, CommPointer> comms_;
    std::vector<std::string> made_;
};

inline NcclApi StandInNccl::api() {
    NcclApi api;
    api.version = [this](int* out) {
        *out = version;
        return NcclApi::kSuccess;
    };
    api.errorText = [](int error) {
        if (error == NcclApi::kRemoteError) return "remote process exited or there was a network error (stand-in)";
        return error == NcclApi::kInvalidArgument ? "invalid argument (stand-in)" : "an error of the stand-in";
    };
    api.lastError = [](NcclHandle) { return ""; };
    api.makeId = [this](NcclId* id) { return makeId(id); };
    api.commInit = [this](NcclHandle* handle, int ranks, NcclId id, int rank, NcclConfig* config) {
        return config->blocking == 0 ? init(handle, ranks, id, rank) : NcclApi::kInvalidArgument;
    };
    api.commAsyncError = [this](NcclHandle handle, int* state) { return asyncError(handle, state); };
    api.commFinalize = [this](NcclHandle handle) {
        const CommPointer found = comm(handle);
        if (!found) return NcclApi::kInvalidArgument;
        found->closing = true;
        return NcclApi::kInProgress;
    };
    api.commDestroy = [this](NcclHandle handle) {
        return takeOut(handle) ? NcclApi::kSuccess : NcclApi::kInvalidArgument;
    };
    api.commAbort = [this](NcclHandle handle) {
        const CommPointer found = takeOut(handle);
        if (!found) return NcclApi::kInvalidArgument;
        found->aborted = true;
        return NcclApi::kSuccess;
    };
    api.groupStart = [] {
        ++calls().depth;
        return NcclApi::kSuccess;
    };
    api.groupEnd = [this] { return groupEnd(); };
    api.allReduce = [this](const void* in, void* out, std::size_t count, int type, int op, NcclHandle handle,
                           StreamHandle stream) {
        const std::size_t bytes = count * widthOf(type);
        const CommPointer found = comm(handle);
        const int size = found ? found->size : 0;
        return give(handle, stream, bytes,
                    {[=](char* slot) { std::memcpy(slot, in, bytes); },
                     [=](const SlotOf& slotOf) {
                         std::vector<const char*> from;
                         for (int r = 0; r < size; ++r) from.push_back(slotOf(r));
                         return reduce(out, from, count, type, op);
                     }});
    };
    api.reduceScatter = [this](const void* in, void* out, std::size_t count, int type, int op, NcclHandle handle,
                               StreamHandle stream) {
        const CommPointer found = comm(handle);
        const int size = found ? found->size : 0, rank = found ? found->rank : 0;
        const std::size_t row = count * widthOf(type);
        return give(handle, stream, row * static_cast<std::size_t>(size),
                    {[=](char* slot) { std::memcpy(slot, in, row * static_cast<std::size_t>(size)); },
                     [=](const SlotOf& slotOf) {
                         std::vector<const char*> from;
                         for (int r = 0; r < size; ++r)
                             from.push_back(slotOf(r) + static_cast<std::size_t>(rank) * row);
                         return reduce(out, from, count, type, op);
                     }});
    };
    api.allGather = [this](const void* in, void* out, std::size_t count, int type, NcclHandle handle,
                           StreamHandle stream) {
        const CommPointer found = comm(handle);
        const int size = found ? found->size : 0;
        const std::size_t bytes = count * widthOf(type);
        return give(handle, stream, bytes,
                    {[=](char* slot) { std::memcpy(slot, in, bytes); },
                     [=](const SlotOf& slotOf) {
                         for (int r = 0; r < size; ++r) {
                             std::memcpy(static_cast<char*>(out) + static_cast<std::size_t>(r) * bytes, slotOf(r),
                                         bytes);
                         }
                         return true;
                     }});
    };
    api.broadcast = [this](const void* in, void* out, std::size_t count, int type, int root, NcclHandle handle,
                           StreamHandle stream) {
        const CommPointer found = comm(handle);
        const bool gives = found && found->rank == root;
        const std::size_t bytes = count * widthOf(type);
        return give(handle, stream, bytes,
                    {[=](char* slot) {
                         if (gives) std::memcpy(slot, in, bytes);
                     },
                     [=](const SlotOf& slotOf) {
                         std::memcpy(out, slotOf(root), bytes);
                         return true;
                     }});
    };
    api.send = [this](const void* in, std::size_t count, int type, int to, NcclHandle handle, StreamHandle stream) {
        return collect(handle, stream, {.sends = true, .in = in, .bytes = count * widthOf(type), .peer = to});
    };
    api.receive = [this](void* out, std::size_t count, int type, int from, NcclHandle handle, StreamHandle stream) {
        return collect(handle, stream, {.out = out, .bytes = count * widthOf(type), .peer = from});
    };
    return api;
}

inline int StandInNccl::makeId(NcclId* id) {
    static std::atomic<int> newest = 0;
    const std::string name = std::string("/dasgd-standin-nccl-")
                                 .append(std::to_string(::getpid()))
                                 .append("-")
                                 .append(std::to_string(++newest));
    ::shm_unlink(name.c_str());  // of a process of that number that was killed
    if (!StandInSegment::open(name, true)) return NcclApi::kSystemError;
    std::snprintf(id->bytes, sizeof id->bytes, "%s", name.c_str());
    const std::lock_guard lock(mutex_);
    made_.push_back(name);
    return NcclApi::kSuccess;
}

inline int StandInNccl::init(NcclHandle* handle, int ranks, const NcclId& id, int rank) {
    if (ranks > StandInSegment::kMostRanks || rank >= ranks) return NcclApi::kInvalidArgument;
    auto made = std::make_shared<Comm>();
    made->segment = StandInSegment::open(id.bytes, false);
    if (!made->segment) return NcclApi::kSystemError;
    made->name = id.bytes;
    made->rank = rank;
    made->size = ranks;
    made->segment->seat(rank).process = ::getpid();
    *handle = reinterpret_cast<NcclHandle>(made.get());
    const std::lock_guard lock(mutex_);
    comms_[*handle] = std::move(made);
    return NcclApi::kInProgress;
}

inline int StandInNccl::asyncError(NcclHandle handle, int* state) {
    const CommPointer found = comm(handle);
    if (!found) return NcclApi::kInvalidArgument;
    *state = found->error;
    if (*state != NcclApi::kSuccess) return NcclApi::kSuccess;
    const bool complete = found->segment->seatsTaken(found->size) == found->size;
    const bool busy = found->asked > 0 && found->asked-- > 0;
    if (complete) forgetName(found->name);
    if (!complete || busy || (found->closing && found->underWay > 0)) *state = NcclApi::kInProgress;
    return NcclApi::kSuccess;
}

inline int StandInNccl::give(NcclHandle handle, StreamHandle stream, std::size_t bytes, Work given) {
    const CommPointer found = comm(handle);
    if (!found || bytes > StandInSegment::kSlotBytes) return NcclApi::kInvalidArgument;
    ++found->underWay;
    calls().handle = handle;
    launch_(stream, [found, given = std::move(given)] {
        work(*found, given);
        --found->underWay;
    });
    return NcclApi::kSuccess;
}

inline int StandInNccl::collect(NcclHandle handle, StreamHandle stream, const Message& message) {
    if (calls().depth == 0) return NcclApi::kInvalidArgument;
    calls().handle = handle;
    calls().stream = stream;
    calls().messages.push_back(message);
    return NcclApi::kSuccess;
}

inline int StandInNccl::groupEnd() {
    if (--calls().depth > 0) return NcclApi::kSuccess;
    const Calls ended = std::exchange(calls(), {});
    const CommPointer found = comm(ended.handle);
    if (!found) return ended.handle ? NcclApi::kInvalidArgument : NcclApi::kSuccess;
    if (!ended.messages.empty()) {
        ++found->underWay;
        launch_(ended.stream, [found, messages = ended.messages] {
            exchange(*found, messages);
            --found->underWay;
        });
    }
    // NCCL that is told not to block answers like this.
    found->asked = 2;
    return NcclApi::kInProgress;
}

// Messages of one rank to another pass in the order in which they were given, those of different ranks beside each
// other. Ranks without messages take no part.
inline void StandInNccl::exchange(Comm& comm, const std::vector<Message>& messages) {
    constexpr std::size_t kPart = StandInSegment::kPartBytes;
    struct Progress {
        std::size_t bytes = 0;    // given or taken so far
        std::uint64_t parts = 0;  // likewise
        bool over = false;
    };
    std::vector<Progress> all(messages.size());
    // True where it got further.
    const auto advance = [&](const Message& message, Progress& progress) {
        auto& lane =
            message.sends ? comm.segment->lane(comm.rank, message.peer) : comm.segment->lane(message.peer, comm.rank);
        const bool isFree = lane.given == lane.taken;
        const std::size_t part = std::min(kPart, message.bytes - progress.bytes);
        const bool isLast = progress.parts > 0 && part == 0;  // a message of no bytes has one part
        if (message.sends) {
            if (!isFree) return false;
            if (isLast) return progress.over = true;
            std::memcpy(lane.part, static_cast<const char*>(message.in) + progress.bytes, part);
            lane.messageBytes = message.bytes;
            ++lane.given;
        } else {
            if (isFree) return false;
            if (lane.messageBytes != message.bytes) {
                comm.error = NcclApi::kInvalidArgument;
                return false;
            }
            std::memcpy(static_cast<char*>(message.out) + progress.bytes, lane.part, part);
            progress.over = progress.bytes + part == message.bytes;
            ++lane.taken;
        }
        progress.bytes += part;
        ++progress.parts;
        return true;
    };
    const auto advanceAll = [&] {
        bool moved = false;
        std::array<std::array<bool, StandInSegment::kMostRanks>, 2> isBusy{};
        for (std::size_t i = 0; i < messages.size(); ++i) {
            bool& busy = isBusy[messages[i].sends ? 1 : 0][static_cast<std::size_t>(messages[i].peer)];
            if (all[i].over || busy) continue;
            moved = advance(messages[i], all[i]) || moved;
            busy = !all[i].over;
        }
        return moved;
    };
    const auto isAPeerGone = [&] {
        for (std::size_t i = 0; i < messages.size(); ++i) {
            if (!all[i].over && comm.segment->isGone(messages[i].peer)) return true;
        }
        return false;
    };
    while (std::ranges::any_of(all, [](const Progress& each) { return !each.over; })) {
        if (comm.error != NcclApi::kSuccess || comm.aborted) return awaitAbort(comm);
        if (advanceAll()) continue;
        // The rank may have come, and gone right after.
        if (isAPeerGone() && !advanceAll() && comm.error == NcclApi::kSuccess) comm.error = NcclApi::kRemoteError;
        std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
}

inline void StandInNccl::work(Comm& comm, const Work& work) {
    using Met = StandInSegment::Met;
    const std::uint64_t number = ++comm.operations;
    const auto met = [&](auto reached) {
        if (comm.error != NcclApi::kSuccess) return false;
        const Met how = comm.segment->meet(comm.size, comm.aborted, reached);
        if (how == Met::OneIsGone) comm.error = NcclApi::kRemoteError;
        return how == Met::All;
    };
    const auto carryOut = [&] {
        StandInSegment::Seat& own = comm.segment->seat(comm.rank);
        // No rank reads any more what was shown there.
        if (!met([&](StandInSegment::Seat& seat) { return seat.left + 1 >= number; })) return false;
        work.show(comm.segment->slot(comm.rank));
        own.arrived = number;
        if (!met([&](StandInSegment::Seat& seat) { return seat.arrived >= number; })) return false;
        if (!work.take([&](int rank) { return comm.segment->slot(rank); })) comm.error = NcclApi::kInvalidArgument;
        own.left = number;
        return comm.error == NcclApi::kSuccess;
    };
    if (!carryOut()) awaitAbort(comm);
}

// A kernel of NCCL does not end by an error, but by an abort.
inline void StandInNccl::awaitAbort(const Comm& comm) {
    while (!comm.aborted) std::this_thread::sleep_for(std::chrono::microseconds(50));
}

}  // namespace dasgd::test
