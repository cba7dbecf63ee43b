#include "experiments/run/session/earlier_runs.h"

#include <map>
#include <string>

#include "experiments/config/document.h"

namespace dasgd::experiments {

Result<std::vector<EarlierRun>> earlierRuns(const storage::WorkspacePaths& paths, storage::RunReader& reader,
                                            const std::vector<CheckedExperiment>& experiments) {
    DASGD_ASSIGN(const std::vector<storage::RunRow> rows, reader.list());
    std::map<std::string, const storage::RunRow*> newest;  // by the settings; rows are newest first
    for (const storage::RunRow& row : rows) newest.try_emplace(row.config, &row);
    std::vector<EarlierRun> earlier;
    for (const CheckedExperiment& experiment : experiments) {
        EarlierRun& one = earlier.emplace_back();
        const auto found = newest.find(toTomlDocument(experiment.resolved));
        if (found == newest.end()) continue;
        const storage::RunRow& row = *found->second;
        if (row.status == "finished") {
            one.finished = row;
            continue;
        }
        if (row.status == "running" || row.status == "queued") {
            DASGD_ASSIGN(const auto lost, reader.lost(row.runId));
            if (!lost) return fail("run " + row.runId + " of these settings is " + row.status + " already");
        }
        if (auto point = resumePointOf(paths, reader, row)) one.from = std::move(point->point);
    }
    return earlier;
}

}  // namespace dasgd::experiments
