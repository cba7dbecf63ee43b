// Records of ranks on other hosts that come after their run has ended here: because rank 0 died, which collected them,
// or because their host was cut off from it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "storage/recorder.h"

namespace dasgd::storage {

// One thread.
class LateRecords {
public:
    // Of `streams`, each of one rank. Errors: unknown run; it has not ended; another process collects one of the ranks;
    // of the disk.
    static Result<std::unique_ptr<LateRecords>> open(Store& store, const std::string& runId,
                                                     std::vector<std::shared_ptr<RecordStream>> streams);
    virtual ~LateRecords() = default;

    // Stores what is there now; answers how many records.
    virtual Result<std::size_t> collect() = 0;
    // Of each rank whose stream has ended the outcome is what it said last, and that its records came later is added to
    // the run's error; of one whose journal is damaged, that it is. The run keeps its status. Answers the ranks of
    // which all is here. Once.
    virtual Result<std::vector<int>> finish() = 0;
};

}  // namespace dasgd::storage
