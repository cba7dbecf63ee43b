// Brings what the hosts of a cluster still keep of runs that have ended to the first host, which has their records.
#pragma once

#include <string>
#include <vector>

#include "experiments/cluster/ssh/ssh_cluster.h"

namespace dasgd::experiments {

struct CollectedRanks {
    int found = 0;     // ranks with records that the first host did not have
    int complete = 0;  // number of those that are complete there now
    std::vector<std::string> problems;
    [[nodiscard]] bool isComplete() const { return found == complete && problems.empty(); }
};

// Asks the hosts that are there. Errors: the first one is not.
[[nodiscard]] Result<CollectedRanks> collectOnHosts(SshCluster& cluster);
// "the first host lacked records of 3 ranks; complete are now those of 3", and the problems, a line each.
[[nodiscard]] std::string collectedInWords(const CollectedRanks& collected);

}  // namespace dasgd::experiments
