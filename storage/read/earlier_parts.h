// Runs that another one went on from: its record has all that theirs has of the training, so that a list of trainings
// leaves them out.
#pragma once

#include <map>
#include <set>
#include <string>

#include "storage/runs/run_row.h"

namespace dasgd::storage {

class EarlierParts {
public:
    // Every run of the workspace, in any order. One that ended where it was to go on has nothing of its own: what it
    // would have gone on from stays the newest of its training.
    void see(const RunRow& run) {
        const bool wentOn = !run.resumedFrom.empty() && run.steps > run.resumedStep;
        if (wentOn) workers_[run.resumedFrom].insert(run.workers);
    }
    // True if a run that was seen resumes this one with the same number of workers; with another number, curves are not
    // taken over.
    [[nodiscard]] bool has(const RunRow& run) const {
        const auto found = workers_.find(run.runId);
        return found != workers_.end() && found->second.contains(run.workers);
    }
    [[nodiscard]] bool empty() const { return workers_.empty(); }

private:
    std::map<std::string, std::set<int>> workers_;  // of those that go on, by the run that they go on from
};

}  // namespace dasgd::storage
