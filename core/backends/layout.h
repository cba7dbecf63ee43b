// Placement of a run's ranks and kind of its time, by the name of its backend. No torch.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace dasgd {

// Ranks are 0 … ranks−1.
struct Layout {
    std::vector<std::vector<int>> processes;  // the ranks of each process, ascending; together every rank once
    bool sharedJournal = false;               // the ranks of a process write into the journal of its first rank
    bool timeSimulated = false;               // every instant and duration of the run is simulated
    bool onGpus = false;                      // each rank computes on a GPU

    // True where every rank is a process of its own, so that another launcher (torchrun, srun) can start it.
    [[nodiscard]] bool isProcessARank() const;
    // The ranks that have a journal of their own, ascending.
    [[nodiscard]] std::vector<int> journals() const;

    [[nodiscard]] static Layout processARank(int ranks);
    [[nodiscard]] static Layout oneProcess(int ranks);
};

// Names of all registered backends, in alphabetical order.
[[nodiscard]] std::vector<std::string> backendNames();
// All names with their summaries: "gloo: processes; threads: …".
[[nodiscard]] std::string backendSummaries();
// Errors: no backend of that name; the message lists those there are.
[[nodiscard]] Result<Layout> layoutOf(const std::string& backend, int ranks);
// The fields of [cluster] that are this backend's own; none of one that is not there.
[[nodiscard]] std::vector<std::string> ownFieldsOf(const std::string& backend);

}  // namespace dasgd
