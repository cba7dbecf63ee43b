// The beginning of a run that was started by hand: every rank says where it records, and rank 0 names the run.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "experiments/ranks/meeting/decision.h"
#include "storage/base/workspace.h"

namespace dasgd::experiments {

// Identity of the running system; another host, or the same host after a reboot, has another one.
[[nodiscard]] std::string bootId();
// Identity of an existing workspace folder on this host; another folder with the same path elsewhere has another one.
[[nodiscard]] std::string placeOf(const storage::WorkspacePaths& paths);

struct RankPlaces {
    bool together = true;   // all ranks record into one workspace of one host
    bool atHome = true;     // this rank does so into rank 0's
    std::vector<int> away;  // those that do not
};

struct Assignment {
    std::string runId;
    std::string boot;   // boot id of rank 0's host
    Ns origin = 0;      // instant 0 of the run by the raw monotonic clock of that host
    Ns realOrigin = 0;  // instant 0 of the run by the calendar
    // Run from whose checkpoint this one resumes, and the step of the checkpoint; "": it begins at step 0.
    std::string resumedFrom;
    std::int64_t resumedStep = 0;
    // Where rank 0 takes in records and files of ranks in other workspaces, and the file by which a rank recognises
    // rank 0's workspace; "": nowhere, none.
    std::string intake, mark;
    RankPlaces places;  // as the rank that has the assignment sees them

    [[nodiscard]] std::string text() const;
    // Errors: it is of another version.
    static Result<Assignment> from(const std::string& text);
    // By this host's raw monotonic clock. Between hosts the calendar gives a first guess; the ranks measure the rest.
    [[nodiscard]] Ns originHere() const;
};

// Collective. `place`: where this rank records. `found` makes the run, on rank 0, which then knows the places of all.
// Errors: a rank did not say its place in time; rank 0 could not start the run, and why, on all ranks.
using FoundRun = std::function<Result<Assignment>(const RankPlaces& places)>;
[[nodiscard]] Result<Assignment> joinRun(const Seat& seat, const std::string& place, const FoundRun& found);

}  // namespace dasgd::experiments
