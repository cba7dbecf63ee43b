// Steps after which all ranks save: every so many steps, or at about a given interval of time. By the clock, ranks
// whose time is real meet now and then, at first rarely and later only near the time when a checkpoint is due, and rank
// 0 decides. Ranks of one thread, whose time is simulated, do not meet, because a rank would wait that the algorithm
// lets run on: the first of them to reach a step decides for all.
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

// Decisions shared by the ranks of one thread; outlives them.
class CheckpointDecisions {
public:
    CheckpointDecisions(Ns every, int ranks, HostClock now = std::chrono::steady_clock::now)
        : every_(every), ranks_(ranks), now_(std::move(now)), last_(now_()) {}
    // True where ranks save after `step` steps. Asked by each rank for each step, in order.
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
    std::map<std::int64_t, Asked> asked_;  // steps about which some rank has not asked yet
};

class CheckpointTimes {
public:
    // `from`: steps that are complete as this run begins. `decisions`: for ranks of one thread; null: ranks meet.
    CheckpointTimes(CheckpointInterval interval, std::int64_t from, CheckpointDecisions* decisions,
                    HostClock now = std::chrono::steady_clock::now);

    // Called after each step; true, on every rank, where agree() is to be called.
    [[nodiscard]] bool isAgreementDue(std::int64_t step) const;
    // True where agree() is collective.
    [[nodiscard]] bool meets() const { return interval_.time > 0 && !decisions_; }
    // True where the ranks save now. Throws CommError.
    [[nodiscard]] bool agree(Communicator& comm, std::int64_t step);

private:
    CheckpointInterval interval_;
    std::int64_t from_;
    CheckpointDecisions* decisions_;
    HostClock now_;
    HostTime begun_, last_;  // time of the last checkpoint
    std::int64_t nextMeeting_;
};

}  // namespace dasgd
