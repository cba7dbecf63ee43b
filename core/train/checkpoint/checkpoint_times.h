// After which steps all ranks save: every so many steps, or about as often as a clock says. By the clock, ranks whose
// time is real meet now and then, rarely at first seen and soon only when a checkpoint is due, and rank 0 says whether
// it is. Ranks of one thread, whose time is simulated, do not meet, because that would let ranks wait that the
// algorithm keeps apart: the first of them to come to a step decides for all.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>

#include "core/comm/communicator.h"
#include "core/experiment/checkpoint_params.h"

namespace dasgd {

using HostTime = std::chrono::steady_clock::time_point;
using HostClock = std::function<HostTime()>;

// What the ranks of one thread have decided; outlives them.
class CheckpointDecisions {
public:
    CheckpointDecisions(Ns every, int ranks, HostClock now = std::chrono::steady_clock::now)
        : every_(every), ranks_(ranks), now_(std::move(now)), last_(now_()) {}
    // Whether ranks save after `step` steps. Asked by each rank of each step, in order.
    [[nodiscard]] bool due(std::int64_t step);

private:
    struct Asked {
        bool due = false;
        int times = 0;
    };
    Ns every_;
    int ranks_;
    HostClock now_;
    HostTime last_;
    std::map<std::int64_t, Asked> asked_;  // that some rank has not asked about yet
};

class CheckpointTimes {
public:
    // `from`: steps that are complete as this run begins. `decisions`: of ranks of one thread; null: ranks meet.
    CheckpointTimes(CheckpointInterval interval, std::int64_t from, CheckpointDecisions* decisions,
                    HostClock now = std::chrono::steady_clock::now);

    // After each step, the same on every rank: whether agree() is to be called.
    [[nodiscard]] bool asksAfter(std::int64_t step) const;
    // Whether agree() is collective.
    [[nodiscard]] bool meets() const { return interval_.time > 0 && !decisions_; }
    // Whether the ranks save now. Throws CommError.
    [[nodiscard]] bool agree(Communicator& comm, std::int64_t step);

private:
    CheckpointInterval interval_;
    std::int64_t from_;
    CheckpointDecisions* decisions_;
    HostClock now_;
    HostTime begun_, last_;  // of the last checkpoint
    std::int64_t nextMeeting_;
};

}  // namespace dasgd
