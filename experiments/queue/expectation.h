// How long the runs of the queue still take, by what runs like them took.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "storage/queue.h"
#include "storage/run_reader.h"

namespace dasgd::experiments {

// Seconds; nullopt: not known.
struct Expectation {
    std::optional<double> left;    // of its own training
    std::optional<double> endsIn;  // from now, what is before it included
};

// Of each entry of the queue, by run. A step takes what it took the run itself, where that trains; else what it took
// on average (evaluations and start-up included) those runs that finished with the same settings, seeds and numbers of
// steps aside; else those of its series. When one ends is known where what is before it is, for as many runs at once as
// the queue was last worked with; not of those that are held, nor behind a pause.
[[nodiscard]] std::map<std::string, Expectation> expectationsOf(const storage::Queue& queue,
                                                                const std::vector<storage::RunRow>& rows);

}  // namespace dasgd::experiments
