// The journals of the ranks of one process.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/journal/journal.h"
#include "storage/write/recorder.h"

namespace dasgd::experiments {

// Owner: the process. open() and destruction from one thread; a sink belongs to the thread of its rank, or, where the
// ranks share a journal, to the one thread of all of them.
class RankJournals {
public:
    // One journal a rank, or one for all of `ranks` together, which is then the first rank's. Errors: of the disk.
    Status open(const storage::WorkspacePaths& paths, const std::string& runId, const std::vector<int>& ranks,
                bool shared);
    // The sink of a rank whose journal was opened.
    [[nodiscard]] EventSink& of(Rank rank) const { return *sinks_.at(rank.value()); }
    // Null where its journal could not be opened.
    [[nodiscard]] EventSink* find(Rank rank) const;

private:
    std::vector<std::unique_ptr<JournalWriter>> journals_;
    std::map<int, EventSink*> sinks_;
};

}  // namespace dasgd::experiments
