// The records of a rank's journal on this host. Layout and recovery rules of journals: storage/format.md.
#pragma once

#include <filesystem>

#include "core/journal/journal.h"
#include "storage/base/workspace.h"
#include "storage/collect/record_source.h"

namespace dasgd::storage {

// Released records free the segments that hold no other. A journal that does not exist yet reads as empty.
class JournalSource final : public RecordSource {
public:
    // `folder` is the journal of `rank`, which may hold records of other ranks too. The caller holds its lock.
    JournalSource(int rank, std::filesystem::path folder);

    void startAfter(std::uint64_t sequence) override;
    Result<std::size_t> read(std::size_t limit, const std::function<void(const EventRecord&)>& take) override;
    void release(std::uint64_t sequence) override;
    [[nodiscard]] std::string damage() const override;

private:
    const std::filesystem::path folder_;
    JournalReader reader_;
};

// One a journal of the run, by the ranks that the journals are of.
RecordSources journalSources(const WorkspacePaths& paths, const std::string& runId, const std::vector<int>& journals);

}  // namespace dasgd::storage
