// Counters saved beside the state of a rank.
#pragma once

#include <cstdint>

#include "core/base/clock.h"
#include "core/step/archive.h"

namespace dasgd {

struct RankCounters {
    std::int64_t step = 0;         // completed
    std::int64_t bytesSent = 0;    // sent by the algorithm
    Ns wall = 0;                   // the run's own time
    Ns trained = 0;                // the part of it spent in training (TrainedTime)
    std::int64_t collectives = 0;  // begun by the ranks together
};

inline void putCounters(Archive& archive, const RankCounters& counters) {
    archive.put("step", counters.step);
    archive.put("bytes_sent", counters.bytesSent);
    archive.put("wall_ns", counters.wall);
    archive.put("trained_ns", counters.trained);
    archive.put("collectives", counters.collectives);
}

// Errors: a counter is missing.
[[nodiscard]] inline Result<RankCounters> countersOf(const Archive& archive) {
    RankCounters counters;
    DASGD_ASSIGN(counters.step, archive.integer("step"));
    DASGD_ASSIGN(counters.bytesSent, archive.integer("bytes_sent"));
    DASGD_ASSIGN(counters.wall, archive.integer("wall_ns"));
    DASGD_ASSIGN(counters.trained, archive.integer("trained_ns"));
    // Archives of older runs do not have this number.
    counters.collectives = archive.integer("collectives").value_or(0);
    return counters;
}

}  // namespace dasgd
