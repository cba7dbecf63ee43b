#include "storage/collect/journal_source.h"

#include <utility>

namespace dasgd::storage {

JournalSource::JournalSource(int rank, std::filesystem::path folder)
    : RecordSource(rank), folder_(std::move(folder)), reader_(folder_) {}

void JournalSource::startAfter(std::uint64_t sequence) { reader_ = JournalReader(folder_, sequence); }

Result<std::size_t> JournalSource::read(std::size_t limit, const std::function<void(const EventRecord&)>& take) {
    return reader_.read(limit, take);
}

void JournalSource::release(std::uint64_t sequence) { reader_.release(sequence); }

std::string JournalSource::damage() const {
    std::error_code ignored;
    if (reader_.lastSequence() > 0 && !std::filesystem::exists(folder_, ignored)) {
        return "the journal of rank " + std::to_string(rank()) +
               " was removed while it was written: what came after record " + std::to_string(reader_.lastSequence()) +
               " may be lost";
    }
    if (!reader_.damaged()) return "";
    return "the journal of rank " + std::to_string(rank()) + " is damaged after record " +
           std::to_string(reader_.lastSequence()) + ", what follows is not read";
}

RecordSources journalSources(const WorkspacePaths& paths, const std::string& runId, const std::vector<int>& journals) {
    RecordSources sources;
    for (const int rank : journals) {
        sources.push_back(std::make_unique<JournalSource>(rank, paths.journal(runId, rank)));
    }
    return sources;
}

}  // namespace dasgd::storage
