#include "storage/read/run_reader_impl.h"
#include "storage/runs/run_end.h"

namespace dasgd::storage {

Result<std::optional<LostRun>> RunReader::lost(const std::string& runId) {
    const WorkspacePaths paths{impl_->root};
    if (!mayBeLost(paths, runId)) return std::optional<LostRun>();
    // Read after that: an owner writes the status before it lets go.
    return impl_->guard([&]() -> Result<std::optional<LostRun>> { return endOfLost(impl_->database, paths, runId); });
}

}  // namespace dasgd::storage
