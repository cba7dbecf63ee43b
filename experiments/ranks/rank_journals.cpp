#include "experiments/ranks/rank_journals.h"

namespace dasgd::experiments {

Status RankJournals::open(const storage::WorkspacePaths& paths, const std::string& runId, const std::vector<int>& ranks,
                          bool shared) {
    for (const int rank : ranks) {
        if (journals_.empty() || !shared) {
            DASGD_ASSIGN(auto journal, JournalWriter::create(paths.journal(runId, rank)));
            journals_.push_back(std::move(journal));
        }
        sinks_[rank] = shared ? &journals_.back()->of(Rank(rank)) : journals_.back().get();
    }
    return {};
}

EventSink* RankJournals::find(Rank rank) const {
    const auto found = sinks_.find(rank.value());
    return found == sinks_.end() ? nullptr : found->second;
}

}  // namespace dasgd::experiments
