// `dasgd list`: the runs of a workspace.
#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "experiments/base/number_format.h"
#include "experiments/base/text.h"
#include "experiments/commands/command.h"
#include "experiments/tools/report/run_summary.h"
#include "storage/read/earlier_parts.h"
#include "storage/read/effective_status.h"

namespace dasgd::experiments {

namespace {

struct ListOptions {
    std::string workspace, filter;
    bool json = false, all = false;
};

bool matches(const storage::RunRow& row, const std::string& filter) {
    const auto holds = [&](const std::string& text) { return text.find(filter) != std::string::npos; };
    return holds(row.runId) || holds(row.experiment) || holds(row.algorithm) || holds(row.status) || holds(row.backend);
}

// A time of a virtual cluster is not told as if a clock had measured it.
std::string timedText(const std::string& text, const storage::RunRow& row) {
    return row.timeSimulated && row.steps > 0 ? text + " sim" : text;
}

constexpr std::optional<double> kNaN = std::numeric_limits<double>::quiet_NaN();

std::string tableOf(const std::vector<storage::RunRow>& rows) {
    std::vector<std::string> columns{"run",   "experiment", "algorithm", "seed",          "workers", "status",
                                     "steps", "wall",       "loss",      "best accuracy", "hidden",  "samples/s"};
    const bool anyRestarted = std::ranges::any_of(rows, [](const storage::RunRow& row) { return row.restarted > 0; });
    if (anyRestarted) columns.emplace_back("restarted");
    TextTable table(columns);
    if (anyRestarted) table.leftAlign(columns.size() - 1);
    for (const std::size_t column : {1, 2, 5}) table.leftAlign(column);
    std::vector<std::optional<double>> losses, rates;
    for (const storage::RunRow& row : rows) {
        losses.push_back(row.lossIsNaN ? kNaN : row.finalLoss);
        rates.push_back(row.samplesPerS);
    }
    const std::vector<std::string> lossTexts = alike(losses), rateTexts = alike(rates);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const storage::RunRow& row = rows[i];
        std::vector<std::string> cells{printable(row.runId),
                                       printable(row.experiment),
                                       printable(row.algorithm),
                                       std::to_string(row.seed),
                                       std::to_string(row.workers),
                                       printable(statusWords(row)),
                                       std::to_string(row.steps),
                                       timedText(duration(row.wallS), row),
                                       lossTexts[i],
                                       percent(row.bestAccuracy),
                                       percent(row.hidden),
                                       row.samplesPerS ? timedText(rateTexts[i], row) : rateTexts[i]};
        if (anyRestarted) cells.push_back(printable(restartedWords(row)));
        table.add(std::move(cells));
    }
    return table.toString();
}

int list(const ListOptions& options) {
    auto reader = storage::RunReader::open(options.workspace);
    if (!reader) return refuse(reader.error());
    auto rows = reader->list();
    if (!rows) return refuse(rows.error());
    for (storage::RunRow& row : *rows) {
        if (const Status known = storage::settle(*reader, row); !known) return refuse(known.error());
    }
    std::erase_if(*rows, [&](const storage::RunRow& row) { return !matches(row, options.filter); });
    storage::EarlierParts earlier;
    for (const storage::RunRow& row : *rows) earlier.see(row);
    const std::size_t parts = options.all || options.json
                                  ? 0
                                  : std::erase_if(*rows, [&](const storage::RunRow& row) { return earlier.has(row); });
    if (!options.json) {
        std::fputs(rows->empty() ? "no runs\n" : tableOf(*rows).c_str(), stdout);
        if (parts == 1) std::puts("and 1 earlier part, which a run above went on from: --all");
        if (parts > 1) std::printf("and %zu earlier parts, which runs above went on from: --all\n", parts);
        return kFinished;
    }
    for (const storage::RunRow& row : *rows) std::printf("%s\n", dumpLine(toJson(row)).c_str());
    return kFinished;
}

Action declareList(CLI::App& app) {
    auto options = std::make_shared<ListOptions>();
    addWorkspaceOption(app, options->workspace);
    app.add_option("-f,--filter", options->filter,
                   "Only runs whose id, experiment, algorithm, status or backend has this");
    app.add_flag("--all", options->all, "Earlier parts too: runs that others went on from, which have their curves");
    app.add_flag("--json", options->json, "One line of JSON a run, of earlier parts too");
    return [options] { return list(*options); };
}

const CommandRegistry::Add kListEntry{
    {.order = 80, .name = "list", .summary = "The runs of a workspace", .declare = declareList}};

}  // namespace

}  // namespace dasgd::experiments
