// A query over some runs of a workspace, for numbers that name the runs which they are of.
#pragma once

#include <string>
#include <vector>

namespace dasgd::storage {

struct LabelledRun {
    std::string runId, label;
};

// `query` with the table suite_runs, which is run_list of these runs with their `label`: a whole statement, which
// sqlite3 takes too. Runs that the workspace does not have are left out.
[[nodiscard]] std::string overRuns(const std::vector<LabelledRun>& runs, const std::string& query);

}  // namespace dasgd::storage
