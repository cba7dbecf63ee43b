// A run whose spans come from a file instead of from ranks: a trace of another program, or an exported one of ours.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/base/event.h"
#include "core/base/result.h"
#include "storage/runs/run_row.h"
#include "storage/write/store.h"

namespace dasgd::storage {

// Writes one run into the workspace, in transactions of bounded size. Use from one thread. Without finish() the run is
// `failed`, or `interrupted` where the process was killed; what was written by then stays.
class ImportedRun {
public:
    // The numbers that the trace files cannot tell. They are absent from the run instead of 0.
    struct Unknown {
        bool waits = false;   // no span says when a rank stood still: blocked
        bool passes = false;  // no forward and backward: inflation
        bool skews = false;   // arrivals of the ranks are not known: skew
        std::string events;   // description of events in the files that the run lacks, "" without any; isPartlyRead()
    };

    // Adds the run as `running`; backend "trace" for all. Errors: as Store::addRun.
    static Result<std::unique_ptr<ImportedRun>> begin(Store& store, RunInfo info);
    virtual ~ImportedRun() = default;

    // In the order of their starts, but a window after what it covers. `name`: what the other program calls it, "" for
    // spans of ours. Errors: the disk.
    virtual Status span(int rank, const Span& span, std::string_view name) = 0;
    // Another text in the place of the configuration: what is known only at the end.
    virtual Status setConfig(const std::string& config) = 0;
    // Commits the rest; the run is `finished` with that many steps. Once.
    virtual Status finish(std::int64_t steps, const Unknown& unknown) = 0;
    // Ends the run as `failed`, for the reason `why`.
    virtual void abandon(const std::string& why) = 0;
};

// The run lacks events of its files, which are damaged there: its error begins with "partly read: ", though it is
// `finished`. Every list of runs says so.
[[nodiscard]] bool isPartlyRead(const RunRow& row);

}  // namespace dasgd::storage
