#include "storage/read/labelled_runs.h"

namespace dasgd::storage {

namespace {

std::string quoted(const std::string& text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("''") : std::string(1, c);
    return out + "'";
}

}  // namespace

std::string overRuns(const std::vector<LabelledRun>& runs, const std::string& query) {
    std::string values;
    for (const LabelledRun& run : runs)
        values += (values.empty() ? "(" : ", (") + quoted(run.runId) + ", " + quoted(run.label) + ")";
    if (values.empty()) values = "(NULL, NULL)";
    return "WITH suite_run(run_id, label) AS (VALUES " + values +
           "), suite_runs AS (SELECT * FROM suite_run JOIN run_list USING (run_id)) " + query;
}

}  // namespace dasgd::storage
