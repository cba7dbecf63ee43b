// Where the ranks of a run are and what its time is, by the name of its backend. No torch.
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

    // Every rank is a process of its own, so that a launcher of others (torchrun, srun) can start it.
    [[nodiscard]] bool isProcessARank() const;
    // The ranks that have a journal of their own, ascending.
    [[nodiscard]] std::vector<int> journals() const;

    [[nodiscard]] static Layout processARank(int ranks);
    [[nodiscard]] static Layout oneProcess(int ranks);
};

// Of every registered backend, in alphabetical order.
[[nodiscard]] std::vector<std::string> backendNames();
// "gloo: processes; threads: …": each with its summary.
[[nodiscard]] std::string backendSummaries();
// Errors: no backend of that name; the message lists those there are.
[[nodiscard]] Result<Layout> layoutOf(const std::string& backend, int ranks);

}  // namespace dasgd
