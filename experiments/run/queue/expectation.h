// Estimates the time that the runs of the queue still take, from the times of runs like them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "storage/queue/queue.h"
#include "storage/runs/run_row.h"

namespace dasgd::experiments {

// Expected times of a queue entry, in seconds; nullopt: not known.
struct Expectation {
    std::optional<double> left;    // time that its own training still takes
    std::optional<double> endsIn;  // time until its end, with the entries before it
};

// Expected times of each entry of the queue, by run. The time of a step is that of the run itself if it trains; else
// the mean (evaluations and start-up included) over runs that finished with the same settings, except seed and number
// of steps; else over the runs of its series. The end of an entry is known if the ends of all entries before it are,
// for as many runs at once as the queue was last worked with; it is not known for held entries or behind a pause.
[[nodiscard]] std::map<std::string, Expectation> expectationsOf(const storage::Queue& queue,
                                                                const std::vector<storage::RunRow>& rows);

}  // namespace dasgd::experiments
