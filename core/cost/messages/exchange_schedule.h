// Schedules of collectives that move blocks without adding up: an all-gather of unlike blocks, and an all-to-all.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/cost/messages/message_schedule.h"

namespace dasgd {

// All-gather by ring, P−1 rounds, of blocks of unlike sizes: rank i's has bytesOf[i], 0 allowed, and they lie one after
// the other.
[[nodiscard]] std::unique_ptr<MessageSchedule> allGatherSchedule(const std::vector<std::int64_t>& bytesOf);
// Direct exchange, P−1 rounds: in round r rank i sends to i+r+1 and receives from i−r−1. The payload counts all blocks
// of all ranks: the one that i sends to j lies at (i·P + j) · bytesEach.
[[nodiscard]] std::unique_ptr<MessageSchedule> allToAllSchedule(std::int64_t bytesEach, int ranks);

}  // namespace dasgd
