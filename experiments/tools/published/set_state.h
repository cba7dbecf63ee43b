// The state of published numbers: what of them comes out of the runs that a workspace has.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "experiments/tools/published/published.h"
#include "storage/read/labelled_runs.h"
#include "storage/read/workspace_reader.h"

namespace dasgd::experiments {

struct SetState {
    PublishedSet set;
    std::vector<NumberState> numbers;         // as in `set`
    std::size_t runs = 0, missing = 0;        // of its suite; missing: not finished in the workspace
    std::vector<storage::LabelledRun> found;  // of its suite, finished
    std::vector<std::string> commits;         // of these runs, each once

    [[nodiscard]] std::size_t count(Verdict verdict) const;
};

// Prints of a `dasgd` with these arguments: its stdout. Errors: it failed.
using CommandOutput = std::function<Result<std::string>(const std::vector<std::string>& arguments)>;

// A number whose suite is not finished is NotRun, whatever its query would say of the rest. Of runs with equal settings
// the newest counts. `folder`: of the list and its suites. `reader`: null where there is no workspace yet. Errors: the
// suite does not read, a query or pointer finds nothing.
[[nodiscard]] Result<SetState> stateOf(const PublishedSet& set, const std::filesystem::path& folder,
                                       storage::WorkspaceReader* reader, const CommandOutput& output);

}  // namespace dasgd::experiments
