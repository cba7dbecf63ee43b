#include "storage/run_end.h"
#include "storage/run_reader_impl.h"

namespace dasgd::storage {

Result<std::optional<LostRun>> RunReader::lost(const std::string& runId) {
    const WorkspacePaths paths{impl_->root};
    if (!FileLock::isFree(paths.owner(runId), isFileSystemAllowed(paths.root))) return std::optional<LostRun>();
    if (anyWriterAlive(paths, runId, journalsOf(paths, runId))) return std::optional<LostRun>();
    // Read after that: an owner writes the status before it lets go.
    return impl_->guard([&]() -> Result<std::optional<LostRun>> {
        SQLite::Statement query(
            impl_->database,
            "SELECT id, workers, error FROM run WHERE run_id = ? AND "
            "(status = 'running' OR (status = 'queued' AND id NOT IN (SELECT run FROM queue_entry)))");
        query.bind(1, runId);
        if (!query.executeStep()) return std::optional<LostRun>();
        LostRun end{
            .status = statusFromRanks(impl_->database, query.getColumn(0).getInt64(), query.getColumn(1).getInt()),
            .error = query.getColumn(2).getString()};
        if (end.status == "interrupted" && end.error.empty()) {
            end.error = causeOfLoss(FileLock::holder(paths.owner(runId)));
        }
        return std::optional(std::move(end));
    });
}

}  // namespace dasgd::storage
