// A slower network than the one at hand: a collective completes no earlier than its α-β time after the real one did.
// Marked 'emulated' wherever its numbers show.
#pragma once

#include <memory>

#include "core/base/clock.h"
#include "core/comm/communicator.h"

namespace dasgd {

struct Link {
    double latencyS = 0;        // α, seconds a message
    double bytesPerSecond = 0;  // 1/β
};

// Seconds by algorithms.md F (α-β model): ring all-reduce 2(P−1)α + 2S(P−1)/(P·B), all-gather (P−1)(α + S/B),
// binomial-tree broadcast ⌈log₂P⌉(α + S/B), one message α + S/B. S in bytes, P ranks.
[[nodiscard]] double ringAllReduceSeconds(const Link& link, std::int64_t bytes, int ranks);
[[nodiscard]] double allGatherSeconds(const Link& link, std::int64_t bytesEach, int ranks);
[[nodiscard]] double broadcastSeconds(const Link& link, std::int64_t bytes, int ranks);
[[nodiscard]] double messageSeconds(const Link& link, std::int64_t bytes);

// Wraps `inner`. One operation at a time is on the link, in launch order. `clock` outlives it.
[[nodiscard]] std::unique_ptr<Communicator> emulateLink(std::unique_ptr<Communicator> inner, const Link& link,
                                                        Clock& clock);

}  // namespace dasgd
