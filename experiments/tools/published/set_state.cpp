#include "experiments/tools/published/set_state.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "experiments/config/checked_experiment.h"
#include "experiments/config/document.h"

namespace dasgd::experiments {

namespace {

// The suite's runs in the workspace.
Status findRuns(SetState& state, const std::filesystem::path& file, storage::WorkspaceReader* reader) {
    DASGD_ASSIGN(const std::vector<CheckedExperiment> experiments, loadExperiments(file.string(), {}));
    state.runs = state.missing = experiments.size();
    if (!reader) return {};
    DASGD_ASSIGN(const std::vector<storage::RunRow> rows, reader->runs().list());
    std::map<std::string, const storage::RunRow*> finished;  // by the settings; rows are newest first
    for (const storage::RunRow& row : rows) {
        if (row.status == "finished") finished.try_emplace(row.config, &row);
    }
    for (const CheckedExperiment& experiment : experiments) {
        const auto found = finished.find(toTomlDocument(experiment.resolved));
        if (found == finished.end()) continue;
        --state.missing;
        const storage::RunRow& row = *found->second;
        state.found.push_back({row.runId, experiment.label});
        if (std::ranges::find(state.commits, row.gitCommit) == state.commits.end())
            state.commits.push_back(row.gitCommit);
    }
    return {};
}

Status takeQuery(NumberState& into, const SetState& state, const PublishedNumber& number,
                 storage::WorkspaceReader& reader) {
    DASGD_ASSIGN(const std::vector<std::optional<double>> row,
                 reader.firstRow(storage::overRuns(state.found, number.query)));
    if (row.empty() || !row.front()) {
        into.verdict = Verdict::Differs;
        into.why = "the runs have no such value";
        return {};
    }
    into = judge(state.set, number, *row.front());
    if (row.size() > 1 && row[1]) into.runs = static_cast<std::int64_t>(*row[1]);
    return {};
}

Result<nlohmann::json> printed(const PublishedSet& set, const std::filesystem::path& file,
                               const CommandOutput& output) {
    DASGD_ASSIGN(const std::string text, output(argumentsOf(set, file.string())));
    nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
    if (json.is_discarded()) return fail("`dasgd " + set.command + "` printed no JSON");
    return json;
}

Status takePointer(NumberState& into, const PublishedSet& set, const PublishedNumber& number,
                   const nlohmann::json& json) {
    try {
        const nlohmann::json& at = json.at(nlohmann::json::json_pointer(number.pointer));
        if (at.is_number()) {
            into = judge(set, number, at.get<double>());
            return {};
        }
    } catch (const nlohmann::json::exception&) {
    }
    return fail("`dasgd " + set.command + "` prints no number at " + number.pointer + ", of '" + number.what + "'");
}

}  // namespace

std::size_t SetState::count(Verdict verdict) const {
    return static_cast<std::size_t>(std::ranges::count(numbers, verdict, &NumberState::verdict));
}

Result<SetState> stateOf(const PublishedSet& set, const std::filesystem::path& folder, storage::WorkspaceReader* reader,
                         const CommandOutput& output) {
    SetState state{.set = set, .numbers = std::vector<NumberState>(set.numbers.size()), .found = {}, .commits = {}};
    const std::filesystem::path file = folder / set.suite;
    const bool queries =
        std::ranges::any_of(set.numbers, [](const PublishedNumber& each) { return !each.query.empty(); });
    const bool points =
        std::ranges::any_of(set.numbers, [](const PublishedNumber& each) { return !each.pointer.empty(); });
    if (queries) DASGD_TRY(findRuns(state, file, reader));
    nlohmann::json json;
    if (points) {
        DASGD_ASSIGN(json, printed(set, file, output));
    }
    for (std::size_t i = 0; i < set.numbers.size(); ++i) {
        const PublishedNumber& number = set.numbers[i];
        NumberState& into = state.numbers[i];
        if (!number.query.empty()) {
            if (state.missing == 0) DASGD_TRY(takeQuery(into, state, number, *reader));
        } else if (!number.pointer.empty()) {
            DASGD_TRY(takePointer(into, set, number, json));
        } else {
            into = {.verdict = Verdict::NotComparable, .here = {}, .runs = {}, .ratio = {}, .why = number.why};
        }
    }
    return state;
}

}  // namespace dasgd::experiments
