// Messages that ranks started by hand exchange through their common store besides the run itself: the place of their
// records and their outcomes.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "core/base/event.h"
#include "core/base/result.h"
#include "core/comm/gloo/gloo.h"
#include "experiments/ranks/meeting/progress_wait.h"
#include "storage/base/workspace.h"

namespace dasgd::experiments {

// Identity of the running system; another host, or the same host after a reboot, has another one.
[[nodiscard]] std::string bootId();
// Identity of an existing workspace folder on this host; another folder with the same path elsewhere has another one.
[[nodiscard]] std::string placeOf(const storage::WorkspacePaths& paths);

struct RankPlaces {
    bool together = true;   // all ranks record into one workspace of one host
    bool atHome = true;     // this rank does so into rank 0's
    std::vector<int> away;  // those that do not; known to rank 0 alone
};
// Collective. Errors: a rank did not say in time.
[[nodiscard]] Result<RankPlaces> sharePlaces(Rendezvous& store, int rank, int size, const std::string& place);

struct RankOutcome {
    int rank = 0;
    std::string status;  // finished, stopped, failed
    std::string place;
};
[[nodiscard]] const char* statusOf(RankState state);

// How every rank ended, as far as it was told, the own outcome among them. A rank that failed waits for nobody; nor
// does anybody longer than `timeout` for each of the others, but while their files are on their way: `moved` of rank 0.
[[nodiscard]] std::vector<RankOutcome> exchangeOutcomes(Rendezvous& store, const RankOutcome& own, int size,
                                                        std::chrono::milliseconds timeout,
                                                        ProgressWait::Moved moved = {});

}  // namespace dasgd::experiments
