// Records of ranks on other hosts that come after their run has ended here: because rank 0 died, which collected them,
// or because their host was cut off from it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "storage/write/recorder.h"

namespace dasgd::storage {

// One thread.
class LateRecords {
public:
    // Opens a run that has ended to take in late records from `streams`, one stream a rank. Errors: an unknown run; a
    // run that has not ended; another process collects one of the ranks; disk errors.
    static Result<std::unique_ptr<LateRecords>> open(Store& store, const std::string& runId,
                                                     std::vector<std::shared_ptr<RecordStream>> streams);
    virtual ~LateRecords() = default;

    // Stores what is there now; answers how many records.
    virtual Result<std::size_t> collect() = 0;
    // Stores the last reported outcome of each rank whose stream has ended, and adds to the run's error that these
    // records came late, or that a journal is damaged. The run keeps its status. Returns the ranks whose records are
    // complete. Call it once.
    virtual Result<std::vector<int>> finish() = 0;
};

}  // namespace dasgd::storage
